internal import CacheCore

/// Chooses the calls to time where how a call ends is known only afterwards: each outcome has a seeded random sample of its own, and a
/// call is timed if it is in the sample of any outcome that it may have.
///
/// The sample of each outcome is uniform over its calls, however seldom it comes: outcomes that are rare have every call in it.
struct StratifiedSampler: Sendable {
    /// The samples that a call is in: bit `i` is that of outcome `i`.
    struct Choice: Sendable {
        fileprivate var bits: UInt32 = 0

        /// Whether the call is to be timed at all.
        @inline(__always)
        var isTimed: Bool { bits != 0 }

        /// Whether the call is in the sample of the outcome that it had.
        @inline(__always)
        func includes(_ outcome: Int) -> Bool { bits & 1 << UInt32(outcome) != 0 }
    }

    /// The most calls that one sample stands for.
    static var largestGap: Int { 64 }
    /// The samples of an outcome that has as many calls: so many carry its percentile 99.9, with some to spare.
    static var wantedSamples: Int { LatencySummary.fewestSamples(percentile: 99.9) * 6 / 5 }

    /// How many of so many calls one sample stands for.
    static func gap(calls: Int) -> Int { min(max(1, calls / wantedSamples), largestGap) }

    private var samplers: [LatencySampler]

    /// A sampler for outcomes of which so many calls are expected.
    ///
    /// - Parameter isSampled: Whether fast calls are sampled at all; otherwise every call is timed.
    init(expected: [Int], isSampled: Bool, seed: UInt64) {
        precondition(expected.count <= 32, "a choice has a bit for each outcome")
        samplers = expected.enumerated().map { index, calls in
            LatencySampler(
                meanGap: isSampled ? Self.gap(calls: calls) : 1, seed: seed ^ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
        }
    }

    /// The samples that the next call is in.
    @inline(__always)
    mutating func next() -> Choice {
        var choice = Choice()
        for index in samplers.indices where samplers[index].takesNext() { choice.bits |= 1 << UInt32(index) }
        return choice
    }
}
