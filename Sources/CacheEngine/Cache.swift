public import CacheCore
internal import RecencyPolicies

/// A thread-safe cache of values in memory, with any eviction policy.
///
/// ```swift
/// var options = CacheOptions<String, [UInt8]>(capacity: .bytes(64 << 20))
/// options.weigher = { key, value in key.utf8.count + value.count }
/// options.expiry = .afterWrite(.seconds(60))
/// let cache = try Cache(options, policy: S3FIFOPolicy<ByteSizes>.self)
/// let page = try await cache.value(for: "/index") { path in try await fetch(path) }
/// ```
///
/// ### Concurrency
/// Every operation may be called from any thread and any task. Operations on one key are linearizable: each takes effect
/// at one moment between its call and its return; so are those on all keys at once (removing all, tags, count, statistics), unless they
/// say otherwise. Bulk operations are a sequence of operations on single keys. No operation waits for anything but a short lock,
/// except those that load.
///
/// Reads share the lock with one another, and write nothing that another thread reads but the count of references of
/// what they return (``CacheOrder``). Keys are compared under the lock; their `==` must not use the cache. Values end and
/// listeners are called outside of it.
///
/// ### Complexity
/// Reading, writing and removing a key are O(1), amortised and expected, with any policy whose operations are; writing is
/// O(1) besides for each entry that makes room or whose time is over.
///
/// ### Memory
/// Flat columns: above keys and values 10 to 17 bytes an entry and what the policy takes, 4 more for a weight, 16 for an
/// expiry, 20 a tag. The cache takes 512 bytes more, and as many again for each thread that reads it; reading allocates nothing
/// besides.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: CacheProtocol {
    @usableFromInline let settings: CacheSettings<Key, Value>
    @usableFromInline let hash = KeyHash.ofProcess
    /// Orders everything that happens to the entries. Reads share it where the policy need not be told at once; it is told of
    /// them, each thread's in their order, before anything else happens.
    @usableFromInline let lock = ReaderLock()
    // Behind a pointer: a class would check exclusive access at every call.
    @usableFromInline nonisolated(unsafe) let core: UnsafeMutablePointer<CacheState<Key, Value>>
    @usableFromInline let listeners = RemovalListeners<Key, Value>()
    /// Whether reads share the lock.
    @usableFromInline let sharesReads: Bool

    /// An empty cache with a registered policy, specialised for the unit of the capacity.
    ///
    /// - Throws: `AssayError` with code `usage` for options or parameters that do not go together, and for a policy that
    ///   needs the future.
    public init(
        _ options: CacheOptions<Key, Value>, policy: PolicyEntry, parameters: ParameterValues? = nil
    ) throws(AssayError) {
        try options.validate()
        settings = CacheSettings(options, policy, parameters)
        let first = try CacheState(settings, capacity: options.capacity.amount)
        sharesReads = settings.sharesReads
        core = .allocate(capacity: 1)
        core.initialize(to: first)
    }

    deinit {
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// An empty cache of so many entries with SIEVE, which writes one bit at a hit and remembers nothing of what it has let go.
    ///
    /// ```swift
    /// let pages = Cache<String, Page>(10_000)
    /// ```
    ///
    /// A capacity below 1 or above 2^53 traps; ``init(_:policy:parameters:)`` throws, and has every option.
    public convenience init(_ capacity: Int) {
        do { try self.init(CacheOptions(capacity: .objects(capacity)), policy: .sieve) } catch {
            preconditionFailure(error.description)
        }
    }

    /// An empty cache with a policy of a type of one's own, without a registry.
    ///
    /// The type must weigh objects as the capacity counts them: `LRUPolicy<UnitSizes>` for objects,
    /// `LRUPolicy<ByteSizes>` for bytes.
    ///
    /// The policy is specialised as far as this module's compiler sees its code: for a type of one's own module, and for one
    /// whose methods are inlinable. For any other take the entry that its module registers, which is specialised there and
    /// several times faster.
    ///
    /// - Throws: `AssayError` with code `usage` for options or parameters that do not go together, and for a policy that
    ///   needs the future or weighs objects in another unit.
    @inlinable
    public convenience init<Policy: EvictionPolicy & ~Copyable>(
        _ options: CacheOptions<Key, Value>, policy: Policy.Type, parameters: ParameterValues? = nil
    ) throws(AssayError) {
        if options.capacity.unit == .bytes {
            try requireWeighing(Policy.self, parameters)
        }
        try self.init(options, policy: PolicyEntry(unit: Policy.self, bytes: Policy.self), parameters: parameters)
    }

    // MARK: One key

    /// The value of a key, nil if there is none; counts a hit or a miss and tells the policy. O(1).
    ///
    /// A value whose deadline has come is never returned. Allocates nothing, but at a thread's first read.
    @inlinable
    public func value(for key: Key) -> Value? { get(key, countsMiss: true) }

    /// The value of a key, nil if there is none; nothing is counted, moved or extended. O(1).
    @inlinable
    public func peek(_ key: Key) -> Value? { look(key) }

    /// Whether a read would find a value now; nothing is counted, moved or extended. O(1).
    @inlinable
    public func contains(_ key: Key) -> Bool { peek(key) != nil }

    /// Stores a value, in the place of any that is there; the policy takes it for a request. O(1).
    ///
    /// The new value has the expiry and the tags that are given here, or the cache's rule and none: nothing is taken over
    /// from the old one. A value that cannot be stored is refused and the old one dropped: what is there is never older
    /// than the last write. Its time starts when this is called.
    @inlinable @discardableResult
    public func put(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String]
    ) -> PutOutcome {
        // Its count of references is written under the lock.
        withUnsafePointer(to: value) { prefetchObject($0) }
        let details = settings.details(key, value, expiry, tags)
        return update(key) { core, hash in core.put(key, hash, value, details) }
    }

    /// As ``put(_:for:expiring:tags:)``, without tags.
    @inlinable @discardableResult
    public func put(_ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil) -> PutOutcome {
        put(value, for: key, expiring: expiry, tags: [])
    }

    /// Removes a value and returns it, nil if there was none. O(1).
    @inlinable @discardableResult
    public func removeValue(for key: Key) -> Value? { update(key) { core, hash in core.remove(key, hash) } }

    /// Removes a value; returns whether there was one. O(1).
    @inlinable @discardableResult
    public func remove(_ key: Key) -> Bool { removeValue(for: key) != nil }

    /// Reads as ``value(for:)`` does; writes as ``put(_:for:expiring:tags:)`` does, and removes for nil.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(for: key) }
        set {
            if let newValue { put(newValue, for: key) } else { remove(key) }
        }
    }
}

extension PolicyEntry {
    /// The policy of a cache for which nobody has chosen one.
    static let sieve = PolicyEntry(unit: SIEVEPolicy<UnitSizes>.self, bytes: SIEVEPolicy<ByteSizes>.self)
}

/// Makes sure that a policy weighs objects by their sizes.
@usableFromInline
func requireWeighing<Policy: EvictionPolicy & ~Copyable>(
    _: Policy.Type, _ parameters: ParameterValues?
) throws(AssayError) {
    let configuration = PolicyConfiguration(
        capacity: .bytes(100), objects: ObjectSpace(count: 1, smallestSize: 1),
        parameters: parameters ?? ParameterValues(defaults: Policy.descriptor.parameters))
    var policy = try Policy(configuration)
    var victims = VictimList()
    let request = Request(id: 0, size: 101)
    guard !policy.touch(request), policy.insert(request, evicting: &victims), !Policy.descriptor.isUnbounded else {
        return
    }
    throw AssayError(
        .usage,
        "\(Policy.self) counts objects and cannot weigh them. Take its specialisation for ByteSizes, or a capacity in objects."
    )
}
