public import CacheConformance

/// A value in the parameters of a checked call: kinds that a digest could mix up.
public indirect enum CallValue: Hashable, Sendable {
    /// A named part of a record.
    public struct Member: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: CallValue

        /// A part.
        public init(_ name: String, _ value: CallValue) {
            self.name = name
            self.value = value
        }
    }

    /// Nil.
    case nothing
    /// Yes or no.
    case flag(Bool)
    /// A whole number.
    case integer(Int)
    /// A floating-point number.
    case number(Double)
    /// Text.
    case text(String)
    /// Values in an order that matters.
    case list([CallValue])
    /// A dictionary, in the order in which it was filled.
    case record([Member])
}

/// One call as the checks make it.
public struct CheckedCall: Sendable, Hashable {
    /// The function's name.
    public var function = "f"
    /// Its parameters; nil for none.
    public var parameters: CallValue? = .integer(1)
    /// The policy by its name in ``CacheSystems/FetchPolicy``, or a name that there is not.
    public var policy: String
    /// The errors of the origin after which the cache may answer; nil for all.
    public var fallsBackOn: Set<String>?
    /// The limit of age of this call; nil for the cache's.
    public var maxAgeNanoseconds: Int64?

    /// A call of `f` with 1.
    public init(_ policy: String, parameters: CallValue? = .integer(1), function: String = "f") {
        self.policy = policy
        self.parameters = parameters
        self.function = function
    }
}

/// A reply to a call.
public enum CallReply: Hashable, Sendable {
    /// An answer from the cache, with the origin's error that it stands for, where one can be seen.
    case cached(String?, originError: String? = nil)
    /// An answer of the origin.
    case fresh(String?)
    /// The origin's error.
    case failed(String)
    /// That the cache has none.
    case missing
}

/// What became of one call.
public struct CallTrail: Sendable, Hashable {
    /// The replies, in order.
    public var replies: [CallReply]
    /// Whether a reply came on the caller's thread before the call returned.
    public var isReentrant: Bool

    /// The replies of one call.
    public init(_ replies: [CallReply] = [], isReentrant: Bool = false) {
        self.replies = replies
        self.isReentrant = isReentrant
    }
}

/// The error of a checked origin, known by its text.
public struct CallTrouble: Error, Sendable, Hashable {
    /// The text.
    public let text: String

    /// An error.
    public init(_ text: String) { self.text = text }
}

/// An open cache of calls as its checks drive it. All that are open in one directory have one clock, which goes on while they are
/// closed.
public protocol CallCacheInstance: AnyObject, Sendable {
    /// Calls, and returns after the last reply. The text "unencodable" cannot be stored. The origin throws ``CallTrouble``.
    func call(_ call: CheckedCall, origin: @escaping @Sendable () throws -> String?) throws -> CallTrail
    /// Whether there is an answer for such a call.
    func isCached(_ call: CheckedCall) throws -> Bool
    /// Removes the answer for such a call.
    func remove(_ call: CheckedCall) throws
    /// Removes every answer.
    func removeAll() throws
    /// Sets the limit of age for all calls.
    func setMaxAge(nanoseconds: Int64) throws
    /// Moves the clock.
    func advance(nanoseconds: Int64)
    /// How often it has swept its store on its own.
    var sweeps: Int { get }
    /// The bytes that its answers take in the store.
    func storedBytes() throws -> Int
    /// Changes a byte in every file, and empties memory.
    func damage() throws
    /// Ends its use. The store is closed with the last of those that were opened together.
    func close() throws
}

/// A cache of calls as the suite drives it.
public protocol CallCacheSubject: CacheSubject {
    /// Opens caches of these names over one store in a directory, which may have a limit in bytes for each.
    func openCalls(_ names: [String], in directory: String, storeBytesMax: Int?) throws -> [any CallCacheInstance]
}
