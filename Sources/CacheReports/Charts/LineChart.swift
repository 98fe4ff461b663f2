internal import CacheCore

/// Curves of a ratio against capacity, on a numeric log₂ axis, each named at its end.
struct LineChart {
    /// One curve; a nil value leaves a gap.
    struct Line {
        var style: SeriesStyle
        var values: [Double?]
    }

    /// What the vertical axis shows.
    enum Quantity {
        /// A ratio from 0, shown in percent.
        case ratio
        /// A difference of two ratios, shown in percentage points.
        case points
    }

    /// What the chart shows, for screen readers.
    var title: String
    var quantity: Quantity
    /// The capacities, ascending, shared by all lines.
    var capacities: [Int]
    var unit: Capacity.Unit
    var lines: [Line]
    /// Whether a line goes on over values that it does not have; otherwise they leave a gap.
    var bridgesGaps = false
    /// A value that a dashed line across the chart marks.
    var level: Double?

    private static let width = 600.0
    private static let height = 348.0
    private static let left = 46.0
    private static let right = 470.0
    private static let top = 12.0
    private static let bottom = 306.0

    private var xScale: Scale {
        Scale(
            kind: .logarithmic, low: Double(capacities.first ?? 1), high: Double(capacities.last ?? 1),
            start: Self.left + 8, end: Self.right - 8)
    }

    private var yScale: (Scale, step: Double) {
        let values = lines.flatMap(\.values).compactMap(\.self) + [level].compactMap(\.self)
        let low = quantity == .ratio ? 0 : min(0, values.min() ?? 0)
        let high = quantity == .ratio ? min(1, max(values.max() ?? 0, 0.001)) : max(values.max() ?? 0, low + 0.001)
        return Scale.nice(low, max(high, low + 0.0005), from: Self.bottom, to: Self.top)
    }

    /// The chart as an SVG element.
    func svg() -> String {
        let (y, step) = yScale
        let x = xScale
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart lines"), ("viewBox", "0 0 \(coordinate(Self.width)) \(coordinate(Self.height))"),
                ("role", "img"), ("aria-label", title),
            ])
        horizontalGrid(y, step, &svg)
        capacityAxis(x, &svg)
        if let level {
            let position = coordinate(y.position(level))
            svg.empty(
                "line",
                [
                    ("class", "zero"), ("stroke-dasharray", "5 4"), ("x1", coordinate(Self.left)),
                    ("x2", coordinate(Self.right)), ("y1", position), ("y2", position),
                ])
        }
        let labels = labelPositions(y)
        for (index, line) in lines.enumerated() { draw(line, x, y, labelY: labels[index], &svg) }
        svg.close("svg")
        return svg.text
    }

    private func horizontalGrid(_ y: Scale, _ step: Double, _ svg: inout XMLText) {
        let digits = step * 100 >= 1 ? 0 : step * 100 >= 0.1 ? 1 : 2
        for tick in y.ticks(every: step) {
            let position = coordinate(y.position(tick))
            let isZero = abs(tick) < step / 1000
            svg.empty(
                "line",
                [
                    ("class", isZero ? "zero" : "grid"), ("x1", coordinate(Self.left)), ("x2", coordinate(Self.right)),
                    ("y1", position), ("y2", position),
                ])
            let text =
                quantity == .ratio
                ? HumanFormat.fixed(tick * 100, digits) + "%"
                : isZero ? "0" : HumanFormat.points(tick, digits: digits)
            svg.element(
                "text",
                [
                    ("class", "tick"), ("x", coordinate(Self.left - 7)), ("y", coordinate(y.position(tick) + 4)),
                    ("text-anchor", "end"),
                ], text)
        }
    }

    /// Whether marks would run into each other at their usual size.
    private var isDense: Bool { capacities.count > 24 }

    private func capacityAxis(_ x: Scale, _ svg: inout XMLText) {
        for capacity in isDense ? [] : capacities {
            let position = coordinate(x.position(Double(capacity)))
            svg.empty(
                "line",
                [
                    ("class", "minor"), ("x1", position), ("x2", position), ("y1", coordinate(Self.bottom)),
                    ("y2", coordinate(Self.bottom + 4)),
                ])
        }
        let powers = x.powersOfTwo(atMost: 6)
        let ticks = powers.count >= 2 ? powers : [capacities.first, capacities.last].compactMap { $0.map(Double.init) }
        for (index, tick) in ticks.enumerated() {
            let position = coordinate(x.position(tick))
            svg.empty(
                "line",
                [
                    ("class", "grid"), ("x1", position), ("x2", position), ("y1", coordinate(Self.top)),
                    ("y2", coordinate(Self.bottom)),
                ])
            let text = unit == .bytes ? HumanFormat.bytes(tick) : objectsText(Int(saturating: tick))
            svg.element(
                "text",
                [
                    ("class", index.isMultiple(of: 2) ? "tick" : "tick spare"), ("x", position),
                    ("y", coordinate(Self.bottom + 19)), ("text-anchor", "middle"),
                ], text)
        }
        svg.element(
            "text",
            [
                ("class", "axis"), ("x", coordinate((Self.left + Self.right) / 2)), ("y", coordinate(Self.bottom + 37)),
                ("text-anchor", "middle"),
            ], "capacity in \(unit.rawValue), log₂")
    }

    private func objectsText(_ count: Int) -> String {
        count < 10_000_000 ? HumanFormat.count(count) : HumanFormat.short(Double(count))
    }

    private func draw(_ line: Line, _ x: Scale, _ y: Scale, labelY: Double?, _ svg: inout XMLText) {
        svg.open("g", [("class", "series \(line.style.colourClass)"), ("data-series", line.style.id)])
        let places = zip(capacities, line.values).map { capacity, value in
            value.map { (x.position(Double(capacity)), y.position($0)) }
        }
        svg.empty(
            "path",
            [
                ("class", "line"), ("d", path(places)),
                ("stroke-dasharray", line.style.dashes.isEmpty ? "none" : line.style.dashes),
            ])
        for (index, place) in places.enumerated() {
            guard let place, let value = line.values[index] else { continue }
            svg.empty(
                "path",
                [
                    ("class", "mark pt"),
                    ("d", line.style.markerPath(x: place.0, y: place.1, radius: isDense ? 1.3 : 3)),
                    ("data-tip", tip(line, value, capacities[index])),
                ])
        }
        if let labelY, let last = places.compactMap(\.self).last {
            let text = line.style.label
            svg.empty(
                "path",
                [
                    ("class", "leader"),
                    (
                        "d",
                        "M\(coordinate(last.0 + 5)) \(coordinate(last.1))L\(coordinate(Self.right + 8)) \(coordinate(labelY))"
                    ),
                ])
            svg.element(
                "text", [("class", "name"), ("x", coordinate(Self.right + 12)), ("y", coordinate(labelY + 4))],
                text.count > 19 ? text.prefix(18) + "…" : text)
        }
        svg.close("g")
    }

    private func path(_ places: [(Double, Double)?]) -> String {
        var data = ""
        var isDrawing = false
        for place in places {
            guard let place else {
                isDrawing = isDrawing && bridgesGaps
                continue
            }
            data += "\(isDrawing ? "L" : "M")\(coordinate(place.0)) \(coordinate(place.1))"
            isDrawing = true
        }
        return data
    }

    private func tip(_ line: Line, _ value: Double, _ capacity: Int) -> String {
        let size = unit == .bytes ? HumanFormat.bytes(capacity) : "\(HumanFormat.count(capacity)) objects"
        let amount = quantity == .ratio ? HumanFormat.percent(value) : "\(HumanFormat.points(value)) points"
        return "\(line.style.label)\n\(amount) at \(size)"
    }

    /// Where each curve's name stands: beside its last point, moved so that no two names overlap.
    private func labelPositions(_ y: Scale) -> [Double?] {
        let gap = min(14, (Self.bottom - Self.top + 14) / Double(max(lines.count, 1)))
        let wanted = lines.map { line in line.values.compactMap(\.self).last.map(y.position) }
        let order = wanted.indices.filter { wanted[$0] != nil }.sorted { wanted[$0]! < wanted[$1]! }
        var placed = wanted
        var floor = Self.top - 4
        for index in order {
            placed[index] = max(wanted[index]!, floor)
            floor = placed[index]! + gap
        }
        var ceiling = Self.bottom + 6
        for index in order.reversed() {
            placed[index] = min(placed[index]!, ceiling)
            ceiling = placed[index]! - gap
        }
        return placed
    }
}
