public import CacheCore

/// What a cache promises, and so which checks are due.
///
/// What a store of bytes promises is in ``storage`` and can be named without it: `claims.retains`.
@dynamicMemberLookup
public struct Claims: Sendable, Hashable {
    /// Something that a cache can do besides keeping bytes under keys. Left out, it is not claimed.
    public enum Feature: String, Sendable, Hashable, Codable, CaseIterable {
        /// The time of expiry that a put carries is stored with its value and given back; whoever owns the clock acts on it.
        case storedExpiry
        /// A put that stores only where there is nothing, in one step.
        case putIfAbsent
        /// A write that stores only where there is something, and one that answers what it replaced (exchange): one step each.
        case replace
        /// A write that stores only where the value is the expected one, in one step.
        case compareAndSet
        /// A removal that answers what it removed, in one step.
        case take
        /// Reads and removals of several keys by one call.
        case bulk
        /// Entries with a time to live of their own, on a clock that the suite moves.
        case timeToLive
        /// A time to idle for the whole cache, set when it is opened.
        case timeToIdle
        /// A new time to live for an entry that is there.
        case touch
        /// The time to live that is left can be read.
        case remainingTime
        /// Expired entries make room before a live one is evicted.
        case expiredFirst
        /// The total of the entries' costs can be read.
        case cost
        /// The capacity can be changed while the cache is in use.
        case resize
        /// Reads that load what is missing.
        case loader
        /// That a key has no value is remembered after a load that found none.
        case negative
        /// Threads that miss one key at once share one load.
        case coalesce
        /// Writes go through to a store behind the cache before they take effect: one that fails there changes nothing of
        /// the cache, neither what was said of an entry, nor what may be served stale, waits to be loaded afresh or is
        /// known to be absent, and it is no event.
        case writer
        /// Every value that leaves is told, with the cause.
        case events
        /// Hits, misses, and what else happened, are counted.
        case statistics
        /// Name spaces that can be cleared by themselves.
        case groups
        /// Entries have tags by which they can be removed.
        case tags
        /// Writes can be made to depend on the version that was there when it was marked.
        case versions
        /// Writes of several keys by one call, answered key by key.
        case bulkPut
        /// A function puts a new value in the place of the old, or none, in one step.
        case update
        /// Numbers that are added to in one step.
        case counter
        /// Counters stop at zero instead of going below.
        case counterFloor
        /// An entry can be given another key.
        case rename
        /// A load whose origin fails answers what has expired not long ago.
        case staleServe
        /// Entries can be held so that they are not evicted.
        case pin
        /// What was read often outlives what was read once.
        case frequencyAware
        /// What was read often long ago makes room for what is read now.
        case ages
        /// Callers that wait for a load can give up.
        case cancel
        /// Loads of several keys by one call.
        case bulkLoad
        /// Entries are loaded afresh before they expire, while the old value is answered.
        case refresh
        /// Writes reach the store behind the cache later, by `flush`, `maintain` or `close` at the latest.
        case writeBehind
        /// Listeners to events can be set and taken away.
        case listener
        /// Groups can have limits of their own.
        case groupLimits
        /// The bytes on disk can be asked for.
        case diskUsage
        /// The order of eviction survives closing and opening.
        case keepsOrder
        /// There is a tier below memory.
        case tiers
        /// The bytes of old versions and removed entries are given back, at the next opening at the latest.
        case compacts
        /// Damage to the files of a closed store is noticed: what it has hit is absent or an error, and never wrong; nor are
        /// the tags and the end of what is served.
        case detectsDamage
        /// A store whose disk was full or whose directory was deleted goes on: what could not be stored is absent, and what
        /// is put once there is room is stored.
        case recovers
        /// The time during which the machine sleeps counts: what has expired meanwhile is gone.
        case countsSleep
        /// Objects are kept themselves, not copies, and let go of when they leave: instances are ``ObjectInstance``s.
        case references
        /// Values of any `Codable` type are equal after a round trip or refused by the put: instances are
        /// ``CodingInstance``s.
        case codable
        /// Operations suspend instead of blocking, as those of an actor do, and run where an executor says: instances are
        /// ``SuspendingInstance``s, opened on a ``SteppedExecutor``.
        case suspends
        /// The keys can be walked one at a time, and a walk can be left early.
        case walks
        /// A read of several keys sees them as they were at one moment.
        case snapshot
        /// The cache can be opened with a hash of its keys that has few values: ``CacheSetup/collide``.
        case collide
        /// Opened with nothing said, a cache is as its claims say: with the room of ``Claims/room``, and entries that
        /// do not end.
        case defaults
        /// Settings that make no sense are refused at opening, by an error.
        case validates
    }

    /// What a cache for several threads promises to them.
    public struct Concurrency: Sendable, Hashable, Codable {
        /// The most threads that may use it at once.
        public var clientsMax: Int
        /// Whether a read may fail to find what is there, as one that gives up on a busy lock does.
        public var readsMayMiss: Bool

        /// Reads what is stated; what is left out is as in a cache that states nothing.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init()
            clientsMax = try container.decodeIfPresent(Int.self, forKey: .clientsMax) ?? clientsMax
            readsMayMiss = try container.decodeIfPresent(Bool.self, forKey: .readsMayMiss) ?? readsMayMiss
        }

        /// Linearizable for up to eight threads.
        public init(clientsMax: Int = 8, readsMayMiss: Bool = false) {
            self.clientsMax = max(2, clientsMax)
            self.readsMayMiss = readsMayMiss
        }
    }

    /// Which versions of the files of its stores a cache knows.
    public struct Formats: Sendable, Hashable, Codable {
        /// The version that stores are written in.
        public var newest: Int
        /// Older versions whose stores are opened and brought to the newest.
        public var older: [Int]
        /// Whether every entry is kept when a store is brought to the newest version; otherwise some may be gone, whole.
        public var keepsEntries: Bool
        /// Whether the program of an older version opens a store of the newest, and keeps or drops each entry whole;
        /// otherwise it refuses the store and leaves it as it is.
        public var opensNewer: Bool

        /// Versions whose entries are all kept, and of which none opens the stores of a later one.
        public init(newest: Int, older: [Int], keepsEntries: Bool = true, opensNewer: Bool = false) {
            self.newest = newest
            self.older = older
            self.keepsEntries = keepsEntries
            self.opensNewer = opensNewer
        }
    }

    /// The promises about bytes under keys. `retains` means for a cache with a room: as long as there is room.
    public var storage: StorageClaims
    /// What the cache can do.
    public var features: Set<Feature>
    /// How much it holds; nil for no bound.
    public var room: CapacityClaim?
    /// The name of the policy whose order of eviction it keeps exactly; nil for an order of its own.
    public var order: String?
    /// What is promised to several threads, where ``storage`` says `isConcurrent`: linearizable keys, unless more is said.
    public var concurrency = Concurrency()
    /// How many faces the cache has, each of which does what the others do to the same entries; from 1 to 8.
    public var faces = 1
    /// The versions of the store's files; nil where nothing is said about stores of another version.
    public var formats: Formats?
    /// What the cache documents and does otherwise than most caches.
    public var deviations: Set<Deviation> = []
    /// Numbers that it documents, and that checks keep to.
    public var limits = Limits()

    /// The claims of a store of bytes, with more where a cache does more.
    public init(
        _ storage: StorageClaims = StorageClaims(), features: Set<Feature> = [], room: CapacityClaim? = nil,
        order: String? = nil
    ) {
        self.storage = storage
        self.features = features
        self.room = room
        self.order = order
    }

    /// A promise about bytes under keys.
    public subscript<Value>(dynamicMember path: WritableKeyPath<StorageClaims, Value>) -> Value {
        get { storage[keyPath: path] }
        set { storage[keyPath: path] = newValue }
    }

    /// Whether a feature is claimed, and the one that it needs.
    public func claims(_ feature: Feature) -> Bool {
        // What is touched gets a life, which ends by a clock that the suite moves.
        features.contains(feature) && (feature != .touch || features.contains(.timeToLive))
    }
}
