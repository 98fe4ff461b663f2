internal import Synchronization

/// What became of one call of a memoised function, for whoever monitors a cache.
public struct MethodEvent: Sendable, Hashable {
    /// How a call got its result.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// From the cache, or from another call that was under way.
        case answered
        /// The function was called and returned.
        case computed
        /// The function was called and threw.
        case threw
        /// The cache was switched off, closed, or could not serve it, and the function was called.
        case bypassed
    }

    /// The function's name, as its rules say.
    public let method: String
    /// How the call got its result.
    public let kind: Kind

    /// What became of a call.
    public init(method: String, kind: Kind) {
        self.method = method
        self.kind = kind
    }
}

/// How often a memoised function was called, and how its calls got their results: exact counts.
public struct MethodStatistics: Sendable, Hashable {
    /// Calls that got a result from the cache, or from another call that was under way.
    public var answered = 0
    /// Calls for which the function was called and returned.
    public var computed = 0
    /// Calls for which the function was called and threw.
    public var threw = 0
    /// Calls that went past the cache.
    public var bypassed = 0

    /// No call yet.
    public init() {}

    /// All calls.
    public var calls: Int { answered + computed + threw + bypassed }
}

/// Counts the calls of one function, and tells the cache's monitor of each.
final class MethodCounter: Sendable {
    private let name: String
    private let monitor: (@Sendable (MethodEvent) -> Void)?
    private let answered = Atomic(0)
    private let computed = Atomic(0)
    private let threw = Atomic(0)
    private let bypassed = Atomic(0)

    init(_ name: String, _ monitor: (@Sendable (MethodEvent) -> Void)?) {
        self.name = name
        self.monitor = monitor
    }

    func count(_ kind: MethodEvent.Kind) {
        switch kind {
        case .answered: answered.wrappingAdd(1, ordering: .relaxed)
        case .computed: computed.wrappingAdd(1, ordering: .relaxed)
        case .threw: threw.wrappingAdd(1, ordering: .relaxed)
        case .bypassed: bypassed.wrappingAdd(1, ordering: .relaxed)
        }
        monitor?(MethodEvent(method: name, kind: kind))
    }

    var statistics: MethodStatistics {
        var statistics = MethodStatistics()
        statistics.answered = answered.load(ordering: .relaxed)
        statistics.computed = computed.load(ordering: .relaxed)
        statistics.threw = threw.load(ordering: .relaxed)
        statistics.bypassed = bypassed.load(ordering: .relaxed)
        return statistics
    }
}
