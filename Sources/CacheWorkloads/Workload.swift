public import CacheTraces

/// A named trace: generated from a specification, or recorded and checked in with its origin.
public struct Workload: Sendable, Hashable {
    /// Where the requests come from.
    public enum Source: Sendable, Hashable {
        /// Made by a generator.
        case generated(WorkloadSpecification)
        /// Kept in a file.
        case recorded(Recording)
    }

    /// The name: that of its file without the ending.
    public var name: String
    /// What it is and what it is good for, in a sentence or two.
    public var description: String
    /// Who made it.
    public var origin: String
    /// The licence of the data.
    public var licence: String
    /// Where the requests come from.
    public var source: Source
    /// The YAML file that says all this.
    public var path: String
}

/// A trace file with what must be known to trust it.
public struct Recording: Sendable, Hashable {
    /// The trace file's path, resolved from the folder of the YAML file.
    public var path: String
    /// The trace format, as on the command line.
    public var format: String
    /// The SHA-256 of the file, 64 hexadecimal digits.
    public var sha256: String
    /// How it was recorded: the script and what it ran.
    public var howRecorded: String
}
