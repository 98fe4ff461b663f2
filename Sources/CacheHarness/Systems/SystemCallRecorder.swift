public import CacheCore

/// What a system's calls are written down on: what became of each, and in a latency pass how long it took.
public final class SystemCallRecorder {
    private var outcomes = [Int](repeating: 0, count: SystemOutcome.allCases.count)
    private var collectors = SystemOutcome.allCases.map { _ in LatencyCollector() }
    private var asides: [String: LatencyCollector] = [:]
    private var sampler: StratifiedSampler?
    private var choice = StratifiedSampler.Choice()
    private var without = OriginCounts()
    private var bytesAnswered = 0
    private var outage = (requests: 0, answered: 0)

    /// A sheet that times calls, of which so many are expected by outcome.
    ///
    /// - Parameter isSampled: Whether calls are so fast that a sample of each outcome is timed; otherwise all are.
    init(expected: SystemCounts, isSampled: Bool, seed: UInt64) {
        let calls = SystemOutcome.allCases.map { expected.outcomes[$0] ?? 0 }
        sampler = StratifiedSampler(expected: calls, isSampled: isSampled, seed: seed)
    }

    /// A sheet that times nothing and counts.
    public init() {}

    /// Begins a call; returns the time if it is to be timed.
    @inline(__always)
    public func begin() -> UInt64? {
        choice = sampler?.next() ?? StratifiedSampler.Choice()
        return choice.isTimed ? MonotonicClock.nowNanoseconds() : nil
    }

    /// The time at which a call ended that began then: before its answer is verified.
    @inline(__always)
    public func stop(_ start: UInt64?) -> UInt64? { start.map { MonotonicClock.nowNanoseconds() &- $0 } }

    /// Writes a call down.
    ///
    /// - Parameters:
    ///   - nanoseconds: how long it took, if it was timed.
    ///   - bytes: of the answer that the caller got; 0 if there was none.
    ///   - without: what the origin would have done for it without the cache.
    @inline(__always)
    public func end(_ outcome: SystemOutcome, _ nanoseconds: UInt64?, bytes: Int, without: OriginCounts) {
        let index = Self.index(outcome)
        outcomes[index] &+= 1
        if sampler != nil { collectors[index].record(choice.includes(index) ? nanoseconds : nil) }
        bytesAnswered &+= bytes
        self.without.requests &+= without.requests
        self.without.bytes &+= without.bytes
        self.without.nanoseconds &+= without.nanoseconds
    }

    /// Writes down that the origin was away during the call that ended last.
    public func endedInOutage(isAnswered: Bool) {
        outage.requests += 1
        if isAnswered { outage.answered += 1 }
    }

    /// Does something beside the calls, as opening the system, and times it in a latency pass.
    public func aside<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        guard sampler != nil else { return try body() }
        let start = MonotonicClock.nowNanoseconds()
        let result = try body()
        asides[name, default: LatencyCollector()].record(MonotonicClock.nowNanoseconds() &- start)
        return result
    }

    @inline(__always)
    private static func index(_ outcome: SystemOutcome) -> Int {
        switch outcome {
        case .hit: 0
        case .refreshed: 1
        case .migrated: 2
        case .confirmed: 3
        case .miss: 4
        case .fallback: 5
        case .unanswered: 6
        case .write: 7
        }
    }

    /// Everything that was counted, with what the origin says of itself.
    public func counts(_ origin: OriginCounts) -> SystemCounts {
        var counts = SystemCounts()
        for outcome in SystemOutcome.allCases where outcomes[Self.index(outcome)] > 0 {
            counts.outcomes[outcome] = outcomes[Self.index(outcome)]
        }
        (counts.originRequests, counts.originRequestsWithout) = (origin.requests, without.requests)
        (counts.bytesFromOrigin, counts.bytesWithout) = (origin.bytes, without.bytes)
        counts.bytesAnswered = bytesAnswered
        counts.originSeconds = Double(origin.nanoseconds) / 1e9
        counts.originSecondsWithout = Double(without.nanoseconds) / 1e9
        (counts.outageRequests, counts.outageAnswered) = outage
        return counts
    }

    /// The times by outcome, of those that occurred, and then of what was done aside, by name.
    func latency() -> [SystemLatency] {
        let calls = SystemOutcome.allCases.compactMap { outcome -> SystemLatency? in
            let collector = collectors[Self.index(outcome)]
            return collector.operations == 0 ? nil : SystemLatency(outcome.rawValue, collector.distribution())
        }
        return calls + asides.sorted { $0.key < $1.key }.map { SystemLatency($0.key, $0.value.distribution()) }
    }
}
