internal import CacheCore

/// A store whose keys are listed in their order.
///
/// A bounded cache that is opened again takes its entries over in the order in which the store lists them, and the policy evicts by that. Stores
/// list in the order of a hash table or of a directory, which differs from process to process and from disk to disk: the counts would too.
final class SortedListing: StorageBackend {
    static let descriptor = BackendDescriptor(
        name: "sorted", summary: "Another store whose keys are listed in their order.", citation: "",
        needsDirectory: false)

    private let store: any StorageBackend

    init(_ store: any StorageBackend) { self.store = store }

    init(_ configuration: BackendConfiguration) throws(StorageError) {
        throw StorageError(.unavailable, "a sorted listing needs a store below it")
    }

    var claims: StorageClaims { store.claims }
    func get(_ key: [UInt8]) throws(StorageError) -> StoredEntry? { try store.get(key) }
    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StorageError) { try store.put(entry, for: key) }
    func remove(_ key: [UInt8]) throws(StorageError) -> Bool { try store.remove(key) }
    func removeAll() throws(StorageError) { try store.removeAll() }
    func count() throws(StorageError) -> Int { try store.count() }
    func keys() throws(StorageError) -> [[UInt8]] { try store.keys().sorted { $0.lexicographicallyPrecedes($1) } }
    func contains(_ key: [UInt8]) throws(StorageError) -> Bool { try store.contains(key) }
    func flush() throws(StorageError) { try store.flush() }
    func close() throws(StorageError) { try store.close() }
}
