/// Hit ratio curves and how each was found: what `assay curve` writes.
///
/// `curve.json` is this type encoded as it stands. Readers accept any `schemaVersion` up to ``currentSchemaVersion``.
public struct CurveResults: Codable, Sendable, Hashable {
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
    /// The seed of everything random, the samples included.
    public var seed: UInt64
    /// `complete`, or `interrupted` when points are missing because the run was stopped.
    public var status: RunResults.Status
    /// The machine and the build.
    public var environment: EnvironmentDescription
    /// The traces.
    public var traces: [TraceDescription]
    /// One curve for each combination of trace, policy and unit of capacity.
    public var curves: [CurveResult]
    /// What is known of the policies, by name.
    public var policies: [PolicyDescription]
    /// What the replays made of operations and of sizes that change; nil for the default.
    public var rules: ReplayRules?

    /// Results of a run.
    public init(
        assayVersion: String, startedAt: String, durationSeconds: Double, commandLine: [String], seed: UInt64,
        status: RunResults.Status, environment: EnvironmentDescription, traces: [TraceDescription],
        curves: [CurveResult], policies: [PolicyDescription]
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
        self.curves = curves
        self.policies = policies
    }
}

/// How a point of a curve was found.
public enum CurveMethod: String, Codable, Sendable, Hashable, CaseIterable {
    /// Exact: one pass that yields every capacity.
    case stack
    /// Exact: a replay at that capacity.
    case replay
    /// Estimated from a spatial sample: SHARDS.
    case shards
    /// Estimated by replaying a spatial sample through a smaller cache.
    case miniature
    /// Found exactly for a synthetic workload that was fitted to the trace: an estimate of the trace.
    case fit

    /// Whether the figures are those of the whole trace rather than estimates.
    public var isExact: Bool { self == .stack || self == .replay }
}

/// The hit ratios of one policy on one trace by capacity.
public struct CurveResult: Codable, Sendable, Hashable {
    /// The trace's name.
    public var trace: String
    /// The policy's name.
    public var policy: String
    /// The policy's parameters, all of them, as `name=value;name=value`.
    public var parameters: String
    /// What the capacities count.
    public var capacityUnit: Capacity.Unit
    /// The requests before the counted ones; nil for none.
    public var warmUp: CellWarmUp?
    /// How the curve was found; single points may say otherwise.
    public var method: CurveMethod
    /// The sample that estimates stand on; nil for exact curves.
    public var sample: CurveSample?
    /// The points, by ascending capacity.
    public var points: [CurvePoint] = []
    /// The time that its passes and replays took, each on one core, in seconds.
    public var passSeconds: Double?
    /// Requests of the whole trace a second, over `passSeconds`; nil where several replays made the curve.
    public var requestsPerSecond: Double?
    /// Why the curve, or a part of it, is missing.
    public var failure: CellFailure?
    /// What became of the points that the sample cannot stand for, and why; nil where there are none.
    public var notes: [String]?

    /// A curve whose points are still to be found.
    public init(
        trace: String, policy: String, parameters: String, capacityUnit: Capacity.Unit, method: CurveMethod
    ) {
        self.trace = trace
        self.policy = policy
        self.parameters = parameters
        self.capacityUnit = capacityUnit
        self.method = method
    }

    /// The mean over the estimates of the distance from the exact hit ratio; nil if it was not measured.
    public var meanAbsoluteError: Double? {
        errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
    }

    /// The largest distance of an estimate from the exact hit ratio; nil if it was not measured.
    public var largestError: Double? { errors.max() }

    private var errors: [Double] { points.filter { !$0.method.isExact }.compactMap(\.error) }
}

/// One capacity of a curve.
public struct CurvePoint: Codable, Sendable, Hashable {
    /// The capacity in the curve's unit.
    public var capacity: Int
    /// The capacity as it was asked for, such as `5%`.
    public var capacityRequested: String
    /// How this point was found.
    public var method: CurveMethod
    /// Hits over requests, exact or estimated.
    public var hitRatio: Double
    /// Bytes hit over bytes requested, exact or estimated.
    public var byteHitRatio: Double
    /// The exact hit ratio beside an estimate, if the error was to be measured.
    public var exactHitRatio: Double?

    /// A point.
    public init(
        capacity: Int, capacityRequested: String, method: CurveMethod, hitRatio: Double, byteHitRatio: Double,
        exactHitRatio: Double? = nil
    ) {
        self.capacity = capacity
        self.capacityRequested = capacityRequested
        self.method = method
        self.hitRatio = hitRatio
        self.byteHitRatio = byteHitRatio
        self.exactHitRatio = exactHitRatio
    }

    /// How far the estimate is from the exact hit ratio; nil if that is not known.
    public var error: Double? { exactHitRatio.map { abs(hitRatio - $0) } }
}

/// The spatial sample behind an estimate.
public struct CurveSample: Codable, Sendable, Hashable {
    /// The share of the objects that were followed, at the end.
    public var rate: Double
    /// The objects that were followed at the end.
    public var objects: Int
    /// The requests for objects that were followed.
    public var requests: Int

    /// A sample.
    public init(rate: Double, objects: Int, requests: Int) {
        self.rate = rate
        self.objects = objects
        self.requests = requests
    }
}
