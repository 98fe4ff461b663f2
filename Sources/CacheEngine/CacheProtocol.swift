/// What every cache of this module does, for code that takes any of them.
///
/// ```swift
/// func warm<C: CacheProtocol>(_ cache: C, with pages: [C.Key: C.Value]) throws(C.Failure) {
///     for (key, page) in pages { try cache.put(page, for: key) }
/// }
/// ```
///
/// A ``Cache`` fails at nothing and waits for nothing, so that its operations are neither `throws` nor `async`. Over a backend there are
/// two of each that waits for it: one that blocks its thread, and one for tasks, which wait beside other tasks.
///
/// A key is linearizable. What else an operation promises and costs stands with each cache.
public protocol CacheProtocol<Key, Value>: Sendable {
    /// What values are kept under.
    associatedtype Key: Hashable & Sendable
    /// What is kept.
    associatedtype Value: Sendable
    /// What operations throw: `Never` in memory, `StoreError` over a backend.
    associatedtype Failure: Error = Never

    /// The value of a key, nil if there is none; counts a hit or a miss.
    func value(for key: Key) throws(Failure) -> Value?
    /// As the blocking one, for tasks.
    func value(for key: Key) async throws(Failure) -> Value?
    /// Whether a read would find a value; nothing is counted or moved.
    func contains(_ key: Key) throws(Failure) -> Bool

    /// Stores a value, in the place of any that is there, for the time that is given or the cache's own.
    @discardableResult
    func put(_ value: Value, for key: Key, expiring expiry: EntryExpiry?) throws(Failure) -> PutOutcome
    /// As the blocking one, for tasks.
    @discardableResult
    func put(_ value: Value, for key: Key, expiring expiry: EntryExpiry?) async throws(Failure) -> PutOutcome

    /// Removes a value; returns whether there was one.
    @discardableResult
    func remove(_ key: Key) throws(Failure) -> Bool
    /// As the blocking one, for tasks.
    @discardableResult
    func remove(_ key: Key) async throws(Failure) -> Bool
    /// Removes every entry.
    func removeAll() throws(Failure)
    /// Removes every entry whose time is over, without waiting for an operation to do it; returns how many there were.
    @discardableResult
    func removeExpired() throws(Failure) -> Int

    /// The entries.
    var count: Int { get throws(Failure) }
    /// The keys that have values, in no order.
    var keys: [Key] { get throws(Failure) }
    /// What the cache has done.
    var statistics: CacheStatistics { get }

    /// The value of a key, loaded and stored if there is none, once however many ask. A write or a removal meanwhile wins: the value is
    /// returned then, and not stored.
    func value(
        for key: Key, expiring expiry: EntryExpiry?, loader: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value
    /// As the asynchronous one, loaded on this thread.
    func blockingValue(
        for key: Key, expiring expiry: EntryExpiry?, loader: (Key) throws -> Value
    ) throws -> Value

    /// Makes what was stored as durable as the backend promises; nothing in memory.
    func flush() throws(Failure)
    /// Ends the use of the cache.
    func close() throws(Failure)
    /// Whether it has been closed, which is for good.
    var isClosed: Bool { get }
}

extension CacheProtocol {
    /// Stores a value for the cache's own time.
    @inlinable @discardableResult
    public func put(_ value: Value, for key: Key) throws(Failure) -> PutOutcome {
        try put(value, for: key, expiring: nil)
    }

    // Bulk operations are the operations on the single keys, one after the other, each linearizable by itself.

    /// The values of those keys that have one; counts a hit or a miss for each key once, in their order. O(keys).
    public func values(for keys: some Sequence<Key>) throws(Failure) -> [Key: Value] {
        var found: [Key: Value] = [:]
        var asked = Set<Key>()
        for key in keys where asked.insert(key).inserted { found[key] = try value(for: key) }
        return found
    }

    /// Stores every value and returns why those were refused that were. Of equal keys the last one counts. O(entries).
    @discardableResult
    public func put(
        contentsOf entries: some Sequence<(Key, Value)>, expiring expiry: EntryExpiry? = nil
    ) throws(Failure) -> [Key: RefusalReason] {
        var refused: [Key: RefusalReason] = [:]
        for (key, value) in entries {
            if case .refused(let reason) = try put(value, for: key, expiring: expiry) {
                refused[key] = reason
            } else {
                refused[key] = nil
            }
        }
        return refused
    }

    /// Removes keys and returns how many had a value. O(keys).
    @discardableResult
    public func removeAll(_ keys: some Sequence<Key>) throws(Failure) -> Int {
        var removed = 0
        for key in keys where try remove(key) { removed += 1 }
        return removed
    }
}

extension CacheProtocol where Failure == Never {
    /// Nothing: what is in memory is as durable as it gets.
    public func flush() {}
}
