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
    public init(_ configuration: BackendConfiguration) throws(StoreError) {}

    /// The entry under a key.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { try use { $0[key] } }

    /// Removes the entry under a key.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try use { $0.removeValue(forKey: key) != nil } }

    /// Removes every entry.
    public func removeAll() throws(StoreError) { try use { $0 = [:] } }

    /// The number of entries.
    public func count() throws(StoreError) -> Int { try use { $0.count } }

    /// Every key.
    public func keys() throws(StoreError) -> [[UInt8]] { try use { Array($0.keys) } }

    /// Lets go of everything.
    public func close() throws(StoreError) { entries.withLock { $0 = nil } }

    /// Stores an entry; a value that is too long is refused, and the old one is gone.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        let isTooLong = entry.value.count > claims.valueBytesMax
        try use { (entries) throws(StoreError) in
            guard key.count <= claims.keyBytesMax else { throw StoreError(.keyRefused, "use a shorter key") }
            entries[key] = isTooLong ? nil : entry
        }
        if isTooLong { throw StoreError(.valueRefused, "use a shorter value") }
    }

    private func use<Result: Sendable>(
        _ body: (inout [[UInt8]: StoredEntry]) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try entries.withLock { (entries) throws(StoreError) in
            guard entries != nil else { throw .closed }
            return try body(&entries!)
        }
    }
}
