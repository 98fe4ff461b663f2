/// The verdicts on recorded histories: what `assay check-history` writes.
public struct HistoryResults: Codable, Sendable, Hashable {
    /// The version that this code writes.
    public static var currentSchemaVersion: Int { 1 }

    /// The version of the schema, raised when a field changes its meaning.
    public var schemaVersion: Int
    /// The Assay version that wrote it.
    public var assayVersion: String
    /// The arguments after `assay`, enough to run it again.
    public var commandLine: [String]
    /// What the caches were allowed to do: `exact`, `evicting` or `lossy`.
    public var semantics: String
    /// One result a file, in the order of the command line.
    public var histories: [HistoryResult]

    /// Results under one semantics.
    public init(assayVersion: String, commandLine: [String], semantics: String, histories: [HistoryResult]) {
        schemaVersion = Self.currentSchemaVersion
        self.assayVersion = assayVersion
        self.commandLine = commandLine
        self.semantics = semantics
        self.histories = histories
    }

    /// The number of histories with a verdict.
    public func count(_ verdict: HistoryResult.Verdict) -> Int { histories.count { $0.verdict == verdict } }
}

/// The verdict on one history.
public struct HistoryResult: Codable, Sendable, Hashable {
    /// Whether an order of the operations explains every answer.
    public enum Verdict: String, Codable, Sendable, Hashable, CaseIterable {
        /// One does.
        case linearizable
        /// None does.
        case notLinearizable = "not linearizable"
        /// A limit was reached first.
        case unknown
        /// The file could not be read.
        case unread
    }

    /// The file.
    public var source: String
    /// The verdict.
    public var verdict: Verdict
    /// Why, unless the history is linearizable.
    public var reason: String?
    /// How many operations the history has.
    public var operations: Int
    /// How many keys it has.
    public var keys: Int
    /// How many keys were decided by their zones, without a search.
    public var keysByZones: Int
    /// How many configurations the searches of the other keys went through.
    public var configurations: Int
    /// The key at fault with the fewest operations, where there is one.
    public var fault: HistoryFault?

    /// A verdict with what it stands on.
    public init(
        source: String, verdict: Verdict, reason: String?, operations: Int = 0, keys: Int = 0, keysByZones: Int = 0,
        configurations: Int = 0, fault: HistoryFault? = nil
    ) {
        self.source = source
        self.verdict = verdict
        self.reason = reason
        self.operations = operations
        self.keys = keys
        self.keysByZones = keysByZones
        self.configurations = configurations
        self.fault = fault
    }
}

/// Operations of one key that no order explains, and what happened around them.
public struct HistoryFault: Codable, Sendable, Hashable {
    /// The key; empty where the history is of one register.
    public var key: String
    /// How many keys are at fault.
    public var keysAtFault: Int
    /// `nanoseconds`, or `events` for places in a log.
    public var timeUnit: String
    /// Whether the witness counts from the empty cache; otherwise it is impossible whatever went before.
    public var knowsInitialState: Bool
    /// The operations of the key in and around the witness, by time of call.
    public var operations: [HistoryLine]

    /// A fault of one key.
    public init(
        key: String, keysAtFault: Int, timeUnit: String, knowsInitialState: Bool, operations: [HistoryLine]
    ) {
        self.key = key
        self.keysAtFault = keysAtFault
        self.timeUnit = timeUnit
        self.knowsInitialState = knowsInitialState
        self.operations = operations
    }
}

/// One operation in words.
public struct HistoryLine: Codable, Sendable, Hashable {
    /// Who asked.
    public var client: Int
    /// What was asked and answered: `get: 7`.
    public var text: String
    /// When it was called, in the fault's unit of time.
    public var callTime: Int64
    /// When it returned; nil if its outcome is not known.
    public var returnTime: Int64?
    /// Whether it is one of those that contradict each other.
    public var isWitness: Bool

    /// An operation in words.
    public init(client: Int, text: String, callTime: Int64, returnTime: Int64?, isWitness: Bool) {
        self.client = client
        self.text = text
        self.callTime = callTime
        self.returnTime = returnTime
        self.isWitness = isWitness
    }
}
