public import CacheCore

extension CurveResults: ReportedResults, RecordedHeader {
    /// What the files of this kind are called.
    public static var kind: ReportKind {
        .init(
            command: "assay curve", json: "curve.json", page: "curve.html", csv: ["curve.csv"], member: "curves",
            currentSchemaVersion: currentSchemaVersion)
    }

    /// How the hit ratio grows with the capacity.
    ///
    /// - Throws: `AssayError` with code `usage` if the baseline policy is not among these results.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try CurveDocument(self, baselinePolicy: options.baselinePolicy).document()
    }

    /// A row a point.
    public func csv() -> [(name: String, text: String)] { [("curve.csv", CSVReport.render(self))] }
}

/// What curves say: how the hit ratio grows with the capacity.
struct CurveDocument {
    private static var shownCapacities: Int { 12 }

    private let results: CurveResults
    private let labels: SeriesLabels
    private let styles: [SeriesKey: SeriesStyle]
    private let baseline: SeriesKey?

    /// - Throws: `AssayError` with code `usage` if the baseline policy has no curve.
    init(_ results: CurveResults, baselinePolicy: String?) throws(AssayError) {
        self.results = results
        labels = SeriesLabels(results)
        styles = SeriesStyle.assigned(to: labels)
        baseline = try labels.baseline(baselinePolicy)
    }

    func document() throws(AssayError) -> ReportDocument {
        let sections =
            results.traces.enumerated().map { section($1, index: $0) } + [CommonSections.traces(results.traces)]
        return ReportDocument(
            title: title, subtitle: results.subtitle, assayVersion: results.assayVersion, answer: answer,
            notices: notices, highlights: highlights, legend: ranked.compactMap { styles[$0] },
            sections: sections + CommonSections.policies(results.policies) + [results.environmentSection],
            closing: [
                "\(HumanFormat.counted(points.count, "point", "points")) of "
                    + "\(HumanFormat.counted(results.curves.count, "curve", "curves")) in "
                    + HumanFormat.duration(results.durationSeconds)
            ], definitions: Self.definitions, command: results.commandLine,
            commandNote: "The same command on the same traces gives the same curves; times depend on the machine.",
            files: [
                .init(label: "CSV", name: "curve.csv", text: CSVReport.render(results)),
                .init(label: "JSON", name: "curve.json", text: try JSONReport.render(results)),
            ])
    }

    private var title: String {
        let curves = labels.keys.count == 1 ? labels.label(labels.keys[0]) : "\(labels.keys.count) policies"
        let traces = results.traces.count == 1 ? results.traces[0].name : "\(results.traces.count) traces"
        return "Hit ratio curves: \(curves) on \(traces)"
    }

    private var points: [CurvePoint] { results.curves.flatMap(\.points) }

    private static func mean(_ curves: [CurveResult]) -> Double? {
        let ratios = curves.flatMap(\.points).map(\.hitRatio)
        return ratios.isEmpty ? nil : ratios.reduce(0, +) / Double(ratios.count)
    }

    /// The curves, the highest on average first.
    private var ranked: [SeriesKey] {
        let curves: [SeriesKey: [CurveResult]] = Dictionary(grouping: results.curves) { SeriesKey($0) }
        let means: [SeriesKey: Double] = curves.compactMapValues(Self.mean)
        return labels.keys.sorted { (means[$0] ?? -1) > (means[$1] ?? -1) }
    }

    // MARK: - First screen

    private var answer: ReportDocument.Answer? {
        let rivals = results.curves.filter { !labels.isBound(SeriesKey($0)) && !$0.points.isEmpty }
        let keys = Set(rivals.map(SeriesKey.init))
        return keys.count > 1 ? comparison(rivals) : rivals.first.flatMap(growth)
    }

    /// Which of several curves is highest at most points.
    private func comparison(_ curves: [CurveResult]) -> ReportDocument.Answer? {
        struct Place: Hashable {
            var trace: String
            var unit: Capacity.Unit
            var capacity: Int
        }
        var places: [Place: [(key: SeriesKey, ratio: Double)]] = [:]
        for curve in curves {
            for point in curve.points {
                let place = Place(trace: curve.trace, unit: curve.capacityUnit, capacity: point.capacity)
                places[place, default: []].append((SeriesKey(curve), point.hitRatio))
            }
        }
        let contests = places.values.filter { $0.count > 1 }
        var wins: [SeriesKey: Int] = [:]
        for contest in contests {
            let best = contest.map(\.ratio).max() ?? 0
            for entry in contest where entry.ratio == best && best > 0 { wins[entry.key, default: 0] += 1 }
        }
        guard let most = wins.values.max() else { return nil }
        let winners = labels.keys.filter { wins[$0] == most }
        let names = HumanFormat.list(winners.map(labels.label))
        let mean = Self.mean(curves.filter { SeriesKey($0) == winners[0] }) ?? 0
        let bounds = labels.keys.filter(labels.isBound).map(labels.label)
        let without =
            bounds.isEmpty
            ? "" : ", without \(HumanFormat.list(bounds)), which \(bounds.count == 1 ? "knows" : "know") the future"
        return .init(
            question: "Which policy hits most, at which capacity?",
            sentence: "\(names) \(winners.count == 1 ? "has" : "have") the highest hit ratio at "
                + "\(HumanFormat.count(most)) of \(HumanFormat.counted(contests.count, "point", "points"))\(without).",
            figure: HumanFormat.percent(mean),
            figureName: "mean hit ratio of \(labels.label(winners[0])) over its points", certainty: certainty)
    }

    /// How much capacity one curve takes to come near its highest hit ratio.
    private func growth(_ curve: CurveResult) -> ReportDocument.Answer? {
        guard let top = curve.points.max(by: { $0.hitRatio < $1.hitRatio }), top.hitRatio > 0,
            let near = curve.points.first(where: { $0.hitRatio >= 0.9 * top.hitRatio })
        else { return nil }
        return .init(
            question: "How much does more capacity bring?",
            sentence:
                "Of the capacities drawn, \(AdviceText.amount(near.capacity, curve.capacityUnit)) is the first at which "
                + "\(labels.label(SeriesKey(curve))) has nine tenths of its highest hit ratio on \(curve.trace).",
            figure: HumanFormat.percent(near.hitRatio),
            figureName: "hit ratio there; \(HumanFormat.percent(top.hitRatio)) with "
                + AdviceText.amount(top.capacity, curve.capacityUnit), certainty: certainty)
    }

    private var certainty: String {
        let estimates = points.count { !$0.method.isExact }
        guard estimates > 0 else { return "Every point is exact for these traces." }
        let error = results.curves.compactMap(\.meanAbsoluteError).max().map {
            ", off by up to \(HumanFormat.fixed($0 * 100, 2)) points on average where that was measured"
        }
        return
            "\(HumanFormat.count(estimates)) of \(HumanFormat.count(points.count)) points are estimates\(error ?? "")."
    }

    private var notices: [ReportDocument.Notice] {
        var notices: [ReportDocument.Notice] = []
        if results.status == .interrupted {
            notices.append(
                .init(tone: .warning, text: "Interrupted: points that were not finished are missing here."))
        }
        let failures = results.curves.count { $0.failure != nil }
        if failures > 0 {
            notices.append(
                .init(
                    tone: .bad,
                    text:
                        "\(failures) of \(results.curves.count) curves failed; reasons stand under “How each curve was found”."
                ))
        }
        return notices
    }

    private var highlights: [ReportDocument.Highlight] {
        let exact = points.count { $0.method.isExact }
        var highlights = [
            ReportDocument.Highlight(
                name: "Curves", figure: "\(results.curves.count)",
                detail: HumanFormat.counted(points.count, "point", "points")),
            ReportDocument.Highlight(
                tone: exact == points.count ? .good : .plain, name: "Exact points", figure: HumanFormat.count(exact),
                detail: exact == points.count ? "nothing is estimated" : "the others are estimates, marked below"),
        ]
        if let worst = results.curves.filter({ $0.meanAbsoluteError != nil })
            .max(by: { $0.meanAbsoluteError ?? 0 < $1.meanAbsoluteError ?? 0 }), let error = worst.meanAbsoluteError
        {
            highlights.append(
                .init(
                    name: "Largest mean error", figure: "\(HumanFormat.fixed(error * 100, 2)) points",
                    detail: "\(labels.label(SeriesKey(worst))) on \(worst.trace), against the exact curve"))
        }
        return highlights
    }

    // MARK: - Traces

    private func section(_ trace: TraceDescription, index: Int) -> ReportDocument.Section {
        let curves = results.curves.filter { $0.trace == trace.name }
        let units = Capacity.Unit.allCases.filter { unit in curves.contains { $0.capacityUnit == unit } }
        let notes = curves.flatMap { curve in
            (curve.notes ?? []).map { ReportDocument.Block.text("\(labels.label(SeriesKey(curve))): \($0).") }
        }
        return .init(
            id: "trace-\(index + 1)", title: trace.name, lead: CommonSections.facts(trace),
            blocks: results.remarks.sentences(trace).map(ReportDocument.Block.text)
                + units.flatMap { unit in
                    charts(trace, curves.filter { $0.capacityUnit == unit }, unit, suffix: units.count > 1)
                }
                + units.map { unit in
                    .table(.init(title: "Hit ratio by capacity", table: ratios(trace, curves, unit)))
                }
                + [.table(.init(title: "How each curve was found", table: origins(curves, trace)))] + notes,
            showsCurves: true, isOnTerminal: true)
    }

    private func charts(
        _ trace: TraceDescription, _ curves: [CurveResult], _ unit: Capacity.Unit, suffix: Bool
    ) -> [ReportDocument.Block] {
        let suffix = suffix ? ", \(unit.rawValue)" : ""
        let against = " against capacity\(suffix)"
        let bound = CommonSections.hitRatioBound(trace, results.remarks)
        var charts = [
            chart("Hit ratio\(against)", CommonSections.note(ofBound: bound), trace, curves, unit, .ratio, bound: bound)
            {
                $1.hitRatio
            }
        ]
        if let reference = curves.first(where: { SeriesKey($0) == baseline }), curves.count > 1 {
            let base = Dictionary(reference.points.map { ($0.capacity, $0.hitRatio) }) { first, _ in first }
            let name = labels.label(SeriesKey(reference))
            charts.append(
                chart(
                    "Hit ratio relative to \(name)\(suffix)", "percentage points, above 0 is better", trace, curves,
                    unit,
                    .points
                ) { _, point in base[point.capacity].map { point.hitRatio - $0 } })
        }
        if trace.hasSizes, trace.bytesRequested > 0 {
            charts.append(chart("Byte hit ratio\(against)", "", trace, curves, unit, .ratio) { $1.byteHitRatio })
        }
        if curves.contains(where: { $0.meanAbsoluteError != nil }) {
            charts.append(
                chart("Error of the estimates\(against)", "percentage points", trace, curves, unit, .points) {
                    $1.error
                })
        }
        return charts.map(ReportDocument.Block.chart)
    }

    private func chart(
        _ title: String, _ note: String, _ trace: TraceDescription, _ curves: [CurveResult], _ unit: Capacity.Unit,
        _ quantity: LineChart.Quantity, bound: Double? = nil, _ figure: (CurveResult, CurvePoint) -> Double?
    ) -> ReportDocument.ChartBlock {
        let capacities = Set(curves.flatMap { $0.points.map(\.capacity) }).sorted()
        let lines = curves.compactMap { curve -> LineChart.Line? in
            let values = Dictionary(curve.points.map { ($0.capacity, figure(curve, $0)) }) { first, _ in first }
            let row = capacities.map { values[$0] ?? nil }
            guard row.contains(where: { $0 != nil }) else { return nil }
            return styles[SeriesKey(curve)].map { LineChart.Line(style: $0, values: row) }
        }
        let caption = "\(trace.name): \(title.lowercased())"
        let rows = capacities.enumerated().map { index, capacity -> [DataTable.Cell] in
            [.init(Self.size(capacity, unit, capacities), sort: Double(capacity))]
                + lines.map { line in
                    .figure(line.values[index]) {
                        quantity == .ratio ? HumanFormat.percent($0) : HumanFormat.fixed($0 * 100, 3)
                    }
                }
        }
        return .init(
            title: title, note: note,
            chart: LineChart(
                title: caption, quantity: quantity, capacities: capacities, unit: unit, lines: lines, level: bound),
            table: DataTable(
                caption: caption, columns: [.init("Capacity")] + lines.map { .init($0.style.label) }, rows: rows))
    }

    private static func size(_ capacity: Int, _ unit: Capacity.Unit, _ capacities: [Int]) -> String {
        unit == .bytes ? HumanFormat.bytes(capacity, beside: capacities) : HumanFormat.count(capacity)
    }

    /// Hit ratios at a dozen capacities: a row a capacity, a column a policy.
    private func ratios(_ trace: TraceDescription, _ all: [CurveResult], _ unit: Capacity.Unit) -> DataTable {
        let curves = all.filter { $0.capacityUnit == unit }
        let capacities = Set(curves.flatMap { $0.points.map(\.capacity) }).sorted()
        var shown = capacities
        if capacities.count > Self.shownCapacities {
            shown = (0..<Self.shownCapacities).map {
                capacities[$0 * (capacities.count - 1) / (Self.shownCapacities - 1)]
            }
        }
        return DataTable(
            caption: "\(trace.name): hit ratio by capacity in \(unit.rawValue)",
            columns: [.init("Capacity", terminal: 0)]
                + curves.enumerated().map { .init(labels.label(SeriesKey($1)), terminal: $0) },
            rows: shown.map { capacity in
                [.init(Self.size(capacity, unit, capacities), sort: Double(capacity))]
                    + curves.map { curve in
                        .figure(curve.points.first { $0.capacity == capacity }?.hitRatio) { HumanFormat.percent($0) }
                    }
            })
    }

    /// A row a curve: method, sample, error, speed.
    private func origins(_ curves: [CurveResult], _ trace: TraceDescription) -> DataTable {
        func points(_ value: Double) -> String { HumanFormat.fixed(value * 100, 3) + " points" }
        var table = DataTable(
            caption: "\(trace.name): how each curve was found",
            columns: [
                .init("Curve", isNumeric: false, terminal: 0), .init("Method", isNumeric: false, terminal: 0),
                .init("Unit", isNumeric: false), .init("Points", terminal: 0), .init("Sample rate", terminal: 1),
                .init("Sampled objects", terminal: 3), .init("Mean error", terminal: 0),
                .init("Largest error", terminal: 0),
                .init("Time", terminal: 0), .init("Requests/s", terminal: 2), .init("Failure", isNumeric: false),
            ], rows: [])
        for curve in curves {
            if let failure = curve.failure {
                table.failed.insert(table.rows.count)
                table.remarks[table.rows.count] = "\(failure.kind.rawValue): \(failure.message)"
            }
            let key = SeriesKey(curve)
            table.rows.append([
                .init(labels.label(key), swatch: styles[key]), .init(Self.methods(curve)),
                .init(curve.capacityUnit.rawValue), .figure(curve.points.count),
                .figure(curve.sample?.rate) { HumanFormat.percent($0, digits: 3) }, .figure(curve.sample?.objects),
                .figure(curve.meanAbsoluteError, points), .figure(curve.largestError, points),
                .figure(curve.passSeconds, HumanFormat.duration), .figure(curve.requestsPerSecond, HumanFormat.rate),
                .init(
                    curve.failure?.message ?? HumanFormat.absent,
                    classes: curve.failure == nil ? "absent" : "bad prose"),
            ])
        }
        return table.withoutColumns(thatOnlySay: [HumanFormat.absent])
    }

    /// `exact, one pass`, with the points that another method found.
    private static func methods(_ curve: CurveResult) -> String {
        let others = curve.points.count { $0.method != curve.method }
        let words =
            switch curve.method {
            case .stack: "exact, one pass"
            case .replay: "exact, replays"
            case .shards: "estimate, SHARDS"
            case .miniature: "estimate, miniature"
            case .fit: "fitted workload"
            }
        return words + (others == 0 ? "" : ", \(others) replayed")
    }
}
