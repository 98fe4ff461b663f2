internal import Foundation

/// Draws the pieces of a section as HTML.
enum HTMLBlocks {
    /// The pieces in their order; charts that follow each other stand side by side.
    static func html(_ blocks: [ReportDocument.Block]) -> String {
        var html = XMLText()
        var isAmongCharts = false
        for block in blocks {
            let isChart = if case .chart = block { true } else { false }
            if isChart, !isAmongCharts { html.open("div", [("class", "cards")]) }
            if !isChart, isAmongCharts { html.close("div") }
            isAmongCharts = isChart
            switch block {
            case .heading(let text): html.element("h3", [], text)
            case .text(let text): html.element("p", [("class", "lead")], text)
            case .chart(let chart): html.line(card(chart))
            case .table(let table): html.line(folded(table.title, table.isOpen, table.table.html()))
            case .pairs(let pairs): html.line(Self.pairs(pairs))
            case .code(let code): html.line(Self.html(code))
            case .heat(let map): html.line(heat(map))
            case .costs(let view): html.line(costs(view))
            }
        }
        if isAmongCharts { html.close("div") }
        return html.text
    }

    /// Lines to copy.
    static func html(_ code: ReportDocument.CodeBlock) -> String {
        let lines = """
            <div class="command"><pre><code>\(XMLText.escaped(code.text))</code></pre><button type="button" data-copy \
            hidden>Copy</button></div>
            """
        return folded(code.title, code.isOpen, lines)
    }

    private static func folded(_ title: String?, _ isOpen: Bool, _ content: String) -> String {
        guard let title else { return content }
        return "<details class=\"fold\"\(isOpen ? " open" : "")><summary>\(XMLText.escaped(title))</summary>"
            + content + "</details>"
    }

    private static func card(_ block: ReportDocument.ChartBlock) -> String {
        var html = XMLText()
        html.open("figure", [("class", "card")])
        html.line(
            "<figcaption><h3>\(XMLText.escaped(block.title))</h3><p>\(XMLText.escaped(block.note))</p></figcaption>")
        if !block.key.isEmpty { html.line(key(block.key)) }
        html.line("<div class=\"frame\">\(block.chart.svg())</div>")
        if let table = block.table {
            html.line(
                "<details class=\"behind\"><summary>\(XMLText.escaped(block.tableTitle))</summary>\(table.html())</details>"
            )
        }
        html.close("figure")
        return html.text
    }

    private static func key(_ items: [ReportDocument.KeyItem]) -> String {
        let spans = items.map { item in
            let sample = item.colourClass.isEmpty ? "" : "<i></i>"
            let name = item.colourClass.isEmpty ? "plain" : item.colourClass
            return "<span class=\"\(name)\">\(sample)\(XMLText.escaped(item.text))</span>"
        }
        return "<p class=\"key\">\(spans.joined())</p>"
    }

    private static func pairs(_ pairs: [ReportDocument.Pair]) -> String {
        let items = pairs.map {
            "<div><dt>\(XMLText.escaped($0.name))</dt><dd>\(XMLText.escaped($0.value))</dd></div>"
        }
        return "<dl class=\"pairs\">\(items.joined())</dl>"
    }

    /// A table a view, of which the script shows the chosen one; `--h` is a value's place from the least, 0, to the most, 1.
    private static func heat(_ map: ReportDocument.HeatMap) -> String {
        var html = XMLText()
        html.open("div", [("class", "heat-map")])
        html.line("<h3>\(XMLText.escaped(map.title))</h3><p class=\"lead\">\(XMLText.escaped(map.note))</p>")
        for view in map.views {
            let values = view.values.flatMap(\.self).compactMap(\.self)
            let (low, high) = (values.min() ?? 0, values.max() ?? 1)
            html.line(
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(XMLText.escaped(view.name))\">")
            html.open("table", [("class", "heat sortable"), ("data-view", view.name)])
            html.element("caption", [], "\(map.title), \(view.name)")
            let heads = map.columns.map { "<th scope=\"col\" class=\"n\">\(XMLText.escaped($0))</th>" }
            html.line("<thead><tr><th scope=\"col\">Policy</th>\(heads.joined())</tr></thead><tbody>")
            for (name, row) in zip(map.rows, view.values) {
                let cells = row.map { value -> String in
                    guard let value else { return "<td class=\"absent\">\(HumanFormat.absent)</td>" }
                    let share = high > low ? (value - low) / (high - low) : 1
                    let heat = HumanFormat.fixed(map.isMoreBetter ? share : 1 - share, 3)
                    return "<td data-v=\"\(String(format: "%.6g", value))\" style=\"--h:\(heat)\">"
                        + XMLText.escaped(map.format(value)) + "</td>"
                }
                html.line("<tr><th scope=\"row\">\(XMLText.escaped(name))</th>\(cells.joined())</tr>")
            }
            html.line("</tbody></table></div>")
        }
        html.close("div")
        return html.text
    }

    /// Choices with what the script needs to say what each costs.
    private static func costs(_ view: ReportDocument.CostView) -> String {
        var html = XMLText()
        html.open("div", [("class", "cost")])
        html.line("<h3>\(XMLText.escaped(view.title))</h3><p class=\"lead\">\(XMLText.escaped(view.note))</p>")
        html.line("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(XMLText.escaped(view.title))\">")
        html.line(
            "<table class=\"sortable\"><caption>\(XMLText.escaped(view.title))</caption><thead><tr><th scope=\"col\">Choice</th>"
                + "<th scope=\"col\" class=\"n\">Takes</th><th scope=\"col\" class=\"n\">Misses</th></tr></thead><tbody>"
        )
        for row in view.rows {
            html.line(
                "<tr data-bytes=\"\(HumanFormat.fixed(row.bytes, 0))\" data-misses=\"\(HumanFormat.fixed(row.misses, 0))\">"
                    + "<th scope=\"row\">\(row.series?.swatch ?? "")\(XMLText.escaped(row.label))</th>"
                    + "<td data-v=\"\(HumanFormat.fixed(row.bytes, 0))\">\(HumanFormat.bytes(row.bytes))</td>"
                    + "<td>\(HumanFormat.count(row.misses))</td></tr>")
        }
        html.line("</tbody></table></div>")
        html.close("div")
        return html.text
    }
}
