public import CacheCore
internal import Synchronization

/// A thread-safe cache whose keys and order are in memory and whose values are in a backend.
///
/// The policy decides what stays; what it gives up is removed from the backend in the same step. In bytes an entry weighs
/// the bytes of its key and its value, unless a weigher says otherwise. The options speak of these sizes where others speak
/// of values.
///
/// ### Concurrency
/// Each operation holds the lock of the key's shard while the backend works: operations on one key are linearizable, with
/// the backend's effects. Take as many shards as threads should work at once; with more than one shard the backend must
/// be one that may be used concurrently.
///
/// ### Time
/// The backend keeps deadlines as dates. The date is read when the cache is opened, and goes on from there: whoever sets the
/// machine's clock moves no deadline before the cache is opened again.
///
/// ### Failures
/// A backend's failure is thrown. A read that fails leaves the entry; a write that fails leaves nothing under the key, in
/// memory or in the backend, as far as the backend can still remove it; the other entries are untouched. What should have
/// been removed and could not be is tried again at later writes and never served.
public final class StoredCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    let index: Cache<Key, Int>
    let storage: any StorageBackend
    let codec: CacheCodec<Key, Value>
    /// Whether entries leave when their time is over; otherwise the moment is kept with them for whoever owns the clock.
    let expires: Bool
    /// What could not be removed from the backend; locked inside of shards, never around them.
    let remains: Mutex<Set<Key>>

    /// A cache over a backend, with the entries that are in it, in the order in which the backend lists them.
    ///
    /// What no longer fits or whose time is over is removed; what is not an entry of this cache's is left alone. A backend
    /// that cannot list its keys is taken to be empty. The cache closes the backend. O(entries) of reading. A weigher in the
    /// options is told the key and the bytes of key and value together.
    ///
    /// - Throws: `StoreError` if the backend fails, and with code `unavailable` for options that do not go together.
    public convenience init(
        _ options: CacheOptions<Key, Int>, policy: PolicyEntry, parameters: ParameterValues? = nil,
        storage: any StorageBackend, codec: CacheCodec<Key, Value>
    ) throws(StoreError) {
        try self.init(options, policy: policy, parameters: parameters, storage: storage, codec: codec, expires: true)
    }

    /// A cache whose entries expire, or only carry the moment when they do.
    init(
        _ options: CacheOptions<Key, Int>, policy: PolicyEntry, parameters: ParameterValues?,
        storage: any StorageBackend, codec: CacheCodec<Key, Value>, expires: Bool
    ) throws(StoreError) {
        guard !options.knowsReads else {
            throw StoreError(
                .unavailable,
                "a cache over a backend takes expiry after write, per entry or at a date, and no stale values or refreshes."
            )
        }
        var options = options
        if options.capacity.unit == .bytes, options.weigher == nil {
            options.weigher = { @Sendable (_: Key, bytes: Int) in bytes }
        }
        guard options.shards == 1 || storage.claims.isConcurrent else {
            throw StoreError(
                .unavailable, "a backend that may not be used concurrently cannot serve \(options.shards) shards")
        }
        options.clock = SteadyClock(options.clock)
        do { index = try Cache(options, policy: policy, parameters: parameters) } catch {
            throw StoreError(.unavailable, error.description)
        }
        self.storage = storage
        self.codec = codec
        self.expires = expires
        remains = Mutex([])
        for shard in index.shards { shard.update { $0.onLoss = { [unowned self] in removeFromStorage($0) } } }
        try adopt()
    }

    /// The value of a key, nil if there is none. O(1) and one read.
    ///
    /// Bytes that cannot be decoded are thrown as `corrupt` once, and the entry removed.
    public func value(for key: Key) throws(StoreError) -> Value? {
        guard let entry = try entry(for: key) else { return nil }
        do { return try codec.decode(value: entry.value) } catch {
            let name = try codec.encode(key: key)
            // What somebody has written since is another value.
            update(key, name) { core, hash in
                if let now = try? storage.get(name), now == entry { _ = core.remove(key, hash) }
            }
            throw error
        }
    }

    /// The bytes of a key's value and its expiry, nil if there is none. O(1) and one read.
    func entry(for key: Key) throws(StoreError) -> StoredEntry? {
        let name = try codec.encode(key: key)
        return try update(key, name) { (core, hash) throws(StoreError) -> StoredEntry? in
            try Self.requireOpen(core.isClosed)
            guard core.get(key, hash) != nil else { return nil }
            do throws(StoreError) {
                if let entry = try storage.get(name) { return entry }
            } catch {
                // The backend has dropped what was damaged.
                if error.code == .corrupt { core.drop(core.table.find(key, hash: hash), .removed) }
                throw error
            }
            // A backend that drops entries of its own.
            core.counts.hits &-= 1
            core.counts.misses &+= 1
            core.drop(core.table.find(key, hash: hash), .removed)
            return nil
        }
    }

    /// Removes a value; returns whether there was one. O(1) and one removal.
    ///
    /// It is gone for readers of this cache even if the backend fails to remove it, which is tried again.
    @discardableResult
    public func remove(_ key: Key) throws(StoreError) -> Bool {
        try update(key, codec.encode(key: key)) { (core, hash) throws(StoreError) -> Bool in
            try Self.requireOpen(core.isClosed)
            return core.remove(key, hash) != nil
        }
    }

    /// Whether a read would find a value; nothing is counted or moved. O(1).
    public func contains(_ key: Key) -> Bool {
        guard let name = try? codec.encode(key: key) else { return false }
        return update(key, name) { core, hash in core.findLive(key, hash) != ObjectID.max }
    }
    /// The keys that have values, in no order. O(entries).
    public var keys: [Key] { index.keys }
    /// The entries. O(shards).
    public var count: Int { index.count }
    /// Whether the cache has been closed, which is for good. O(1).
    public var isClosed: Bool { index.isClosed }
    /// What the entries weigh, in the capacity's unit. O(shards).
    public var weight: Int { index.weight }
    /// What the cache has done. O(shards).
    public var statistics: CacheStatistics { index.statistics }
    /// Adds to the counts of a run the evictions that the policies report, of newcomers too, and what else they know of.
    /// O(shards).
    package func report(into counts: inout ReplayCounts) {
        for shard in index.shards {
            shard.update { core in
                counts.evictions += core.counts.evicted + core.counts.bounced
                counts.resized += core.counts.resized
                core.policy.report(into: &counts)
            }
        }
    }

    /// Why the policy of a shard failed; nil while all work. O(shards).
    package var policyFailure: AssayError? {
        for shard in index.shards {
            let failure = shard.update { core in core.formerFailure ?? core.policy.failure }
            if let failure { return failure }
        }
        return nil
    }

    /// Removes every entry, from the backend too. For each key this is a removal by itself. O(entries) of removing.
    public func clear() { index.clear() }

    /// Removes every entry of a cache with one shard in one step, in the backend's own way. O(ids), and what that costs.
    ///
    /// - Throws: the backend's `StoreError`; the entries are still there then, as far as the backend has them.
    func clearTogether() throws(StoreError) {
        try index.shards[0].update { (core) throws(StoreError) in
            try Self.requireOpen(core.isClosed)
            try storage.removeAll()
            let onLoss = core.onLoss
            // The backend has removed them already.
            core.onLoss = nil
            core.clear(.cleared)
            core.onLoss = onLoss
            remains.withLock { $0 = [] }
        }
    }
    /// Removes every entry whose time is over, from the backend too. O(shards), and one removal for each.
    public func sweep() { index.sweep() }

    /// Changes how much the cache may hold. As ``Cache/resize(to:)``, and one removal of the backend for each that leaves.
    public func resize(to amount: Int) throws(AssayError) { try index.resize(to: amount) }

    /// Makes everything stored so far durable at the backend's claimed level. What the backend's flush costs, and a removal for
    /// each that failed before.
    ///
    /// - Throws: the backend's `StoreError`; what was stored stays readable.
    public func flush() throws(StoreError) {
        retryRemovals()
        try storage.flush()
    }

    /// Ends the cache's use and closes the backend, which keeps its entries as far as its claims say. O(ids), and what the
    /// backend's closing costs.
    ///
    /// - Throws: the backend's `StoreError`, and with code `inputOutput` if entries that left could not be removed from it,
    ///   after it has been closed: they may be there when it is opened again.
    public func close() throws(StoreError) {
        for shard in index.shards {
            shard.update { core in
                // No entry leaves between the two without the backend being told.
                core.onLoss = nil
                core.clear(.closed)
                core.isClosed = true
            }
        }
        retryRemovals()
        let left = remains.withLock { $0.count }
        try storage.close()
        guard left == 0 else {
            throw StoreError(
                .inputOutput, "\(left) entries that left could not be removed from the backend; clear it")
        }
    }
}
