public import CacheCore

// `advice.csv`: one row a candidate, and one a bound.
extension CSVReport {
    /// Advice as CSV with a header row; lines end with CR LF. Candidates have a rank from 1, the choice first; bounds have
    /// none, and their side of the optimum stands under `certainty`.
    public static func render(_ results: AdviceResults) -> String {
        var text = adviceColumnNames.joined(separator: ",") + "\r\n"
        for advice in results.advice {
            let rows =
                advice.candidates.enumerated().map { row(advice, $1, place: $0) }
                + advice.bounds.map { row(advice, $0) }
            for row in rows { text += row.map(quoted).joined(separator: ",") + "\r\n" }
        }
        return text
    }

    /// The names of the columns of `advice.csv`, in order.
    public static var adviceColumnNames: [String] {
        [
            "trace", "outcome", "rank", "policy", "parameters", "admission", "capacity", "capacity_unit", "price",
            "price_unit", "hit_ratio", "byte_hit_ratio", "hit_ratio_at_choice_price",
            "byte_hit_ratio_at_choice_price", "certainty", "fails_at", "lead", "lead_low", "lead_high", "failure",
        ]
    }

    private static func row(_ advice: Advice, _ candidate: AdviceCandidate, place: Int) -> [String] {
        func figure(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
        func count(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }
        let rival = advice.evidence?.rivals.first { $0.candidate == place }
        return [
            advice.trace, advice.outcome.rawValue, "\(place + 1)", candidate.policy, candidate.parameters,
            candidate.admission, count(candidate.capacity), advice.capacityUnit.rawValue, count(candidate.price),
            advice.priceUnit.rawValue, figure(candidate.figures?.hitRatio), figure(candidate.figures?.byteHitRatio),
            figure(candidate.atChoicePrice?.hitRatio), figure(candidate.atChoicePrice?.byteHitRatio),
            candidate.certainty.rawValue, count(candidate.failsAt), figure(rival?.lead), figure(rival?.interval.low),
            figure(rival?.interval.high), candidate.failure.map { "\($0.kind.rawValue): \($0.message)" } ?? "",
        ]
    }

    private static func row(_ advice: Advice, _ bound: AdviceBound) -> [String] {
        [
            advice.trace, advice.outcome.rawValue, "", bound.selection, "", "", bound.capacity.map { "\($0)" } ?? "",
            advice.capacityUnit.rawValue, "", "", "", "", "\(bound.figures.hitRatio)",
            "\(bound.figures.byteHitRatio)", bound.side.rawValue, "", "", "", "", "",
        ]
    }
}
