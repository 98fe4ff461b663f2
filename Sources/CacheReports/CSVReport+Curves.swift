internal import CacheCore

// `curve.csv` and `advice.csv`
extension CSVReport {
    static let curve = CSVFile<(CurveResult, CurvePoint?)>(
        name: "curve.csv",
        summary: "What `assay curve` found out: one row a point, and one for a curve without points.",
        columns: [
            .text("trace", "The trace's name, unique in a run.") { $0.0.trace },
            .text("policy", "The policy's name.") { $0.0.policy },
            .text("parameters", "The policy's parameters, `name=value;name=value`.", empty: "it has none") {
                $0.0.parameters
            },
            .text("method", "How the point was found: `stack`, `replay`, `shards`, `miniature` or `fit`.") {
                ($0.1?.method ?? $0.0.method).rawValue
            },
            .integer("capacity", "The capacity.", in: "`capacity_unit`", empty: noPoint) { $0.1?.capacity },
            .text("capacity_unit", "What capacities count: `objects` or `bytes`.") { $0.0.capacityUnit.rawValue },
            .number("hit_ratio", "Hits over requests, exact or estimated.", empty: noPoint) { $0.1?.hitRatio },
            .number("miss_ratio", "1 less `hit_ratio`.", empty: noPoint) { $0.1.map { 1 - $0.hitRatio } },
            .number("byte_hit_ratio", "Bytes hit over bytes requested.", empty: noPoint) { $0.1?.byteHitRatio },
            .number("byte_miss_ratio", "1 less `byte_hit_ratio`.", empty: noPoint) { $0.1.map { 1 - $0.byteHitRatio } },
            .number(
                "error", "How far the estimate is from the exact hit ratio.",
                empty: "the error was not measured; 0 where the point is exact"
            ) { $0.1?.error },
            .number("sample_rate", "The share of the objects that estimates stand on.", empty: "the curve is exact") {
                $0.0.sample?.rate
            },
            .text("capacity_requested", "The capacity as it was asked for, such as `5%`.", empty: noPoint) {
                $0.1?.capacityRequested
            },
            .integer("warm_up_requests", "Requests before the counted ones.") { $0.0.warmUp?.requests ?? 0 },
            .text("notes", "What became of points that are missing.", empty: "nothing is to be said") {
                $0.0.notes?.joined(separator: "; ")
            },
        ] + failure.of(empty: "no point is missing") { $0.0.failure })

    private static let noPoint = "the curve has no points"

    static let advice = CSVFile<(Advice, Int?, AdviceCandidate?, AdviceBound?)>(
        name: "advice.csv",
        summary:
            "What `assay advise` found out: one row a candidate, the choice first, and one a bound, which has no rank.",
        columns: [
            .text("trace", "The trace's name, unique in a run.") { $0.0.trace },
            .text(
                "outcome",
                "How the question was answered: `reached`, `best`, `unreachable`, `not reached`, `nothing` or `interrupted`."
            ) { $0.0.outcome.rawValue },
            .integer("rank", "The place among the candidates; 1 is the choice.", empty: isBound) {
                $0.1.map { $0 + 1 }
            },
            .text("policy", "The policy's name; a bound's name with parameters.") { $0.2?.policy ?? $0.3?.selection },
            .text("parameters", "The policy's parameters, `name=value;name=value`.", empty: "it has none; \(isBound)") {
                $0.2?.parameters
            },
            .text("admission", "The admission policy; `always` where none filters.", empty: isBound) {
                $0.2?.admission
            },
            .integer(
                "capacity", "The least capacity that reaches the target, or that does best within the budget.",
                in: "`capacity_unit`", empty: "none was found"
            ) { $0.2 == nil ? $0.3?.capacity : $0.2?.capacity },
            .text("capacity_unit", "What capacities count: `objects` or `bytes`.") { $0.0.capacityUnit.rawValue },
            .integer("price", "What the capacity takes.", in: "`price_unit`", empty: "none was found; \(isBound)") {
                $0.2?.price
            },
            .text("price_unit", "What prices count: `objects` or `bytes`.", empty: isBound) {
                $0.2 == nil ? nil : $0.0.priceUnit.rawValue
            },
            .number("hit_ratio", "Hits over requests at the capacity.", empty: "none was found; \(isBound)") {
                $0.2?.figures?.hitRatio
            },
            .number("byte_hit_ratio", "Bytes hit over bytes requested there.", empty: "none was found; \(isBound)") {
                $0.2?.figures?.byteHitRatio
            },
            .number("hit_ratio_at_choice_price", "Hits over requests at the price of the choice.", empty: elsewhere) {
                ($0.2 == nil ? $0.3?.figures : $0.2?.atChoicePrice)?.hitRatio
            },
            .number("byte_hit_ratio_at_choice_price", "Bytes hit over bytes requested there.", empty: elsewhere) {
                ($0.2 == nil ? $0.3?.figures : $0.2?.atChoicePrice)?.byteHitRatio
            },
            .text(
                "certainty",
                "How certain the capacity is: `one pass`, `exhaustive`, `bisection` or `bracket`; of a bound, its side: "
                    + "`optimum`, `above` or `below`."
            ) { $0.2?.certainty.rawValue ?? $0.3?.side.rawValue },
            .integer(
                "fails_at", "The largest smaller capacity that was found to do less.", in: "`capacity_unit`",
                empty: "none was tried; \(isBound)"
            ) { $0.2?.failsAt },
            .number("lead", "The choice's ratio less this one's, at one price.", empty: "it is no runner-up") {
                rival($0)?.lead
            },
            .number("lead_low", "The lower end of the lead's 95 % interval.", empty: "it is no runner-up") {
                rival($0)?.interval.low
            },
            .number("lead_high", "The upper end of the lead's 95 % interval.", empty: "it is no runner-up") {
                rival($0)?.interval.high
            },
        ] + failure.of(empty: "there is a result") { $0.2?.failure })

    private static let isBound = "a bound"
    private static let elsewhere = "it was not replayed there"

    private static func rival(_ row: (Advice, Int?, AdviceCandidate?, AdviceBound?)) -> AdviceRival? {
        row.0.evidence?.rivals.first { $0.candidate == row.1 }
    }
}
