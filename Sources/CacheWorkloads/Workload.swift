public import CacheTraces

/// A named trace, generated from a specification or recorded and checked in with its origin, or what a complete system is driven by.
public struct Workload: Sendable, Hashable {
    /// Where the requests come from.
    public enum Source: Sendable, Hashable {
        /// Made by a generator.
        case generated(WorkloadSpecification)
        /// Kept in a file.
        case recorded(Recording)
        /// No trace: what a complete system is driven by.
        case system(SystemWorkload)
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

/// What a complete system is driven by: settings that the system's own run understands.
public struct SystemWorkload: Sendable, Hashable {
    /// One setting, and where it stands.
    public struct Setting: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its value as text; numbers without underscores.
        public var text: String
        /// Its line in the file, from 1; nil if unknown.
        public var line: Int?

        /// A setting.
        public init(_ name: String, _ text: String, line: Int? = nil) {
            self.name = name
            self.text = text
            self.line = line
        }
    }

    /// The name of the system.
    public var system: String
    /// The policy that it runs with unless another is asked for.
    public var policy: String
    /// The backend that it runs with unless another is asked for, with parameters; nil for a system that needs none.
    public var backend: String?
    /// The settings, in the order of the file.
    public var settings: [Setting]

    /// A workload of a system.
    public init(system: String, policy: String, backend: String?, settings: [Setting]) {
        self.system = system
        self.policy = policy
        self.backend = backend
        self.settings = settings
    }
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
