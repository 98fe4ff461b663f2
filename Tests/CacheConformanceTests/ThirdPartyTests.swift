import CacheConformance
import CacheCore
import Synchronization
import Testing

// The backend and the test that the documentation tells third parties to paste, word for word.

final class MyStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "mine", summary: "A dictionary.", citation: "none", needsDirectory: false)
    }

    let claims = StorageClaims(keyBytesMax: 4_096, valueBytesMax: 1 << 20)
    private let entries: Mutex<[[UInt8]: StoredEntry]?> = Mutex([:])

    init(_ configuration: BackendConfiguration) throws(StorageError) {}

    func get(_ key: [UInt8]) throws(StorageError) -> StoredEntry? { try use { $0[key] } }
    func remove(_ key: [UInt8]) throws(StorageError) -> Bool { try use { $0.removeValue(forKey: key) != nil } }
    func removeAll() throws(StorageError) { try use { $0 = [:] } }
    func count() throws(StorageError) -> Int { try use { $0.count } }
    func keys() throws(StorageError) -> [[UInt8]] { try use { Array($0.keys) } }
    func close() throws(StorageError) { entries.withLock { $0 = nil } }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StorageError) {
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

@Test(arguments: ConformanceSuite.storage.checks)
func conforms(check: Check) throws {
    try check.require(on: StorageSubject(MyStorage.self))
}
