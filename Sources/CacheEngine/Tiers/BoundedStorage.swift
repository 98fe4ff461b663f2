public import CacheCore

/// A backend that holds no more than so much: a policy decides what leaves another backend.
///
/// It makes a size limit out of any store, and is a store itself, so that it can be the lower tier of a ``TieredCache``.
/// What weighs more than the whole limit is refused as `valueRefused`, and the old value under its key is dropped. The keys
/// and their order are in memory and are taken over from the store at opening, in the order in which it lists them. Expiry
/// travels with the entry and ends nothing here. O(1) besides the store's own work.
public final class BoundedStorage: StorageBackend {
    /// The store's claims, without retention.
    public let claims: StorageClaims
    private let entries: StoredCache<[UInt8], [UInt8]>
    private let storage: any StorageBackend

    /// What it is; it has no place in a registry, since it needs a store to stand on.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "bounded", summary: "Another store with a limit and an eviction policy.",
            citation: "the policy's own", needsDirectory: false)
    }

    /// There is none without a store below: this always throws `unavailable`.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        throw StoreError(.unavailable, "a bounded store needs another below it; use init(_:policy:over:)")
    }

    /// A limit over a store, which belongs to it from now on. In bytes an entry weighs its key and its value.
    ///
    /// - Throws: `unavailable` for a capacity or parameters that do not go together, and what the store throws.
    public init(
        _ capacity: Capacity, policy: PolicyEntry, parameters: ParameterValues? = nil, over storage: any StorageBackend
    ) throws(StoreError) {
        guard storage.claims.iterates else {
            throw StoreError(
                .unavailable, "a store that cannot list its keys cannot be given a limit; use another one")
        }
        var options = CacheOptions<[UInt8], Int>(capacity: capacity)
        // What a read costs is the store's; so its order may be the one of all threads.
        options.order = .strict
        entries = try StoredCache(
            options, policy: policy, parameters: parameters, storage: storage, codec: .bytes, expires: false)
        self.storage = storage
        var claims = storage.claims
        claims.retains = false
        claims.isConcurrent = true
        self.claims = claims
    }

    /// What the entries weigh, in the capacity's unit. O(1).
    public var weight: Int { entries.weight }

    /// The entry under a key; the policy takes it for a request. O(1) and one read.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { try entries.entry(for: key) }

    /// Stores an entry and removes what must leave for it. O(1), one write, and one removal for each that leaves.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        guard case .refused(let reason) = try entries.put(entry, for: key), reason == .tooHeavy else { return }
        throw StoreError(
            .valueRefused,
            "\(key.count + entry.value.count) bytes are more than the whole limit; raise it or split them")
    }

    /// Removes the entry under a key. O(1) and one removal.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try entries.remove(key) }

    /// Removes every entry in one step. O(entries).
    public func removeAll() throws(StoreError) { try entries.removeAllTogether() }

    /// The number of entries. O(1).
    public func count() throws(StoreError) -> Int {
        try requireOpen()
        return entries.count
    }
    /// Every key. O(entries).
    public func keys() throws(StoreError) -> [[UInt8]] {
        try requireOpen()
        return entries.keys
    }
    /// Whether there is an entry under a key; nothing is moved. O(1).
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try requireOpen()
        return entries.contains(key)
    }
    /// Makes everything acknowledged durable at the store's level. What the store's flush costs.
    public func flush() throws(StoreError) { try entries.flush() }
    /// Closes the store. O(entries in memory), and what the store's closing costs.
    public func close() throws(StoreError) { try entries.close() }

    private func requireOpen() throws(StoreError) { if entries.isClosed { throw .closed } }
}
