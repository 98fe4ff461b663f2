/// Horizontal bars from zero with their values written beside them. Scales with the page: widths are percentages.
struct BarChart: ReportChart {
    /// One bar, made of parts that follow each other.
    struct Bar {
        var label: String
        var seriesID: String?
        var colourClass: String
        /// The lengths of the parts; the first is drawn strong, the others pale.
        var parts: [Double]
        /// The least and the most over several measurements, drawn as a thin line.
        var range: ClosedRange<Double>?
        var text: String
        var tip: String
    }

    /// What the chart shows, for screen readers.
    var title: String
    var bars: [Bar]
    /// Whether labels stand above their bars, for long ones, rather than before them.
    var hasLabelsAbove = false

    private static let end = 80.0
    private static let labelShare = 25.0
    private var rowHeight: Double { hasLabelsAbove ? 40 : 27 }

    /// The chart as an SVG element.
    func svg() -> String {
        let most = bars.map { max($0.parts.reduce(0, +), $0.range?.upperBound ?? 0) }.max() ?? 1
        let scale = Scale(
            kind: .linear, low: 0, high: max(most, .leastNormalMagnitude), start: hasLabelsAbove ? 0 : Self.labelShare,
            end: Self.end)
        let height = coordinate(rowHeight * Double(bars.count) + 4)
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart bars"), ("width", "100%"), ("height", height), ("role", "img"), ("aria-label", title),
            ])
        for (index, bar) in bars.enumerated() { draw(bar, at: Double(index) * rowHeight + 2, scale, &svg) }
        svg.close("svg")
        return svg.text
    }

    private func draw(_ bar: Bar, at top: Double, _ scale: Scale, _ svg: inout XMLText) {
        var attributes = [("class", "series \(bar.colourClass)")]
        if let id = bar.seriesID { attributes.append(("data-series", id)) }
        svg.open("g", attributes)
        let limit = hasLabelsAbove ? 46 : 24
        let text = bar.label.count > limit ? bar.label.prefix(limit - 1) + "…" : bar.label
        svg.element("text", [("class", "name"), ("x", "0"), ("y", coordinate(top + (hasLabelsAbove ? 12 : 17)))], text)
        let top = hasLabelsAbove ? top + 12 : top
        var sum = 0.0
        for (index, part) in bar.parts.enumerated() where part > 0 {
            let from = scale.position(sum)
            sum += part
            svg.empty(
                "rect",
                [
                    ("class", index == 0 ? "fill pt" : "fill pale pt"), ("x", percent(from)),
                    ("y", coordinate(top + 5)), ("width", percent(max(scale.position(sum) - from, 0.15))),
                    ("height", "16"), ("data-tip", bar.tip),
                ])
        }
        if let range = bar.range, range.lowerBound < range.upperBound {
            svg.empty(
                "line",
                [
                    ("class", "whisker"), ("x1", percent(scale.position(range.lowerBound))),
                    ("x2", percent(scale.position(range.upperBound))), ("y1", coordinate(top + 13)),
                    ("y2", coordinate(top + 13)),
                ])
        }
        let tail = max(scale.position(sum), bar.range.map { scale.position($0.upperBound) } ?? 0)
        svg.element(
            "text", [("class", "value"), ("x", percent(tail)), ("dx", "7"), ("y", coordinate(top + 17))], bar.text)
        svg.close("g")
    }

    private func percent(_ value: Double) -> String { HumanFormat.fixed(value, 2) + "%" }
}
