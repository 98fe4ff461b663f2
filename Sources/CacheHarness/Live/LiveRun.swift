public import CacheCore

/// One policy over one backend under a whole trace: the throughput, latency and counting passes of a live run.
///
/// The passes are separate caches over separate stores: the throughput pass reads no clock, the latency pass times calls.
public struct LiveRun: Sendable {
    /// What a live run needs to know of its combination.
    public struct Subject: Sendable {
        /// The policy and how it is configured.
        public var policy: PolicyEntry
        /// Capacity, ids, parameters and seed of the policy.
        public var configuration: PolicyConfiguration
        /// The backend.
        public var backend: BackendEntry
        /// The backend's parameters.
        public var backendParameters: ParameterValues

        /// A policy over a backend.
        public init(
            policy: PolicyEntry, configuration: PolicyConfiguration, backend: BackendEntry,
            backendParameters: ParameterValues
        ) {
            self.policy = policy
            self.configuration = configuration
            self.backend = backend
            self.backendParameters = backendParameters
        }
    }

    /// What a timing pass found out.
    public struct Timing: Sendable, Hashable, Codable {
        /// Exact counts of the throughput pass.
        public var counts: ReplayCounts
        /// Requests a second of the throughput pass; making and verifying values is part of the time.
        public var requestsPerSecond: Double
        /// Percentiles of the latency pass.
        public var latency: LatencyFigures
        /// The cost of reading the clock twice, in nanoseconds.
        public var timerFloorNanoseconds: Double
    }

    /// Operations slower than this on average are all timed, faster ones are sampled.
    static var sampledBelowNanoseconds: Double { 5_000 }
    /// One call in this many is timed when operations are fast.
    static var sampleGap: Int { 64 }

    let subject: Subject
    let columns: RequestColumns
    private let keys: [[UInt8]]
    let valueBytes: Int?

    /// A run over a trace. `keys[id]` are the stored keys; `valueBytes` is the size of every value, in bytes, for a trace
    /// that carries no sizes, and nil for one that does.
    public init(_ subject: Subject, columns: RequestColumns, keys: [[UInt8]], valueBytes: Int?) {
        self.subject = subject
        self.columns = columns
        self.keys = keys
        self.valueBytes = valueBytes
    }

    /// Runs the throughput pass and the latency pass, in directories of their own below `directory`.
    ///
    /// - Throws: `AssayError`: `verdict` if a hit's bytes are wrong, `inputOutput` or `unavailable` if the backend fails.
    public func timing(directory: String) throws(AssayError) -> Timing {
        let (counts, seconds) = try withCache(directory + "/throughput") { (cache) throws(AssayError) in
            // Opening a store and closing it would weigh on short traces more than on long ones.
            let started = MonotonicClock.nowNanoseconds()
            let counts = try drive(cache)
            return (counts, max(1e-9, Double(MonotonicClock.nowNanoseconds() - started) / 1e9))
        }
        let isFast = seconds * 1e9 / Double(max(1, counts.requests)) < Self.sampledBelowNanoseconds
        let latency = try withCache(directory + "/latency") { (cache) throws(AssayError) in
            try timedDrive(cache, meanGap: isFast ? Self.sampleGap : 1)
        }
        return Timing(
            counts: counts, requestsPerSecond: Double(counts.requests) / seconds, latency: latency,
            timerFloorNanoseconds: MonotonicClock.floorNanoseconds())
    }

    /// Runs the memory pass: fills one cache and calls `whenFull` while it is alive.
    ///
    /// `beforePolicy`, `beforeBackend` and `whenFull` are the quiescent points between which a meter takes its readings.
    func memory(
        directory: String, beforePolicy: () -> Void, beforeBackend: () -> Void,
        whenFull: (LiveCache, ReplayCounts) -> Void
    ) throws(AssayError) {
        // The harness's own account is as large as the trace and no part of the subject.
        let ledger = PayloadLedger(keys: keys)
        beforePolicy()
        let policy = try subject.policy.open(subject.configuration)
        beforeBackend()
        let backend = try openBackend(directory)
        let cache = LiveCache(policy: policy, backend: backend, ledger: ledger)
        let counts = try drive(cache)
        whenFull(cache, counts)
        try closing(backend)
        // Keeps the subject alive to this point: the last use would otherwise end it before the reading.
        withExtendedLifetime(cache) {}
    }

    private func withCache<Result>(
        _ directory: String, _ body: (LiveCache) throws(AssayError) -> Result
    ) throws(AssayError) -> Result {
        let policy = try subject.policy.open(subject.configuration)
        let backend = try openBackend(directory)
        let result = try body(LiveCache(policy: policy, backend: backend, ledger: PayloadLedger(keys: keys)))
        try closing(backend)
        return result
    }

    private func openBackend(_ directory: String) throws(AssayError) -> any StorageBackend {
        do {
            return try subject.backend.open(
                directory: subject.backend.descriptor.needsDirectory ? directory : nil,
                parameters: subject.backendParameters)
        } catch {
            throw AssayError(
                .unavailable, "the backend \(subject.backend.descriptor.name) could not be opened in \(directory)",
                cause: error.description)
        }
    }

    private func closing(_ backend: any StorageBackend) throws(AssayError) {
        do { try backend.close() } catch {
            throw AssayError(.inputOutput, "the backend could not be closed", cause: error.description)
        }
    }
}
