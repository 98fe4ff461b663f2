internal import Foundation

extension DataTable {
    /// The table as HTML in a box of its own, which scrolls when the page is narrower than the table.
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
        for index in rows.indices { html.line(rowHTML(index)) }
        html.close("tbody")
        html.close("table")
        html.close("div")
        return html.text
    }

    private func rowHTML(_ row: Int) -> String {
        var text = best.contains(row) ? "<tr class=\"best\">" : "<tr>"
        for (index, cell) in rows[row].enumerated() {
            let name = index == 0 ? "th" : "td"
            var attributes: [(String, String)] = index == 0 ? [("scope", "row")] : []
            // Most cells are figures, so that the others say what they are.
            let side = index == 0 ? (columns[index].isNumeric ? "n" : "") : columns[index].isNumeric ? "" : "t"
            let classes = [side, cell.classes].filter { !$0.isEmpty }
            if !classes.isEmpty { attributes.append(("class", classes.joined(separator: " "))) }
            if let value = cell.sortValue, value.isFinite, !cell.says(value) {
                attributes.append(("data-v", String(format: "%.6g", value)))
            }
            text += "<\(name)\(XMLText.written(attributes))>\(cell.swatch?.swatch ?? "")"
            let shown = XMLText.escaped(cell.text)
            text += cell.link.map { "<a href=\"#\(XMLText.escaped($0))\">\(shown)</a>" } ?? shown
            if let note = cell.note { text += "<small>\(XMLText.escaped(note))</small>" }
            text += "</\(name)>"
        }
        return text + "</tr>"
    }
}

extension DataTable.Cell {
    /// Whether its text can be sorted by in the place of a value, as a page of thousands of cells wants it.
    fileprivate func says(_ value: Double) -> Bool {
        guard text.hasSuffix(" %") else { return Double(text.filter { $0 != "," }) == value }
        return Double(text.dropLast(2)).map { $0 >= 0 && abs($0 / 100 - value) <= 0.000_051 } ?? false
    }
}
