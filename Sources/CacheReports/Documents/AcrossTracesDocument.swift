public import CacheCore
internal import Foundation

/// What policies save over a baseline policy, across traces.
public struct AcrossTracesDocument: Reportable {
    /// The names of the files without their endings: `across.html`.
    public static var stem: String { "across" }
    /// The names of the tables.
    public static var tables: [String] { [CSVReport.across.name, CSVReport.reductions.name] }

    private let results: RunResults
    private let comparison: TraceComparison
    private let styles: [SeriesKey: SeriesStyle]
    private var data: AcrossTraces { comparison.data }
    private var baseline: String { comparison.labels.label(comparison.baseline) }

    /// A comparison of combinations that were added.
    ///
    /// - Parameter results: What the run says of itself; its combinations are not read.
    /// - Throws: `AssayError` with code `usage` if the baseline policy did not run, or fewer than two traces have results.
    public init(_ data: AcrossTraces, of results: RunResults, options: ReportOptions) throws(AssayError) {
        guard data.tracesSimulated > 1 else {
            throw AssayError(
                .usage,
                "A comparison across traces needs at least two. These results have simulations of "
                    + "\(HumanFormat.counted(data.tracesSimulated, "trace", "traces")).")
        }
        self.results = results
        comparison = try TraceComparison(
            data, baseline: options.baselinePolicy, described: results.policies ?? [], seed: results.seed)
        styles = SeriesStyle.assigned(to: comparison.labels)
    }

    /// The tidy table of all traces together, under the name of its file.
    public func csv() -> (name: String, text: String) {
        (CSVReport.across.name, CSVReport.across.text(comparison.summaries.lazy.map { (comparison, $0) }))
    }

    /// Writes the tidy table with a row a trace, row by row, and returns its path.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be written.
    package func writeReductions(to directory: String) throws(AssayError) -> String {
        try ReportFile.write(CSVReport.reductions.name, to: directory) { (write) throws in
            try CSVReport.reductions.write(comparison.rows.lazy.map { (comparison, $0) }, write)
        }
    }

    /// What there is to say; the options were chosen before.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        let policies = comparison.labels.keys.count { !comparison.isBaseline($0) }
        return ReportDocument(
            title:
                "\(HumanFormat.counted(policies, "policy", "policies")) against \(baseline) on \(data.tracesSimulated) traces",
            subtitle: results.subtitle, assayVersion: results.assayVersion, answer: answer, notices: notices,
            legend: comparison.labels.keys.filter { !comparison.isBaseline($0) }.compactMap { styles[$0] },
            sections: sections + omissions + CommonSections.policies(results.policies ?? [])
                + [results.environmentSection],
            closing: ["Reductions in percent of the misses of \(baseline); negative: more misses than \(baseline)."],
            definitions: Self.definitions, command: results.commandLine,
            commandNote: "The same command on the same traces gives the same figures, intervals included.",
            files: [.init(label: "CSV", name: csv().name, text: csv().text)])
    }

    // MARK: - First screen

    private func summaries(_ figure: TraceComparison.Figure, _ place: Int, _ kind: TraceComparison.Group.Kind)
        -> [TraceComparison.Summary]
    { comparison.summaries.filter { ($0.figure, $0.place, $0.group.kind) == (figure, place, kind) } }

    private func label(_ summary: TraceComparison.Summary) -> String {
        comparison.labels.label(data.series[summary.series])
    }

    /// The policy with the largest mean reduction at most capacities.
    private var answer: ReportDocument.Answer? {
        let best = comparison.placeOrder.compactMap { place in
            summaries(.missRatio, place, .all).first {
                $0.spread.mean != nil && !comparison.labels.isBound(data.series[$0.series])
            }
        }
        let wins = Dictionary(grouping: best, by: \.series).mapValues(\.count)
        guard let most = wins.values.max(), let first = best.first(where: { wins[$0.series] == most }),
            let mean = first.spread.mean
        else { return nil }
        let interval = first.spread.meanInterval.map {
            "95 % of samples of the traces have a mean from \(Self.percent($0.lowerBound)) to \(Self.percent($0.upperBound))."
        }
        return .init(
            question: "Which policy saves the most misses across traces?",
            sentence: "\(label(first)) has the largest mean reduction over \(baseline)"
                + (best.count == 1 ? "." : " at \(most) of \(best.count) capacities."),
            figure: Self.percent(mean),
            figureName: "mean reduction of the miss ratio at \(data.places[first.place].title)",
            certainty: interval ?? "Too few traces for an interval: another selection may say something else.")
    }

    private var notices: [ReportDocument.Notice] {
        var notices: [ReportDocument.Notice] = []
        if results.status == .interrupted {
            notices.append(.init(tone: .warning, text: "Interrupted: some combinations have no result yet."))
        }
        for reason in TraceComparison.Omission.allCases {
            let gaps = comparison.gaps.filter { $0.key.reason == reason }
            guard !gaps.isEmpty else { continue }
            let (count, traces) = (gaps.values.reduce(0, +), Set(gaps.keys.map { data.traces[$0.trace].name }).sorted())
            notices.append(
                .init(
                    tone: .warning,
                    text: "Not compared, \(reason.rawValue): "
                        + "\(HumanFormat.counted(count, "combination", "combinations")) of "
                        + "\(HumanFormat.counted(traces.count, "trace", "traces")) (\(HumanFormat.list(traces)))."))
        }
        if data.live > 0 {
            notices.append(
                .init(
                    tone: .plain,
                    text: "\(HumanFormat.counted(data.live, "live combination", "live combinations")) "
                        + "left out: only simulations are compared."))
        }
        return notices
    }

    // MARK: - A capacity

    private var sections: [ReportDocument.Section] {
        var number = 0
        return TraceComparison.Figure.allCases.flatMap { figure in
            comparison.placeOrder.compactMap { place -> ReportDocument.Section? in
                let all = summaries(figure, place, .all)
                guard !all.isEmpty else { return nil }
                number += 1
                let title = "\(figure.title) at \(data.places[place].title)"
                return .init(
                    id: "capacity-\(number)", title: title,
                    lead: "Reduction over \(baseline), in percent; above 0 is better.",
                    blocks: [.table(.init(table: table(all, caption: title)))] + charts(all, title)
                        + [groups(figure, place, .corpus, title), groups(figure, place, .objects, title)].compactMap(
                            \.self),
                    showsCurves: true, isOnTerminal: true)
            }
        }
    }

    private func table(_ summaries: [TraceComparison.Summary], caption: String) -> DataTable {
        var table = DataTable(
            caption: "\(caption): reduction over \(baseline), in percent",
            columns: [
                .init("Policy", isNumeric: false, terminal: 0), .init("Mean", terminal: 0),
                .init("95 % interval", terminal: 2),
            ] + Spread.percents.map { .init($0 == 50 ? "Median" : "P\($0)", terminal: $0 == 50 ? 1 : 3) } + [
                .init("95 % interval of the median"), .init("Worse on", terminal: 2), .init("Traces", terminal: 1),
                .init("Not compared"),
            ],
            rows: summaries.map { summary in
                let spread = summary.spread
                return [
                    .init(label(summary), swatch: styles[data.series[summary.series]]),
                    .figure(spread.mean) { HumanFormat.points($0) }, Self.interval(spread.meanInterval),
                ] + Spread.percents.map { .figure(spread.percentile(Double($0))) { HumanFormat.points($0) } } + [
                    Self.interval(spread.medianInterval), .figure(spread.worse), .figure(spread.values.count),
                    .figure(summary.omitted),
                ]
            })
        let rivals = summaries.indices.filter { !comparison.labels.isBound(data.series[summaries[$0].series]) }
        table.best = Set(rivals.prefix(1).filter { (summaries[$0].spread.mean ?? 0) > 0 })
        return table
    }

    private static func interval(_ interval: ClosedRange<Double>?) -> DataTable.Cell {
        guard let interval else { return .init(HumanFormat.absent, classes: "absent") }
        return .init(
            "\(HumanFormat.points(interval.lowerBound)) to \(HumanFormat.points(interval.upperBound))",
            sort: interval.lowerBound)
    }

    /// A share in percent with its sign.
    private static func percent(_ value: Double) -> String { HumanFormat.points(value, digits: 1) + " %" }

    /// The most points of a line: more are not seen.
    private static let pointsMax = 100

    private func charts(_ all: [TraceComparison.Summary], _ title: String) -> [ReportDocument.Block] {
        let drawn = all.filter { !$0.spread.values.isEmpty }
        guard !drawn.isEmpty else { return [] }
        let boxes = BoxChart(
            title: "\(title): reduction over \(baseline) by policy", axis: "Reduction over \(baseline)",
            boxes: drawn.compactMap { summary in
                let spread = summary.spread
                guard let style = styles[data.series[summary.series]], let mean = spread.mean else { return nil }
                let percentiles = Spread.percents.compactMap { spread.percentile(Double($0)) }
                return .init(style: style, percentiles: percentiles, mean: mean)
            }, format: Self.percent)
        let lines = drawn.compactMap { summary -> PlotChart.Line? in
            guard let style = styles[data.series[summary.series]] else { return nil }
            let steps = min(Self.pointsMax, max(1, summary.spread.values.count - 1))
            var line = PlotChart.Line(
                style,
                points: (0...steps).compactMap { step in
                    let share = Double(step) * 100 / Double(steps)
                    return summary.spread.percentile(share).map { ($0 * 100, share) }
                })
            line.hasMarks = false
            return line
        }
        let distribution = PlotChart(
            title: "\(title): share of the traces with a reduction up to that",
            x: .init(title: "Reduction over \(baseline)") { HumanFormat.signed($0, 0) + " %" },
            y: .init(title: "Traces", ticks: [0, 25, 50, 75, 100]) { HumanFormat.fixed($0, 0) + " %" }, lines: lines)
        return [
            .chart(
                .init(
                    title: "Half of the traces, and four fifths", note: "box: P25 to P75, line: P10 to P90, mark: mean",
                    chart: boxes)),
            .chart(
                .init(
                    title: "Distribution over traces", note: "share of the traces up to each reduction",
                    chart: distribution)),
        ]
    }

    /// The mean reductions of groups of traces side by side; nil where there is one group.
    private func groups(
        _ figure: TraceComparison.Figure, _ place: Int, _ kind: TraceComparison.Group.Kind, _ title: String
    ) -> ReportDocument.Block? {
        let found = summaries(figure, place, kind)
        let groups = found.map(\.group).reduce(into: [TraceComparison.Group]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        guard groups.count > 1 else { return nil }
        let order = summaries(figure, place, .all).map(\.series)
        let name = kind == .corpus ? "corpus" : "number of objects"
        return .table(
            .init(
                title: "By \(name)",
                table: DataTable(
                    caption:
                        "\(title): mean reduction over \(baseline) by \(name), in percent, with the number of traces",
                    columns: [.init("Policy", isNumeric: false)] + groups.map { .init($0.name) },
                    rows: order.map { series in
                        [.init(comparison.labels.label(data.series[series]), swatch: styles[data.series[series]])]
                            + groups.map { group in
                                let own = found.first { $0.series == series && $0.group == group }?.spread
                                var cell = DataTable.Cell.figure(own?.mean) { HumanFormat.points($0) }
                                cell.note = own.map { "\($0.values.count)" }
                                return cell
                            }
                    })))
    }

    // MARK: - The rest

    /// The most rows of the table of what is not compared; the CSV has all.
    private static let omissionsMax = 200

    private var omissions: [ReportDocument.Section] {
        let groups = TraceComparison.Omission.allCases.flatMap { reason in
            comparison.gaps.filter { $0.key.reason == reason }.sorted { one, other in
                let (a, b) = (one.key, other.key)
                return (a.figure.rawValue, a.trace, a.place) < (b.figure.rawValue, b.trace, b.place)
            }
        }
        guard !groups.isEmpty else { return [] }
        let table = DataTable(
            caption: "What is not compared",
            columns: [
                .init("Trace", isNumeric: false), .init("Figure", isNumeric: false),
                .init("Capacity", isNumeric: false),
                .init("Policies"), .init("Reason", isNumeric: false),
            ],
            rows: groups.prefix(Self.omissionsMax).map { gap, count in
                [
                    .init(data.traces[gap.trace].name), .init(gap.figure.title), .init(data.places[gap.place].title),
                    .figure(count), .init(gap.reason.rawValue),
                ]
            })
        let rest = groups.count - table.rows.count
        return [
            .init(
                id: "not-compared", title: "Not compared",
                blocks: [.table(.init(table: table))]
                    + (rest > 0
                        ? [.text("\(HumanFormat.count(rest)) more are in \(CSVReport.reductions.name).")] : []))
        ]
    }

    private static let definitions: [ReportDocument.Definition] = [
        .init(
            "Reduction",
            "`(b - m) / b` of the miss ratio `b` of the baseline policy and `m` of the policy on one trace at one capacity. Where the "
                + "policy misses more, `(b - m) / m`: reductions lie between -100 % and 100 %, and a policy that halves the misses weighs as "
                + "much as one that doubles them. So do the authors of S3-FIFO (Yang et al., SOSP 2023) in the programs of their figures."
        ),
        .init(
            "Several seeds", "A trace counts once: the mean of its miss ratios over all seeds is compared."),
        .init(
            "Percentile",
            "P10 is the reduction that a tenth of the traces are at or below, between two traces in proportion (NumPy's default)."
        ),
        .init(
            "95 % interval",
            "What another selection of traces might have given: \(HumanFormat.count(BootstrapDraws.resamples)) samples of the traces with "
                + "replacement (bootstrap, percentile method, with the seed of the run). Traces of one corpus are taken as independent. "
                + "There is none for fewer than 6 traces."),
        .init(
            "Corpus",
            "The folder of a trace's file, with as many folders around it as tell it from others of that name; `workloads` for what is "
                + "generated, `.` for a file without a folder."),
        .init(
            "Byte miss ratio",
            "Bytes of missed requests over bytes of all requests; compared where the trace states sizes and capacities count bytes."
        ),
    ]
}
