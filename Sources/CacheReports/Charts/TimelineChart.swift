internal import CacheCore

/// Figures over time, or over the requests of a trace, from zero.
struct TimelineChart: ReportChart {
    /// One line; a nil value leaves a gap.
    struct Line {
        /// The class that sets the colour.
        var colourClass: String
        /// The dash pattern, empty for a solid line.
        var dashes = ""
        /// The series that the page's legend shows and hides; nil for none.
        var seriesID: String?
        var values: [Double?]

        fileprivate func value(at index: Int) -> Double? { values.indices.contains(index) ? values[index] : nil }
    }

    /// What the chart shows, for screen readers.
    var title: String
    /// Where on the horizontal axis each value of a line stands, ascending.
    var places: [Double]
    /// The ends of the horizontal axis.
    var range: ClosedRange<Double>
    var lines: [Line]
    /// The least that the vertical axis reaches up to.
    var leastTop = 1.0
    /// How values are written.
    var valueText: @Sendable (Double) -> String
    /// How places are written.
    var placeText: @Sendable (Double) -> String

    private static let width = 600.0
    private static let height = 220.0
    private static let left = 62.0
    private static let right = 590.0
    private static let top = 12.0
    private static let bottom = 180.0

    /// The chart as an SVG element.
    func svg() -> String {
        let most = lines.flatMap(\.values).compactMap(\.self).max() ?? leastTop
        let (y, step) = Scale.nice(0, max(most, leastTop), from: Self.bottom, to: Self.top)
        let x = Scale(
            kind: .linear, low: range.lowerBound, high: range.upperBound, start: Self.left, end: Self.right)
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart lines"), ("viewBox", "0 0 \(coordinate(Self.width)) \(coordinate(Self.height))"),
                ("role", "img"), ("aria-label", title),
            ])
        for tick in y.ticks(every: step) {
            let position = y.position(tick)
            svg.stroke(tick == 0 ? "zero" : "grid", Self.left, Self.right, position, position)
            svg.label("tick", valueText(tick), Self.left - 7, position + 4, "end")
        }
        for part in 0...4 {
            let place = range.lowerBound + (range.upperBound - range.lowerBound) * Double(part) / 4
            // Every other text is left out where the window is narrow, and the last ends where the chart does.
            let kind = part.isMultiple(of: 2) ? "tick" : "tick spare"
            svg.label(kind, placeText(place), x.position(place), Self.bottom + 19, part < 4 ? "middle" : "end")
        }
        for line in lines { draw(line, x, y, &svg) }
        svg.close("svg")
        return svg.text
    }

    private func draw(_ line: Line, _ x: Scale, _ y: Scale, _ svg: inout XMLText) {
        svg.open(
            "g", [("class", "series \(line.colourClass)")] + (line.seriesID.map { [("data-series", $0)] } ?? []))
        var path = ""
        for (index, place) in places.enumerated() {
            guard let value = line.value(at: index) else { continue }
            let continues = line.value(at: index - 1) != nil
            path += "\(continues ? "L" : "M")\(coordinate(x.position(place))) \(coordinate(y.position(value)))"
            // A value between two gaps is a short stroke, which would not be seen otherwise.
            if !continues, line.value(at: index + 1) == nil { path += "h1" }
        }
        svg.empty(
            "path",
            [("class", "line"), ("d", path), ("stroke-dasharray", line.dashes.isEmpty ? "none" : line.dashes)])
        svg.close("g")
    }
}

extension TimelineChart {
    /// Requests a second in windows of equal length.
    init(title: String, perSecond: [Double], windowSeconds: Double) {
        self.init(
            title: title, places: perSecond.indices.map { (Double($0) + 0.5) * windowSeconds },
            range: 0...Double(perSecond.count) * windowSeconds,
            lines: [Line(colourClass: "kget", values: perSecond)], valueText: HumanFormat.rate,
            placeText: HumanFormat.duration)
    }

    /// The windows as a table.
    static func table(title: String, perSecond: [Double], windowSeconds: Double) -> String {
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
}
