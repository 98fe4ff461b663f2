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
        // Only spaces may break a command: a browser would break options after their hyphens.
        let isCommand = !code.text.contains("\n")
        let words = code.text.split(separator: " ", omittingEmptySubsequences: false).map {
            isCommand && $0.contains("-") ? "<span>\(XMLText.escaped(String($0)))</span>" : XMLText.escaped(String($0))
        }
        let lines = """
            <div class="command"><pre><code>\(words.joined(separator: " "))</code></pre><button type="button" data-copy \
            hidden>Copy</button></div>
            """
        return folded(code.title, code.isOpen, lines)
    }

    /// Text whose parts between backticks are code.
    static func withCode(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map {
            $0.isMultiple(of: 2) ? XMLText.escaped(String($1)) : "<code>\(XMLText.escaped(String($1)))</code>"
        }.joined()
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
        for caution in block.cautions { html.element("p", [("class", "caution")], caution) }
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

    /// A table of the first view, whose cells carry the values of all: the script shows another, or ranks.
    private static func heat(_ map: ReportDocument.HeatMap) -> String {
        var html = XMLText()
        html.line("<h3>\(XMLText.escaped(map.title))</h3><p class=\"lead\">\(XMLText.escaped(map.note))</p>")
        html.open("div", [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", map.title)])
        html.open("table", [("class", "sortable heat"), ("data-at", map.views.map(\.name).joined(separator: "|"))])
        html.element("caption", [], map.title)
        let heads = map.columns.map { "<th scope=\"col\" class=\"n\">\(XMLText.escaped($0))</th>" }
        html.line("<thead><tr><th scope=\"col\">\(map.rowTitle)</th>\(heads.joined())</tr></thead><tbody>")
        for (row, name) in map.rows.enumerated() {
            let cells = map.columns.indices.map { column -> String in
                let values = map.views.map { $0.values[row][column] }
                let texts = values.map { $0.map { HumanFormat.fixed($0 * 100, 2) } ?? "" }
                let shown = values[0].map { HumanFormat.percent($0) } ?? HumanFormat.absent
                return "<td data-values=\"\(texts.joined(separator: "|"))\">\(shown)</td>"
            }
            html.line("<tr><th scope=\"row\">\(XMLText.escaped(name))</th>\(cells.joined())</tr>")
        }
        html.line("</tbody></table></div>")
        return html.text
    }

    /// Choices with what the script needs to say what each costs.
    private static func costs(_ view: ReportDocument.CostView) -> String {
        var html = XMLText()
        html.open("section", [("class", "cost"), ("data-requests", "\(view.requests)")])
        html.line("<h3>\(XMLText.escaped(view.title))</h3>")
        let inputs = [
            ("gib", "A GiB for a month", "2"), ("miss", "A miss", "0.0001"),
            ("requests", "Requests a month", "\(view.requests)"),
        ].map { name, label, value in
            "<label>\(label) <input type=\"number\" name=\"\(name)\" min=\"0\" step=\"any\" value=\"\(value)\"></label>"
        }
        html.line("<p>\(inputs.joined(separator: "\n"))</p>")
        html.open("div", [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", view.title)])
        let heads = ["Capacity", "Misses", "Cost a month"].map { "<th scope=\"col\" class=\"n\">\($0)</th>" }.joined()
        html.line(
            "<table class=\"sortable\"><caption>\(XMLText.escaped(view.title))</caption><thead><tr><th scope=\"col\">Policy</th>"
                + heads + "</tr></thead><tbody>")
        for row in view.rows {
            html.line(
                "<tr data-bytes=\"\(row.bytes)\" data-misses=\"\(row.misses)\"><th scope=\"row\">\(row.series?.swatch ?? "")"
                    + "\(XMLText.escaped(row.label))</th><td data-v=\"\(row.bytes)\">\(HumanFormat.bytes(row.bytes))</td>"
                    + "<td>\(HumanFormat.count(row.misses))</td><td data-cost=\"\">\(HumanFormat.absent)</td></tr>")
        }
        html.line("</tbody></table></div>")
        html.close("section")
        return html.text
    }
}
