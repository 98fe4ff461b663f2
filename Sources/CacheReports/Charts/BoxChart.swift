/// Horizontal boxes: the middle half of figures as a box with its median, the 10th to the 90th percentile as a line, the mean as a mark.
struct BoxChart: ReportChart {
    /// One box.
    struct Box {
        var style: SeriesStyle
        /// The 10th, 25th, 50th, 75th and 90th percentile.
        var percentiles: [Double]
        var mean: Double
    }

    /// What the chart shows, for screen readers.
    var title: String
    /// What the figures are.
    var axis: String
    var boxes: [Box]
    /// How a figure is written.
    var format: @Sendable (Double) -> String

    private static let width = 600.0
    private static let left = 168.0
    private static let right = 580.0
    private static let rowHeight = 24.0
    private static let nameMax = 26

    /// The chart as an SVG element.
    func svg() -> String {
        let ends: [Double] = [0] + boxes.flatMap { box in box.percentiles + [box.mean] }
        let (scale, step) = Scale.nice(ends.min() ?? 0, ends.max() ?? 0, from: Self.left, to: Self.right)
        let bottom = Self.rowHeight * Double(boxes.count) + 8
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart lines"), ("viewBox", "0 0 \(coordinate(Self.width)) \(coordinate(bottom + 42))"),
                ("role", "img"), ("aria-label", title),
            ])
        for tick in scale.ticks(every: step) {
            let x = scale.position(tick)
            svg.stroke(abs(tick) < step / 1000 ? "zero" : "grid", x, x, 4, bottom)
            svg.label("tick", format(tick), x, bottom + 16, "middle")
        }
        svg.label("axis", axis, (Self.left + Self.right) / 2, bottom + 36, "middle")
        for (index, box) in boxes.enumerated() { draw(box, Self.rowHeight * (Double(index) + 0.5) + 4, scale, &svg) }
        svg.close("svg")
        return svg.text
    }

    private func draw(_ box: Box, _ y: Double, _ scale: Scale, _ svg: inout XMLText) {
        guard box.percentiles.count == 5 else { return }
        let x = box.percentiles.map(scale.position)
        svg.open("g", [("class", "series \(box.style.colourClass)"), ("data-series", box.style.id)])
        let name = box.style.label
        svg.label(
            "name", name.count > Self.nameMax ? name.prefix(Self.nameMax - 1) + "…" : name, Self.left - 10, y + 4,
            "end")
        svg.stroke("whisker", x[0], x[4], y, y)
        for end in [x[0], x[4]] { svg.stroke("whisker", end, end, y - 4, y + 4) }
        let tip = zip(["P10", "P25", "median", "P75", "P90"], box.percentiles).map { "\($0) \(format($1))" }
        svg.empty(
            "rect",
            [
                ("class", "fill pale pt"), ("x", coordinate(x[1])), ("y", coordinate(y - 7)),
                ("width", coordinate(max(x[3] - x[1], 1))), ("height", "14"),
                ("data-tip", "\(name)\nmean \(format(box.mean))\n\(tip.joined(separator: "\n"))"),
            ])
        svg.stroke("line", x[2], x[2], y - 7, y + 7)
        svg.empty(
            "path", [("class", "mark"), ("d", box.style.markerPath(x: scale.position(box.mean), y: y, radius: 3))])
        svg.close("g")
    }
}
