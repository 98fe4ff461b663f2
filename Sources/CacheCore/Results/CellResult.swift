/// The result of one combination of trace, policy, capacity and backend.
public struct CellResult: Codable, Sendable, Hashable {
    /// The trace's name.
    public var trace: String
    /// The policy's name.
    public var policy: String
    /// The policy's parameters, all of them, as `name=value;name=value`.
    public var parameters: String
    /// The admission policy with the parameters that were set; `always` where none filters.
    public var admission: String
    /// The prefetcher with the parameters that were set; nil where nothing is fetched ahead.
    public var prefetch: String?
    /// Whether objects expire by the times to live that the trace states; nil means no.
    public var honoursExpiry: Bool?
    /// What the run made of operations and of sizes that change; nil for the default.
    public var rules: ReplayRules?
    /// The requests before the counted ones; nil for none.
    public var warmUp: CellWarmUp?
    /// The backend's name with parameters, or `simulation`.
    public var backend: String
    /// The capacity in `capacityUnit`.
    public var capacity: Int
    /// What the capacity counts: objects or bytes.
    public var capacityUnit: Capacity.Unit
    /// The capacity as it was asked for, such as `5%`.
    public var capacityRequested: String
    /// The seed of everything random.
    public var seed: UInt64
    /// The exact counts, of what comes after the warm-up; nil if the combination failed.
    public var counts: ReplayCounts?
    /// The counts over the time of the trace, in order; together those of `counts`. Nil if they were not asked for.
    public var windows: [ReplayWindow]?
    /// The counts by tenant, those with the most requests first; together those of `counts`. Nil if they were not asked for.
    public var tenants: [TenantCounts]?
    /// Requests a second of the throughput pass, which reads no clock; nil if it failed.
    public var requestsPerSecond: Double?
    /// The least and the most of the repeated passes that `requestsPerSecond` is the median of; nil for a single pass.
    public var throughputRange: ThroughputRange?
    /// Latency by operation, from a pass of its own; nil for simulations.
    public var latency: LatencyFigures?
    /// Memory and disk, from a pass of its own; nil for simulations.
    public var memory: MemoryFigures?
    /// What a reader of the figures must know, a sentence each, such as that some values were too long to be stored; nil for nothing.
    public var notes: [String]?
    /// Why there is no result: what went wrong and what mends it.
    public var failure: CellFailure?

    /// The note on a cell whose trace was replayed request by request.
    package static var steppedNote: String {
        "Replayed request by request, for operations, changed sizes, costs, tenants, admission or expiry: slower than a policy's own loop."
    }

    /// The note on a cell whose trace was watched by a prefetcher.
    package static var prefetchedNote: String {
        "Replayed request by request, for prefetching: slower than a policy's own loop. A fetch is in time for the next request."
    }

    /// The backend of a combination that drives a policy alone.
    public static var simulationBackend: String { "simulation" }

    /// A combination whose result is still to be filled in.
    public init(
        trace: String, policy: String, parameters: String, admission: String = "always",
        honoursExpiry: Bool = false, rules: ReplayRules? = nil,
        backend: String = CellResult.simulationBackend, capacity: Capacity, capacityRequested: String, seed: UInt64
    ) {
        self.trace = trace
        self.policy = policy
        self.parameters = parameters
        self.admission = admission
        self.honoursExpiry = honoursExpiry ? true : nil
        self.rules = rules == ReplayRules() ? nil : rules
        self.backend = backend
        self.capacity = capacity.amount
        capacityUnit = capacity.unit
        self.capacityRequested = capacityRequested
        self.seed = seed
    }

    /// Whether the combination should have given a result and did not.
    public var hasFailed: Bool { failure.map { $0.kind != .notApplicable } ?? false }

    /// What identifies the combination across runs: everything but figures and seed.
    public var identity: String {
        [
            trace, policy, parameters,
            admission + (honoursExpiry == true ? " with expiry" : "") + (prefetch.map { " with \($0)" } ?? ""), backend,
            "\(capacity)", capacityUnit.rawValue + (rules.map { " with \($0.text)" } ?? "") + (warmUp?.text ?? ""),
        ].joined(separator: " | ")
    }
}

/// How far apart the repetitions of one measurement are.
public struct ThroughputRange: Codable, Sendable, Hashable {
    /// Requests a second of the slowest.
    public var least: Double
    /// Requests a second of the fastest.
    public var most: Double
    /// How many there were, at least 2.
    public var passes: Int

    /// The range of some rates.
    public init(least: Double, most: Double, passes: Int) {
        self.least = least
        self.most = most
        self.passes = passes
    }
}

/// Why a combination has no result.
public struct CellFailure: Error, Codable, Sendable, Hashable {
    /// `failed`, `crashed`, `hung`, `lacked a resource` or `not applicable`.
    public var kind: Kind
    /// What went wrong and what mends it.
    public var message: String

    /// How a combination failed.
    public enum Kind: String, Codable, Sendable, Hashable {
        /// It reported an error or broke its contract.
        case failed
        /// Its process died.
        case crashed
        /// It passed its deadline.
        case hung
        /// The combination has no meaning: a policy in a unit that it does not know. Not counted as a failure of the run.
        case notApplicable = "not applicable"
        /// The machine had no file descriptor, process, memory or space left for it: says nothing about the combination.
        case lackedResource = "lacked a resource"
    }

    /// A failure in words.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// Latency of the cache's operations, each over all of its calls or a seeded sample of them.
public struct LatencyFigures: Codable, Sendable, Hashable {
    /// Lookups that found and verified a value, and lookups that did not.
    public var get: LatencySummary
    /// Stores, with the evictions that made room for them.
    public var put: LatencySummary

    /// Latency by operation.
    public init(get: LatencySummary, put: LatencySummary) {
        self.get = get
        self.put = put
    }
}

/// What a subject takes up when it is full, measured in a process of its own.
public struct MemoryFigures: Codable, Sendable, Hashable {
    /// Who counted: `jemalloc`, `mallinfo2`, or why nobody could.
    public var meter: String
    /// Bytes allocated by the subject at the end of the trace: policy, backend and keys; nil if not measurable.
    public var allocatedBytes: Int?
    /// The part of `allocatedBytes` that the cache takes besides the backend before the first request: what its policy is
    /// made with, for as many entries as there may be. Nil if not measurable.
    public var policyBytes: Int?
    /// `allocatedBytes` over resident entries; nil if not measurable or nothing is resident.
    public var bytesPerEntry: Double?
    /// Payload bytes (keys and values) of the entries that are resident at the end.
    public var payloadBytes: Int
    /// Entries resident at the end.
    public var entries: Int
    /// Payload bytes for each entry that are part of `allocatedBytes`: 0 where the backend keeps the payload on disk or
    /// nothing is resident.
    public var payloadBytesPerEntryInMemory: Double {
        entries == 0 || diskBytes != nil ? 0 : Double(payloadBytes) / Double(entries)
    }
    /// What the subject allocates for an entry above its payload in memory, in bytes; nil if not measurable.
    public var overheadBytesPerEntry: Double? { bytesPerEntry.map { $0 - payloadBytesPerEntryInMemory } }
    /// The growth of the process's resident set over the run, in bytes; nil if unknown.
    public var residentSetBytes: Int?
    /// The space taken on disk, in bytes of allocated blocks; nil for backends that keep nothing there.
    public var diskBytes: Int?
    /// The number of files on disk; nil for backends that keep nothing there.
    public var diskFiles: Int?
    /// What the subject still has allocated after it was filled, cleared and filled again and cleared, beyond what it had
    /// after it was cleared for the first time, in bytes: a leak, if it is much. Nil if it was not measured.
    public var leakedBytes: Int?
    /// The most that the subject had allocated at any of 64 looks at equal distances over the trace, in bytes; nil if not
    /// measurable.
    public var peakBytes: Int?
    /// The highest resident set of the process so far, harness and trace included, in bytes; nil if unknown.
    public var peakResidentBytes: Int?
    /// Allocations for each request, the two arrays of each offered value aside; nil without jemalloc.
    public var allocationsPerRequest: Double?
    /// Bytes of pages that the allocator uses over bytes that are allocated: 1 without fragmentation; nil without jemalloc.
    public var fragmentation: Double?
    /// Bytes that the process handed to the disk for each byte that was put, by the system's account; nil for backends that
    /// keep nothing there, and where the system does not tell. 0 where the directory is not on a disk.
    public var bytesWrittenPerByte: Double?
    /// File descriptors that the subject has open when it is full; nil if unknown.
    public var fileDescriptors: Int?

    /// Memory and disk figures of one subject.
    public init(
        meter: String, allocatedBytes: Int? = nil, policyBytes: Int? = nil, bytesPerEntry: Double? = nil,
        payloadBytes: Int, entries: Int, residentSetBytes: Int? = nil, diskBytes: Int? = nil, diskFiles: Int? = nil
    ) {
        self.meter = meter
        self.allocatedBytes = allocatedBytes
        self.policyBytes = policyBytes
        self.bytesPerEntry = bytesPerEntry
        self.payloadBytes = payloadBytes
        self.entries = entries
        self.residentSetBytes = residentSetBytes
        self.diskBytes = diskBytes
        self.diskFiles = diskFiles
    }
}
