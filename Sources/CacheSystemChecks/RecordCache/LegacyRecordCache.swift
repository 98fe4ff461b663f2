public import CacheConformance
public import CacheCore
internal import CacheSystems
internal import Foundation
internal import Synchronization

/// HMCache 0.2.7 as it was shipped, as a subject: its paths, its tiers, and what it records of classes.
public struct LegacyRecordCache: RecordCacheSubject {
    /// The subject.
    public init() {}

    /// `record-cache-as-shipped`.
    public var name: String { "record-cache-as-shipped" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// What its README promises: values on disk under keys and groups.
    public func claims() throws(StoreError) -> Claims {
        Claims(StorageClaims(keyBytesMax: 5_000, iterates: false, durability: .exit), features: [.groups])
    }

    /// Opens a cache of bytes.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        ShippedRecordBytes(ShippedRecordObjects(directory ?? ""))
    }

    /// Opens a cache. What another version of the program has left stays: the switch for that is off.
    public func openRecords(in directory: String, program: String?) throws -> any RecordCacheInstance {
        ShippedRecordObjects(directory)
    }
}

/// An open cache of objects, as it was shipped.
final class ShippedRecordObjects: RecordCacheInstance {
    private static let rootGroup = "HMObjectRootCacheGroup"

    private struct State: Sendable {
        nonisolated(unsafe) let files: ShippedRecordFiles
        nonisolated(unsafe) let types: ShippedRecordTypes
        /// Whether a block is being called on the queue on which everything is done.
        var isOnQueue = false
    }

    private let state: Mutex<State>

    init(_ directory: String) {
        let files = ShippedRecordFiles(directory)
        let types = ShippedRecordTypes(files, objects: Self.rootGroup)
        state = Mutex(State(files: files, types: types))
    }

    /// Waits for the serial queue.
    private func onQueue<Result>(_ body: (State) throws -> Result) throws -> Result {
        try state.withLock { state in
            guard !state.isOnQueue else {
                throw StoreError(.hung, "dispatch_sync on the queue of which this is called")
            }
            return try body(state)
        }
    }

    /// Objects are in a group of their own, in which the others are nested.
    private static func group(_ path: [String], isObject: Bool) -> String {
        if isObject { return ([rootGroup] + path).joined(separator: ".") }
        return path.isEmpty ? ShippedRecordFiles.defaultGroup : path.joined(separator: ".")
    }

    func set<Value: Codable & Sendable>(
        _ value: Value?, _ key: String, in group: [String], keepsInMemory: Bool
    ) throws {
        guard let value else { return try remove(key, in: group) }
        let parts = try RecordValue(of: value)
        try onQueue { state in
            let data = try ShippedArchive(state.types.encode(parts)).encoded()
            state.files.write(data, key, Self.group(group, isObject: parts.record?.typeName != nil))
        }
    }

    func get<Value: Codable & Sendable>(_ key: String, in group: [String], as type: Value.Type) throws -> Value? {
        try onQueue { state in
            for isObject in [true, false] {
                guard let data = state.files.read(key, Self.group(group, isObject: isObject)) else { continue }
                return try state.types.decode(ShippedArchive(decoding: data).value, as: type)
            }
            return nil
        }
    }

    /// The group is not passed on.
    func remove(_ key: String, in group: [String]) throws { try onQueue { $0.files.remove(key) } }

    func clear(_ group: [String]) throws {
        try onQueue { state in
            for isObject in [true, false] { state.files.clear(Self.group(group, isObject: isObject)) }
        }
    }

    /// The block is called on the queue.
    func clearAll(then completion: @escaping @Sendable () -> Void) throws {
        try onQueue { state in
            state.files.clearAll()
            state.types.clear()
        }
        state.withLock { $0.isOnQueue = true }
        completion()
        state.withLock { $0.isOnQueue = false }
    }

    func list(_ group: [String], atMost: Int) throws -> [String] {
        try onQueue { $0.files.list(Self.group(group, isObject: false), atMost: atMost) }
    }

    func isInMemory(_ key: String, in group: [String]) -> Bool {
        state.withLock { state in
            [true, false].contains { state.files.isInMemory(key, Self.group(group, isObject: $0)) }
        }
    }

    func dropMemory() { state.withLock { $0.files.dropMemory() } }
    var migrations: Int { state.withLock { $0.types.migrations } }
    func fields(of typeName: String, version: Int) -> Set<String>? {
        state.withLock { $0.types.fields(of: typeName, version: version) }
    }

    /// The order of the fields is that of a hash table, and a number that JSON does not have raises.
    func describe(_ record: some CacheRecord) throws -> String {
        guard let data = try RecordValue(of: record).record else { return "" }
        var turned = RecordData(typeName: data.typeName, version: data.version)
        for (name, value) in data.fields.reversed() { turned[name] = value }
        let text = turned.description
        guard !text.contains("\"nan\""), !text.contains("inf\"") else {
            throw StoreError(.valueRefused, "NSInvalidArgumentException: invalid number value in JSON write")
        }
        return text
    }

    /// The exclusive or of the hashes of its fields.
    func hash(of record: some CacheRecord) throws -> Int {
        try RecordValue(of: record).record?.fields.reduce(0) { $0 ^ $1.value.hashValue } ?? 0
    }

    /// Objects are copied, lists with their objects are not.
    func copy(_ tree: CheckedRecords.Tree) throws -> CheckedRecords.Tree {
        CheckedRecords.Tree(tree.count, child: try tree.child.map { try copy($0) }, children: tree.children)
    }

    func loseSchemas() throws { try onQueue { $0.types.lose() } }

    func damage() throws {
        try onQueue { state in
            state.files.dropMemory()
            try state.files.damage()
        }
    }

    func close() throws {}
}

/// The same cache for the shared checks.
private final class ShippedRecordBytes: CacheInstance {
    private let objects: ShippedRecordObjects

    init(_ objects: ShippedRecordObjects) { self.objects = objects }

    func perform(_ operation: CacheOperation) -> OperationResult {
        if case .within(let group, let inner) = operation { return perform(inner, [group]) }
        return perform(operation, [])
    }

    private func perform(_ operation: CacheOperation, _ group: [String]) -> OperationResult {
        do {
            switch operation {
            case .put(let key, _, _, let terms) where terms.tags.isEmpty:
                try objects.set(operation.entry!.value, KeyText.text(of: key), in: group, keepsInMemory: true)
            case .get(let key): return .entry(try value(key, group).map { StoredEntry($0) })
            case .contains(let key): return .flag(try value(key, group) != nil)
            case .remove(let key):
                let wasThere = try value(key, group) != nil
                try objects.remove(KeyText.text(of: key), in: group)
                return .flag(wasThere)
            case .removeAll: if group.isEmpty { try objects.clearAll {} } else { try objects.clear(group) }
            case .maintain, .flush, .pause, .close, .advance: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        } catch { return .failure(error as? StoreError ?? StoreError(.inputOutput, "\(error)")) }
    }

    private func value(_ key: [UInt8], _ group: [String]) throws -> [UInt8]? {
        try objects.get(KeyText.text(of: key), in: group, as: [UInt8].self)
    }
}
