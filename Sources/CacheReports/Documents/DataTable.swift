/// A table of a report: text for people, and the exact value behind each text for sorting.
struct DataTable: Sendable {
    /// One field.
    struct Cell: Sendable {
        var text: String
        /// What the column is sorted by; nil sorts by the text, and an empty figure sorts last. The page holds it where the text does not
        /// say it exactly.
        var sortValue: Double?
        var classes: String
        /// The curve whose sample stands before the text.
        var swatch: SeriesStyle?
        /// A second, smaller line.
        var note: String?
        /// The identifier of the section that says more.
        var link: String?

        init(
            _ text: String, sort sortValue: Double? = nil, classes: String = "", swatch: SeriesStyle? = nil,
            note: String? = nil, link: String? = nil
        ) {
            self.text = text
            self.sortValue = sortValue
            self.classes = classes
            self.swatch = swatch
            self.note = note
            self.link = link
        }

        /// A figure, or an en dash where there is none.
        static func figure(_ value: Double?, _ format: (Double) -> String) -> Cell {
            guard let value else { return Cell(HumanFormat.absent, classes: "absent") }
            return Cell(format(value), sort: value)
        }

        /// A count or bytes, or an en dash where there is none.
        static func figure(_ value: Int?, _ format: (Int) -> String = HumanFormat.count) -> Cell {
            guard let value else { return Cell(HumanFormat.absent, classes: "absent") }
            return Cell(format(value), sort: Double(value))
        }
    }

    /// The heading of one column.
    struct Column: Sendable {
        var title: String
        var isNumeric: Bool
        /// Columns of a higher number are left out first where a terminal is too narrow; 0 always stays, and a column without a
        /// number is for pages alone.
        var terminal: Int?

        init(_ title: String, isNumeric: Bool = true, terminal: Int? = nil) {
            self.title = title
            self.isNumeric = isNumeric
            self.terminal = terminal
        }
    }

    var caption: String
    var columns: [Column]
    var rows: [[Cell]]
    var isSortable = true
    var classes = ""
    /// Rows that stand out as the best.
    var best: Set<Int> = []
    /// Rows that failed.
    var failed: Set<Int> = []
    /// Text that follows a row's cells on a terminal, by row: a reason, in the place of figures that are absent.
    var remarks: [Int: String] = [:]
    /// The most rows that a terminal shows, which counts the others; nil for all.
    var terminalRows: Int?

    /// The table without those columns in which every row says the same one of `texts`.
    func withoutColumns(thatOnlySay texts: Set<String>) -> DataTable {
        guard let first = rows.first else { return self }
        let kept = columns.indices.filter { column in
            !texts.contains(first[column].text) || rows.contains { $0[column].text != first[column].text }
        }
        var copy = self
        copy.columns = kept.map { columns[$0] }
        copy.rows = rows.map { row in kept.map { row[$0] } }
        return copy
    }
}
