public import CacheCore

/// What came of a request.
public enum RequestOutcome: String, Sendable, Hashable, CaseIterable {
    /// The key had a value.
    case hit
    /// The key had no value.
    case miss
    /// The value was stored.
    case stored
    /// The value was not stored.
    case refused
}

/// A request that a cache has served: see ``CacheOptions/onRequest``.
public struct RequestEvent<Key: Sendable>: Sendable {
    /// The key.
    public let key: Key
    /// What the request did.
    public let operation: TraceOperation
    /// What came of it: a hit or a miss for reads and removals, stored or refused for writes.
    public let outcome: RequestOutcome
    /// What the entry weighs, in the capacity's unit; nil where there is none.
    public let weight: Int?
    /// How long the value that was written stays valid, at least 1; nil for without end, and for other requests.
    public let timeToLiveNanoseconds: Int64?

    /// A request that was served.
    @inlinable
    public init(
        key: Key, operation: TraceOperation, outcome: RequestOutcome, weight: Int? = nil,
        timeToLiveNanoseconds: Int64? = nil
    ) {
        self.key = key
        self.operation = operation
        self.outcome = outcome
        self.weight = weight
        self.timeToLiveNanoseconds = timeToLiveNanoseconds
    }
}
