public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import CacheSystems

/// RecordCache as a subject, over any backend that keeps its entries in a directory.
public struct CurrentRecordCache: RecordCacheSubject {
    private let ground: SystemGround

    /// A subject with a policy for memory.
    public init(policy: PolicyEntry, storage: BackendEntry) { ground = SystemGround(policy: policy, storage: storage) }

    /// `record-cache`.
    public var name: String { "record-cache" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// The store's own claims, and groups.
    public func claims() throws(StoreError) -> Claims { ground.claims([.groups], iterates: true) }

    private func cache(
        over store: any StorageBackend, memoryBytesMax: Int, program: String? = nil
    ) throws -> RecordCache {
        var options = RecordCacheOptions("records")
        options.memoryBytesMax = memoryBytesMax
        options.programVersion = program
        options.protectedGroups = [["protected"]]
        return try RecordCache(options, policy: ground.policy, storage: store)
    }

    /// Opens a cache of bytes, with little memory.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try ground.open(in: directory) { FixedRecordBytes(try cache(over: $0, memoryBytesMax: 1000), $1) }
    }

    /// Opens a cache of records.
    public func openRecords(in directory: String, program: String?) throws -> any RecordCacheInstance {
        try ground.open(in: directory) { store, _ in
            FixedRecordObjects(try cache(over: store, memoryBytesMax: 8 << 20, program: program), store, directory)
        }
    }
}

/// An open RecordCache.
private final class FixedRecordObjects: RecordCacheInstance {
    private let cache: RecordCache
    private let store: any StorageBackend
    private let directory: String

    init(_ cache: RecordCache, _ store: any StorageBackend, _ directory: String) {
        self.cache = cache
        self.store = store
        self.directory = directory
    }

    private func group(_ path: [String]) -> RecordGroup { path.reduce(cache.root) { $0.group($1) } }

    func set<Value: Codable & Sendable>(
        _ value: Value?, _ key: String, in group: [String], keepsInMemory: Bool
    ) throws { try self.group(group).set(value, forKey: key, keepsInMemory: keepsInMemory) }

    func get<Value: Codable & Sendable>(_ key: String, in group: [String], as type: Value.Type) throws -> Value? {
        try self.group(group).value(forKey: key, as: type)
    }

    func remove(_ key: String, in group: [String]) throws { try self.group(group).remove(key) }
    func clear(_ group: [String]) throws { try self.group(group).clear() }

    func clearAll(then completion: @escaping @Sendable () -> Void) throws {
        try cache.removeAll()
        completion()
    }

    func list(_ group: [String], atMost: Int) throws -> [String] {
        var names: [String] = []
        try self.group(group).enumerate { item, stops in
            switch item {
            case .key(let key): names.append(key)
            case .group(let name): names.append(name + "/")
            }
            stops = names.count >= atMost
        }
        return names
    }

    func isInMemory(_ key: String, in group: [String]) -> Bool { self.group(group).isInMemory(key) }
    func dropMemory() { cache.dropMemory() }
    var migrations: Int { cache.statistics[.migrated] }

    func fields(of typeName: String, version: Int) -> Set<String>? {
        cache.schemas.first { $0.typeName == typeName && $0.version == version }
            .map { Set($0.fields.map(\.name)).union($0.extensions) }
    }

    func describe(_ record: some CacheRecord) throws -> String { record.recordDescription }
    func hash(of record: some CacheRecord) throws -> Int { try RecordValue(of: record).hashValue }
    func copy(_ tree: CheckedRecords.Tree) throws -> CheckedRecords.Tree { try RecordValue(of: tree).value() }

    func loseSchemas() throws {
        for key in try store.keys() where String(decoding: key, as: UTF8.self).contains("schemas") {
            _ = try store.remove(key)
        }
    }

    func damage() throws {
        cache.dropMemory()
        try DiskFiles.damage(under: directory)
    }

    func close() throws { try cache.close() }
}
