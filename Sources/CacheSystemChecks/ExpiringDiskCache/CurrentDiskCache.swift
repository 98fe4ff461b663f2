public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import CacheSystems

/// ExpiringDiskCache as a subject, over any backend that keeps its entries in a directory.
public struct CurrentDiskCache: DiskCacheSubject {
    private let ground: SystemGround

    /// A subject with a policy for both tiers.
    public init(policy: PolicyEntry, storage: BackendEntry) { ground = SystemGround(policy: policy, storage: storage) }

    /// `expiring-disk-cache`.
    public var name: String { "expiring-disk-cache" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// The store's own claims, and lives and loads.
    public func claims() throws(StoreError) -> Claims { ground.claims([.timeToLive, .loader]) }

    private func cache<Object: Sendable>(
        over store: any StorageBackend, _ clock: VirtualClock, _ codec: ObjectCodec<Object>, diskBytesMax: Int? = nil
    ) throws -> ExpiringDiskCache<Object> {
        var options = ExpiringDiskCacheOptions()
        options.memoryObjectsMax = 4
        options.diskBytesMax = diskBytesMax
        options.clock = clock
        return try ExpiringDiskCache(options, policy: ground.policy, storage: store, codec: codec)
    }

    /// Opens a cache of bytes.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try ground.open(in: directory) {
            CurrentDiskCacheBytes(try cache(over: $0, $1, CurrentDiskCacheBytes.codec), $1)
        }
    }

    /// Opens a cache of texts.
    public func openTexts(in directory: String, diskBytesMax: Int?) throws -> any DiskCacheInstance {
        let clock = VirtualClock()
        let codec = ObjectCodec<String>(
            encode: { text in
                if text == "unencodable" {
                    throw StoreError(.valueRefused, "the codec has failed, as it was asked to")
                }
                return Array(text.utf8)
            }, decode: { String(decoding: $0, as: UTF8.self) })
        let store = try ground.storage.open(directory: directory)
        return CurrentDiskCacheTexts(try cache(over: store, clock, codec, diskBytesMax: diskBytesMax), clock, directory)
    }
}

/// An open cache of texts.
private final class CurrentDiskCacheTexts: DiskCacheInstance {
    private let cache: ExpiringDiskCache<String>
    private let clock: VirtualClock
    private let directory: String

    init(_ cache: ExpiringDiskCache<String>, _ clock: VirtualClock, _ directory: String) {
        self.cache = cache
        self.clock = clock
        self.directory = directory
    }

    func set(_ text: String, _ key: String, lifeNanoseconds: Int64?) throws {
        try cache.set(text, forKey: key, expires: lifeNanoseconds.map { .seconds(Double($0) / 1e9) } ?? .never)
    }

    func get(_ key: String, returningExpired: Bool) throws -> String? {
        try cache.object(forKey: key, returningExpired: returningExpired)
    }

    func get(_ key: String, load: () throws -> String) throws -> String { try cache.object(forKey: key, load: load) }
    func removeExpired() throws { try cache.removeExpired() }
    func dropMemory() { cache.dropMemory() }

    func held(_ key: String) throws -> HeldTiers {
        let isInMemory = cache.isInMemory(key)
        // Memory is emptied, so that what is returned expired or not comes from the disk.
        if isInMemory { cache.dropMemory() }
        return HeldTiers(memory: isInMemory, disk: try cache.object(forKey: key, returningExpired: true) != nil)
    }

    func advance(nanoseconds: Int64) { clock.advance(nanoseconds: nanoseconds) }
    func damageFiles() throws { try DiskFiles.damage(under: directory) }
    func diskBytes() throws -> Int {
        // What memory alone has left is not on the disk.
        cache.dropMemory()
        return try cache.allObjects(includingExpired: true).reduce(0) { $0 + $1.value.utf8.count }
    }
}
