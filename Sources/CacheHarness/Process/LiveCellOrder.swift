public import CacheCore

/// What a child process is asked to measure: one pass of one live combination, in words that the command line also takes.
public struct LiveCellOrder: Codable, Sendable, Hashable {
    /// Which pass to run.
    public enum Pass: String, Codable, Sendable, Hashable {
        /// Throughput, then latency.
        case timing
        /// Throughput once more.
        case throughput
        /// Memory and disk.
        case memory
        /// Fills a store and is killed.
        case crash
        /// Opens the store of a process that was killed.
        case recovery
    }

    /// The pass.
    public var pass: Pass
    /// The path of the compiled trace.
    public var trace: String
    /// The policy with its parameters, as on the command line.
    public var policy: String
    /// The admission policy with its parameters, as on the command line; nil for none.
    public var admission: String?
    /// The capacity.
    public var capacity: Capacity
    /// The backend with its parameters, as on the command line.
    public var backend: String
    /// The complete cache that takes the place of policy, admission and backend, as on the command line; nil for none.
    public var cache: String?
    /// The seed of everything random.
    public var seed: UInt64
    /// The size of each value where the trace carries no sizes, in bytes.
    public var valueBytes: Int
    /// The load: one thread and the trace once, unless a bench says otherwise.
    public var load = BenchLoad()
    /// Whether there is a memory pass: not for a cache in another process.
    public var measuresMemory = true
    /// Whether the timing pass is to measure what measuring costs.
    public var measuresCosts = true
    /// Whether the memory pass is to look for a leak.
    public var measuresLeak = false
    /// Whether to measure how long opening, closing and recovering take.
    public var measuresLifecycle = false
    /// How long the pass may take, in seconds.
    public var deadlineSeconds = 1800.0
    /// A directory that the child may fill; the parent removes it.
    public var directory: String

    /// An order for one pass.
    public init(
        pass: Pass, trace: String, policy: String,
        admission: String?, capacity: Capacity, backend: String, seed: UInt64, valueBytes: Int, directory: String
    ) {
        self.pass = pass
        self.trace = trace
        self.policy = policy
        self.admission = admission
        self.capacity = capacity
        self.backend = backend
        self.seed = seed
        self.valueBytes = valueBytes
        self.directory = directory
    }
}

/// What the child process answers.
public enum LiveCellAnswer: Codable, Sendable, Hashable {
    /// The timing pass's figures.
    case timing(LiveRun.Timing)
    /// The requests a second of one more throughput pass.
    case throughput(Double)
    /// The memory pass's figures.
    case memory(LiveRun.Memory)
    /// The lifecycle's figures; nil for a store that keeps nothing.
    case lifecycle(LifecycleFigures?)
    /// The pass ended with an error.
    case failure(CellFailure)
}
