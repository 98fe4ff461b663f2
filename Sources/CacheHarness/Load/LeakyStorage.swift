internal import CMemoryProbe
internal import CacheCore
internal import Synchronization

/// A store in memory with known faults: it allocates so many bytes more for each entry than it needs, and keeps them when
/// the entry leaves if it leaks. By it the memory pass is proved.
final class LeakyStorage: StorageBackend {
    let claims = StorageClaims()
    private let ballastBytes: Int
    private let leaks: Bool
    private let entries = Mutex<[[UInt8]: Allocation]>([:])

    private struct Allocation {
        var entry: StoredEntry
        nonisolated(unsafe) var ballast: UnsafeMutableRawPointer?
    }

    static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "ballast", summary: "A dictionary that allocates and leaks known amounts.", citation: "",
            parameters: [
                ParameterSpecification("bytes", .integer(default: 0, 0...(1 << 20)), "Allocated for each entry."),
                ParameterSpecification("leaks", .integer(default: 0, 0...1), "Whether that stays."),
            ], needsDirectory: false)
    }

    init(_ configuration: BackendConfiguration) throws(StoreError) {
        ballastBytes = configuration.parameters.integer("bytes")
        leaks = configuration.parameters.integer("leaks") == 1
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { entries.withLock { $0[key]?.entry } }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        let held = Allocation(entry: entry, ballast: ballastBytes == 0 ? nil : assay_probe_malloc(ballastBytes))
        let old = entries.withLock { entries -> Allocation? in
            let old = entries[key]
            entries[key] = held
            return old
        }
        drop(old)
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        let old = entries.withLock { $0.removeValue(forKey: key) }
        drop(old)
        return old != nil
    }

    func removeAll() throws(StoreError) { for key in try keys() { _ = try remove(key) } }
    func keys() throws(StoreError) -> [[UInt8]] { entries.withLock { Array($0.keys) } }
    func count() throws(StoreError) -> Int { entries.withLock { $0.count } }
    func close() throws(StoreError) {
        let left = entries.withLock { entries -> [Allocation] in
            defer { entries = [:] }
            return Array(entries.values)
        }
        for held in left { drop(held) }
    }

    private func drop(_ held: Allocation?) {
        guard let ballast = held?.ballast, !leaks else { return }
        assay_probe_free(ballast)
    }
}
