public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import CacheSystems

/// CallCache as a subject, over any backend that keeps its entries in a directory.
public struct CurrentCallCache: CallCacheSubject {
    private let ground: SystemGround

    /// A subject with a policy for both tiers.
    public init(policy: PolicyEntry, storage: BackendEntry) { ground = SystemGround(policy: policy, storage: storage) }

    /// `call-cache`.
    public var name: String { "call-cache" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// The store's own claims, and loads that are shared.
    public func claims() throws(StoreError) -> Claims { ground.claims([.loader, .coalesce]) }

    private func cache(
        _ name: String, over store: any StorageBackend, _ clock: VirtualClock, storeBytesMax: Int? = nil,
        closesStore: Bool = true
    ) throws -> CallCache {
        var options = CallCacheOptions(name)
        options.memoryAnswersMax = 4
        options.storeBytesMax = storeBytesMax
        options.closesStore = closesStore
        options.clock = clock
        return try CallCache(options, policy: ground.policy, storage: store)
    }

    /// Opens a cache of bytes.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try ground.open(in: directory) { FixedCallBytes(try cache("bytes", over: $0, $1), $1) }
    }

    /// Opens caches of texts; the last to be closed closes the store.
    public func openCalls(
        _ names: [String], in directory: String, storeBytesMax: Int?
    ) throws -> [any CallCacheInstance] {
        let clock = ground.clocks.clock(of: directory)
        let store = SharedStore(try ground.storage.open(directory: directory), users: names.count)
        return try names.map { name in
            let cache = try cache(name, over: store.storage, clock, storeBytesMax: storeBytesMax, closesStore: false)
            return FixedCallTexts(cache, clock, directory, store)
        }
    }
}
