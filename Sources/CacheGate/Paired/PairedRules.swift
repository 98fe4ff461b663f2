/// When figures of interleaved blocks count as worse, better or the same.
public struct PairedRules: Sendable, Hashable {
    /// The least change that matters, as a fraction: 0.03 is 3 %.
    public var smallestEffect: Double
    /// How likely a gate over equal sides may be to call any figure worse or better, over all figures and looks. Half of it is for
    /// worse.
    public var falseAlarms: Double
    /// How likely a gate may be to call any figure the same that changed by ``smallestEffect`` or more, over all figures and looks.
    public var wrongSames: Double
    /// After which parts of the budget the verdicts are looked for, ascending; the last is 1.
    public var looks: [Double]

    /// Rules, by default those of `assay gate`.
    public init(
        smallestEffect: Double = 0.03, falseAlarms: Double = 0.03, wrongSames: Double = 0.05,
        looks: [Double] = [0.25, 0.5, 0.75, 1]
    ) {
        self.smallestEffect = smallestEffect
        self.falseAlarms = falseAlarms
        self.wrongSames = wrongSames
        self.looks = looks
    }

    /// The part of an error's probability that may be spent until a part of the budget is used up: its square, so that three
    /// quarters are left for the second half (Kim and DeMets, Biometrika 74, 1987).
    static func spent(at share: Double) -> Double { share * share }
}

/// What paired blocks say of one figure.
public struct PairedFinding: Sendable, Hashable {
    /// `worse`, `better`, `same` or `undecided`.
    public var verdict: GateLine.Verdict
    /// How many pairs had the figure on both sides when the verdict fell, or at the end.
    public var pairs: Int
    /// The median of the baseline's values; nil without a pair.
    public var baseline: Double?
    /// The median of the candidate's values; nil without a pair.
    public var candidate: Double?
    /// The typical ratio of candidate to baseline: the mean of the middle half of the log ratios, as a ratio; 1 without a pair.
    public var ratio: Double
    /// A 95 % bootstrap interval of that ratio; nil for fewer than 6 pairs.
    public var interval: ClosedRange<Double>?
}
