public import CacheCore

/// What an operation answered.
public enum OperationResult: Hashable, Sendable {
    /// It returned without a value.
    case done
    /// It returned an entry, or none.
    case entry(StoredEntry?)
    /// It returned an entry, or none, for each key.
    case entries([StoredEntry?])
    /// It returned yes or no.
    case flag(Bool)
    /// It returned a number.
    case number(Int)
    /// It returned keys.
    case keys([[UInt8]])
    /// It returned a time in nanoseconds, or none.
    case time(Int64?)
    /// It returned the counters.
    case statistics(CacheCounters)
    /// It returned what had left, oldest first.
    case events([CacheEvent])
    /// It returned what a load brought, and how often the origin was asked.
    case loaded(LoadOutcome, calls: Int)
    /// It returned what the writer was given, oldest first.
    case writes([WrittenEntry])
    /// It returned yes or no for each key.
    case flags([Bool])
    /// It returned what a load of several keys brought, and the keys that the origin was asked for.
    case loadedMany([LoadOutcome], asked: [[UInt8]])
    /// It threw.
    case failure(StoreError)

    /// The bytes of an entry.
    var value: [UInt8]? { if case .entry(let entry) = self { entry?.value } else { nil } }
    /// What it threw.
    var error: StoreError? { if case .failure(let error) = self { error } else { nil } }
    /// How often an origin was asked.
    var calls: Int { if case .loaded(_, let calls) = self { calls } else { 0 } }
    /// Whether the cache says that it does not do this.
    var isUnsupported: Bool { error?.code == .unsupported }

    /// Whether it is what a removal answers that does not tell whether there was something.
    var isUntold: Bool {
        switch self {
        case .done, .flag: true
        default: false
        }
    }

    /// Whether the answer shows that something was stored.
    var isHit: Bool {
        switch self {
        case .entry(.some), .flag(true), .loaded(.value, calls: 0): true
        case .entries(let entries): entries.contains { $0 != nil }
        case .flags(let flags): flags.contains(true)
        default: false
        }
    }
}

/// What a cache has counted since it was opened; nil for what it does not count.
public struct CacheCounters: Hashable, Sendable, Codable {
    /// Reads that found a value.
    public var hits: Int?
    /// Reads that found none.
    public var misses: Int?
    /// Values that left to make room.
    public var evictions: Int?
    /// Values whose time was over.
    public var expirations: Int?
    /// Loads that brought a value or the knowledge that there is none.
    public var loads: Int?
    /// Loads that failed.
    public var loadFailures: Int?
    /// Hits over reads, as the cache itself works it out.
    public var hitRatio: Double?
    /// Reads that a tier below memory answered.
    public var lowerHits: Int?

    /// Nothing counted.
    public init() {}
}

/// A value that has left.
public struct CacheEvent: Hashable, Sendable {
    /// Why a value left.
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// To make room.
        case evicted
        /// Its time was over.
        case expired
        /// Another value took its place.
        case replaced
        /// It was removed, alone, by its tag, with its group or with everything.
        case removed
    }

    /// The group's name, nil outside of groups.
    public var group: String?
    /// The key.
    public var key: [UInt8]
    /// The value that left.
    public var value: [UInt8]
    /// Why.
    public var cause: Cause

    /// A value that has left.
    public init(group: String? = nil, key: [UInt8], value: [UInt8], cause: Cause) {
        self.group = group
        self.key = key
        self.value = value
        self.cause = cause
    }
}

/// What the writer behind a cache was given: a value, or nil for a removal.
public struct WrittenEntry: Hashable, Sendable {
    /// The key.
    public var key: [UInt8]
    /// The value; nil if the key was removed.
    public var value: [UInt8]?

    /// What was written.
    public init(key: [UInt8], value: [UInt8]?) {
        self.key = key
        self.value = value
    }
}

/// What a reading that loads brings.
public enum LoadOutcome: Hashable, Sendable {
    /// A value.
    case value(StoredEntry)
    /// The knowledge that there is none.
    case nothing
    /// The origin's error.
    case failed
}

/// Where a load gets its value from, and what happens to the cache meanwhile.
public struct Origin: Hashable, Sendable {
    /// What the origin has.
    public enum Answer: Hashable, Sendable {
        /// A value, stored with these terms.
        case value(Payload, PutTerms = .plain)
        /// No value.
        case nothing
        /// An error.
        case failure
    }

    /// What it has.
    public var answer: Answer
    /// What somebody does to the same cache between the origin's being asked and its answer.
    public var meanwhile: [CacheOperation]

    /// An origin.
    public init(_ answer: Answer, meanwhile: [CacheOperation] = []) {
        self.answer = answer
        self.meanwhile = meanwhile
    }

    /// The error of an origin that fails.
    public struct Failure: Error, Hashable, Sendable {
        /// The error.
        public init() {}
    }

    /// The origin's answer for a key, after it has done to `instance` what is done meanwhile: the body of a loader.
    public func fetch(_ key: [UInt8], for instance: any CacheInstance) throws(Failure) -> [UInt8]? {
        for operation in meanwhile {
            if case .pause(let time) = operation {
                sleepUninterrupted(.milliseconds(max(0, min(time, 1_000))))
            } else {
                _ = instance.perform(operation)
            }
        }
        switch answer {
        case .value(let payload, _): return payload.bytes(for: key)
        case .nothing: return nil
        case .failure: throw Failure()
        }
    }

    /// The terms of a value that is loaded.
    public var terms: PutTerms {
        if case .value(_, let terms) = answer { terms } else { .plain }
    }
}
