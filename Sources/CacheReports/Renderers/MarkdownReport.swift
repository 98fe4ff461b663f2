/// A document as Markdown with GitHub's tables. Charts are left out; their tables are folded away.
public enum MarkdownReport {
    /// The document as Markdown, which ends with a newline. Whatever the results call themselves stays text.
    public static func render(_ document: ReportDocument) -> String {
        var parts = ["# \(escaped(document.title))"]
        if !document.subtitle.isEmpty { parts.append(escaped(document.subtitle)) }
        if let answer = document.answer {
            parts.append(
                "> **\(escaped(answer.question))** \(escaped(answer.sentence))\n>\n> **\(escaped(answer.figure))** "
                    + "\(escaped(answer.figureName))\n>\n> \(escaped(answer.certainty))")
        }
        if !document.notices.isEmpty {
            parts.append(document.notices.map { "- **\(escaped($0.text))**" }.joined(separator: "\n"))
        }
        if !document.highlights.isEmpty {
            parts.append(
                document.highlights.map {
                    "- \(escaped($0.name)): **\(escaped($0.figure))**"
                        + ($0.detail.isEmpty ? "" : ", \(escaped($0.detail))")
                }.joined(separator: "\n"))
        }
        for section in document.sections {
            parts.append("## \(escaped(section.title))")
            if !section.lead.isEmpty { parts.append(escaped(section.lead)) }
            for block in section.blocks { parts += texts(block) }
        }
        parts += ["## Run it again"] + (document.commandNote.isEmpty ? [] : [withCode(document.commandNote)])
        parts.append(fenced(ShellText.command(document.command)))
        if !document.definitions.isEmpty {
            parts += ["## Definitions", document.definitions.map(definition).joined(separator: "\n")]
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func texts(_ block: ReportDocument.Block) -> [String] {
        switch block {
        case .heading(let text): ["### \(escaped(text))"]
        case .text(let text): [escaped(text)]
        case .code(let block): [folded(block.title, block.isOpen, fenced(block.text))]
        case .table, .chart, .pairs, .heat, .costs:
            block.tables.map { folded($0.title, $0.isOpen, rows($0.table)) }
        }
    }

    private static func folded(_ title: String?, _ isOpen: Bool, _ content: String) -> String {
        guard let title else { return content }
        return
            "<details\(isOpen ? " open" : "")><summary>\(XMLText.escaped(title))</summary>\n\n\(content)\n\n</details>"
    }

    private static func rows(_ table: DataTable) -> String {
        let heads = table.columns.map { escaped($0.title) }
        let sides = table.columns.map { $0.isNumeric ? "--:" : ":--" }
        let rows = table.rows.enumerated().map { index, row in
            row.enumerated().map { column, cell in
                let text = escaped([cell.text, cell.note].compactMap(\.self).joined(separator: " · "))
                return column == 0 && table.best.contains(index) ? "**\(text)**" : text
            }
        }
        return ([heads, sides] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func definition(_ definition: ReportDocument.Definition) -> String {
        "- **\(escaped(definition.term))**: \(withCode(definition.meaning))"
    }

    /// Text whose parts between backticks are code.
    private static func withCode(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map {
            $0.isMultiple(of: 2) ? escaped(String($1)) : MarkdownOutput.code(String($1))
        }.joined()
    }

    /// Lines that nothing in them can end.
    private static func fenced(_ text: String) -> String {
        let fence = String(repeating: "`", count: max(3, MarkdownOutput.longestFence(text) + 1))
        return "\(fence)\n\(text)\n\(fence)"
    }

    /// Text on one line in which Markdown, HTML and GitHub find nothing to read.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.onOneLine.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "@": result += "&#64;"
            case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "$": result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        // Addresses would become links, and the first characters a list or a line.
        result = result.replacing("://", with: "&#58;//").replacing("www.", with: "www&#46;")
        if let first = result.first, "-+=".contains(first) { return "\\" + result }
        return result.replacing(/^(\d+)([.)])(?= |$)/) { "\($0.output.1)\\\($0.output.2)" }
    }
}
