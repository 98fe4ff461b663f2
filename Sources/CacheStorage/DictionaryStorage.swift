public import CacheCore
import Synchronization

/// Keeps entries in one hash table in memory, behind one lock.
///
/// The reference backend: exact, volatile, as fast as a lock and Swift's `Dictionary` allow. Every operation is O(key
/// length) except ``keys()`` and ``removeAll()``, which are O(entries).
public final class DictionaryStorage: StorageBackend {
    private let entries: Mutex<[ByteKey: StoredEntry]?>
    private let limits: StorageLimits
    /// An exact, volatile map that retains everything and may be used from any thread.
    public let claims: StorageClaims

    /// One parameter: the longest value.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "dictionary", summary: "A hash table in this process's memory.",
            citation: "Swift standard library, Dictionary", parameters: [StorageLimits.valueBytesMaxParameter],
            needsDirectory: false)
    }

    /// An empty store; the directory is not used.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        let valueBytesMax = configuration.parameters.integer(StorageLimits.valueBytesMaxParameter.name)
        claims = StorageClaims(valueBytesMax: valueBytesMax)
        limits = StorageLimits(claims)
        entries = Mutex([:])
    }

    /// The entry under a key.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try withEntries { $0[ByteKey(key)] }
    }

    /// Whether there is an entry under a key.
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withEntries { $0[ByteKey(key)] != nil }
    }

    /// Stores an entry. A value above the limit is refused and drops the old one.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        let isAccepted = limits.accepts(value: entry.value)
        try withEntries { (entries) throws(StoreError) in
            try limits.check(key: key)
            entries[ByteKey(key)] = isAccepted ? entry : nil
        }
        if !isAccepted { throw limits.refusal(of: entry.value) }
    }

    /// Removes the entry under a key.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withEntries { $0.removeValue(forKey: ByteKey(key)) != nil }
    }

    /// Removes every entry and gives the memory back.
    public func removeAll() throws(StoreError) {
        try withEntries { $0 = [:] }
    }

    /// The number of entries. O(1).
    public func count() throws(StoreError) -> Int {
        try withEntries { $0.count }
    }

    /// Every key.
    public func keys() throws(StoreError) -> [[UInt8]] {
        try withEntries { $0.keys.map(\.bytes) }
    }

    /// Releases the memory.
    public func close() throws(StoreError) {
        entries.withLock { $0 = nil }
    }

    private func withEntries<Result: Sendable>(
        _ body: (inout [ByteKey: StoredEntry]) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try entries.withLock { (entries) throws(StoreError) in
            if entries == nil { throw .closed }
            return try body(&entries!)
        }
    }
}

/// Bytes as a dictionary key, hashed in one go instead of byte by byte.
struct ByteKey: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
