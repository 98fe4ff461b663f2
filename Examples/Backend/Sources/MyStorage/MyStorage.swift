import CacheCore
import Synchronization

/// A dictionary behind a lock.
public final class MyStorage: StorageBackend {
    /// What it is, for lists.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "mine", summary: "A dictionary.", citation: "none", needsDirectory: false)
    }

    /// What it promises, and so which checks are due.
    public let claims = StorageClaims(keyBytesMax: 4_096, valueBytesMax: 1 << 20)
    private let entries: Mutex<[[UInt8]: StoredEntry]?> = Mutex([:])

    /// An empty store.
    public init(_ configuration: BackendConfiguration) throws(StorageError) {}

    /// The entry under a key.
    public func get(_ key: [UInt8]) throws(StorageError) -> StoredEntry? { try use { $0[key] } }

    /// Removes the entry under a key.
    public func remove(_ key: [UInt8]) throws(StorageError) -> Bool { try use { $0.removeValue(forKey: key) != nil } }

    /// Removes every entry.
    public func removeAll() throws(StorageError) { try use { $0 = [:] } }

    /// The number of entries.
    public func count() throws(StorageError) -> Int { try use { $0.count } }

    /// Every key.
    public func keys() throws(StorageError) -> [[UInt8]] { try use { Array($0.keys) } }

    /// Lets go of everything.
    public func close() throws(StorageError) { entries.withLock { $0 = nil } }

    /// Stores an entry; a value that is too long is refused, and the old one is gone.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StorageError) {
        let isTooLong = entry.value.count > claims.valueBytesMax
        try use { (entries) throws(StorageError) in
            guard key.count <= claims.keyBytesMax else { throw StorageError(.keyRefused, "use a shorter key") }
            entries[key] = isTooLong ? nil : entry
        }
        if isTooLong { throw StorageError(.valueRefused, "use a shorter value") }
    }

    private func use<Result: Sendable>(
        _ body: (inout [[UInt8]: StoredEntry]) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try entries.withLock { (entries) throws(StorageError) in
            guard entries != nil else { throw .closed }
            return try body(&entries!)
        }
    }
}
