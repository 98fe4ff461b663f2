/// Documents as text for a terminal.
public enum TerminalReport {
    /// A document as text for a terminal, which ends with a newline: the answer, and of each section the sentences, the pairs and
    /// the tables that have columns for a terminal.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; columns that do not fit are left out and sentences are broken. Nil prints
    ///     every column, and sentences in one line each.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ document: ReportDocument, width: Int? = nil, isColored: Bool = false) -> String {
        let answer = answer(document, width, isColored)
        var lines = document.answersFirst && !answer.isEmpty ? answer + [""] : []
        for section in document.sections where section.isOnTerminal {
            let heading = section.title.onOneLine + (section.lead.isEmpty ? "" : " · \(section.lead.onOneLine)")
            lines.append(Ansi.bold(clippedInside(heading, to: width), isColored))
            for block in section.blocks {
                switch block {
                case .text(let sentence): lines += wrapped(sentence.onOneLine, width)
                case .pairs(let pairs): lines += joined(pairs.map { "\($0.name): \($0.value)".onOneLine }, width)
                case .table(let block):
                    guard let table = textTable(block.table) else { continue }
                    lines += table.lines(width: width, isColored: isColored) + [""]
                default: continue
                }
            }
            if lines.last != "" { lines.append("") }
        }
        if !document.answersFirst { lines += answer }
        for notice in document.notices {
            lines += wrapped(notice.text.onOneLine, width).map { notice.tone == .plain ? $0 : Ansi.red($0, isColored) }
        }
        return (lines + document.closing).joined(separator: "\n") + "\n"
    }

    private static func answer(_ document: ReportDocument, _ width: Int?, _ isColored: Bool) -> [String] {
        guard let answer = document.answer else { return [] }
        let figure = answer.saysFigure ? "" : "\(answer.figure) \(answer.figureName). "
        return wrapped("\(answer.sentence) \(figure)\(answer.certainty)".onOneLine, width).map {
            Ansi.bold($0, isColored)
        }
    }

    /// The columns for a terminal; nil if there is none. The best rows have a star.
    private static func textTable(_ table: DataTable) -> TextTable? {
        let kept = table.columns.indices.filter { table.columns[$0].terminal != nil }
        guard let first = kept.first else { return nil }
        let isMarked = !table.best.isEmpty
        var text = TextTable(
            columns: kept.map { index in
                let column = table.columns[index]
                // Abbreviations, as CPU, keep their capitals.
                let isWord = column.title.dropFirst().first?.isUppercase != true
                let title =
                    (isWord ? column.title.prefix(1).lowercased() : "\(column.title.prefix(1))")
                    + column.title.dropFirst()
                return .init(
                    (isMarked && index == first ? "  " : "") + title, isNumeric: column.isNumeric,
                    expendability: column.terminal ?? 0)
            })
        let shown = table.rows.prefix(table.terminalRows ?? table.rows.count)
        text.rows = shown.enumerated().map { index, row in
            kept.map { column in
                let mark = isMarked && column == first ? (table.best.contains(index) ? "* " : "  ") : ""
                let isReplaced = table.remarks[index] != nil && row[column].text == HumanFormat.absent
                return mark + (isReplaced ? "" : row[column].text)
            }
        }
        if shown.count < table.rows.count {
            text.rows.append(
                ["\(isMarked ? "  " : "")and \(HumanFormat.count(table.rows.count - shown.count)) more"]
                    + Array(repeating: "", count: kept.count - 1))
        }
        (text.emphasized, text.alarming) = (table.best, table.failed.filter(shown.indices.contains))
        text.remarks = table.remarks.filter { shown.indices.contains($0.key) }
        return text
    }

    /// Texts with as many on a line as can be read there.
    private static func joined(_ texts: [String], _ width: Int?) -> [String] {
        var lines: [String] = []
        for text in texts {
            if let last = lines.last, last.count + 3 + text.count <= min(width ?? 100, 100) {
                lines[lines.count - 1] = "\(last) · \(text)"
            } else {
                lines.append(text)
            }
        }
        return lines.flatMap { wrapped($0, width) }
    }

    /// A sentence over as many lines as it needs, broken at spaces, the later ones set in.
    static func wrapped(_ text: String, _ width: Int?) -> [String] {
        guard let width, text.count > width else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = "  " + word
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + [line]
    }
}
