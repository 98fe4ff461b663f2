internal import CacheCore

/// Curves of a ratio against capacity, on a numeric log₂ axis, each named at its end.
///
/// The vertical axis spans what most curves span, so that close ones can be told apart: it begins at 0 only where that costs less
/// than half of its height. Of many curves, those far below the others are cut off and named.
struct LineChart: ReportChart {
    /// One curve; a nil value leaves a gap.
    struct Line {
        var style: SeriesStyle
        var values: [Double?]

        /// The mean of the values; nil if there is none.
        var mean: Double? {
            let known = values.compactMap(\.self)
            return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
        }
    }

    /// What the vertical axis shows.
    enum Quantity {
        /// A ratio, shown in percent.
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
    private static let left = 54.0
    private static let right = 470.0
    private static let top = 12.0
    private static let bottom = 306.0

    private var xScale: Scale {
        Scale(
            kind: .logarithmic, low: Double(capacities.first ?? 1), high: Double(capacities.last ?? 1),
            start: Self.left + 8, end: Self.right - 8)
    }

    private var yScale: (Scale, step: Double) {
        let outliers = outliers
        let shown = lines.indices.filter { !outliers.contains($0) }.flatMap { lines[$0].values }
        let values = shown.compactMap(\.self) + [level].compactMap(\.self)
        let least = values.min() ?? 0
        let most = quantity == .ratio ? min(1, max(values.max() ?? 0, 0.001)) : max(values.max() ?? 0, 0)
        let low = quantity == .points ? min(0, least) : least > most / 2 && least < most ? least : 0
        return Scale.nice(low, max(most, low + 0.001), from: Self.bottom, to: Self.top)
    }

    /// Curves that would press the others together, as indices: of eight or more, those whose mean lies three interquartile
    /// ranges, and six points, below the first quartile, and bounds that lie as far above the third.
    private var outliers: Set<Int> {
        let means = lines.map(\.mean)
        let sorted = means.compactMap(\.self).sorted()
        guard sorted.count >= 8 else { return [] }
        let (first, third) = (sorted[sorted.count / 4], sorted[sorted.count * 3 / 4])
        let reach = 3 * max(third - first, 0.02)
        return Set(
            lines.indices.filter { index in
                guard let mean = means[index] else { return false }
                return mean < first - reach || lines[index].style.isBound && mean > third + reach
            })
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
            ] + domain(y))
        let outliers = outliers
        let clip = outliers.isEmpty ? nil : clipPath(&svg)
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
        for (index, line) in lines.enumerated() {
            draw(line, x, y, labelY: labels[index], clip: outliers.contains(index) ? clip : nil, &svg)
        }
        drawRing(x, y, &svg)
        if !outliers.isEmpty {
            let names = outliers.sorted().map { lines[$0].style.label }
            let more = names.count > 5 ? " and \(names.count - 5) more" : ""
            svg.element(
                "text",
                [("class", "off"), ("x", coordinate(Self.left + 8)), ("y", coordinate(Self.bottom - 8))],
                "off this axis: \(names.prefix(5).joined(separator: ", "))\(more)")
        }
        svg.close("svg")
        return svg.text
    }

    /// The ends of an axis of ratios that leaves something out, for the script that draws other views.
    private func domain(_ y: Scale) -> [(String, String)] {
        guard quantity == .ratio, y.low > 0 || !outliers.isEmpty else { return [] }
        return [("data-domain", "\(HumanFormat.fixed(y.low * 100, 2))|\(HumanFormat.fixed(y.high * 100, 2))")]
    }

    /// Defines the plot's area as what is left of curves that leave it, under a name that only this chart has.
    private func clipPath(_ svg: inout XMLText) -> String {
        let hash = "\(title) \(unit.rawValue) \(quantity)".utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        let name = "plot-\(String(hash, radix: 36))"
        svg.open("clipPath", [("id", name)])
        svg.empty(
            "rect",
            [
                ("x", coordinate(Self.left)), ("y", coordinate(Self.top - 3)),
                ("width", coordinate(Self.right - Self.left)), ("height", coordinate(Self.bottom - Self.top + 3)),
            ])
        svg.close("clipPath")
        return name
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

    private func draw(
        _ line: Line, _ x: Scale, _ y: Scale, labelY: Double?, clip: String?, _ svg: inout XMLText
    ) {
        let places = zip(capacities, line.values).map { capacity, value in
            value.map { (x.position(Double(capacity)), y.position($0)) }
        }
        // One element for all marks: the script finds the nearest by the curve's own points.
        var attributes: [(String, String)] = [
            ("class", "series \(line.style.colourClass)"), ("data-series", line.style.id),
            ("data-label", line.style.label),
            ("data-values", line.values.map { $0.map(valueText) ?? "" }.joined(separator: "|")),
        ]
        if let clip { attributes.append(("clip-path", "url(#\(clip))")) }
        svg.open("g", attributes)
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
        let shown = Set(lines.indices).subtracting(outliers)
        guard shown.count > Self.namesMax else { return shown }
        let means = lines.map { $0.mean ?? -.infinity }
        let bounds = shown.filter { lines[$0].style.isBound }
        let others = shown.subtracting(bounds).sorted { (means[$0], $1) > (means[$1], $0) }
        return bounds.union(others.prefix(Self.bestNamed))
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
