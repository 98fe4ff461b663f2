internal import CacheCore

/// What one thread of a latency pass collects: times by operation and outcome.
struct LatencyByOperation: Sendable {
    /// What a thread is about to do, as far as it knows.
    enum Call {
        case read, write, removal
    }

    private var reads: StratifiedSampler
    private var writes: StratifiedSampler
    private var removals: StratifiedSampler
    private var collectors = OperationLatency.Operation.allCases.map { _ in LatencyCollector() }

    /// A sheet that samples calls of which so many are expected, over all threads.
    ///
    /// - Parameter isSampled: Whether calls are so fast that a sample of them is timed; otherwise all are.
    init(expected: LoadCounts, isSampled: Bool, seed: UInt64) {
        func sampler(_ counts: [Int], _ salt: UInt64) -> StratifiedSampler {
            StratifiedSampler(expected: counts, isSampled: isSampled, seed: seed ^ salt)
        }
        reads = sampler([expected.hits, expected.reads - expected.hits], 0x6765)
        writes = sampler([expected.offers - expected.evictingOffers, expected.evictingOffers], 0x7075)
        removals = sampler([expected.removalCalls], 0x7265)
    }

    /// A sheet that times every call.
    init() { self.init(expected: LoadCounts(), isSampled: false, seed: 0) }

    /// Whether the next call is to be timed, and as a sample of what.
    @inline(__always)
    mutating func next(_ call: Call) -> StratifiedSampler.Choice {
        switch call {
        case .read: reads.next()
        case .write: writes.next()
        case .removal: removals.next()
        }
    }

    /// Counts a call that ended so, with its time if it is in that outcome's sample.
    @inline(__always)
    mutating func record(
        _ operation: OperationLatency.Operation, _ choice: StratifiedSampler.Choice, _ nanoseconds: UInt64?
    ) {
        let (outcome, index) = Self.place(operation)
        collectors[index].record(choice.includes(outcome) ? nanoseconds : nil)
    }

    /// The outcome's number among those of its call, and its collector.
    @inline(__always)
    private static func place(_ operation: OperationLatency.Operation) -> (outcome: Int, collector: Int) {
        switch operation {
        case .hit: (0, 0)
        case .miss: (1, 1)
        case .put: (0, 2)
        case .evictingPut: (1, 3)
        case .remove: (0, 4)
        }
    }

    /// Adds what another thread has collected.
    mutating func add(_ other: LatencyByOperation) {
        for index in collectors.indices { collectors[index].add(other.collectors[index]) }
    }

    /// The operations that occurred.
    func latency() -> [OperationLatency] {
        OperationLatency.Operation.allCases.compactMap { operation in
            let collector = collectors[Self.place(operation).collector]
            return collector.operations == 0 ? nil : OperationLatency(operation, collector.distribution())
        }
    }

    /// Percentiles over several outcomes together, each with the weight of all its calls, timed or not.
    func summary(of operations: OperationLatency.Operation...) -> LatencySummary {
        LatencyCollector.summary(of: operations.map { collectors[Self.place($0).collector] })
    }
}
