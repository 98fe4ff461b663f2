internal import CacheCore

/// Curves of a ratio against capacity, on a numeric log₂ axis, each named at its end.
struct LineChart: ReportChart {
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
    /// A point with a ring and a name: its line, as an index, and its capacity.
    var ring: (line: Int, capacity: Int, name: String)?

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
                ("role", "img"), ("aria-label", title), ("data-at", capacities.map(sizeText).joined(separator: "|")),
                ("data-unit", quantity == .ratio ? "%" : "points"),
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
        drawRing(x, y, &svg)
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
        let places = zip(capacities, line.values).map { capacity, value in
            value.map { (x.position(Double(capacity)), y.position($0)) }
        }
        // One element for all marks: the script finds the nearest by the curve's own points.
        svg.open(
            "g",
            [
                ("class", "series \(line.style.colourClass)"), ("data-series", line.style.id),
                ("data-label", line.style.label),
                ("data-values", line.values.map { $0.map(valueText) ?? "" }.joined(separator: "|")),
            ])
        svg.empty(
            "path",
            [
                ("class", "line"), ("d", path(places)),
            ] + line.style.dashArray)
        let marks = places.compactMap(\.self).map {
            line.style.markerPath(x: $0.0, y: $0.1, radius: isDense ? 1.3 : 3)
        }
        svg.empty("path", [("class", "mark"), ("d", marks.joined())])
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

    private func drawRing(_ x: Scale, _ y: Scale, _ svg: inout XMLText) {
        guard let ring, let index = capacities.firstIndex(of: ring.capacity), let value = lines[ring.line].values[index]
        else { return }
        let style = lines[ring.line].style
        let (left, top) = (x.position(Double(ring.capacity)), y.position(value))
        let circle = SeriesStyle(id: "", label: "", colourClass: "", dashes: "", marker: 0)
        svg.open("g", [("class", "series \(style.colourClass)"), ("data-series", style.id)])
        svg.empty("path", [("class", "line"), ("d", circle.markerPath(x: left, y: top, radius: 8))])
        let isAtTop = top < Self.top + 24
        svg.element(
            "text",
            [
                ("class", "name"), ("x", coordinate(left)), ("y", coordinate(isAtTop ? top + 22 : top - 12)),
                ("text-anchor", left > Self.right - 60 ? "end" : left < Self.left + 60 ? "start" : "middle"),
            ], ring.name)
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

    private func valueText(_ value: Double) -> String {
        quantity == .ratio ? HumanFormat.fixed(value * 100, 2) : HumanFormat.points(value)
    }

    private func sizeText(_ capacity: Int) -> String {
        unit == .bytes ? HumanFormat.bytes(capacity) : "\(HumanFormat.count(capacity)) objects"
    }

    /// The most names that can be read beside a chart, and how many of more curves are named beside bounds: the best by their mean.
    private static let (namesMax, bestNamed) = (21, 8)

    private var named: Set<Int> {
        guard lines.count > Self.namesMax else { return Set(lines.indices) }
        let means = lines.map { line in
            let values = line.values.compactMap(\.self)
            return values.isEmpty ? -Double.infinity : values.reduce(0, +) / Double(values.count)
        }
        let bounds = lines.indices.filter { lines[$0].style.isBound }
        let others = Set(lines.indices).subtracting(bounds).sorted { (means[$0], $1) > (means[$1], $0) }
        return Set(bounds + others.prefix(Self.bestNamed))
    }

    /// Where each curve's name stands: beside its last point, moved so that no two names overlap; nil for a curve without one.
    private func labelPositions(_ y: Scale) -> [Double?] {
        let named = named
        let gap = min(14, (Self.bottom - Self.top + 14) / Double(max(named.count, 1)))
        let wanted = lines.enumerated().map { index, line in
            named.contains(index) ? line.values.compactMap(\.self).last.map(y.position) : nil
        }
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
