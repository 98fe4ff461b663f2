public import CacheCore

/// One step of a program that drives a cache.
public indirect enum CacheOperation: Hashable, Sendable {
    /// Stores a value, perhaps with the moment when it stops being valid, which a store of bytes only keeps.
    case put([UInt8], Payload, expiresAtNanoseconds: Int64? = nil, terms: PutTerms = .plain)
    /// Reads the entry under a key.
    case get([UInt8])
    /// Asks whether there is an entry under a key.
    case contains([UInt8])
    /// Removes the entry under a key.
    case remove([UInt8])
    /// Removes every entry; inside ``within(group:_:)`` those of the group.
    case removeAll
    /// Asks for the number of entries.
    case count
    /// Asks for every key.
    case keys
    /// Walks the keys and leaves the walk after so many; answers those.
    case firstKeys(Int)
    /// Makes everything acknowledged durable.
    case flush
    /// Closes the store; only `close` and `reopen` may follow.
    case close
    /// Closes the store and opens it again in the same directory.
    case reopen
    /// Closes the store, renames its directory and opens it there.
    case relocate
    /// Lets go of the store without closing it and opens it again.
    case abandon
    /// Closes the store of an older version and opens it with the newest program.
    case upgrade

    /// Stores a value if the key has none; answers whether it did.
    case putIfAbsent([UInt8], Payload, terms: PutTerms = .plain)
    /// Stores a value if the key has one; answers whether it did.
    case replace([UInt8], Payload, terms: PutTerms = .plain)
    /// Stores the second value if the key has the first; answers whether it did.
    case compareAndSet([UInt8], expected: Payload, Payload)
    /// Stores a value and answers the one that was there.
    case exchange([UInt8], Payload)
    /// Removes a value and answers it.
    case take([UInt8])
    /// Reads several keys; answers one entry or none for each, in their order.
    case getMany([[UInt8]])
    /// Removes several keys; answers how many had a value.
    case removeMany([[UInt8]])

    /// Moves the clock on.
    case advance(nanoseconds: Int64)
    /// Moves the wall clock alone, as an administrator does.
    case moveWallClock(nanoseconds: Int64)
    /// Lets time pass while the machine sleeps: only clocks that go on then move.
    case sleep(nanoseconds: Int64)
    /// Gives an entry a new time to live from now on; answers whether there was one.
    case touch([UInt8], timeToLiveNanoseconds: Int64)
    /// Asks how long an entry lives; answers nil where there is none, and where it never expires.
    case remainingTime([UInt8])

    /// Asks for the sum of the entries' costs.
    case cost
    /// Changes the capacity.
    case resize(Int)
    /// Does at once what the cache would do in its own time: expire, evict, tell.
    case maintain
    /// Asks for the counters.
    case statistics
    /// Asks what has left since this was asked last.
    case events
    /// Reads a key, loading it if it is missing.
    case load([UInt8], Origin)
    /// Waits in real time, to hold an origin up while others come.
    case pause(milliseconds: Int)
    /// Asks what the writer was given since this was asked last.
    case writes
    /// Makes the writer fail from now on, or work again: what it does not take leaves the cache as it was.
    case failWrites(Bool)
    /// Does something in a group: put, get, contains, remove, removeAll, count, keys or load; nothing else is asked there.
    case within(group: String, CacheOperation)
    /// Removes every entry with a tag.
    case removeTagged(String)

    /// Remembers which version of its entry a key has; answers whether there is one.
    case mark([UInt8])
    /// Stores a value if the key still has the version that was marked; answers whether it did.
    case setIfMarked([UInt8], Payload)
    /// Removes a key if it still has the version that was marked; answers whether it did.
    case removeIfMarked([UInt8])
    /// Stores several values one after the other, as puts do; answers for each, in their order, whether it was stored.
    case putMany([KeyedPayload])
    /// Puts in the place of what is there what ``Change/result(for:old:)`` makes of it, in one step; answers the new value.
    case update([UInt8], Change)
    /// Adds to the number under a key, which is kept as decimal text and begins at 0; answers the sum.
    case increment([UInt8], by: Int)
    /// Gives an entry another key, with everything that belongs to it; answers whether there was one.
    case rename([UInt8], to: [UInt8])
    /// Holds an entry so that it is not evicted; answers whether there is one.
    case pin([UInt8])
    /// Lets an entry be evicted again; answers whether there is one.
    case unpin([UInt8])
    /// Reads several keys, loading what is missing by one call of an origin that has the values numbered from `sequence` on,
    /// but none for the keys in `lacking`.
    case loadMany([[UInt8]], lacking: [[UInt8]], sequence: Int)
    /// Makes the caller that began the load of a key give up, as a cancelled task does; only while that is loaded.
    case giveUp([UInt8])
    /// Makes the writer fail for these keys alone.
    case failWritesOf([[UInt8]])
    /// Sets what listens to the events from now on.
    case listen(Listener)
    /// Bounds how many entries a group may have.
    case limitGroup(String, Int)
    /// Asks how many bytes the cache takes on its disk.
    case diskUsage
    /// Drops what is in memory and also in a lower tier, as under a warning that memory is short.
    case dropMemory
    /// Makes writes to the lower tier fail from now on, or work again.
    case failLower(Bool)

    /// The key that the operation names, if it names one.
    public var key: [UInt8]? {
        switch self {
        case .put(let key, _, _, _), .get(let key), .contains(let key), .remove(let key), .putIfAbsent(let key, _, _),
            .replace(let key, _, _), .compareAndSet(let key, _, _), .exchange(let key, _), .take(let key),
            .touch(let key, _), .remainingTime(let key), .load(let key, _), .mark(let key), .setIfMarked(let key, _),
            .removeIfMarked(let key), .update(let key, _), .increment(let key, _), .rename(let key, _), .pin(let key),
            .unpin(let key), .giveUp(let key):
            key
        case .within(_, let inner): inner.key
        default: nil
        }
    }

    /// The entry that the operation would store, if it is one that stores.
    public var entry: StoredEntry? {
        switch self {
        case .put(let key, let payload, let expiry, _):
            StoredEntry(payload.bytes(for: key), expiresAtNanoseconds: expiry)
        case .putIfAbsent(let key, let payload, _), .replace(let key, let payload, _),
            .compareAndSet(let key, _, let payload), .exchange(let key, let payload),
            .setIfMarked(let key, let payload):
            StoredEntry(payload.bytes(for: key))
        case .within(_, let inner): inner.entry
        default: nil
        }
    }

    /// Whether the operation may follow `close`.
    var isLifeCycle: Bool {
        switch self {
        case .close, .reopen, .relocate, .abandon, .upgrade: true
        default: false
        }
    }
}

/// What a write says about its entry besides the value.
public struct PutTerms: Hashable, Sendable, Codable {
    /// How long it lives; nil for without end, 0 and less for not at all.
    public var timeToLiveNanoseconds: Int64?
    /// What it costs, for a cache with a capacity in bytes; at least 0.
    public var cost: Int
    /// The tags by which it can be removed.
    public var tags: [String]

    /// No end, a cost of 1, no tags.
    public static let plain = PutTerms()

    /// Terms; what is left out is plain.
    public init(timeToLiveNanoseconds: Int64? = nil, cost: Int = 1, tags: [String] = []) {
        self.timeToLiveNanoseconds = timeToLiveNanoseconds
        self.cost = cost
        self.tags = tags
    }

    /// Reads terms; what is left out is plain: no end, a cost of 1, no tags.
    ///
    /// - Throws: `DecodingError` for a member of another type.
    public init(from decoder: any Decoder) throws {
        let terms = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            timeToLiveNanoseconds: try terms.decodeIfPresent(Int64.self, forKey: .timeToLiveNanoseconds),
            cost: try terms.decodeIfPresent(Int.self, forKey: .cost) ?? 1,
            tags: try terms.decodeIfPresent([String].self, forKey: .tags) ?? [])
    }
}

/// A sequence of operations on a cache that is opened empty before the first.
public struct Program: Hashable, Sendable {
    /// What the cache is opened with.
    public var setup: CacheSetup
    /// The operations, in order.
    public var operations: [CacheOperation]

    /// A program of these operations.
    public init(_ operations: [CacheOperation], setup: CacheSetup = CacheSetup()) {
        self.operations = operations
        self.setup = setup
    }

    /// The distinct keys, in order of first use.
    var keys: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return operations.compactMap(\.key).filter { seen.insert($0).inserted }
    }
}
