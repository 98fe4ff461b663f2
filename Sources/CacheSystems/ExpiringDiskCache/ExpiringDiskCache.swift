public import CacheCore
public import CacheEngine

/// Typed objects on disk, each with a date of expiry, and those used lately in memory.
///
/// ```swift
/// let files = try BackendEntry(FileStorage.self).open(directory: "/var/cache/articles")
/// let articles = try ExpiringDiskCache<Article>(policy: lru, storage: files)
/// try articles.set(article, forKey: "front page", expires: .seconds(600))
/// let found = try articles.object(forKey: "front page")
/// let sure = try await articles.object(forKey: "front page", expires: .seconds(600)) { try await fetch() }
/// ```
///
/// An object is on disk when ``set(_:forKey:expires:)`` returns. One whose time is over is never served, unless one asks
/// for it, and is deleted from memory and disk by the read that finds it so. An object that is read from disk is kept in memory
/// (promotion), for the time that it has left. Any text can be a key, the empty one too; keys that Swift holds equal are one key,
/// and no two others ever share a file.
///
/// ### Concurrency
/// May be used from any thread. Operations on one key are linearizable, over both tiers. The blocking face waits for the disk; from
/// tasks use the asynchronous one, which has the same names.
///
/// ### Failures
/// A disk that fails, and a codec that throws, make the call throw. A damaged file is an error once, and then absent; for a read
/// that loads it is absent at once.
public final class ExpiringDiskCache<Object: Sendable>: Sendable {
    let tiers: TieredCache<String, Object>

    /// A cache over a store, with whatever objects are in that. The cache closes the store.
    ///
    /// - Parameters:
    ///   - policy: chooses what leaves memory.
    ///   - diskPolicy: chooses what leaves the disk where ``ExpiringDiskCacheOptions/diskBytesMax`` is set; `policy` if it is nil.
    /// - Throws: `AssayError` with code `usage` for options that do not go together, `StoreError` if the store cannot be listed.
    public init(
        _ options: ExpiringDiskCacheOptions = ExpiringDiskCacheOptions(), policy: PolicyEntry,
        diskPolicy: PolicyEntry? = nil, storage: any StorageBackend, codec: ObjectCodec<Object>
    ) throws {
        var storage = storage
        if let limit = options.diskBytesMax {
            storage = try BoundedStorage(.bytes(limit), policy: diskPolicy ?? policy, over: storage)
        }
        var memory = CacheOptions<String, Object>(capacity: .objects(options.memoryObjectsMax))
        // A task goes on in any thread: only one order of all reads is the order of its reads.
        memory.order = .strict
        memory.clock = options.clock
        tiers = try TieredCache(memory, policy: policy, over: storage, codec: Self.tierCodec(codec))
    }

    /// A cache of `Codable` objects, which are kept as JSON.
    public convenience init(
        _ options: ExpiringDiskCacheOptions = ExpiringDiskCacheOptions(), policy: PolicyEntry,
        diskPolicy: PolicyEntry? = nil, storage: any StorageBackend
    ) throws where Object: Codable {
        try self.init(options, policy: policy, diskPolicy: diskPolicy, storage: storage, codec: .json)
    }

    private static func tierCodec(_ codec: ObjectCodec<Object>) -> CacheCodec<String, Object> {
        CacheCodec(
            encodeKey: { $0.composedUTF8 },
            decodeKey: { bytes in
                guard let key = String(validating: bytes, as: UTF8.self), key.composedUTF8 == bytes else {
                    throw StoreError(.corrupt, "a key in the store is not one of this cache's")
                }
                return key
            }, encodeValue: codec.encode, decodeValue: codec.decode)
    }

    /// Stores an object, in the place of any that is there; it is on disk when this returns. One whose time is over already is not
    /// stored, and the old one is deleted.
    public func set(_ object: Object, forKey key: String, expires expiry: CacheExpiry = .never) throws(StoreError) {
        try tiers.put(object, for: key, expiring: expiry.entryExpiry)
    }

    /// The object under a key, nil if there is none or its time is over: then it is deleted from memory and disk.
    ///
    /// With `returningExpired` it is returned, expired or not, and stays; nothing is counted or promoted.
    public func object(forKey key: String, returningExpired: Bool = false) throws(StoreError) -> Object? {
        // A read that may end after the object's time would delete it.
        try returningExpired ? tiers.peek(key) : tiers.value(for: key)
    }

    /// The object under a key, loaded and stored if there is none: from memory, else from disk, else by `load`.
    ///
    /// However many ask at once, one loads, and all get its object or its error. An error is not stored. A write or a removal of the
    /// key while it is loaded wins.
    public func object(
        forKey key: String, expires expiry: CacheExpiry = .never, load: () throws -> Object
    ) throws -> Object {
        try tiers.blockingValue(for: key, expiring: expiry.entryExpiry) { _ in try load() }
    }

    /// Every object by its key; with `includingExpired` also those whose time is over. Others are deleted on the way.
    ///
    /// Each object as of some moment during the call. O(objects) of reading.
    public func allObjects(includingExpired: Bool = false) throws(StoreError) -> [String: Object] {
        var objects: [String: Object] = [:]
        for key in try tiers.storedKeys() {
            do throws(StoreError) {
                objects[key] = try object(forKey: key, returningExpired: includingExpired)
            } catch { if error.code != .corrupt { throw error } }
        }
        return objects
    }

    /// Reads as ``object(forKey:returningExpired:)`` does, writes as ``set(_:forKey:expires:)`` does, for ever, and removes for nil.
    ///
    /// A subscript cannot throw: a failure reads as nil, and leaves nothing under a key that could not be written.
    public subscript(key: String) -> Object? {
        get { (try? object(forKey: key)) ?? nil }
        set {
            guard let newValue, (try? set(newValue, forKey: key)) != nil else {
                _ = try? remove(key)
                return
            }
        }
    }

    /// Removes the object under a key from memory and disk; returns whether there was a valid one.
    @discardableResult
    public func remove(_ key: String) throws(StoreError) -> Bool { try tiers.remove(key) }
    /// Removes every object from memory and disk. Files that are not the cache's are left alone.
    public func removeAll() throws(StoreError) { try tiers.removeAll() }
    /// Removes every object whose time is over, from memory and disk; returns how many the disk held. O(objects) of reading.
    @discardableResult
    public func removeExpired() throws(StoreError) -> Int { try tiers.removeExpired() }

    /// Whether there is a valid object under a key; nothing is counted, promoted or decoded.
    public func contains(_ key: String) throws(StoreError) -> Bool { try tiers.contains(key) }
    /// Whether a valid object lies in memory.
    public func isInMemory(_ key: String) -> Bool { tiers.upperContains(key) }
    /// Empties memory alone, as when it gets scarce.
    public func dropMemory() { tiers.dropMemory() }
    /// What memory has done.
    public var memoryStatistics: CacheStatistics { tiers.upperStatistics }
    /// What the disk has done.
    public var diskStatistics: LowerTierStatistics { tiers.lowerStatistics }
    /// Makes everything stored durable at the store's claimed level.
    public func flush() throws(StoreError) { try tiers.flush() }
    /// Ends the cache's use and closes the store. Calling it again does nothing.
    public func close() throws(StoreError) { try tiers.close() }
}
