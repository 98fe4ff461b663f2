/// Everything that one run found out: the versioned source of every report.
///
/// `results.json` is this type encoded as it stands. Readers accept any `schemaVersion` up to ``currentSchemaVersion``.
public struct RunResults: Codable, Sendable, Hashable {
    /// The version that this code writes.
    public static var currentSchemaVersion: Int { 2 }

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
    /// `complete`, or `interrupted` when cells are missing because the run was stopped.
    public var status: Status
    /// The machine and the build.
    public var environment: EnvironmentDescription
    /// The traces that were replayed.
    public var traces: [TraceDescription]
    /// One result for each combination of trace, policy, capacity and backend, in the order they were asked for.
    public var cells: [CellResult]
    /// How many combinations were asked for; nil if unknown. More than `cells.count` in an interrupted run.
    public var cellsPlanned: Int?
    /// What is known of the policies that ran, by name; nil if the writer left it out.
    public var policies: [PolicyDescription]?
    /// Why times of this run are not to be relied on, a sentence each; nil for none.
    public var warnings: [String]?

    /// How a run ended.
    public enum Status: String, Codable, Sendable, Hashable {
        /// Every combination has a result or a failure.
        case complete
        /// The run was stopped; the finished combinations are here.
        case interrupted
    }

    /// Results of a run.
    public init(
        assayVersion: String, startedAt: String, durationSeconds: Double, commandLine: [String], seed: UInt64,
        status: Status, environment: EnvironmentDescription, traces: [TraceDescription], cells: [CellResult],
        cellsPlanned: Int? = nil, policies: [PolicyDescription]? = nil, warnings: [String] = []
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
        self.cells = cells
        self.cellsPlanned = cellsPlanned
        self.policies = policies
        self.warnings = warnings.isEmpty ? nil : warnings
    }
}

/// A policy as a result names it, so that a report can explain its rows.
public struct PolicyDescription: Codable, Sendable, Hashable {
    /// The name that cells refer to.
    public var name: String
    /// The family it belongs to; `bound` marks what no online policy can beat.
    public var family: String
    /// One sentence that says how it chooses.
    public var summary: String
    /// Where it was published.
    public var citation: String

    /// A description of one policy.
    public init(name: String, family: String, summary: String, citation: String) {
        self.name = name
        self.family = family
        self.summary = summary
        self.citation = citation
    }

    /// The description of a registered policy.
    public init(_ descriptor: PolicyDescriptor) {
        self.init(
            name: descriptor.name, family: descriptor.family, summary: descriptor.summary,
            citation: descriptor.citation)
    }
}

/// The machine and the build that produced a result.
public struct EnvironmentDescription: Codable, Sendable, Hashable {
    /// The operating system and its version.
    public var operatingSystem: String
    /// The kernel's release.
    public var kernel: String
    /// The processor's model name.
    public var processor: String
    /// The number of processors that are online.
    public var processorCount: Int
    /// Main memory, in bytes.
    public var memoryBytes: Int
    /// The compiler and whether the build is optimised, such as `Swift 6.3 release`.
    public var build: String
    /// The allocator during timing passes.
    public var timingAllocator: String
    /// The allocator during memory passes, or why memory was not measured.
    public var memoryAllocator: String
    /// The load average over one minute when the run started, nil if unknown.
    public var loadAverage: Double?
    /// The median cost of one reading of the clock pair around nothing, in nanoseconds; nil without live runs.
    public var timerFloorNanoseconds: Double?

    /// A description of one machine and build.
    public init(
        operatingSystem: String, kernel: String, processor: String, processorCount: Int, memoryBytes: Int,
        build: String,
        timingAllocator: String, memoryAllocator: String, loadAverage: Double? = nil,
        timerFloorNanoseconds: Double? = nil
    ) {
        self.operatingSystem = operatingSystem
        self.kernel = kernel
        self.processor = processor
        self.processorCount = processorCount
        self.memoryBytes = memoryBytes
        self.build = build
        self.timingAllocator = timingAllocator
        self.memoryAllocator = memoryAllocator
        self.loadAverage = loadAverage
        self.timerFloorNanoseconds = timerFloorNanoseconds
    }
}

/// A trace as a result names it.
public struct TraceDescription: Codable, Sendable, Hashable {
    /// The name that cells refer to, unique in a run: a workload's name, or the file's name with as many folders as tell it
    /// from the others. It is for people; the digests say which trace it is.
    public var name: String
    /// How it was given on the command line.
    public var argument: String
    /// The format it was read as, with parameters.
    public var format: String
    /// What recognises the requests: `xxh128:` and the XXH3 digest of the input file in 32 hexadecimal digits, or the SHA-256 of a
    /// generated workload's specification in 64.
    public var digest: String
    /// 64 hexadecimal digits that stand for the requests, whatever file and format they were read from; nil in results of an
    /// Assay that did not record it.
    public var contentDigest: String?
    /// The number of requests.
    public var requests: Int
    /// The number of distinct objects.
    public var objects: Int
    /// The sum of the sizes of the requests, in bytes.
    public var bytesRequested: Int
    /// The sum of the sizes of the distinct objects (each at its largest), in bytes.
    public var footprintBytes: Int
    /// Whether the trace carries sizes; without them every object counts 1 byte.
    public var hasSizes: Bool
    /// Where the trace comes from and under which terms, if known.
    public var origin: String?
    /// The number of writes that the trace states; nil for none.
    public var writes: Int?
    /// The number of deletes that the trace states; nil for none.
    public var deletes: Int?
    /// Requests that state another size than the one before for their object; nil for none.
    public var sizeChanges: Int?
    /// Whether the trace states times to live; nil means no.
    public var statesTimesToLive: Bool?
    /// Whether the trace states what misses cost; nil means no.
    public var statesCosts: Bool?
    /// What its reader said of it, as lines that were passed over or sizes that were taken from elsewhere, a sentence each; nil
    /// for nothing.
    public var notes: [String]?

    /// A description of one trace.
    public init(
        name: String, argument: String, format: String, digest: String, requests: Int, objects: Int,
        bytesRequested: Int, footprintBytes: Int, hasSizes: Bool, origin: String? = nil, contentDigest: String? = nil
    ) {
        self.name = name
        self.argument = argument
        self.format = format
        self.digest = digest
        self.contentDigest = contentDigest
        self.requests = requests
        self.objects = objects
        self.bytesRequested = bytesRequested
        self.footprintBytes = footprintBytes
        self.hasSizes = hasSizes
        self.origin = origin
    }

    /// Notes which columns a trace has beside objects and sizes. O(requests) on traces that state operations.
    public mutating func note(_ columns: RequestColumns) {
        let (writes, deletes) = columns.operationCounts
        (self.writes, self.deletes) = (writes > 0 ? writes : nil, deletes > 0 ? deletes : nil)
        sizeChanges = columns.sizeChanges > 0 ? columns.sizeChanges : nil
        statesTimesToLive = columns.timesToLive == nil ? nil : true
        statesCosts = columns.costs == nil ? nil : true
    }

    /// Whether the trace states anything but reads.
    public var statesOperations: Bool { writes != nil || deletes != nil }
}
