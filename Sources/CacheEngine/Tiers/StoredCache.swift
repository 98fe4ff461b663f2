public import CacheCore
internal import Synchronization

/// A thread-safe cache whose keys and order are in memory and whose values are in a backend.
///
/// The policy decides what stays; what it gives up is removed from the backend before the write returns, or as soon as whoever reads it has
/// done so. In bytes an entry weighs
/// the bytes of its key and its value, unless a weigher says otherwise. The options speak of these sizes where others speak
/// of values.
///
/// ### Concurrency
/// Operations on one key are linearizable, with the backend's effects. Those on other keys go on while the backend works, if it may be
/// used concurrently; otherwise one operation waits for the other. The backend may have as many entries more than the cache as threads
/// write.
///
/// ### Time
/// The backend keeps deadlines as dates. The date is read when the cache is opened, and goes on from there: whoever sets the
/// machine's clock moves no deadline before the cache is opened again.
///
/// ### Failures
/// A backend's failure is thrown. A read that fails leaves the entry; a write that fails leaves nothing under the key, in
/// memory or in the backend, as far as the backend can still remove it; the other entries are untouched. What should have
/// been removed and could not be is tried again at later operations and never served.
public final class StoredCache<Key: Hashable & Sendable, Value: Sendable>: CacheProtocol {
    /// What the backend throws.
    public typealias Failure = StoreError

    let index: Cache<Key, Int>
    /// The loads that are under way; it keeps no value.
    let loads: Cache<Key, Value>
    let storage: any StorageBackend
    let codec: CacheCodec<Key, Value>
    /// Whether entries leave when their time is over; otherwise the moment is kept with them for whoever owns the clock.
    let expires: Bool
    /// One lock for some of the keys each.
    let stripes: [Stripe]
    /// What has left memory and is still to be removed from the backend: noted under the index's lock, removed under the key's.
    let lost = Mutex<Set<Key>>([])
    let hasLost = Atomic(false)
    private let wasClosed = Atomic(false)

    /// Serialises what is done to a key in memory and in the backend.
    final class Stripe: Sendable { let lock = Mutex<Void>(()) }

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
        options.clock = SteadyClock(options.clock)
        var loading = CacheOptions<Key, Value>(capacity: .objects(1))
        (loading.clock, loading.executor) = (options.clock, options.executor)
        do {
            index = try Cache(options, policy: policy, parameters: parameters)
            loads = try Cache(loading, policy: .sieve)
        } catch { throw StoreError(.unavailable, error.description) }
        self.storage = storage
        self.codec = codec
        self.expires = expires
        stripes = (0..<(storage.claims.isConcurrent ? 64 : 1)).map { _ in Stripe() }
        index.update { core in core.onLoss = { [unowned self] in lose($0) } }
        try adopt()
    }

    /// The value of a key, nil if there is none. O(1) and one read.
    ///
    /// Bytes that cannot be decoded are thrown as `corrupt` once, and the entry removed.
    @_specialize(where Key == [UInt8], Value == [UInt8])  // Benches and systems have these.
    public func value(for key: Key) throws(StoreError) -> Value? {
        guard let entry = try entry(for: key) else { return nil }
        do { return try codec.decode(value: entry.value) } catch {
            let name = try codec.encode(key: key)
            // What somebody has written since is another value.
            try change(key) { () throws(StoreError) in
                if let now = try? storage.get(name), now == entry { index.remove(key) }
            }
            throw error
        }
    }

    /// The bytes of a key's value and its expiry, nil if there is none. O(1) and one read.
    func entry(for key: Key) throws(StoreError) -> StoredEntry? {
        let name = try codec.encode(key: key)
        return try change(key) { () throws(StoreError) -> StoredEntry? in
            guard index.value(for: key) != nil else { return nil }
            do throws(StoreError) {
                if let entry = try storage.get(name) { return entry }
            } catch {
                // The backend has dropped what was damaged.
                if error.code == .corrupt { forget(key) }
                throw error
            }
            // A backend that drops entries of its own.
            index.update { core in
                core.counts.hits &-= 1
                core.counts.misses &+= 1
            }
            forget(key)
            return nil
        }
    }

    /// Removes a value; returns whether there was one. O(1) and one removal.
    ///
    /// It is gone for readers of this cache even if the backend fails to remove it, which is tried again.
    @discardableResult
    @_specialize(where Key == [UInt8], Value == [UInt8])
    public func remove(_ key: Key) throws(StoreError) -> Bool {
        // A key that the codec refuses is told, there or not.
        _ = try codec.encode(key: key)
        return try change(key) { () throws(StoreError) in
            overtake(key)
            return index.remove(key)
        }
    }

    /// Whether a read would find a value; nothing is counted or moved. O(1).
    public func contains(_ key: Key) -> Bool { index.contains(key) }
    /// The keys that have values, in no order. O(entries).
    public var keys: [Key] { index.keys }
    /// The entries. O(1).
    public var count: Int { index.count }
    /// Whether the cache has been closed, which is for good. O(1).
    public var isClosed: Bool { wasClosed.load(ordering: .acquiring) }
    /// What the entries weigh, in the capacity's unit. O(1).
    public var weight: Int { index.weight }
    /// What the cache has done. O(1).
    public var statistics: CacheStatistics {
        var (all, loading) = (index.statistics, loads.statistics)
        (all.loads, all.loadFailures) = (loading.loads, loading.loadFailures)
        (all.loadsOvertaken, all.loadNanoseconds) = (loading.loadsOvertaken, loading.loadNanoseconds)
        return all
    }

    /// Adds to the counts of a run the evictions that the policy reports, of newcomers too, and what else it knows of. O(1).
    package func report(into counts: inout ReplayCounts) {
        index.update { core in
            counts.evictions += core.counts.evicted + core.counts.bounced
            counts.resized += core.counts.resized
            core.policy.report(into: &counts)
        }
    }

    /// Why the policy failed; nil while it works. O(1).
    package var policyFailure: AssayError? { index.update { core in core.formerFailure ?? core.policy.failure } }

    /// Removes every entry, from the backend too. For each key this is a removal by itself. O(entries) of removing.
    public func removeAll() {
        // A load that was found current before has stored its value when this goes on.
        withStripes { loads.removeAll() }
        index.removeAll()
        removeLost(waits: true)
    }

    /// Removes every entry in one step, in the backend's own way. O(ids), and what that costs.
    ///
    /// - Throws: the backend's `StoreError`; the entries are still there then, as far as the backend has them.
    func removeAllTogether() throws(StoreError) {
        try withStripes { () throws(StoreError) in
            try requireOpen()
            try storage.removeAll()
            loads.removeAll()
            index.removeAll()
            // The backend has removed them already.
            lost.withLock { $0 = [] }
        }
    }

    /// Removes every entry whose time is over, from the backend too, and returns how many there were. One removal for each.
    @discardableResult
    public func removeExpired() -> Int {
        defer { removeLost(waits: true) }
        return index.removeExpired()
    }

    /// Changes how much the cache may hold. As ``Cache/resize(to:)``, and one removal of the backend for each that leaves.
    public func resize(to amount: Int) throws(AssayError) {
        try index.resize(to: amount)
        removeLost(waits: true)
    }

    /// Makes everything stored so far durable at the backend's claimed level. What the backend's flush costs, and a removal for
    /// each that failed before.
    ///
    /// - Throws: the backend's `StoreError`; what was stored stays readable.
    public func flush() throws(StoreError) {
        removeLost(waits: true)
        // A backend that may not be used concurrently waits for the others here too.
        if stripes.count > 1 { return try storage.flush() }
        try withStripes { () throws(StoreError) in try storage.flush() }
    }

    /// Ends the cache's use and closes the backend, which keeps its entries as far as its claims say. O(ids), and what the
    /// backend's closing costs.
    ///
    /// - Throws: the backend's `StoreError`, and with code `inputOutput` if entries that left could not be removed from it,
    ///   after it has been closed: they may be there when it is opened again.
    public func close() throws(StoreError) {
        withStripes {
            wasClosed.store(true, ordering: .releasing)
            index.update { core in
                // What is closed stays in the backend.
                core.onLoss = nil
                core.close()
            }
            loads.close()
        }
        removeLost(waits: true)
        let left = lost.withLock { $0.count }
        try storage.close()
        guard left == 0 else {
            throw StoreError(
                .inputOutput, "\(left) entries that left could not be removed from the backend; clear it")
        }
    }

    func requireOpen() throws(StoreError) { if isClosed { throw .closed } }
}
