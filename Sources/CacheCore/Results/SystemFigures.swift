/// The same calls made in another way, such as without the cache.
public struct SystemAlternative: Codable, Sendable, Hashable {
    /// In which way.
    public var name: String
    /// Calls a second, in blocks between those of the throughput pass: a ratio to that is fair, the figure itself is this machine's.
    public var callsPerSecond: Double

    /// A way with its speed.
    public init(_ name: String, callsPerSecond: Double) {
        self.name = name
        self.callsPerSecond = callsPerSecond
    }
}

/// Latency of calls with one outcome, or of something that a workload does beside its calls.
public struct SystemLatency: Codable, Sendable, Hashable {
    /// An outcome, or what is done, as `opening`.
    public var operation: String
    /// How long it took. The origin's virtual time is no part of it.
    public var distribution: LatencyDistribution

    /// Latency of an operation.
    public init(_ operation: String, _ distribution: LatencyDistribution) {
        self.operation = operation
        self.distribution = distribution
    }
}

/// What a system takes up at the end of its workload, measured in a process of its own.
public struct SystemMemory: Codable, Sendable, Hashable {
    /// Who counted: `jemalloc`, `mallinfo2`, or why nobody could.
    public var meter: String
    /// Bytes that are allocated beyond those before the system was opened; nil if not measurable.
    public var allocatedBytes: Int?
    /// The most of them at any of 64 looks at equal distances; nil if not measurable.
    public var peakBytes: Int?
    /// The growth of the process's resident set, in bytes; nil if unknown.
    public var residentSetBytes: Int?
    /// Entries that are kept, in memory and in the store, each once.
    public var entries: Int
    /// The space that its files take, in bytes of allocated blocks; nil for a system without files.
    public var diskBytes: Int?
    /// How many files it has; nil for a system without files.
    public var diskFiles: Int?
    /// How long it took to open it again, in nanoseconds; nil for a system without files.
    public var openNanoseconds: Int?
    /// Entries that were there when it had been opened again; nil for a system without files.
    public var entriesOpened: Int?

    /// What was counted of a system with so many entries.
    public init(meter: String, entries: Int) {
        self.meter = meter
        self.entries = entries
    }
}

/// A figure that only one kind of system has.
public struct SystemFigure: Codable, Sendable, Hashable {
    /// What a figure's number is.
    public enum Unit: String, Codable, Sendable, Hashable, CaseIterable {
        /// How many.
        case count
        /// A part of 1.
        case ratio
        /// Bytes.
        case bytes
        /// Time, in nanoseconds.
        case nanoseconds
        /// How many a second.
        case perSecond = "per second"
        /// Bytes a second.
        case bytesPerSecond = "bytes per second"
        /// How many times as much as something else.
        case times
    }

    /// What it says, in a few words.
    public var name: String
    /// How much.
    public var value: Double
    /// Of what.
    public var unit: Unit

    /// A figure.
    public init(_ name: String, _ value: Double, _ unit: Unit) {
        self.name = name
        self.value = value
        self.unit = unit
    }

    /// A number of things.
    public init(_ name: String, count: Int) { self.init(name, Double(count), .count) }

    /// A part of a whole; 0 of nothing.
    public init(_ name: String, _ part: Int, of whole: Int) {
        self.init(name, whole == 0 ? 0 : Double(part) / Double(whole), .ratio)
    }
}
