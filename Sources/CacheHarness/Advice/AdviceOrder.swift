public import CacheCore

/// What advice is asked for.
public struct AdviceOrder: Sendable {
    /// What is to be reached, or kept to.
    public enum Goal: Sendable, Hashable {
        /// At least this ratio, in `0 < ratio <= 1`, at the least price.
        case target(Double)
        /// The highest ratio at no more than this price.
        case budget(CapacityRequest)
    }

    /// The policies to choose from; none that knows the future.
    public var policies: [PolicySelection]
    /// The admission policies to combine them with; nil among them lets everything in.
    public var admissions: [AdmissionSelection?]
    /// What is to be reached, or kept to.
    public var goal: Goal
    /// What a cache is judged by.
    public var metric: AdviceQuestion.Metric
    /// What capacities count where a target is given; a budget says so itself.
    public var unit: Capacity.Unit
    /// What each object takes, in bytes, where capacities count objects and prices bytes.
    public var objectBytes: Int?
    /// Whether a policy's own bookkeeping counts against the price.
    public var countsPolicyMemory: Bool
    /// What no policy can beat.
    public var bounds: AdviceBounds
    /// The seed of policies, samples and resampling.
    public var seed: UInt64
    /// What replays make of operations and of sizes that change.
    public var rules = ReplayRules()
    /// How many other seeds a choice that draws random numbers is tried with.
    public var otherSeeds = 4
    /// How many runners-up are looked at as closely as the choice.
    public var runnersUp = 4
    /// How many requests may be replayed on one trace to rule out every smaller capacity.
    public var proofRequests = AdviceOrder.defaultProofRequests

    /// The requests that are replayed for a proof unless more are allowed: some seconds.
    public static var defaultProofRequests: Int { 100_000_000 }

    /// An order.
    public init(
        policies: [PolicySelection], admissions: [AdmissionSelection?] = [nil], goal: Goal,
        metric: AdviceQuestion.Metric = .hitRatio, unit: Capacity.Unit = .objects, objectBytes: Int? = nil,
        countsPolicyMemory: Bool = false, bounds: AdviceBounds = AdviceBounds(), seed: UInt64
    ) {
        self.policies = policies
        self.admissions = admissions
        self.goal = goal
        self.metric = metric
        self.unit = unit
        self.objectBytes = objectBytes
        self.countsPolicyMemory = countsPolicyMemory
        self.bounds = bounds
        self.seed = seed
    }

    /// The question as results repeat it.
    public var question: AdviceQuestion {
        var question = AdviceQuestion(
            metric: metric, objectBytes: objectBytes, countsPolicyMemory: countsPolicyMemory)
        switch goal {
        case .target(let ratio): question.target = ratio
        case .budget(let request): question.budget = request.description
        }
        return question
    }

    /// What the capacities of caches count.
    var capacityUnit: Capacity.Unit {
        if objectBytes != nil { return .objects }
        guard case .budget(let request) = goal else { return unit }
        return request.unit
    }

    /// What prices count.
    var priceUnit: Capacity.Unit { objectBytes != nil ? .bytes : capacityUnit }

    /// Every combination of policy and admission, each once, in the order in which ties fall.
    var players: [AdviceCandidateReplay] {
        var seen: Set<String> = []
        return policies.flatMap { policy in
            admissions.map { AdviceCandidateReplay(policy: policy, admission: $0) }
        }.filter { seen.insert($0.identity).inserted }
    }
}

/// The bounds that advice is held against; each may be left out.
public struct AdviceBounds: Sendable {
    /// Exact for hits of caches that count objects: Bélády's MIN with bypass.
    public var optimum: PolicySelection?
    /// Above every policy, for any sizes: PFOO-L.
    public var above: PolicySelection?
    /// Reached by a schedule that knows the future, for any sizes: PFOO-U.
    public var below: PolicySelection?

    /// Bounds.
    public init(
        optimum: PolicySelection? = nil, above: PolicySelection? = nil, below: PolicySelection? = nil
    ) {
        self.optimum = optimum
        self.above = above
        self.below = below
    }

    /// The bounds that hold for a metric in a unit.
    func applicable(_ metric: AdviceQuestion.Metric, _ unit: Capacity.Unit) -> [(PolicySelection, AdviceBound.Side)] {
        if metric == .hitRatio, unit == .objects, let optimum { return [(optimum, .optimum)] }
        return [above.map { ($0, .above) }, below.map { ($0, .below) }].compactMap(\.self)
    }
}

/// A policy with what stands before it: one of those that advice compares.
struct AdviceCandidateReplay: Sendable {
    var policy: PolicySelection
    var admission: AdmissionSelection?

    var admissionText: String { admission?.text ?? "always" }
    var identity: String { "\(policy.entry.descriptor.name) | \(policy.parameters) | \(admissionText)" }

    /// The order that makes it a stack algorithm in objects; nil if it is none.
    var stackOrder: StackOrder? { admission == nil ? policy.stackOrder : nil }

    /// Whether its hits depend on the seed.
    var drawsNumbers: Bool {
        !policy.entry.descriptor.isDeterministic || admission?.entry.descriptor.isDeterministic == false
    }

    /// A candidate of which nothing is known.
    var candidate: AdviceCandidate {
        AdviceCandidate(
            policy: policy.entry.descriptor.name, parameters: policy.parameters.description, selection: policy.text,
            admission: admissionText)
    }
}
