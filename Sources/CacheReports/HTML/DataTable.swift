internal import Foundation

/// A table of a report: text for people, and the exact value behind each text for sorting.
struct DataTable {
    /// One field.
    struct Cell {
        var text: String
        /// What the column is sorted by; nil sorts by the text, and an empty figure sorts last. The page holds it where the text does not
        /// say it exactly.
        var sortValue: Double?
        var classes: String
        /// A line sample put before the text.
        var swatch: String?
        /// A second, smaller line.
        var note: String?

        init(
            _ text: String, sort sortValue: Double? = nil, classes: String = "", swatch: String? = nil,
            note: String? = nil
        ) {
            self.text = text
            self.sortValue = sortValue
            self.classes = classes
            self.swatch = swatch
            self.note = note
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
    struct Column {
        var title: String
        var isNumeric: Bool

        init(_ title: String, isNumeric: Bool = true) {
            self.title = title
            self.isNumeric = isNumeric
        }
    }

    var caption: String
    var columns: [Column]
    var rows: [[Cell]]
    var isSortable = true
    var classes = ""

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

    /// The table in a box of its own, which scrolls when the page is narrower than the table.
    func html() -> String {
        var html = XMLText()
        html.open("div", [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", caption)])
        html.open("table", [("class", (isSortable ? "sortable " : "") + classes)])
        html.element("caption", [], caption)
        html.open("thead")
        html.open("tr")
        for column in columns {
            html.element("th", [("scope", "col")] + (column.isNumeric ? [("class", "n")] : []), column.title)
        }
        html.close("tr")
        html.close("thead")
        html.open("tbody")
        for row in rows { html.line(rowHTML(row)) }
        html.close("tbody")
        html.close("table")
        html.close("div")
        return html.text
    }

    private func rowHTML(_ row: [Cell]) -> String {
        var text = "<tr>"
        for (index, cell) in row.enumerated() {
            let name = index == 0 ? "th" : "td"
            var attributes: [(String, String)] = index == 0 ? [("scope", "row")] : []
            // Most cells are figures, so that the others say what they are.
            let side = index == 0 ? (columns[index].isNumeric ? "n" : "") : columns[index].isNumeric ? "" : "t"
            let classes = [side, cell.classes].filter { !$0.isEmpty }
            if !classes.isEmpty { attributes.append(("class", classes.joined(separator: " "))) }
            if let value = cell.sortValue, value.isFinite, Double(cell.text.filter { $0 != "," }) != value {
                attributes.append(("data-v", String(format: "%.6g", value)))
            }
            text += "<\(name)\(XMLText.written(attributes))>\(cell.swatch ?? "")\(XMLText.escaped(cell.text))"
            if let note = cell.note { text += "<small>\(XMLText.escaped(note))</small>" }
            text += "</\(name)>"
        }
        return text + "</tr>"
    }
}
