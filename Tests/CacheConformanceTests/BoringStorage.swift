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
    private let state = Mutex(State())

    private struct State {
        var entries: [[UInt8]: StoredEntry] = [:]
        /// Keys that were put and perhaps dropped since, to choose from without looking at all.
        var candidates: [[UInt8]] = []
        var random = SeededGenerator(seed: 42)
        var isClosed = false

        mutating func dropOne() {
            guard !candidates.isEmpty else { return }
            let index = random.next(below: candidates.count)
            entries[candidates[index]] = nil
            candidates.swapAt(index, candidates.count - 1)
            candidates.removeLast()
        }
    }

    static func subject(_ boredom: Boredom) -> StorageSubject {
        StorageSubject(name: boredom.rawValue, needsDirectory: false) { _ in BoringStorage(boredom) }
    }

    init(_ boredom: Boredom) {
        self.boredom = boredom
    }

    convenience init(_ configuration: BackendConfiguration) throws(StoreError) { self.init(.oneSlot) }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { try use { $0[key] } }
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try use { $0.removeValue(forKey: key) != nil } }
    func removeAll() throws(StoreError) { try use { $0 = [:] } }
    func count() throws(StoreError) -> Int { try use { $0.count } }
    func keys() throws(StoreError) -> [[UInt8]] { try use { Array($0.keys) } }
    func close() throws(StoreError) { state.withLock { $0.isClosed = true } }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        let isTooLong = entry.value.count > claims.valueBytesMax
        if boredom == .dropsAtRandom { state.withLock { $0.candidates.append(key) } }
        try use { (entries) throws(StoreError) in
            guard key.count <= claims.keyBytesMax else { throw StoreError(.keyRefused, "too long") }
            if boredom == .oneSlot { entries = [:] }
            entries[key] = boredom == .neverStores || isTooLong ? nil : entry
        }
        if isTooLong { throw StoreError(.valueRefused, "too long") }
    }

    private func use<Result: Sendable>(
        _ body: (inout [[UInt8]: StoredEntry]) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try state.withLock { (state) throws(StoreError) in
            if state.isClosed { throw .closed }
            if boredom == .dropsAtRandom, state.random.next(below: 3) == 0 { state.dropOne() }
            return try body(&state.entries)
        }
    }
}
