/// Whether a history can be explained by a cache that does one operation after the other.
public enum HistoryVerdict: Sendable, Hashable {
    /// Every key's operations can be put in an order that respects time and explains every answer.
    case linearizable
    /// One key's operations cannot.
    case notLinearizable(HistoryViolation)
    /// No fault was found before the limit that this names.
    case unknown(String)

    /// One word for tables and files.
    public var name: String {
        switch self {
        case .linearizable: "linearizable"
        case .notLinearizable: "not linearizable"
        case .unknown: "unknown"
        }
    }
}

/// Operations of one key that no order explains.
public struct HistoryViolation: Sendable, Hashable {
    /// The key's number: among the keys at fault, the one with the fewest operations.
    public var key: Int32
    /// How many keys are at fault.
    public var keysAtFault: Int
    /// The operations that contradict each other, by time of call. They are at fault for themselves, whatever the state was
    /// before the first of them if ``knowsInitialState`` is false.
    public var witness: [HistoryOperation]
    /// Whether the witness counts from the empty cache; otherwise no state at its beginning explains it.
    public var knowsInitialState: Bool
    /// Why no order exists, in a sentence.
    public var reason: String

    /// From the first call to the last return of the witness, pending operations left out.
    public var window: ClosedRange<Int64> {
        let first = witness.map(\.callTime).min() ?? 0
        let last = witness.map { $0.isPending ? $0.callTime : $0.returnTime }.max() ?? first
        return first...max(first, last)
    }
}

/// What a check of a history did and found.
public struct HistoryReport: Sendable, Hashable {
    /// The verdict.
    public var verdict: HistoryVerdict
    /// How many operations the history has.
    public var operations: Int
    /// How many keys it has.
    public var keys: Int
    /// How many keys were decided by their zones alone, without a search.
    public var keysByZones: Int
    /// How many configurations the searches went through.
    public var configurations: Int
}
