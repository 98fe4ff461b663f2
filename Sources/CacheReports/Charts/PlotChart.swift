internal import CacheCore

/// Lines through points on two numeric axes, each linear or logarithmic.
struct PlotChart: ReportChart {
    /// One line with its name.
    struct Line {
        var name: String
        var colourClass: String
        /// The dash pattern, empty for a solid line.
        var dashes = ""
        /// The series that the page's legend shows and hides; nil for none.
        var seriesID: String?
        /// The shape of its marks.
        var marker = 0
        var points: [(x: Double, y: Double)]
        /// Whether each point has a mark that tells its values.
        var hasMarks = true
        /// The point with a ring around it.
        var ringed: Int?
    }

    /// An axis.
    struct Axis {
        var title: String
        var isLogarithmic = false
        /// Where it is labelled, from end to end; nil for round values.
        var ticks: [Double]?
        /// Whether it begins at 0 or below.
        var includesZero = true
        /// How a value is written.
        var format: @Sendable (Double) -> String
    }

    /// What the chart shows, for screen readers.
    var title: String
    var x: Axis
    var y: Axis
    var lines: [Line]
    /// Places on the horizontal axis that a dashed line marks, with their names, ascending.
    var markers: [(x: Double, name: String)] = []

    private static let width = 600.0
    private static let height = 320.0
    private static let left = 62.0
    private static let right = 588.0
    private static let top = 12.0
    private static let bottom = 272.0

    /// The chart as an SVG element.
    func svg() -> String {
        let (xScale, xTicks) = scale(x, lines.flatMap { $0.points.map(\.x) }, Self.left, Self.right)
        let (yScale, yTicks) = scale(y, lines.flatMap { $0.points.map(\.y) }, Self.bottom, Self.top)
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart lines"), ("viewBox", "0 0 \(coordinate(Self.width)) \(coordinate(Self.height))"),
                ("role", "img"), ("aria-label", title),
            ])
        for tick in yTicks {
            let position = yScale.position(tick)
            svg.stroke("grid", Self.left, Self.right, position, position)
            svg.label("tick", y.format(tick), Self.left - 7, position + 4, "end")
        }
        for (index, tick) in xTicks.enumerated() {
            let position = xScale.position(tick)
            svg.stroke("grid", position, position, Self.top, Self.bottom)
            // Every other text is left out where the window is narrow, and one at the edge ends there.
            let kind = index.isMultiple(of: 2) ? "tick" : "tick spare"
            svg.label(kind, x.format(tick), position, Self.bottom + 18, position < Self.right ? "middle" : "end")
        }
        svg.label("axis", x.title, (Self.left + Self.right) / 2, Self.bottom + 38, "middle")
        for line in lines { draw(line, xScale, yScale, &svg) }
        var free = Self.left
        for marker in markers {
            let position = xScale.position(marker.x)
            svg.stroke("floor", position, position, Self.top, Self.bottom)
            // A name that would run into the one before it, or out of the chart, is left out; its line stays.
            let end = position + 5 + 7 * Double(marker.name.count)
            guard position >= free, end <= Self.width else { continue }
            svg.label("floor-name", marker.name, position + 5, Self.top + 10, "start")
            free = end
        }
        svg.close("svg")
        return svg.text
    }

    /// The names of the lines with their colours; none for a single line.
    var key: [ReportDocument.KeyItem] {
        guard lines.count > 1 else { return [] }
        var seen: Set<String> = []
        return lines.filter { seen.insert($0.name).inserted }.map { .init(colourClass: $0.colourClass, text: $0.name) }
    }

    private func scale(_ axis: Axis, _ values: [Double], _ start: Double, _ end: Double) -> (Scale, ticks: [Double]) {
        let values = values + (axis.ticks ?? [])
        let (low, high) = (values.min() ?? 0, values.max() ?? 1)
        if let ticks = axis.ticks { return (Scale(kind: .linear, low: low, high: high, start: start, end: end), ticks) }
        if axis.isLogarithmic {
            let scale = Scale(kind: .logarithmic, low: max(low, 1), high: max(high, 2), start: start, end: end)
            let tens = scale.powersOfTen
            return tens.count >= 3 ? (scale, tens) : scale.roundedOut
        }
        let margin = high > low ? 0 : max(abs(low) / 20, 0.5)
        let (bottom, top) = axis.includesZero ? (min(low, 0), max(high, 1)) : (low - margin, high + margin)
        let (scale, step) = Scale.nice(bottom, top, from: start, to: end)
        return (scale, scale.ticks(every: step))
    }

    private func draw(_ line: Line, _ x: Scale, _ y: Scale, _ svg: inout XMLText) {
        svg.open(
            "g", [("class", "series \(line.colourClass)")] + (line.seriesID.map { [("data-series", $0)] } ?? []))
        var path = ""
        for (index, point) in line.points.enumerated() {
            path += "\(index == 0 ? "M" : "L")\(coordinate(x.position(point.x))) \(coordinate(y.position(point.y)))"
        }
        svg.empty(
            "path",
            [("class", "line"), ("d", path), ("stroke-dasharray", line.dashes.isEmpty ? "none" : line.dashes)])
        if let ringed = line.ringed, line.points.indices.contains(ringed) {
            let (place, value) = line.points[ringed]
            svg.empty(
                "circle",
                [
                    ("class", "ring"), ("cx", coordinate(x.position(place))), ("cy", coordinate(y.position(value))),
                    ("r", "7"),
                ])
        }
        for point in line.hasMarks ? line.points : [] {
            let style = SeriesStyle(id: "", label: "", colourClass: "", dashes: "", marker: line.marker)
            svg.empty(
                "path",
                [
                    ("class", "mark pt"),
                    (
                        "d",
                        style.markerPath(
                            x: x.position(point.x), y: y.position(point.y), radius: line.seriesID == nil ? 1.8 : 2.8)
                    ),
                    ("data-tip", "\(line.name)\n\(self.y.format(point.y)) at \(self.x.format(point.x))"),
                ])
        }
        svg.close("g")
    }
}

extension PlotChart.Line {
    /// A line that looks as its curve does everywhere.
    init(_ style: SeriesStyle, points: [(x: Double, y: Double)]) {
        self.init(
            name: style.label, colourClass: style.colourClass, dashes: style.dashes, seriesID: style.id,
            marker: style.marker, points: points)
    }
}
