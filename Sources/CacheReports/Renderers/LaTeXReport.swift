/// A document's tables for a paper: LaTeX with booktabs and longtable, which pdfLaTeX compiles as it is. Charts and programs are left
/// out; the tables behind charts are in it.
public enum LaTeXReport {
    /// The document as LaTeX, which ends with a newline.
    public static func render(_ document: ReportDocument) -> String {
        var lines = [
            "% \(document.title.onOneLine): written by Assay \(document.assayVersion.onOneLine)",
            "% \(ShellText.command(document.command).onOneLine)",
            "% Where a paper has two columns, longtable becomes tabular in a table*.",
            "\\documentclass{article}", "\\usepackage[a4paper,landscape,margin=15mm]{geometry}",
            "\\usepackage[T1]{fontenc}", "\\usepackage{textcomp}", "\\usepackage{booktabs}", "\\usepackage{longtable}",
            "\\setlength{\\tabcolsep}{4pt}", "\\begin{document}", "\\section*{\(escaped(document.title))}",
        ]
        lines += paragraph(document.subtitle)
        if let answer = document.answer {
            lines += paragraph("\(answer.question) \(answer.sentence) \(answer.certainty)")
        }
        for notice in document.notices { lines += paragraph(notice.text) }
        for section in document.sections {
            lines.append("\\subsection*{\(escaped(section.title))}")
            lines += paragraph(section.lead)
            for block in section.blocks {
                switch block {
                case .heading(let text): lines.append("\\subsubsection*{\(escaped(text))}")
                case .text(let text): lines += paragraph(text)
                case .code: break
                case .table, .chart, .pairs, .heat, .costs:
                    for block in block.tables { lines += table(block.table, title: block.title) }
                }
            }
        }
        return (lines + ["\\end{document}"]).joined(separator: "\n") + "\n"
    }

    private static func paragraph(_ text: String) -> [String] { text.isEmpty ? [] : [escaped(text), ""] }

    private static func table(_ table: DataTable, title: String?) -> [String] {
        let sides = table.columns.indices.map { column in
            let isProse = table.rows.contains { $0[column].classes.contains("prose") || $0[column].text.count > 60 }
            return table.columns[column].isNumeric ? "r" : isProse ? "p{6cm}" : "l"
        }
        let caption = table.caption.isEmpty ? title ?? "" : table.caption
        let head = [
            "\\toprule", row(table.columns.map { escaped($0.title) }), "\\midrule", "\\endhead", "\\bottomrule",
        ]
        let rows = table.rows.enumerated().map { index, cells in
            row(
                cells.map { cell in
                    let text = escaped([cell.text, cell.note].compactMap(\.self).joined(separator: " · "))
                    return table.best.contains(index) ? "\\textbf{\(text)}" : text
                })
        }
        return ["\\begin{longtable}{\(sides.joined())}"]
            + (caption.isEmpty ? [] : ["\\caption{\(escaped(caption))}\\\\"]) + head + ["\\endfoot"] + rows
            + ["\\end{longtable}", ""]
    }

    private static func row(_ cells: [String]) -> String { cells.joined(separator: " & ") + " \\\\" }

    /// Text on one line in which LaTeX finds nothing to do. Characters that its fonts lack are written by their numbers.
    static func escaped(_ text: String) -> String {
        let text = text.onOneLine.unicodeScalars.map { scalar in
            if let known = known[scalar] { return known }
            let isInFont = (0x20...0x7E).contains(scalar.value) || (0xC0...0x17F).contains(scalar.value)
            return isInFont ? String(scalar) : "[U+\(String(scalar.value, radix: 16, uppercase: true))]"
        }.joined()
        // Two of these become another character; three of them have two pairs.
        return [",", "-", ",", "-"].reduce(text) { $0.replacing("\($1)\($1)", with: "\($1){}\($1)") }
    }

    private static let known: [Unicode.Scalar: String] = [
        "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", "_": "\\_",
        "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}",
        "|": "\\textbar{}", "\"": "\\textquotedbl{}", "'": "\\textquotesingle{}", "`": "\\textasciigrave{}",
        // A row that begins with one of these is an option of the row before.
        "[": "{[}", "]": "{]}", "*": "{*}", "–": "\\textendash{}", "—": "\\textemdash{}",
        "−": "$-$", "±": "$\\pm$", "×": "$\\times$", "·": "\\textperiodcentered{}", "…": "\\ldots{}", "→": "$\\to$",
        "≤": "$\\le$", "≥": "$\\ge$", "≈": "$\\approx$", "Δ": "$\\Delta$", "µ": "\\textmu{}", "μ": "\\textmu{}",
        "₂": "\\textsubscript{2}", "²": "\\textsuperscript{2}", "∞": "$\\infty$", "“": "\\textquotedblleft{}",
        "”": "\\textquotedblright{}", "’": "\\textquoteright{}", "°": "\\textdegree{}", "\u{A0}": "~",
        "\u{17F}": "[U+17F]", "\u{138}": "[U+138]", "\u{149}": "[U+149]",
    ]
}
