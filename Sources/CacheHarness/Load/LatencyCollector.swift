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

    /// How many calls were timed.
    var samples: Int { Int(histogram.totalCount) }

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
        func percentile(_ value: Double) -> Int? { samples == 0 ? nil : Int(histogram.valueAtPercentile(value)) }
        let slowest = samples == 0 ? 0 : Int(histogram.maxRecorded)
        let summary = LatencySummary(
            samples: samples, operations: operations, p50: percentile(50), p90: percentile(90), p99: percentile(99),
            p999: percentile(99.9), max: slowest)
        let recorded = Array(histogram.recordedValues())
        return LatencyDistribution(
            summary: summary, p9999: percentile(99.99), p99999: percentile(99.999),
            mean: samples == 0 ? nil : histogram.mean, values: recorded.map { min(Int($0.value), slowest) },
            counts: recorded.map { Int($0.count) })
    }
}

extension LatencyCollector {
    /// Percentiles over several collectors of which each may have timed another share of its calls: a sample stands for as many calls as
    /// there were for each that was timed.
    static func summary(of parts: [LatencyCollector]) -> LatencySummary {
        let timed = parts.filter { $0.samples > 0 }
        let weighted = timed.flatMap { part -> [(value: Int, weight: Double)] in
            let (distribution, weight) = (part.distribution(), Double(part.operations) / Double(part.samples))
            return zip(distribution.values, distribution.counts).map { ($0, Double($1) * weight) }
        }.sorted { $0.value < $1.value }
        let total = weighted.reduce(0) { $0 + $1.weight }
        // Samples of unequal weight carry less than as many of equal weight (Kish's effective size).
        let squares = timed.reduce(0) { $0 + Double($1.operations) * Double($1.operations) / Double($1.samples) }
        let effective = squares == 0 ? 0 : Int(total * total / squares * (1 + 1e-9))
        func percentile(_ percentile: Double) -> Int? {
            guard LatencySummary.carries(percentile, samples: effective) else { return nil }
            let wanted = total * percentile / 100
            var sum = 0.0
            for (value, weight) in weighted {
                sum += weight
                if sum >= wanted * (1 - 1e-12) { return value }
            }
            return weighted.last?.value
        }
        return LatencySummary(
            samples: timed.reduce(0) { $0 + $1.samples }, operations: parts.reduce(0) { $0 + $1.operations },
            p50: percentile(50), p90: percentile(90), p99: percentile(99), p999: percentile(99.9),
            max: weighted.last?.value)
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
