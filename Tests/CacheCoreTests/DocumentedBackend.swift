import CacheCore
import Synchronization

final class DictionaryBackend: StorageBackend {
    static let descriptor = BackendDescriptor(
        name: "my-dictionary", summary: "Entries in a dictionary behind a lock.", citation: "", needsDirectory: false)

    let claims = StorageClaims(keyBytesMax: 4096, valueBytesMax: 1 << 20)
    private let entries = Mutex<[[UInt8]: StoredEntry]?>([:])

    init(_ configuration: BackendConfiguration) throws(StoreError) {}

    private func open<R>(_ body: (inout [[UInt8]: StoredEntry]) -> sending R) throws(StoreError) -> R {
        let result: R? = entries.withLock { $0 == nil ? nil : body(&$0!) }
        guard let result else { throw .closed }
        return result
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { try open { $0[key] } }
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try open { $0.removeValue(forKey: key) != nil } }
    func removeAll() throws(StoreError) { try open { $0.removeAll() } }
    func count() throws(StoreError) -> Int { try open { $0.count } }
    func keys() throws(StoreError) -> [[UInt8]] { try open { Array($0.keys) } }
    func close() throws(StoreError) { entries.withLock { $0 = nil } }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        guard key.count <= claims.keyBytesMax else { throw StoreError(.keyRefused, "use at most 4096 bytes") }
        guard entry.value.count <= claims.valueBytesMax else {
            _ = try remove(key)  // A refused value replaces nothing and leaves nothing behind.
            throw StoreError(.valueRefused, "use a value of at most 1 MiB")
        }
        try open { $0[key] = entry }
    }
}
