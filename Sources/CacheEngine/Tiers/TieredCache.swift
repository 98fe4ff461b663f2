public import CacheCore
internal import Synchronization

/// A thread-safe cache in memory over a backend that holds more.
///
/// A read that misses in memory reads the backend once however many ask, and keeps what it finds in memory for the time
/// that it has left (promotion). Eviction from memory leaves the backend's copy. Expiry, removal and clearing hold for
/// both tiers.
///
/// ### Writing
/// Through: the backend first, then memory, in one step for a key. A write that the backend fails leaves what the backend has
/// kept, the old value or none, and nothing in memory; if the backend refuses the value, the old one is gone from both.
/// Back: memory at once, the backend later: at ``flush()``, at ``close()``, and when too many writes wait. Writes of one key
/// reach the backend in their order, and only the last of those that wait. What waits is found by reads.
///
/// ### Time
/// The backend keeps deadlines as dates. The date is read when the cache is opened, and goes on from there: whoever sets the
/// machine's clock moves no deadline before the cache is opened again.
///
/// ### Concurrency
/// Operations on one key are linearizable. Writers of one key wait for each other and for the backend; readers that hit in
/// memory wait for nobody.
public final class TieredCache<Key: Hashable & Sendable, Value: Sendable>: CacheProtocol {
    /// What the backend throws.
    public typealias Failure = StoreError

    /// When writes reach the backend.
    public enum Writing: Sendable, Hashable {
        /// Before they return.
        case through
        /// Later; at most so many wait, but one at least for each of 16 parts of the keys.
        case back(waiting: Int)
    }

    /// What the lower tier has done.
    public typealias LowerStatistics = LowerTierStatistics

    /// What waits to be written under one key: nil for a removal.
    typealias Waiting = StoredEntry?

    /// The upper tier. Its entries may be read and counted; write through the tiers.
    let upper: Cache<Key, Value>
    let lower: any StorageBackend
    let codec: CacheCodec<Key, Value>
    let waitingLimit: Int?
    let stripes: [Stripe]
    let counts = Mutex(LowerStatistics())
    /// What the backend has refused of writes that waited, until somebody can be told.
    let untold = Mutex<StoreError?>(nil)

    /// Serialises the writers of some keys, and holds what of theirs waits.
    final class Stripe: Sendable {
        let waiting = Mutex<[Key: Waiting]>([:])
    }

    private static var stripeCount: Int { 16 }

    /// A cache in memory as the options say over a backend, with whatever is in that. The cache closes the backend.
    ///
    /// - Throws: `AssayError` with code `usage` for options that do not go together. Expiry after access, refreshing and
    ///   stale values are refused, because the lower tier knows nothing of reads.
    public init(
        _ options: CacheOptions<Key, Value>, policy: PolicyEntry, parameters: ParameterValues? = nil,
        over lower: any StorageBackend, codec: CacheCodec<Key, Value>, writing: Writing = .through
    ) throws(AssayError) {
        guard !options.knowsReads else {
            throw AssayError(
                .usage, "a cache of two tiers takes expiry after write, per entry or at a date, and no stale values.")
        }
        guard lower.claims.isConcurrent else {
            throw AssayError(.usage, "the lower tier must be a backend that may be used concurrently.")
        }
        if case .back(let waiting) = writing {
            guard waiting > 0 else { throw AssayError(.usage, "at least 1 write must be allowed to wait.") }
            waitingLimit = max(1, waiting / Self.stripeCount)
        } else {
            waitingLimit = nil
        }
        var options = options
        options.clock = SteadyClock(options.clock)
        upper = try Cache(options, policy: policy, parameters: parameters)
        self.lower = lower
        self.codec = codec
        stripes = (0..<Self.stripeCount).map { _ in Stripe() }
    }

    /// Does something while no other writer of a key is at work, with what waits in its stripe; afterwards ends what has left
    /// memory.
    func writing<Result>(
        _ key: Key, _ body: (inout [Key: Waiting]) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        defer { upper.endLeft() }
        return try stripe(key).waiting.withLock { (waiting) throws(StoreError) in try body(&waiting) }
    }

    func stripe(_ key: Key) -> Stripe { stripes[(key.hashValue >> 8) & (stripes.count - 1)] }

    func count(_ change: (inout LowerStatistics) -> Void) { counts.withLock { change(&$0) } }

    /// Calls the backend and counts a failure.
    func attempt<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        do { return try body() } catch {
            count { $0.failures += 1 }
            throw error
        }
    }

    /// What both tiers have done: memory's counts, where a read that the backend served is a hit. One that joined another's read of the
    /// backend is a miss. O(1).
    public var statistics: CacheStatistics {
        var total = upper.statistics
        let found = lowerStatistics.hits
        total.hits += found
        total.misses -= found
        return total
    }
    /// What memory has done. O(1).
    public var upperStatistics: CacheStatistics { upper.statistics }
    /// What the lower tier has done. O(1).
    public var lowerStatistics: LowerStatistics { counts.withLock { $0 } }
    /// The entries in memory. O(1).
    public var upperCount: Int { upper.count }
    /// The writes and removals that wait for the backend. O(1).
    public var waitingCount: Int { stripes.reduce(0) { total, stripe in total + stripe.waiting.withLock { $0.count } } }
    /// Whether the cache has been closed, which is for good. O(1).
    public var isClosed: Bool { upper.isClosed }

    /// Empties memory alone, as when it gets scarce. Nothing is lost: what waits to be written goes on waiting, and what is
    /// being loaded is stored. O(entries in memory).
    public func dropMemory() { upper.removeAllKeepingLoads() }

    /// Empties memory alone of some keys, and lets no load of these that has begun store its value; returns how many it held.
    /// O(entries in memory).
    @discardableResult
    package func forgetInMemory(where isOut: (Key) -> Bool) -> Int {
        upper.forgetLoads(where: isOut)
        return upper.keys.count { isOut($0) && upper.remove($0) }
    }

    func requireOpen() throws(StoreError) { if upper.isClosed { throw .closed } }
}

/// What the lower tier has done: exact counts since the cache was made.
public struct LowerTierStatistics: Sendable, Hashable, Codable {
    /// Reads that found a valid entry in the backend, or one that waits to be written.
    public var hits = 0
    /// Reads that found none.
    public var misses = 0
    /// Entries written to the backend.
    public var writes = 0
    /// Calls of the backend that failed.
    public var failures = 0
    /// Nothing done yet.
    public init() {}
}
