/// How sure a choice is: whether it holds in parts of the trace and with other seeds.
///
/// The parts are disjoint stretches of one replay of the whole trace, so that every part but the first meets a warm cache.
public struct AdviceEvidence: Codable, Sendable, Hashable {
    /// How far a choice can be trusted.
    public enum Verdict: String, Codable, Sendable, Hashable {
        /// First in both halves and with every seed, and ahead of each runner-up by more than the windows scatter.
        case firm
        /// Ahead of each runner-up by more than the windows scatter, but not first everywhere.
        case likely
        /// A runner-up cannot be told from the choice.
        case open
        /// There was nothing to compare with.
        case alone
    }

    /// How far the choice can be trusted.
    public var verdict: Verdict
    /// The number of windows, of equal numbers of requests.
    public var windows: Int
    /// The 95 % interval of the choice's ratio, resampled from its windows.
    public var interval: AdviceInterval
    /// The two halves of the trace, in order.
    public var halves: [AdviceHalf]
    /// The choice against each runner-up at the same price.
    public var rivals: [AdviceRival]
    /// The choice with other seeds; empty where it draws no random numbers.
    public var seeds: [AdviceSeed]

    /// Evidence.
    public init(
        verdict: Verdict, windows: Int, interval: AdviceInterval, halves: [AdviceHalf], rivals: [AdviceRival],
        seeds: [AdviceSeed]
    ) {
        self.verdict = verdict
        self.windows = windows
        self.interval = interval
        self.halves = halves
        self.rivals = rivals
        self.seeds = seeds
    }
}

/// Where a figure lies with 95 % confidence: percentiles of 2,000 resamples of a trace's windows.
public struct AdviceInterval: Codable, Sendable, Hashable {
    /// The 2.5th percentile.
    public var low: Double
    /// The 97.5th percentile.
    public var high: Double

    /// An interval.
    public init(low: Double, high: Double) {
        self.low = low
        self.high = high
    }
}

/// One half of a trace.
public struct AdviceHalf: Codable, Sendable, Hashable {
    /// The choice's ratio in this half.
    public var ratio: Double
    /// The place in the list of candidates of the one with the most hits in this half, at the price of the choice.
    public var best: Int
    /// The capacity that the choice's policy would need for the target in this half alone, to about 2 %; nil if none
    /// suffices or there is no target.
    public var capacity: Int?

    /// A half.
    public init(ratio: Double, best: Int, capacity: Int? = nil) {
        self.ratio = ratio
        self.best = best
        self.capacity = capacity
    }
}

/// The choice against one runner-up at the same price.
public struct AdviceRival: Codable, Sendable, Hashable {
    /// The runner-up's place in the list of candidates.
    public var candidate: Int
    /// The choice's ratio less the runner-up's, over the whole trace.
    public var lead: Double
    /// The 95 % interval of the lead.
    public var interval: AdviceInterval
    /// Windows in which the choice has more hits.
    public var windowsAhead: Int
    /// Windows in which it has fewer.
    public var windowsBehind: Int

    /// A comparison.
    public init(
        candidate: Int, lead: Double, interval: AdviceInterval, windowsAhead: Int, windowsBehind: Int
    ) {
        self.candidate = candidate
        self.lead = lead
        self.interval = interval
        self.windowsAhead = windowsAhead
        self.windowsBehind = windowsBehind
    }
}

/// The choice with another seed.
public struct AdviceSeed: Codable, Sendable, Hashable {
    /// The seed.
    public var seed: UInt64
    /// The choice's ratio.
    public var ratio: Double
    /// The place in the list of candidates of the one with the most hits, at the price of the choice.
    public var best: Int
    /// Whether the ratio reaches the target; nil without one.
    public var reaches: Bool?

    /// One seed.
    public init(seed: UInt64, ratio: Double, best: Int, reaches: Bool? = nil) {
        self.seed = seed
        self.ratio = ratio
        self.best = best
        self.reaches = reaches
    }
}
