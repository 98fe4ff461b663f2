import CacheConformance
import CacheCore
import Synchronization

/// Ways to be a poor cache without being a wrong one.
enum Boredom: String, CaseIterable, Sendable {
    /// Accepts everything and forgets it at once.
    case neverStores
    /// Remembers the newest entry alone.
    case oneSlot
    /// Drops a random entry every third operation.
    case dropsAtRandom
}

/// A store that evicts when it likes and says so.
final class BoringStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "boring", summary: "Evicts at will.", citation: "none", needsDirectory: false)
    }

    let claims = StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20, retains: false)
    private let boredom: Boredom
    private let state: Mutex<(entries: [[UInt8]: StoredEntry], random: SeededGenerator, isClosed: Bool)>

    static func subject(_ boredom: Boredom) -> StorageSubject {
        StorageSubject(name: boredom.rawValue, needsDirectory: false) { _ in BoringStorage(boredom) }
    }

    init(_ boredom: Boredom) {
        self.boredom = boredom
        state = Mutex(([:], SeededGenerator(seed: 42), false))
    }

    convenience init(_ configuration: BackendConfiguration) throws(StorageError) { self.init(.oneSlot) }

    func get(_ key: [UInt8]) throws(StorageError) -> StoredEntry? { try use { $0[key] } }
    func remove(_ key: [UInt8]) throws(StorageError) -> Bool { try use { $0.removeValue(forKey: key) != nil } }
    func removeAll() throws(StorageError) { try use { $0 = [:] } }
    func count() throws(StorageError) -> Int { try use { $0.count } }
    func keys() throws(StorageError) -> [[UInt8]] { try use { Array($0.keys) } }
    func close() throws(StorageError) { state.withLock { $0.isClosed = true } }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StorageError) {
        let isTooLong = entry.value.count > claims.valueBytesMax
        try use { (entries) throws(StorageError) in
            guard key.count <= claims.keyBytesMax else { throw StorageError(.keyRefused, "too long") }
            if boredom == .oneSlot { entries = [:] }
            entries[key] = boredom == .neverStores || isTooLong ? nil : entry
        }
        if isTooLong { throw StorageError(.valueRefused, "too long") }
    }

    private func use<Result: Sendable>(
        _ body: (inout [[UInt8]: StoredEntry]) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed { throw .closed }
            if boredom == .dropsAtRandom, state.random.next(below: 3) == 0 {
                // In byte order, as a dictionary's own order changes from run to run.
                let keys = state.entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
                if !keys.isEmpty { state.entries[keys[state.random.next(below: keys.count)]] = nil }
            }
            return try body(&state.entries)
        }
    }
}
