public import CacheEngine

/// How a ``CallCache`` behaves, besides its policies.
public struct CallCacheOptions: Sendable {
    /// What its answers are known by in the store. Caches of different names in one store see nothing of each other.
    public var name: String
    /// The limit of age to begin with; nil for the one that was last set in this store, and none in a new one.
    public var maxAge: Duration?
    /// The answers that memory holds in front of the store; 0 for no memory.
    public var memoryAnswersMax = 1000
    /// How many bytes the store may hold of this cache; nil for no limit. What must leave is the store policy's choice.
    public var storeBytesMax: Int?
    /// For how long an origin that has failed is not asked again with the same parameters by calls that share requests: they get its
    /// error. In memory alone, for the last 1000; a removal or an answer ends it. Zero, the default, remembers no error.
    public var errorAge: Duration = .zero
    /// Whether closing the cache closes the store: not where other caches go on using it.
    public var closesStore = true
    /// Where the time comes from.
    public var clock: any CacheClock = SystemClock()
    /// Is told each event with the name of its function, empty where it is about all; on the thread where it happens, under no lock, so
    /// that it may use the cache.
    public var monitor: (@Sendable (CallEvent, String) -> Void)?

    /// The defaults under a name.
    public init(_ name: String) { self.name = name }
}
