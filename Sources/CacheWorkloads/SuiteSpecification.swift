public import CacheCore

/// A list of runs in a file: which traces, policies, capacities and backends belong together in one report.
public struct SuiteSpecification: Sendable, Hashable {
    /// Traces, policies, capacities and backends that are combined with one another, written as on the command line.
    public struct Block: Sendable, Hashable {
        /// Names of workloads or paths of traces.
        public var traces: [String]
        /// Policies with their parameters; nil for the default.
        public var policies: [String]?
        /// Capacities; nil for the default.
        public var capacities: [String]?
        /// Admission policies with their parameters; nil lets everything in.
        public var admissions: [String]?
        /// Prefetchers with their parameters; nil fetches nothing ahead.
        public var prefetchers: [String]?
        /// Whether objects expire: `ignore`, `honour` or both; nil is `ignore`.
        public var expiry: [String]?
        /// What fills the caches before anything is counted, as `500`, `10%` or `1h`; nil for nothing.
        public var warmUp: String?
        /// Seeds of everything random, each of which is run; nil for the one that the command is given.
        public var seeds: [UInt64]?
        /// Backends with their parameters; nil or empty drives the policies alone.
        public var backends: [String]?
        /// Whether the policies are driven alone as well where there are backends.
        public var simulate: Bool
        /// Where the block stands, if it was read from a file.
        public var place: AssayError.Location?

        /// A block; what is nil takes its default.
        public init(
            traces: [String], policies: [String]? = nil, capacities: [String]? = nil, admissions: [String]? = nil,
            prefetchers: [String]? = nil, expiry: [String]? = nil, warmUp: String? = nil, seeds: [UInt64]? = nil,
            backends: [String]? = nil, simulate: Bool = false, place: AssayError.Location? = nil
        ) {
            self.traces = traces
            self.policies = policies
            self.capacities = capacities
            self.admissions = admissions
            self.prefetchers = prefetchers
            self.expiry = expiry
            self.warmUp = warmUp
            self.seeds = seeds
            self.backends = backends
            self.simulate = simulate
            self.place = place
        }
    }

    /// One or two sentences about what the suite shows.
    public var description: String
    /// The blocks, in the order of the report.
    public var runs: [Block]
}
