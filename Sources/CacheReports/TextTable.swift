internal import CacheCore

/// A table of aligned columns for a terminal.
struct TextTable {
    /// One column.
    struct Column {
        var title: String
        var isNumeric: Bool
        /// Columns of a higher number are left out first when the terminal is too narrow; 0 always stays.
        var expendability: Int

        init(_ title: String, isNumeric: Bool = true, expendability: Int = 0) {
            self.title = title
            self.isNumeric = isNumeric
            self.expendability = expendability
        }
    }

    var columns: [Column]
    var rows: [[String]] = []
    /// Rows printed in bold where colour is allowed.
    var emphasized: Set<Int> = []
    /// Rows printed in red where colour is allowed.
    var alarming: Set<Int> = []
    /// Text that follows a row's cells, by row: a reason. It may be cut at the terminal's width.
    var remarks: [Int: String] = [:]

    /// The lines of the table, none longer than `width` unless the indispensable columns need more. Each cell stays on its line.
    func lines(width: Int?, isColored: Bool) -> [String] {
        var table = self
        table.rows = rows.map { $0.map(\.onOneLine) }
        return table.plainLines(width: width, isColored: isColored)
    }

    private func plainLines(width: Int?, isColored: Bool) -> [String] {
        let kept = keptColumns(width)
        let widths = fittedWidths(kept, width)
        var lines = [Ansi.dim(line(kept.map { columns[$0].title }, kept, widths), isColored)]
        for (index, row) in rows.enumerated() {
            var text = line(kept.map { row[$0] }, kept, widths)
            if let remark = remarks[index] { text = clipped(text.trimmedEnd + "  " + remark.onOneLine, to: width) }
            if alarming.contains(index) {
                text = Ansi.red(text, isColored)
            } else if emphasized.contains(index) {
                text = Ansi.bold(text, isColored)
            }
            lines.append(text)
        }
        return lines
    }

    private func naturalWidth(_ column: Int) -> Int {
        rows.indices.reduce(columns[column].title.count) { max($0, rows[$1][column].count) }
    }

    private func keptColumns(_ width: Int?) -> [Int] {
        var kept = Array(columns.indices)
        guard let width else { return kept }
        func total() -> Int { kept.reduce(0) { $0 + naturalWidth($1) } + 2 * (kept.count - 1) }
        while total() > width {
            guard let last = kept.max(by: { (columns[$0].expendability, $0) < (columns[$1].expendability, $1) }),
                columns[last].expendability > 0
            else { break }
            kept.removeAll { $0 == last }
        }
        return kept
    }

    /// Natural widths, with the widest text column cut so that the line fits.
    private func fittedWidths(_ kept: [Int], _ width: Int?) -> [Int] {
        var widths = kept.map(naturalWidth)
        guard let width else { return widths }
        let excess = widths.reduce(0, +) + 2 * (kept.count - 1) - width
        let widest = kept.indices.filter { !columns[kept[$0]].isNumeric }.max { widths[$0] < widths[$1] }
        if excess > 0, let widest { widths[widest] = max(8, widths[widest] - excess) }
        return widths
    }

    private func line(_ cells: [String], _ kept: [Int], _ widths: [Int]) -> String {
        zip(kept.indices, cells).map { index, cell in
            let text =
                columns[kept[index]].isNumeric
                ? clipped(cell, to: widths[index]) : clippedInside(cell, to: widths[index])
            let padding = String(repeating: " ", count: widths[index] - text.count)
            return columns[kept[index]].isNumeric ? padding + text : text + padding
        }.joined(separator: "  ").trimmedEnd
    }

}

/// Text cut to a number of characters, with an ellipsis for what is gone.
func clipped(_ text: String, to width: Int?) -> String {
    guard let width, text.count > width else { return text }
    return text.prefix(max(1, width - 1)) + "…"
}

/// Text cut to a number of characters in its middle, so that names with one beginning can be told apart.
func clippedInside(_ text: String, to width: Int?) -> String {
    guard let width, text.count > width, width > 2 else { return clipped(text, to: width) }
    return text.prefix((width - 1) / 2) + "…" + text.suffix(width / 2)
}

/// Terminal colours, off unless asked for.
enum Ansi {
    static func bold(_ text: String, _ isOn: Bool) -> String { wrapped(text, "1", isOn) }
    static func dim(_ text: String, _ isOn: Bool) -> String { wrapped(text, "2", isOn) }
    static func red(_ text: String, _ isOn: Bool) -> String { wrapped(text, "31", isOn) }
    static func green(_ text: String, _ isOn: Bool) -> String { wrapped(text, "32", isOn) }

    private static func wrapped(_ text: String, _ code: String, _ isOn: Bool) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}

extension StringProtocol {
    /// The text with line breaks and tabs replaced by spaces, so that a message stays on its line, and without the power to steer
    /// a terminal.
    var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { (0x09...0x0D).contains($0.value) ? " " : $0 }))
            .terminalSafe
    }
}
