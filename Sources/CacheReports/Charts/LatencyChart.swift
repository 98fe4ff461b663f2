internal import CacheCore

/// Percentiles of lookups and stores on one logarithmic axis, a group of two lines for each live cell.
struct LatencyChart: ReportChart {
    /// One live cell.
    struct Group {
        var label: String
        var figures: LatencyFigures
    }

    /// What the chart shows, for screen readers.
    var title: String
    var groups: [Group]
    /// The cost of reading the clock, drawn as a line: nothing left of it can be told apart.
    var timerFloorNanoseconds: Double?

    private static let rowHeight = 50.0
    private static let top = 22.0

    private var scale: Scale {
        let summaries = groups.flatMap { [$0.figures.get, $0.figures.put] }
        let floor = timerFloorNanoseconds ?? .infinity
        let low = min(floor, Double(summaries.compactMap { $0.p50Nanoseconds ?? $0.maxNanoseconds }.min() ?? 10))
        let high = Double(summaries.compactMap(\.maxNanoseconds).max() ?? 1000)
        return Scale(
            kind: .logarithmic, low: max(1, low * 0.7), high: max(high * 1.3, low * 10), start: 2, end: 95)
    }

    /// The chart as an SVG element.
    func svg() -> String {
        let scale = scale
        let bottom = Self.top + Self.rowHeight * Double(groups.count)
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart latency"), ("width", "100%"), ("height", coordinate(bottom + 24)), ("role", "img"),
                ("aria-label", title),
            ])
        axis(scale, bottom, &svg)
        for (index, group) in groups.enumerated() {
            draw(group, at: Self.top + Double(index) * Self.rowHeight, scale, &svg)
        }
        svg.close("svg")
        return svg.text
    }

    private func axis(_ scale: Scale, _ bottom: Double, _ svg: inout XMLText) {
        for tick in scale.powersOfTen {
            vertical("grid", at: scale.position(tick), from: Self.top - 4, to: bottom, &svg)
            svg.element(
                "text",
                [
                    ("class", "tick"), ("x", percent(scale.position(tick))), ("y", coordinate(bottom + 16)),
                    ("text-anchor", "middle"),
                ], HumanFormat.nanoseconds(tick))
        }
        guard let floor = timerFloorNanoseconds else { return }
        vertical("floor", at: scale.position(floor), from: Self.top - 8, to: bottom, &svg)
        svg.element(
            "text", [("class", "floor-name"), ("x", percent(scale.position(floor))), ("dx", "5"), ("y", "11")],
            "timer floor \(HumanFormat.nanoseconds(floor))")
    }

    private func vertical(_ name: String, at x: Double, from top: Double, to bottom: Double, _ svg: inout XMLText) {
        svg.empty(
            "line",
            [
                ("class", name), ("x1", percent(x)), ("x2", percent(x)), ("y1", coordinate(top)),
                ("y2", coordinate(bottom)),
            ])
    }

    private func draw(_ group: Group, at top: Double, _ scale: Scale, _ svg: inout XMLText) {
        svg.element("text", [("class", "name"), ("x", "0"), ("y", coordinate(top + 14))], group.label)
        let p99 = [("get", group.figures.get), ("put", group.figures.put)].map { name, summary in
            "\(name) \(HumanFormat.nanoseconds(summary.p99Nanoseconds))"
        }
        svg.element(
            "text", [("class", "value"), ("x", "100%"), ("y", coordinate(top + 14)), ("text-anchor", "end")],
            "p99 " + p99.joined(separator: " · "))
        draw(group.figures.get, "get", "kget", of: group.label, at: top + 26, scale, &svg)
        draw(group.figures.put, "put", "kput", of: group.label, at: top + 38, scale, &svg)
    }

    private func draw(
        _ summary: LatencySummary, _ operation: String, _ colour: String, of label: String, at y: Double,
        _ scale: Scale, _ svg: inout XMLText
    ) {
        let marks = [
            ("p50", summary.p50Nanoseconds, 4.5), ("p90", summary.p90Nanoseconds, 3.6),
            ("p99", summary.p99Nanoseconds, 3.0), ("p99.9", summary.p999Nanoseconds, 2.4),
            ("max", summary.maxNanoseconds, 3.2),
        ]
        svg.open("g", [("class", "series \(colour)")])
        // What the samples do not carry has no mark.
        let measured = marks.compactMap { name, value, radius in value.map { (name, $0, radius) } }
        if let first = measured.first, let last = measured.last {
            svg.empty(
                "line",
                [
                    ("class", "span"), ("x1", percent(scale.position(Double(first.1)))),
                    ("x2", percent(scale.position(Double(last.1)))), ("y1", coordinate(y)), ("y2", coordinate(y)),
                ])
        }
        for (name, value, radius) in measured {
            svg.empty(
                "circle",
                [
                    ("class", name == "max" ? "ring pt" : "dot pt"), ("cx", percent(scale.position(Double(value)))),
                    ("cy", coordinate(y)), ("r", coordinate(radius)),
                    ("data-tip", "\(label)\n\(operation) \(name): \(HumanFormat.nanoseconds(Double(value)))"),
                ])
        }
        svg.close("g")
    }

    private func percent(_ value: Double) -> String { HumanFormat.fixed(value, 2) + "%" }
}
