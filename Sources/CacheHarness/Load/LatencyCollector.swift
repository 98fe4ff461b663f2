internal import CacheCore
internal import Histogram

/// Times of one kind, in an HdrHistogram of 3 significant digits.
struct LatencyCollector: Sendable {
    private var histogram = Histogram<UInt64>(
        lowestDiscernibleValue: 1, highestTrackableValue: Self.highestNanoseconds,
        numberOfSignificantValueDigits: .three)
    /// How many calls there were, timed or not.
    private(set) var operations = 0

    /// The longest time that can be held: ten minutes. A longer one counts as this.
    static var highestNanoseconds: UInt64 { 600_000_000_000 }

    /// Counts a call and records its time if it was taken.
    @inline(__always)
    mutating func record(_ nanoseconds: UInt64?) {
        operations &+= 1
        // A value out of range would be dropped by the histogram without a word.
        if let nanoseconds { _ = histogram.record(min(nanoseconds, Self.highestNanoseconds)) }
    }

    /// Adds what another has collected.
    mutating func add(_ other: LatencyCollector) {
        operations += other.operations
        histogram.add(other.histogram)
    }

    /// What was collected.
    func distribution() -> LatencyDistribution {
        let samples = Int(histogram.totalCount)
        func percentile(_ value: Double) -> Int { samples == 0 ? 0 : Int(histogram.valueAtPercentile(value)) }
        let summary = LatencySummary(
            samples: samples, operations: operations, p50: percentile(50), p90: percentile(90), p99: percentile(99),
            p999: percentile(99.9), max: samples == 0 ? 0 : Int(histogram.maxRecorded))
        let recorded = Array(histogram.recordedValues())
        return LatencyDistribution(
            summary: summary, p9999: percentile(99.99), p99999: percentile(99.999),
            mean: samples == 0 ? 0 : histogram.mean,
            values: recorded.map { min(Int($0.value), summary.maxNanoseconds) },
            counts: recorded.map { Int($0.count) })
    }
}

/// Chooses the calls to time: every one, or a seeded random sample.
///
/// Two readings of the clock cost more than a lookup in memory, so fast operations are sampled, and the gaps between
/// samples are random so that they cannot fall in step with periodic work.
struct LatencySampler: Sendable {
    private var generator: SeededGenerator
    private let meanGap: Int
    private var untilNext = 0

    /// A sampler that takes one call in `meanGap` on average; 1 takes every call.
    init(meanGap: Int, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        self.meanGap = meanGap
        untilNext = nextGap()
    }

    /// Whether the next call is to be timed.
    @inline(__always)
    mutating func takesNext() -> Bool {
        untilNext &-= 1
        guard untilNext <= 0 else { return false }
        untilNext = nextGap()
        return true
    }

    private mutating func nextGap() -> Int {
        meanGap <= 1 ? 1 : 1 + generator.next(below: 2 * meanGap - 1)
    }
}

/// What one thread of a latency pass collects: times by operation and outcome.
struct LatencySheet: Sendable {
    var reads: LatencySampler
    var writes: LatencySampler
    var removals: LatencySampler
    private var collectors = OperationLatency.Operation.allCases.map { _ in LatencyCollector() }

    /// A sheet that times one call in `meanGap` of each operation.
    init(meanGap: Int, seed: UInt64) {
        reads = LatencySampler(meanGap: meanGap, seed: seed ^ 0x6765)
        writes = LatencySampler(meanGap: meanGap, seed: seed ^ 0x7075)
        removals = LatencySampler(meanGap: meanGap, seed: seed ^ 0x7265)
    }

    /// Counts a call, with its time if that was taken.
    @inline(__always)
    mutating func record(_ operation: OperationLatency.Operation, _ nanoseconds: UInt64?) {
        collectors[Self.index(operation)].record(nanoseconds)
    }

    @inline(__always)
    private static func index(_ operation: OperationLatency.Operation) -> Int {
        switch operation {
        case .hit: 0
        case .miss: 1
        case .put: 2
        case .evictingPut: 3
        case .remove: 4
        }
    }

    /// Adds what another thread has collected.
    mutating func add(_ other: LatencySheet) {
        for index in collectors.indices { collectors[index].add(other.collectors[index]) }
    }

    /// The operations that occurred.
    func latency() -> [OperationLatency] {
        OperationLatency.Operation.allCases.compactMap { operation in
            let collector = collectors[Self.index(operation)]
            return collector.operations == 0 ? nil : OperationLatency(operation, collector.distribution())
        }
    }

    /// Percentiles over several outcomes together.
    func summary(of operations: OperationLatency.Operation...) -> LatencySummary {
        var all = LatencyCollector()
        for operation in operations { all.add(collectors[Self.index(operation)]) }
        return all.distribution().summary
    }
}
