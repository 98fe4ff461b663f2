public import CacheCore

extension HistoryReport {
    /// The report in the form that files and pages are made of, with the operations around the witness, 400 at most.
    public func result(of history: History, source: String) -> HistoryResult {
        var result = HistoryResult(
            source: source, verdict: .linearizable, reason: nil, operations: operations, keys: keys,
            keysByZones: keysByZones, configurations: configurations)
        switch verdict {
        case .linearizable: break
        case .unknown(let reason):
            result.verdict = .unknown
            result.reason = reason
        case .notLinearizable(let violation):
            result.verdict = .notLinearizable
            result.reason = violation.reason
            result.fault = HistoryFault(
                key: history.keyNames.text(of: violation.key), keysAtFault: violation.keysAtFault,
                timeUnit: history.timeUnit.rawValue, knowsInitialState: violation.knowsInitialState,
                operations: Self.lines(violation, history))
        }
        return result
    }

    private static func lines(_ violation: HistoryViolation, _ history: History) -> [HistoryLine] {
        let witness = Set(violation.witness.map(\.identity))
        let window = violation.window
        // A quarter of the window on either side shows what led to it.
        let margin = max(2, (window.upperBound - window.lowerBound) / 4)
        let shown = (window.lowerBound - min(margin, window.lowerBound))...saturatingSum(window.upperBound, margin)
        let near = history.operations.filter {
            $0.key == violation.key && $0.callTime <= shown.upperBound
                && ($0.isPending ? $0.callTime >= shown.lowerBound : $0.returnTime >= shown.lowerBound)
        }
        let others = near.filter { !witness.contains($0.identity) }.prefix(max(0, 400 - violation.witness.count))
        let all = (violation.witness.map { ($0, true) } + others.map { ($0, false) })
            .sorted { ($0.0.callTime, $0.0.client) < ($1.0.callTime, $1.0.client) }
        // The key is said once, for all.
        return all.map { operation, isWitness in
            HistoryLine(
                client: Int(operation.client), text: history.text(of: operation, isKeyed: false),
                callTime: operation.callTime,
                returnTime: operation.isPending ? nil : operation.returnTime, isWitness: isWitness)
        }
    }
}
