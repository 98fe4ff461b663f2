internal import CacheCore

/// Requests a second over the time of a pass, from zero.
struct TimelineChart {
    /// What the chart shows, for screen readers.
    var title: String
    /// The rate in each window, in order.
    var perSecond: [Double]
    /// The length of a window.
    var windowSeconds: Double

    private static let width = 600.0
    private static let height = 220.0
    private static let left = 62.0
    private static let right = 590.0
    private static let top = 12.0
    private static let bottom = 180.0

    /// The chart as an SVG element.
    func svg() -> String {
        let (y, step) = Scale.nice(0, max(perSecond.max() ?? 1, 1), from: Self.bottom, to: Self.top)
        let end = Double(perSecond.count) * windowSeconds
        let x = Scale(kind: .linear, low: 0, high: end, start: Self.left, end: Self.right)
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart lines"), ("viewBox", "0 0 \(coordinate(Self.width)) \(coordinate(Self.height))"),
                ("role", "img"), ("aria-label", title),
            ])
        for tick in y.ticks(every: step) {
            let position = y.position(tick)
            svg.empty(
                "line",
                [
                    ("class", tick == 0 ? "zero" : "grid"), ("x1", coordinate(Self.left)),
                    ("x2", coordinate(Self.right)), ("y1", coordinate(position)), ("y2", coordinate(position)),
                ])
            label("tick", HumanFormat.rate(tick), Self.left - 7, position + 4, "end", &svg)
        }
        for part in 0...4 {
            let moment = end * Double(part) / 4
            label("tick", HumanFormat.duration(moment), x.position(moment), Self.bottom + 19, "middle", &svg)
        }
        svg.open("g", [("class", "series kget")])
        var path = ""
        for (index, rate) in perSecond.enumerated() {
            let place = x.position((Double(index) + 0.5) * windowSeconds)
            path += "\(index == 0 ? "M" : "L")\(coordinate(place)) \(coordinate(y.position(rate)))"
        }
        svg.empty("path", [("class", "line"), ("d", path), ("stroke-dasharray", "none")])
        svg.close("g")
        svg.close("svg")
        return svg.text
    }

    /// The windows as a table.
    func table() -> String {
        DataTable(
            caption: title, columns: [.init("From"), .init("Requests a second")],
            rows: perSecond.enumerated().map { index, rate in
                [
                    .figure(Double(index) * windowSeconds, HumanFormat.duration),
                    .figure(rate, HumanFormat.rate),
                ]
            }
        ).html()
    }

    private func label(
        _ kind: String, _ text: String, _ x: Double, _ y: Double, _ anchor: String, _ svg: inout XMLText
    ) {
        svg.element(
            "text", [("class", kind), ("x", coordinate(x)), ("y", coordinate(y)), ("text-anchor", anchor)], text)
    }
}
