/// How certain it is that a candidate needs the capacity it is listed with.
public enum AdviceCertainty: String, Codable, Sendable, Hashable {
    /// Proven: the policy is a stack algorithm, and one pass found its hits at every capacity.
    case pass = "one pass"
    /// Proven: every smaller capacity that no bound rules out was replayed.
    case exhaustive
    /// Found by bisection and confirmed by a replay, as is the failure of the next smaller capacity. Hits need not grow
    /// with the capacity of such a policy, so that a smaller one may reach as much.
    case bisection
    /// Only known to lie above one replayed capacity and, unless nothing was found, at or below another.
    case bracket
}

/// A policy that was considered, with what it needs or does.
public struct AdviceCandidate: Codable, Sendable, Hashable {
    /// The policy's name.
    public var policy: String
    /// The policy's parameters, all of them, as `name=value;name=value`.
    public var parameters: String
    /// The policy as it is written to select it again.
    public var selection: String
    /// The admission policy with the parameters that were set; `always` where none filters.
    public var admission: String
    /// The least capacity found that reaches the target, or that does best within the budget; nil if there is none.
    public var capacity: Int?
    /// The largest smaller capacity that was found to do less; nil if none was tried or there is none.
    public var failsAt: Int?
    /// What the capacity takes: objects or bytes, with the policy's bookkeeping if it counts.
    public var price: Int?
    /// What the candidate does at its capacity.
    public var figures: AdviceFigures?
    /// How certain the capacity is.
    public var certainty: AdviceCertainty = .bracket
    /// What the candidate does at the price of the choice; nil where it was not replayed there.
    public var atChoicePrice: AdviceFigures?
    /// How many smaller capacities were replayed, all of which do less.
    public var smallerTried = 0
    /// Capacities whose hits over the whole trace are known, ascending; of very many, some at equal factors.
    public var points: [AdviceStep] = []
    /// Why there is no result.
    public var failure: CellFailure?

    /// A candidate of which nothing is known.
    public init(policy: String, parameters: String, selection: String, admission: String) {
        self.policy = policy
        self.parameters = parameters
        self.selection = selection
        self.admission = admission
    }
}

/// What a cache does at one capacity.
public struct AdviceStep: Codable, Sendable, Hashable {
    /// The capacity.
    public var capacity: Int
    /// What the capacity takes.
    public var price: Int
    /// The hits there.
    public var figures: AdviceFigures

    /// A step.
    public init(capacity: Int, price: Int, figures: AdviceFigures) {
        self.capacity = capacity
        self.price = price
        self.figures = figures
    }
}

/// What no policy can beat, beside a choice.
public struct AdviceBound: Codable, Sendable, Hashable {
    /// On which side of the optimum a bound lies.
    public enum Side: String, Codable, Sendable, Hashable {
        /// What the best of all schedules does: exact.
        case optimum
        /// No policy has more hits.
        case above
        /// A schedule that knows the future has so many; the optimum has at least these.
        case below
    }

    /// The bound's name with parameters.
    public var selection: String
    /// Which side it bounds.
    public var side: Side
    /// Its hits at the capacity of the choice.
    public var figures: AdviceFigures
    /// The least capacity at which it reaches the target, or as much as the choice within a budget, below which no policy
    /// can; nil where that was not looked for.
    public var capacity: Int?

    /// A bound.
    public init(selection: String, side: Side, figures: AdviceFigures, capacity: Int? = nil) {
        self.selection = selection
        self.side = side
        self.figures = figures
        self.capacity = capacity
    }
}
