internal import CacheCore

// `across.csv` and `across-traces.csv`
extension CSVReport {
    /// A policy across the traces of a group, beside the comparison that it is of.
    typealias AcrossRow = (comparison: TraceComparison, summary: TraceComparison.Summary)
    /// A policy on one trace, beside the comparison that it is of.
    typealias ReductionRow = (comparison: TraceComparison, row: TraceComparison.Row)

    static let across = CSVFile<AcrossRow>(
        name: "across.csv",
        summary:
            "What each policy saves over a baseline policy across traces, from `assay sweep merge` and `assay report --across`: "
            + "one row a figure, capacity, group of traces and policy.",
        columns: comparedPlace.of { ($0.comparison, $0.summary.figure, $0.summary.place) } + [
            .text("group", "What the traces have in common: `all`, `corpus` or `objects`.") {
                $0.summary.group.kind.rawValue
            },
            .text("group_name", "The corpus, or how many objects the traces have.") { $0.summary.group.name },
        ] + comparedCurve.of { ($0.comparison, $0.summary.series) } + [
            .integer("traces", "Traces that are compared.") { $0.summary.spread.values.count },
            .number("mean", "The mean reduction, from -1 to 1.", empty: nothing) { $0.summary.spread.mean },
            .number("mean_low", "The lower end of its 95 % interval.", empty: few) {
                $0.summary.spread.meanInterval?.lowerBound
            },
            .number("mean_high", "The upper end of its 95 % interval.", empty: few) {
                $0.summary.spread.meanInterval?.upperBound
            },
        ]
            + Spread.percents.map { percent in
                .number("p\(percent)", "Percentile \(percent) of the reductions.", empty: nothing) {
                    $0.summary.spread.percentile(Double(percent))
                }
            } + [
                .number("median_low", "The lower end of the median's 95 % interval.", empty: few) {
                    $0.summary.spread.medianInterval?.lowerBound
                },
                .number("median_high", "The upper end of the median's 95 % interval.", empty: few) {
                    $0.summary.spread.medianInterval?.upperBound
                },
                .number("least", "The least reduction.", empty: nothing) { $0.summary.spread.values.first },
                .number("most", "The largest reduction.", empty: nothing) { $0.summary.spread.values.last },
                .integer("worse", "Traces on which the policy misses more than the baseline.") {
                    $0.summary.spread.worse
                },
                .integer("not_compared", "Traces without a reduction; `across-traces.csv` says why.") {
                    $0.summary.omitted
                },
            ])

    static let reductions = CSVFile<ReductionRow>(
        name: "across-traces.csv",
        summary:
            "What each policy saves over a baseline policy on each trace: one row a figure, capacity, policy and trace.",
        columns: [
            .text("trace", "The trace's name, unique in a run.") { $0.comparison.data.traces[$0.row.trace].name },
            .text(
                "corpus",
                "The folder of the trace's file, as far as it tells corpora apart; `workloads` for what is generated, `.` without a folder."
            ) { $0.comparison.corpora[$0.row.trace] },
            .integer("objects", "Distinct objects of the trace.") { $0.comparison.data.traces[$0.row.trace].objects },
        ] + comparedPlace.of { ($0.comparison, $0.row.figure, $0.row.place) }
            + comparedCurve.of { ($0.comparison, $0.row.series) } + [
                .number("ratio", "The policy's figure.", empty: "it has no result") { $0.row.own },
                .number("baseline_ratio", "The baseline policy's figure.", empty: "it has no result") {
                    $0.row.baseline
                },
                .number(
                    "reduction", "By how much the figure is below the baseline's, of the larger of both, from -1 to 1.",
                    empty: "`not_compared` says why"
                ) { $0.row.value },
                .text("not_compared", "Why there is no reduction.", empty: "there is one") {
                    if case .failure(let omitted) = $0.row.reduction { omitted.reason.rawValue } else { nil }
                },
            ])

    private static let few = "fewer than 6 traces are compared"
    private static let nothing = "no trace is compared"

    private static let comparedPlace: [CSVColumn<(TraceComparison, TraceComparison.Figure, Int)>] = [
        .text("figure", "What is compared: `miss_ratio` or `byte_miss_ratio`.") { $0.1.rawValue },
        .text("capacity", "The capacity as it was asked for, such as `5%`, or in `capacity_unit`.") {
            $0.0.data.places[$0.2].text
        },
        .text("capacity_unit", "What capacities count: `objects` or `bytes`.") { $0.0.data.places[$0.2].unit.rawValue },
    ]

    private static let comparedCurve: [CSVColumn<(TraceComparison, Int)>] = [
        .text("policy", "The policy's name.") { $0.0.data.series[$0.1].policy },
        .text("parameters", "The policy's parameters, `name=value;name=value`.", empty: "it has none") {
            $0.0.data.series[$0.1].parameters
        },
        .text("admission", "The admission policy; `always` where none filters.") { $0.0.data.series[$0.1].admission },
        .text("expiry", "Whether objects expire by the trace's times to live: `honoured` or `ignored`.") {
            $0.0.data.series[$0.1].honoursExpiry ? "honoured" : "ignored"
        },
        .text("warm_up", "The warm-up as it was asked for.", empty: "there is none") {
            $0.0.data.series[$0.1].warmUp.isEmpty ? nil : $0.0.data.series[$0.1].warmUp
        },
        .text("prefetch", "The prefetcher.", empty: "nothing is fetched ahead") {
            $0.0.data.series[$0.1].prefetch.isEmpty ? nil : $0.0.data.series[$0.1].prefetch
        },
        .text("baseline", "The policy that reductions refer to.") { $0.0.labels.label($0.0.baseline) },
    ]
}
