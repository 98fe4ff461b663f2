public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import CacheSystems

/// CallCache as a subject, over any backend that keeps its entries in a directory.
public struct FixedCalls: CallCacheSubject {
    private let policy: PolicyEntry
    private let storage: BackendEntry
    private let clocks = DirectoryClocks()

    /// A subject with a policy for both tiers.
    public init(policy: PolicyEntry, storage: BackendEntry) {
        self.policy = policy
        self.storage = storage
    }

    /// `call-cache`.
    public var name: String { "call-cache" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// The store's own claims, and loads that are shared.
    public func claims() throws(StorageError) -> Claims {
        var claims = StorageClaims(iterates: false, durability: .kill)
        // Parameters may have any length; the suite wants limits that it can try with little memory.
        claims.keyBytesMax = FixedCallBytes.keyBytesMax
        claims.valueBytesMax = FixedCallBytes.valueBytesMax
        return Claims(claims, features: [.loader, .coalesce])
    }

    private func cache(
        _ name: String, over store: any StorageBackend, _ clock: VirtualClock, storeBytesMax: Int? = nil,
        closesStore: Bool = true
    ) throws -> CallCache {
        var options = CallCacheOptions(name)
        options.memoryAnswersMax = 4
        options.storeBytesMax = storeBytesMax
        options.closesStore = closesStore
        options.clock = clock
        return try CallCache(options, policy: policy, storage: store)
    }

    /// Opens a cache of bytes.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StorageError) -> any CacheInstance {
        let clock = clocks.clock(of: directory)
        let store = try storage.open(directory: directory)
        do { return FixedCallBytes(try cache("bytes", over: store, clock), clock) } catch let error as StorageError {
            throw error
        } catch { throw StorageError(.unavailable, "\(error)") }
    }

    /// Opens caches of texts; the last to be closed closes the store.
    public func openCalls(
        _ names: [String], in directory: String, storeBytesMax: Int?
    ) throws -> [any CallCacheInstance] {
        let clock = clocks.clock(of: directory)
        let store = SharedStore(try storage.open(directory: directory), users: names.count)
        return try names.map { name in
            let cache = try cache(name, over: store.storage, clock, storeBytesMax: storeBytesMax, closesStore: false)
            return FixedCallTexts(cache, clock, directory, store)
        }
    }
}
