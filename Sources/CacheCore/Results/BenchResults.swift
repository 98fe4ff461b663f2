/// What caches do under load: what `assay bench` writes.
///
/// `bench.json` is this type encoded as it stands. Readers accept any `schemaVersion` up to ``currentSchemaVersion``.
public struct BenchResults: Codable, Sendable, Hashable {
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
    /// `complete`, or `interrupted` when subjects are missing because the run was stopped.
    public var status: RunResults.Status
    /// The machine and the build.
    public var environment: EnvironmentDescription
    /// Why times of this run are not to be relied on, a sentence each; nil for none.
    public var warnings: [String]?
    /// The traces.
    public var traces: [TraceDescription]
    /// The load.
    public var load: BenchLoad
    /// One result for each combination of trace, policy, backend and capacity.
    public var subjects: [BenchSubject]
    /// What is known of the policies, by name.
    public var policies: [PolicyDescription]

    /// Results of a run.
    public init(
        assayVersion: String, startedAt: String, durationSeconds: Double, commandLine: [String], seed: UInt64,
        status: RunResults.Status, environment: EnvironmentDescription, warnings: [String] = [],
        traces: [TraceDescription], load: BenchLoad,
        subjects: [BenchSubject], policies: [PolicyDescription]
    ) {
        schemaVersion = Self.currentSchemaVersion
        self.assayVersion = assayVersion
        self.startedAt = startedAt
        self.durationSeconds = durationSeconds
        self.commandLine = commandLine
        self.seed = seed
        self.status = status
        self.environment = environment
        self.warnings = warnings.isEmpty ? nil : warnings
        self.traces = traces
        self.load = load
        self.subjects = subjects
        self.policies = policies
    }
}

/// What one cache did.
public struct BenchSubject: Codable, Sendable, Hashable {
    /// What it is, its counts, its throughput, its memory, and why it failed if it did.
    public var cell: CellResult
    /// What only a bench measures; nil if it failed.
    public var timing: BenchTiming?
    /// How long it takes to open, close and recover; nil for a store that keeps nothing, and if it failed.
    public var lifecycle: LifecycleFigures?

    /// A subject with its figures.
    public init(cell: CellResult, timing: BenchTiming?, lifecycle: LifecycleFigures? = nil) {
        self.cell = cell
        self.timing = timing
        self.lifecycle = lifecycle
    }
}

/// What the timing passes of a live run found out.
public struct BenchTiming: Codable, Sendable, Hashable {
    /// Requests before the measured ones of the throughput pass.
    public var warmUpRequests = 0
    /// How long the throughput pass took, in seconds.
    public var seconds = 0.0
    /// Requests in each window of the throughput pass, in order; the last may be shorter.
    public var windows: [Int] = []
    /// The length of a window, in seconds.
    public var windowSeconds = 0.0
    /// Whether the last quarter of the windows was as fast as the one before, within 2 %; nil for too few windows to tell.
    public var isSteady: Bool?
    /// Latency by operation and outcome, of those that occurred.
    public var latency: [OperationLatency] = []
    /// The steps of the open loop.
    public var steps: [RateStep] = []
    /// The highest rate that kept the promise, in requests a second; 0 if none did, nil if none was sought.
    public var kneeRequestsPerSecond: Double?
    /// What the harness itself costs.
    public var costs = HarnessCosts()
    /// What the process used up in the throughput pass.
    public var resources: ResourceFigures?

    /// Nothing measured yet.
    public init() {}
}

/// Latency of one operation with one outcome.
public struct OperationLatency: Codable, Sendable, Hashable {
    /// An operation with its outcome.
    public enum Operation: String, Codable, Sendable, Hashable, CaseIterable {
        /// A read that found the object.
        case hit
        /// A read that did not.
        case miss
        /// A write that evicted nothing.
        case put
        /// A write that evicted others.
        case evictingPut = "evicting put"
        /// A removal.
        case remove
    }

    /// The operation.
    public var operation: Operation
    /// How long it took.
    public var distribution: LatencyDistribution

    /// Latency of an operation.
    public init(_ operation: Operation, _ distribution: LatencyDistribution) {
        self.operation = operation
        self.distribution = distribution
    }
}

/// Times, from an HdrHistogram with 3 significant digits.
public struct LatencyDistribution: Codable, Sendable, Hashable {
    /// Percentiles that tables show.
    public var summary: LatencySummary
    /// The percentile 99.99, in nanoseconds; nil for fewer than 100,000 samples.
    public var p9999Nanoseconds: Int?
    /// The percentile 99.999, in nanoseconds; nil for fewer than 1,000,000 samples.
    public var p99999Nanoseconds: Int?
    /// The mean, in nanoseconds; nil where nothing was timed.
    public var meanNanoseconds: Double?
    /// The histogram's values that occurred, ascending, in nanoseconds: each stands for those within 0.1 % below it.
    public var values: [Int]
    /// How often each occurred.
    public var counts: [Int]

    /// A distribution; percentiles that the summary's samples do not carry are dropped.
    public init(
        summary: LatencySummary, p9999: Int?, p99999: Int?, mean: Double?, values: [Int], counts: [Int]
    ) {
        self.summary = summary
        p9999Nanoseconds = LatencySummary.carries(99.99, samples: summary.samples) ? p9999 : nil
        p99999Nanoseconds = LatencySummary.carries(99.999, samples: summary.samples) ? p99999 : nil
        meanNanoseconds = summary.samples > 0 ? mean : nil
        self.values = values
        self.counts = counts
    }

    /// Reads a distribution; a percentile that the samples do not carry is dropped.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            summary: try values.decode(LatencySummary.self, forKey: .summary),
            p9999: try values.decodeIfPresent(Int.self, forKey: .p9999Nanoseconds),
            p99999: try values.decodeIfPresent(Int.self, forKey: .p99999Nanoseconds),
            mean: try values.decodeIfPresent(Double.self, forKey: .meanNanoseconds),
            values: try values.decode([Int].self, forKey: .values),
            counts: try values.decode([Int].self, forKey: .counts))
    }

    /// The least recorded value that at least `percentile` percent of the samples do not exceed; 0 without samples.
    public func value(atPercentile percentile: Double) -> Int {
        let total = counts.reduce(0, +)
        let rank = max(1, Int((Double(total) * min(percentile, 100) / 100).rounded(.up)))
        var seen = 0
        for (value, count) in zip(values, counts) {
            seen += count
            if seen >= rank { return value }
        }
        return values.last ?? 0
    }
}

/// One rate of an open loop.
public struct RateStep: Codable, Sendable, Hashable {
    /// The rate at which requests were due, in requests a second; on average where they were due at the trace's own times.
    public var requestsPerSecond: Double
    /// How many times as fast as the trace says requests were due; nil where they were due at a constant rate.
    public var traceSpeed: Double?
    /// The rate at which they were answered.
    public var answeredPerSecond: Double
    /// Whether the subject could not follow: delays grew for as long as the step took, and would have gone on growing.
    public var isSaturated: Bool
    /// From the moment at which each request was due to its answer: what a user waits. A stall counts in full.
    public var response: LatencyDistribution
    /// From the moment at which each request was made to its answer.
    public var service: LatencyDistribution
    /// From the moment at which each request was due to that at which it was made.
    public var lag: LatencyDistribution

    /// A step.
    public init(
        requestsPerSecond: Double, answeredPerSecond: Double, isSaturated: Bool, response: LatencyDistribution,
        service: LatencyDistribution, lag: LatencyDistribution
    ) {
        self.requestsPerSecond = requestsPerSecond
        self.answeredPerSecond = answeredPerSecond
        self.isSaturated = isSaturated
        self.response = response
        self.service = service
        self.lag = lag
    }
}

/// What measuring costs, measured in the same process: shown beside the figures and not taken off them.
public struct HarnessCosts: Codable, Sendable, Hashable {
    /// Two readings of the clock with nothing between them, in nanoseconds: the floor of every latency.
    public var timerFloorNanoseconds = 0.0
    /// A request of the loop that only reads the trace, in nanoseconds.
    public var bareLoopNanoseconds = 0.0
    /// What the throughput pass adds to that for each request besides the cache and the values, in nanoseconds.
    public var harnessNanoseconds = 0.0
    /// Making the value of a miss, in nanoseconds; part of the throughput pass.
    public var payloadNanoseconds = 0.0
    /// Verifying the value of a hit, in nanoseconds; part of the throughput pass where hits are verified.
    public var verificationNanoseconds = 0.0
    /// A request of the same load, as many threads and the same share of hits, that a subject of nothing answers, in nanoseconds of a
    /// thread; nil in older results.
    public var emptyRequestNanoseconds: Double?
    /// The median of its hits as the latency pass times them, in nanoseconds; nil in older results.
    public var emptyHitNanoseconds: Int?
    /// The median of its misses, in nanoseconds; nil in older results.
    public var emptyMissNanoseconds: Int?
    /// The median of its writes, in nanoseconds; nil in older results.
    public var emptyPutNanoseconds: Int?

    /// Nothing measured yet.
    public init() {}

    /// The median that an operation has of a subject of nothing; nil where that was not measured.
    public func emptyNanoseconds(_ operation: OperationLatency.Operation) -> Int? {
        switch operation {
        case .hit: emptyHitNanoseconds
        case .miss: emptyMissNanoseconds
        case .put, .evictingPut: emptyPutNanoseconds
        case .remove: nil
        }
    }
}

extension BenchTiming {
    /// The part of the throughput pass that the harness takes, 0 to 1: that of a subject of nothing under the same load.
    public func harnessShare(requestsPerSecond: Double?, threads: Int) -> Double? {
        guard let empty = costs.emptyRequestNanoseconds, let requestsPerSecond, requestsPerSecond > 0 else {
            return nil
        }
        return min(1, empty * requestsPerSecond / (1e9 * Double(max(1, threads))))
    }

    /// The part of an operation's median that a subject of nothing takes too, 0 to 1: the clock and the call; nil where either was not
    /// measured.
    public func harnessShare(of latency: OperationLatency) -> Double? {
        guard let empty = costs.emptyNanoseconds(latency.operation),
            let median = latency.distribution.summary.p50Nanoseconds, median > 0
        else { return nil }
        return min(1, Double(empty) / Double(median))
    }
}

/// What a process used up.
public struct ResourceFigures: Codable, Sendable, Hashable {
    /// Processor time in the program, in seconds.
    public var userSeconds: Double
    /// Processor time in the system, in seconds.
    public var systemSeconds: Double
    /// Context switches because a thread waited.
    public var voluntarySwitches: Int
    /// Context switches because a thread's time was over.
    public var involuntarySwitches: Int
    /// Page faults without reading from disk.
    public var minorFaults: Int
    /// Page faults that read from disk.
    public var majorFaults: Int
    /// Instructions executed in the program; nil where the machine does not count them for us.
    public var instructions: Int?
    /// Cycles of the processor in the program; nil where the machine does not count them for us.
    public var cycles: Int?
    /// Accesses of the program that missed every cache of the processor; nil where the machine does not count them for us.
    public var cacheMisses: Int?

    /// What was used up.
    public init(
        userSeconds: Double, systemSeconds: Double, voluntarySwitches: Int, involuntarySwitches: Int,
        minorFaults: Int, majorFaults: Int, instructions: Int? = nil, cycles: Int? = nil, cacheMisses: Int? = nil
    ) {
        self.userSeconds = userSeconds
        self.systemSeconds = systemSeconds
        self.voluntarySwitches = voluntarySwitches
        self.involuntarySwitches = involuntarySwitches
        self.minorFaults = minorFaults
        self.majorFaults = majorFaults
        self.instructions = instructions
        self.cycles = cycles
        self.cacheMisses = cacheMisses
    }
}
