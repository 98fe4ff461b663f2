public import CacheCore

/// In which order the policy of a cache is told of reads.
public enum CacheOrder: String, Sendable, Hashable, CaseIterable, Codable {
    /// In the order of each thread, before anything else happens: reads share a lock, and threads that read do not
    /// wait for one another. One thread alone finds the order that ``strict`` has, hit for hit. Two that read between one
    /// write and the next may be told of in another order than that in which they read; a task that goes on in another thread
    /// is two threads.
    ///
    /// Where a hit pushes nobody out (`PolicyDeviations.evictsOnHit`), and nobody is told of requests
    /// (``CacheOptions/onRequest``); any other cache is strict. Threads beyond the first 64 at once, and reads that extend an
    /// entry's time, take the lock alone.
    case relaxed
    /// In the one order of all reads and writes, each under the lock.
    case strict
}

/// How a cache behaves, besides its policy. Every feature that is left at its default costs nothing.
public struct CacheOptions<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// How much the cache may hold: entries, or the sum of what the ``weigher`` says.
    public var capacity: Capacity
    /// In which order the policy is told of reads.
    public var order = CacheOrder.relaxed
    /// What an entry weighs, at least 0; negative weights count as 0. Needed exactly where the capacity is in bytes. Called
    /// outside of the lock, except by ``Cache/compute(_:expiring:tags:_:)``.
    public var weigher: (@Sendable (Key, Value) -> Int)?
    /// The least that an entry weighs, for a capacity in bytes: bounds the entries that there may be. 0 where entries may weigh
    /// nothing, which leaves them bounded by 2^32 alone.
    public var smallestWeight = 1
    /// The entries that a capacity in bytes is expected to hold: the policy is made for so many at first.
    ///
    /// When there are more, it is made anew for twice as many, which keeps the residents and their order but not what else
    /// it has learned.
    public var expectedEntries = 4096
    /// When entries expire.
    public var expiry: ExpiryRule<Key, Value> = .never
    /// How long after its deadline an entry may be served by a loading read, which then loads a fresh value beside it.
    public var staleWhileRevalidate: Duration = .zero
    /// How long after its deadline an entry may be served by a loading read whose load fails.
    public var staleIfError: Duration = .zero
    /// How old a value may get before a loading read that finds it loads a fresh one beside it; nil for any age.
    public var refreshAfter: Duration?
    /// How long the knowledge that a key has no value is kept; nil for not at all. It takes the room of an entry of weight 1.
    public var negativeTimeToLive: Duration?
    /// What may enter; nil for everything.
    public var admission: AdmissionSelection?
    /// What a policy that remembers entries which have left, in a sketch or a filter, knows a key by; nil for a hash that
    /// each process draws anew. Give one whose lower half differs from key to key to make its choices reproducible. Called
    /// under the lock, for keys that are new.
    public var identity: (@Sendable (Key) -> UInt64)?
    /// The seed of everything random in the policy.
    public var seed: UInt64 = 1
    /// Told of every request, nil for nobody: reads that are counted, writes and removals, also those that loads make. Peeks,
    /// changes of expiry, clearing, resizing, closing, and what leaves by itself are no requests.
    ///
    /// It is called under the lock, in the order of the requests: it must be short and must not use the cache.
    public var onRequest: (@Sendable (RequestEvent<Key>) -> Void)?
    /// Where the time comes from.
    public var clock: any CacheClock = SystemClock()

    /// Where tasks of the cache's own run, those of loads and refreshes, and the work of a backend that tasks wait for; nil
    /// for the process's pool, and for threads that may block.
    public var executor: (any TaskExecutor)?

    /// The defaults for a capacity.
    public init(capacity: Capacity) { self.capacity = capacity }

    /// Whether reads matter to what becomes of an entry, which a backend knows nothing of.
    var knowsReads: Bool {
        if case .afterAccess = expiry { return true }
        return refreshAfter != nil || staleIfError > .zero || staleWhileRevalidate > .zero || negativeTimeToLive != nil
    }

    /// Checks that the options go together.
    ///
    /// - Throws: `AssayError` with code `usage` that says which do not.
    func validate() throws(AssayError) {
        func require(_ holds: Bool, _ message: String) throws(AssayError) {
            if !holds { throw AssayError(.usage, message) }
        }
        try require(
            (1...Capacity.largestAmount).contains(capacity.amount),
            "a cache of \(capacity) cannot be made. Give a capacity from 1 to 2^53.")
        try require(
            (weigher != nil) == (capacity.unit == .bytes),
            weigher == nil
                ? "a capacity in bytes needs a weigher. Set one, or give a capacity in objects."
                : "a weigher has no use with a capacity in objects. Give a capacity in bytes, or no weigher.")
        try require(
            smallestWeight >= 0 && expectedEntries > 0,
            "the smallest weight must not be negative, and the expected entries must be at least 1.")
        try require(
            staleWhileRevalidate >= .zero && staleIfError >= .zero && refreshAfter.map { $0 > .zero } ?? true,
            "a time for stale values must not be negative, and the age for a refresh must be above 0.")
        if case .afterAccess(let time) = expiry {
            try require(time > .zero, "entries that expire at once cannot be read. Give a time above 0.")
        }
    }
}
