internal import CacheCore
internal import Histogram

/// Times every call of one operation, or a seeded random sample of them.
///
/// Two readings of the clock cost more than a lookup in memory, so fast operations are sampled, and the gaps between
/// samples are random so that they cannot fall in step with periodic work.
struct LatencyRecorder {
    private var histogram: Histogram<UInt64>
    private var generator: SeededGenerator
    private let meanGap: Int
    private var untilNext: Int
    private var operations = 0
    private var beyondRange = 0

    /// A recorder that times one call in `meanGap` on average; 1 times every call.
    init(meanGap: Int, seed: UInt64) {
        histogram = Histogram(
            lowestDiscernibleValue: 1, highestTrackableValue: Self.highestNanoseconds,
            numberOfSignificantValueDigits: .three)
        generator = SeededGenerator(seed: seed)
        self.meanGap = meanGap
        untilNext = 0
        untilNext = nextGap()
    }

    /// The longest call that the histogram can hold: ten minutes.
    private static var highestNanoseconds: UInt64 { 600_000_000_000 }

    /// Whether the next call is to be timed. Counts the call.
    mutating func shouldTime() -> Bool {
        operations += 1
        untilNext -= 1
        guard untilNext <= 0 else { return false }
        untilNext = nextGap()
        return true
    }

    /// Records one timed call.
    mutating func record(nanoseconds: UInt64) {
        // A value out of range would be dropped by the histogram without a word.
        if !histogram.record(nanoseconds) { beyondRange += 1 }
    }

    /// What was recorded.
    func summary() -> LatencySummary {
        func percentile(_ value: Double) -> Int { Int(histogram.valueAtPercentile(value)) }
        let samples = Int(histogram.totalCount) + beyondRange
        guard histogram.totalCount > 0 else {
            return LatencySummary(samples: samples, operations: operations, p50: 0, p90: 0, p99: 0, p999: 0, max: 0)
        }
        let highest = beyondRange > 0 ? Int(Self.highestNanoseconds) : Int(histogram.max)
        return LatencySummary(
            samples: samples, operations: operations, p50: percentile(50), p90: percentile(90), p99: percentile(99),
            p999: percentile(99.9), max: highest)
    }

    private mutating func nextGap() -> Int {
        meanGap <= 1 ? 1 : 1 + generator.next(below: 2 * meanGap - 1)
    }
}
