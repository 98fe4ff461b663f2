/// Which capacity and policy to take, and how sure that is: what `assay advise` writes.
///
/// `advice.json` is this type encoded as it stands. Readers accept any `schemaVersion` up to ``currentSchemaVersion``.
public struct AdviceResults: Codable, Sendable, Hashable {
    /// The version that this code writes.
    public static var currentSchemaVersion: Int { 1 }

    /// The version of the schema, raised when a field changes its meaning.
    public var schemaVersion: Int
    /// The Assay version that wrote it.
    public var assayVersion: String
    /// When the run started, as ISO 8601 in UTC.
    public var startedAt: String
    /// How long the run took, in seconds.
    public var durationSeconds: Double
    /// The arguments after `assay`, enough to run it again.
    public var commandLine: [String]
    /// The seed of everything random, the sample and the resampling included.
    public var seed: UInt64
    /// `complete`, or `interrupted` when the run was stopped and some advice is missing or unproven.
    public var status: RunResults.Status
    /// The machine and the build.
    public var environment: EnvironmentDescription
    /// The traces.
    public var traces: [TraceDescription]
    /// What was asked.
    public var question: AdviceQuestion
    /// The answer for each trace, in the order of the traces.
    public var advice: [Advice]
    /// What is known of the policies, by name.
    public var policies: [PolicyDescription]
    /// What the replays made of operations and of sizes that change; nil for the default.
    public var rules: ReplayRules?

    /// Results of a run.
    public init(
        assayVersion: String, startedAt: String, durationSeconds: Double, commandLine: [String], seed: UInt64,
        status: RunResults.Status, environment: EnvironmentDescription, traces: [TraceDescription],
        question: AdviceQuestion, advice: [Advice], policies: [PolicyDescription]
    ) {
        schemaVersion = Self.currentSchemaVersion
        self.assayVersion = assayVersion
        self.startedAt = startedAt
        self.durationSeconds = durationSeconds
        self.commandLine = commandLine
        self.seed = seed
        self.status = status
        self.environment = environment
        self.traces = traces
        self.question = question
        self.advice = advice
        self.policies = policies
    }
}

/// What advice is asked for: the least capacity that reaches a ratio, or the most hits within a budget.
public struct AdviceQuestion: Codable, Sendable, Hashable {
    /// What a cache is judged by.
    public enum Metric: String, Codable, Sendable, Hashable {
        /// Hits over requests.
        case hitRatio = "hit ratio"
        /// Bytes hit over bytes requested.
        case byteHitRatio = "byte hit ratio"
    }

    /// What a cache is judged by.
    public var metric: Metric
    /// The ratio to be reached, in `0 < ratio <= 1`; nil where a budget is given.
    public var target: Double?
    /// The budget as it was asked for, such as `2GiB`; nil where a target is given.
    public var budget: String?
    /// What each object takes of a cache that counts objects, in bytes, where a person says so.
    public var objectBytes: Int?
    /// Whether a policy's own bookkeeping counts against the price.
    public var countsPolicyMemory: Bool

    /// A question.
    public init(
        metric: Metric, target: Double? = nil, budget: String? = nil, objectBytes: Int? = nil,
        countsPolicyMemory: Bool = false
    ) {
        self.metric = metric
        self.target = target
        self.budget = budget
        self.objectBytes = objectBytes
        self.countsPolicyMemory = countsPolicyMemory
    }
}

/// The answer for one trace.
public struct Advice: Codable, Sendable, Hashable {
    /// How the question was answered.
    public enum Outcome: String, Codable, Sendable, Hashable {
        /// The first candidate reaches the target.
        case reached
        /// The first candidate does best within the budget.
        case best
        /// Not even a cache that keeps everything reaches the target; the first candidate comes nearest.
        case unreachable
        /// A cache that keeps everything reaches the target and no candidate does; the first comes nearest.
        case notReached = "not reached"
        /// No candidate hits anything, or all failed.
        case nothing
        /// The search was stopped before it had an answer.
        case interrupted
    }

    /// The trace's name.
    public var trace: String
    /// What the capacities count.
    public var capacityUnit: Capacity.Unit
    /// What prices count: bytes where objects have a size by question, the unit of the capacities otherwise.
    public var priceUnit: Capacity.Unit
    /// The budget as a price; nil where a target is given.
    public var budget: Int?
    /// How the question was answered.
    public var outcome: Outcome
    /// What a cache that keeps everything does: only first requests miss.
    public var unlimited: AdviceFigures
    /// The capacity that holds everything, beyond which none was tried.
    public var largestCapacity: Int
    /// The candidates, the choice first, then the runners-up.
    public var candidates: [AdviceCandidate]
    /// What no policy can beat, at the choice's capacity.
    public var bounds: [AdviceBound] = []
    /// What the choice does at other capacities, ascending; its own among them.
    public var steps: [AdviceStep] = []
    /// How sure the choice is; nil if there is none, the trace is too short to split or the run was stopped.
    public var evidence: AdviceEvidence?
    /// The replays of the whole trace that the answer took.
    public var replays: Int = 0

    /// An answer that is still to be found.
    public init(
        trace: String, capacityUnit: Capacity.Unit, priceUnit: Capacity.Unit, budget: Int?, outcome: Outcome,
        unlimited: AdviceFigures, largestCapacity: Int, candidates: [AdviceCandidate] = []
    ) {
        self.trace = trace
        self.capacityUnit = capacityUnit
        self.priceUnit = priceUnit
        self.budget = budget
        self.outcome = outcome
        self.unlimited = unlimited
        self.largestCapacity = largestCapacity
        self.candidates = candidates
    }

    /// The advised candidate; nil if there is none.
    public var choice: AdviceCandidate? {
        switch outcome {
        case .nothing, .interrupted: nil
        default: candidates.first
        }
    }
}

/// The hits of one cache.
public struct AdviceFigures: Codable, Sendable, Hashable {
    /// Requests that hit.
    public var hits: Int
    /// The sum of their sizes, in bytes.
    public var bytesHit: Int
    /// Hits over requests.
    public var hitRatio: Double
    /// Bytes hit over bytes requested.
    public var byteHitRatio: Double

    /// The hits of a cache over that many requests and bytes.
    public init(hits: Int, bytesHit: Int, requests: Int, bytesRequested: Int) {
        self.hits = hits
        self.bytesHit = bytesHit
        hitRatio = requests == 0 ? 0 : Double(hits) / Double(requests)
        byteHitRatio = bytesRequested == 0 ? 0 : Double(bytesHit) / Double(bytesRequested)
    }

    /// The ratio that a question is about.
    public func ratio(_ metric: AdviceQuestion.Metric) -> Double {
        metric == .hitRatio ? hitRatio : byteHitRatio
    }
}
