/// What complete systems do under workloads that show their point: what `assay run --system` writes.
///
/// `systems.json` is this type encoded as it stands. Readers accept any `schemaVersion` up to ``currentSchemaVersion``.
public struct SystemResults: Codable, Sendable, Hashable {
    /// The version that this code writes.
    public static var currentSchemaVersion: Int { 3 }

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
    /// The seed of everything random.
    public var seed: UInt64
    /// How large the workloads were, as a part of what their files say: 1 for all of it.
    public var scale: Double
    /// `complete`, or `interrupted` when systems are missing because the run was stopped.
    public var status: RunResults.Status
    /// The machine and the build.
    public var environment: EnvironmentDescription
    /// One result for each combination of workload, policy and backend, in the order of the command line.
    public var systems: [SystemResult]
    /// How many combinations were asked for.
    public var systemsPlanned: Int

    /// Results of a run.
    public init(
        assayVersion: String, startedAt: String, durationSeconds: Double, commandLine: [String], seed: UInt64,
        scale: Double, status: RunResults.Status, environment: EnvironmentDescription, systems: [SystemResult],
        systemsPlanned: Int
    ) {
        schemaVersion = Self.currentSchemaVersion
        self.assayVersion = assayVersion
        self.startedAt = startedAt
        self.durationSeconds = durationSeconds
        self.commandLine = commandLine
        self.seed = seed
        self.scale = scale
        self.status = status
        self.environment = environment
        self.systems = systems
        self.systemsPlanned = systemsPlanned
    }
}

/// What one system did under one workload.
public struct SystemResult: Codable, Sendable, Hashable {
    /// The system's name, as `call-cache`.
    public var system: String
    /// The workload's name.
    public var workload: String
    /// What the workload shows, in a sentence or two.
    public var description: String
    /// Every setting of the workload, as `name=value;name=value`.
    public var settings: String
    /// The policy of memory, and of what the system keeps on disk where that is bounded.
    public var policy: String
    /// The backend in which it keeps its entries; `memory` for a system that keeps none there.
    public var backend: String
    /// What became of the calls, exactly; nil if it failed.
    public var counts: SystemCounts?
    /// Calls a second in a pass without clocks; verifying the answers is part of the time. Nil if it failed.
    public var callsPerSecond: Double?
    /// The same calls made in other ways, in blocks between those of that pass.
    public var alternatives: [SystemAlternative] = []
    /// Latency by what became of the calls, and of what the workload does beside them.
    public var latency: [SystemLatency] = []
    /// What it takes up at the end of the workload; nil if it failed.
    public var memory: SystemMemory?
    /// What else only this system can say of itself, under its workload and in experiments beside it.
    public var figures: [SystemFigure] = []
    /// Why there are no figures; nil if there are.
    public var failure: CellFailure?

    /// A result without figures.
    public init(
        system: String, workload: String, description: String, settings: String, policy: String, backend: String
    ) {
        self.system = system
        self.workload = workload
        self.description = description
        self.settings = settings
        self.policy = policy
        self.backend = backend
    }
}

/// What became of one call of a system.
public enum SystemOutcome: String, Codable, Sendable, Hashable, CaseIterable, CodingKeyRepresentable {
    /// What is kept answered it, and the origin was not asked.
    case hit
    /// What is kept answered it at once, and the origin was asked as well.
    case refreshed
    /// What is kept answered it, after it was brought to the form of today.
    case migrated
    /// The origin was asked, and only confirmed what is kept.
    case confirmed
    /// The origin was asked, and answered.
    case miss
    /// The origin was asked and failed, and what is kept answered instead.
    case fallback
    /// Nobody answered it.
    case unanswered
    /// It stored something, and is no request.
    case write

    /// Whether what is kept answered it without waiting for the origin.
    public var isHit: Bool { self == .hit || self == .refreshed || self == .migrated }
}

/// Exact counts of a system under a workload. Every answer among them was verified.
public struct SystemCounts: Codable, Sendable, Hashable {
    /// The calls by what became of them; none for those that did not occur.
    public var outcomes: [SystemOutcome: Int] = [:]
    /// Requests that the origin got, those that failed included.
    public var originRequests = 0
    /// Requests that it would have got from a program without the cache.
    public var originRequestsWithout = 0
    /// Bytes of the answers that callers got.
    public var bytesAnswered = 0
    /// Bytes that came from the origin.
    public var bytesFromOrigin = 0
    /// Bytes that would have come from it without the cache.
    public var bytesWithout = 0
    /// Virtual time that the origin took for its answers, in seconds.
    public var originSeconds = 0.0
    /// Virtual time that it would have taken without the cache, in seconds.
    public var originSecondsWithout = 0.0
    /// Requests while the origin was away.
    public var outageRequests = 0
    /// Requests that were answered although the origin was away.
    public var outageAnswered = 0

    /// Nothing has happened.
    public init() {}

    /// The calls that ask for something.
    public var requests: Int { calls - outcomes[.write, default: 0] }
    /// All calls.
    public var calls: Int { outcomes.values.reduce(0, +) }
    /// The share of the requests that what is kept answered without waiting for the origin; 0 without requests.
    public var hitRatio: Double {
        Self.share(outcomes.reduce(0) { $0 + ($1.key.isHit ? $1.value : 0) }, of: requests)
    }
    /// The share of the origin's requests that the cache saved it; negative where it asks more often than a program without it.
    public var originRequestsSaved: Double {
        originRequestsWithout == 0 ? 0 : 1 - Self.share(originRequests, of: originRequestsWithout)
    }
    /// The share of the origin's bytes that the cache saved.
    public var bytesSaved: Double { bytesWithout == 0 ? 0 : 1 - Self.share(bytesFromOrigin, of: bytesWithout) }
    /// The share of the requests while the origin was away that were answered; nil if it never was.
    public var outageAnsweredShare: Double? {
        outageRequests == 0 ? nil : Self.share(outageAnswered, of: outageRequests)
    }

    private static func share(_ part: Int, of whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
}
