public import CacheCore

/// Curves as text for a terminal: the hit ratios of every trace at a dozen capacities, and how each curve was found.
public enum CurveTable {
    private static var shownCapacities: Int { 12 }

    /// The curves as text that ends with a newline.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; columns that do not fit are left out. Nil prints every column.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ results: CurveResults, width: Int? = nil, isColored: Bool = false) -> String {
        let labels = SeriesLabels(results)
        var lines: [String] = []
        for trace in results.traces {
            for unit in Capacity.Unit.allCases {
                let curves = results.curves.filter { $0.trace == trace.name && $0.capacityUnit == unit }
                guard !curves.isEmpty else { continue }
                let heading = "\(trace.name.onOneLine) · \(TraceSectionBuilder.facts(trace))"
                lines.append(Ansi.bold(clippedInside(heading, to: width), isColored))
                for sentence in results.remarks.sentences(trace) {
                    lines += AdviceTable.wrapped(sentence, width)
                }
                lines += ratios(curves, labels, unit).lines(width: width, isColored: isColored) + [""]
                lines += origins(curves, labels).lines(width: width, isColored: isColored) + [""]
                let notes = curves.flatMap { curve in
                    (curve.notes ?? []).map { "\(labels.label(SeriesKey(curve)).onOneLine): \($0.onOneLine)." }
                }
                lines += notes.flatMap { AdviceTable.wrapped($0, width) } + (notes.isEmpty ? [] : [""])
            }
        }
        let points = results.curves.reduce(0) { $0 + $1.points.count }
        lines.append(
            "\(HumanFormat.counted(points, "point", "points")) of "
                + "\(HumanFormat.counted(results.curves.count, "curve", "curves")) in "
                + HumanFormat.duration(results.durationSeconds))
        if results.status == .interrupted { lines.append(Ansi.red("Interrupted: some points are missing.", isColored)) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A row a capacity, a column a policy.
    private static func ratios(
        _ curves: [CurveResult], _ labels: SeriesLabels, _ unit: Capacity.Unit
    ) -> TextTable {
        var table = TextTable(
            columns: [.init("capacity")]
                + curves.enumerated().map { .init(labels.label(SeriesKey($1)).onOneLine, expendability: $0) })
        let capacities = Set(curves.flatMap { $0.points.map(\.capacity) }).sorted()
        for capacity in thinned(capacities) {
            table.rows.append(
                [unit == .objects ? HumanFormat.count(capacity) : HumanFormat.bytes(capacity, beside: capacities)]
                    + curves.map { curve in
                        curve.points.first { $0.capacity == capacity }.map { HumanFormat.percent($0.hitRatio) }
                            ?? HumanFormat.absent
                    })
        }
        return table
    }

    private static func thinned(_ capacities: [Int]) -> [Int] {
        guard capacities.count > shownCapacities else { return capacities }
        return (0..<shownCapacities).map { capacities[$0 * (capacities.count - 1) / (shownCapacities - 1)] }
    }

    /// A row a curve: method, sample, error, speed.
    private static func origins(_ curves: [CurveResult], _ labels: SeriesLabels) -> TextTable {
        let hasErrors = curves.contains { $0.meanAbsoluteError != nil }
        var table = TextTable(
            columns: [.init("curve", isNumeric: false), .init("method", isNumeric: false), .init("points")]
                + [.init("sample", expendability: 1)]
                + (hasErrors ? [.init("mean error"), .init("largest")] : [])
                + [.init("time"), .init("requests/s", expendability: 2)])
        for curve in curves {
            if let failure = curve.failure {
                table.alarming.insert(table.rows.count)
                table.remarks[table.rows.count] = "\(failure.kind.rawValue): \(failure.message.onOneLine)"
            }
            func points(_ value: Double?) -> String {
                value.map { HumanFormat.fixed($0 * 100, 3) + " points" } ?? HumanFormat.absent
            }
            table.rows.append(
                [
                    labels.label(SeriesKey(curve)).onOneLine, methods(curve), "\(curve.points.count)",
                    curve.sample.map {
                        "\(HumanFormat.count($0.objects)) objects, \(HumanFormat.percent($0.rate, digits: 3))"
                    } ?? "all",
                ] + (hasErrors ? [points(curve.meanAbsoluteError), points(curve.largestError)] : [])
                    + [
                        curve.passSeconds.map(HumanFormat.duration) ?? HumanFormat.absent,
                        curve.requestsPerSecond.map(HumanFormat.rate) ?? HumanFormat.absent,
                    ])
        }
        return table
    }

    /// `exact (one pass)`, with the points that another method found.
    static func methods(_ curve: CurveResult) -> String {
        let others = curve.points.count { $0.method != curve.method }
        return words(curve.method) + (others == 0 ? "" : ", \(others) replayed")
    }

    private static func words(_ method: CurveMethod) -> String {
        switch method {
        case .stack: "exact, one pass"
        case .replay: "exact, replays"
        case .shards: "estimate, SHARDS"
        case .miniature: "estimate, miniature"
        case .fit: "fitted workload"
        }
    }
}
