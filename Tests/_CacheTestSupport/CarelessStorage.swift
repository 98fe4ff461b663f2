public import CacheCore
import Foundation
import Synchronization

/// A store that is wrong in the ways that tests of damage and kills are about: no checksums, and puts that wait in memory.
public final class CarelessStorage: StorageBackend {
    /// Claims what it does not keep.
    public let claims = StorageClaims(durability: .kill)
    private let entries: Mutex<[[UInt8]: StoredEntry]>
    private let path: String
    private let unsaved = Mutex(0)

    /// Not registered anywhere.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "careless", summary: "Wrong.", citation: "none", needsDirectory: true)
    }

    /// Reads what was saved.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        let directory = configuration.directory ?? ""
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        path = directory + "/careless"
        let data = [UInt8]((try? Data(contentsOf: URL(filePath: path))) ?? Data())
        var entries: [[UInt8]: StoredEntry] = [:]
        var position = 0
        while position + 2 <= data.count {
            let keyEnd = min(data.count, position + 2 + Int(data[position]))
            let valueEnd = min(data.count, keyEnd + Int(data[position + 1]) * 256)
            entries[Array(data[(position + 2)..<keyEnd])] = StoredEntry(Array(data[keyEnd..<valueEnd]))
            position = valueEnd
        }
        self.entries = Mutex(entries)
    }

    /// The entry in memory.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { entries.withLock { $0[key] } }
    /// Saves every tenth time.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        entries.withLock { $0[key] = entry }
        let count = unsaved.withLock { count in
            count += 1
            return count
        }
        if count % 10 == 0 { try close() }
    }
    /// Removes in memory.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        entries.withLock { $0.removeValue(forKey: key) != nil }
    }
    /// Removes in memory.
    public func removeAll() throws(StoreError) { entries.withLock { $0 = [:] } }
    /// The number in memory.
    public func count() throws(StoreError) -> Int { entries.withLock { $0.count } }
    /// The keys in memory.
    public func keys() throws(StoreError) -> [[UInt8]] { entries.withLock { Array($0.keys) } }
    /// Saves everything.
    public func close() throws(StoreError) {
        let bytes = entries.withLock { entries in
            entries.flatMap { key, entry -> [UInt8] in
                let blocks = (entry.value.count + 255) / 256
                let padding = [UInt8](repeating: 0, count: blocks * 256 - entry.value.count)
                return [UInt8(key.count), UInt8(min(255, blocks))] + key + entry.value + padding
            }
        }
        try? Data(bytes).write(to: URL(filePath: path))
    }
}
