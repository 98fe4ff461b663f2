public import CacheCore
internal import CacheEngine

/// One policy over one backend, or one complete cache, under a load: the throughput, latency, open-loop and memory passes of a live run.
///
/// The passes are separate caches over separate stores: the throughput pass reads no clock, the latency pass times calls.
public struct LiveRun: Sendable {
    /// What a live run needs to know of its combination.
    public struct Subject: Sendable {
        /// What is driven.
        enum Kind: Sendable {
            /// The engine's cache with a policy over a backend.
            case engine(PolicyEntry, BackendEntry, ParameterValues)
            /// A cache that has both inside.
            case whole(BenchmarkedCacheEntry)
        }

        let kind: Kind
        /// Capacity, ids, parameters and seed of the policy.
        let configuration: PolicyConfiguration

        /// A policy over a backend.
        public init(
            policy: PolicyEntry, configuration: PolicyConfiguration, backend: BackendEntry,
            backendParameters: ParameterValues
        ) {
            kind = .engine(policy, backend, backendParameters)
            self.configuration = configuration
        }

        /// A complete cache; of the configuration the capacity and the seed count.
        public init(_ whole: BenchmarkedCacheEntry, configuration: PolicyConfiguration) {
            kind = .whole(whole)
            self.configuration = configuration
        }

        /// What errors call it.
        var name: String {
            switch kind {
            case .engine(let policy, let backend, _): "\(policy.descriptor.name) over \(backend.descriptor.name)"
            case .whole(let entry): entry.name
            }
        }

        /// Whether entries are in a directory.
        var needsDirectory: Bool {
            switch kind {
            case .engine(_, let backend, _): backend.descriptor.needsDirectory
            case .whole(let entry): entry.needsDirectory
            }
        }

        /// Whether its policy remembers objects longer than ids are.
        fileprivate var remembersKeys: Bool {
            guard case .engine(let policy, _, _) = kind else { return false }
            return policy.remembersKeys(behind: configuration.admission)
        }
    }

    /// What a cache is opened over.
    enum StoreLocation: Sendable {
        /// A backend, which the engine is opened over.
        case backend(any StorageBackend)
        /// A place that a complete cache takes as it is.
        case directory(String)
    }

    /// What the timing passes found out.
    public struct Timing: Sendable, Hashable, Codable {
        /// Exact counts of the throughput pass.
        public var counts: ReplayCounts
        /// Requests a second of the throughput pass; making and verifying values is part of the time.
        public var requestsPerSecond: Double
        /// Percentiles of the latency pass by operation.
        public var latency: LatencyFigures
        /// Everything else.
        public var bench: BenchTiming
        /// Offers of the throughput pass, its warm-up included, whose key or value the store refused as too long; nil for none.
        public var refusedOffers: Int?
    }

    /// Operations slower than this on average are all timed, faster ones are sampled.
    static var sampledBelowNanoseconds: Double { 5_000 }

    let subject: Subject
    let load: BenchLoad
    let requests: LoadRequests
    let keys: [[UInt8]]
    /// The objects by their keys, for policies that remember them longer than ids; nil for the others.
    private let identities: [[UInt8]: ObjectID]?

    /// A run over a trace. `keys[id]` are the stored keys; `valueBytes` is the size of every value, in bytes, for a trace
    /// that carries no sizes, and nil for one that does. Without a load it is one thread and the trace once.
    public init(
        _ subject: Subject, columns: RequestColumns, keys: [[UInt8]], valueBytes: Int?, load: BenchLoad = BenchLoad()
    ) {
        self.subject = subject
        self.load = load
        self.keys = keys
        requests = LoadRequests(
            columns, valueBytes: valueBytes, removeShare: load.removeShare, onMiss: load.onMiss,
            reweighs: subject.configuration.capacity.unit == .bytes, seed: subject.configuration.seed)
        identities =
            subject.remembersKeys
            ? Dictionary(keys.enumerated().map { ($1, ObjectID($0)) }, uniquingKeysWith: { first, _ in first }) : nil
    }

    /// Runs the throughput pass, the latency pass and the open loop, in directories of their own below `directory`.
    ///
    /// - Parameter measuresCosts: Whether to measure afterwards what measuring costs.
    /// - Throws: `AssayError`: `verdict` if a hit's bytes are wrong, `inputOutput` or `unavailable` if the backend fails.
    public func timing(directory: String, measuresCosts: Bool = true) throws(AssayError) -> Timing {
        var bench = BenchTiming()
        var refusedOffers = 0
        let (counts, expected) = try withCache(directory + "/throughput") { (cache, driver) throws(AssayError) in
            defer { refusedOffers = cache.refusedOffers }
            return try throughput(cache, driver, &bench)
        }
        let isFast =
            bench.seconds * 1e9 * Double(load.threads) / Double(max(1, measuredRequests)) < Self.sampledBelowNanoseconds
        let sheet = try withCache(directory + "/latency") { (cache, driver) throws(AssayError) in
            try latency(cache, driver, expected: expected, isSampled: isFast)
        }
        bench.latency = sheet.latency()
        if !load.rates.isEmpty || load.traceSpeeds != nil || load.kneeTarget != nil {
            try withCache(directory + "/rates") { (_, driver) throws(AssayError) in
                try openLoop(driver, closedLoopRate: Double(measuredRequests) / bench.seconds, &bench)
            }
        }
        if measuresCosts {
            bench.costs = try HarnessCostProbe.measure(
                load, requests, keys: keys, hitShare: Double(expected.hits) / Double(max(1, expected.requests)),
                seed: subject.configuration.seed)
        }
        return Timing(
            counts: counts, requestsPerSecond: Double(measuredRequests) / bench.seconds,
            latency: LatencyFigures(
                get: sheet.summary(of: .hit, .miss), put: sheet.summary(of: .put, .evictingPut)), bench: bench,
            refusedOffers: refusedOffers == 0 ? nil : refusedOffers)
    }

    /// Runs the throughput pass once more; returns its requests a second.
    ///
    /// - Throws: `AssayError` as ``timing(directory:measuresCosts:)`` does.
    public func throughputAgain(directory: String) throws(AssayError) -> Double {
        var bench = BenchTiming()
        _ = try withCache(directory) { (cache, driver) throws(AssayError) in try throughput(cache, driver, &bench) }
        return Double(measuredRequests) / bench.seconds
    }

    /// A driver of this run's load over a cache.
    typealias Driver = LoadDriver<SubjectCache, SystemLoadClock>

    /// Opens an empty cache, and closes it when `body` has ended.
    func withCache<Result>(
        _ directory: String, _ body: (SubjectCache, Driver) throws(AssayError) -> Result
    ) throws(AssayError) -> Result {
        let ledger = newLedger()
        let cache = try newCache(over: openLocation(directory), ledger)
        let result = try body(cache, driver(cache, ledger))
        try end(cache)
        return result
    }

    /// An account of what is written, empty.
    func newLedger() -> PayloadLedger {
        PayloadLedger(keys: keys, texture: Payload.Texture(compressionRatio: load.compressionRatio))
    }

    /// A cache over what is empty unless `mayHoldEntries`.
    func newCache(
        over location: StoreLocation, _ ledger: PayloadLedger, mayHoldEntries: Bool = false
    ) throws(AssayError) -> SubjectCache {
        try SubjectCache(
            subject, over: location, ledger: ledger, identities: identities,
            mayHoldEntries: mayHoldEntries)
    }

    /// A driver that puts the load on a cache.
    func driver(_ cache: SubjectCache, _ ledger: PayloadLedger) -> Driver {
        Driver(load, cache, requests, ledger, seed: subject.configuration.seed, clock: SystemLoadClock())
    }

    /// Closes a cache. A store that does not go with its directory is emptied first, for the pass that comes next.
    func end(_ cache: SubjectCache) throws(AssayError) {
        if !subject.needsDirectory { try cache.clear() }
        try cache.close()
    }

    /// Opens the backend, if there is one, which may be used by all threads of the load.
    func openLocation(_ directory: String) throws(AssayError) -> StoreLocation {
        guard case .engine(_, let backend, let parameters) = subject.kind else { return .directory(directory) }
        do throws(StoreError) {
            return .backend(
                try backend.open(
                    directory: backend.descriptor.needsDirectory ? directory : nil, parameters: parameters))
        } catch {
            throw AssayError(
                .unavailable, "the backend \(backend.descriptor.name) could not be opened in \(directory)",
                cause: error)
        }
    }
}
