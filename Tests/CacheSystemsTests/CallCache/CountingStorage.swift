import CacheCore
import Foundation
import Synchronization

/// A store that counts what is asked of another, and fails when it is told to.
final class CountingStorage: StorageBackend {
    struct Counts: Equatable {
        var reads = 0
        var writes = 0
        var removals = 0
    }

    private let lower: any StorageBackend
    private let state = Mutex((counts: Counts(), isBroken: false, writesMax: Int.max, failsAt: Int?.none, pause: 0.0))

    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "counting", summary: "Counts.", citation: "none", needsDirectory: false)
    }

    init(_ configuration: BackendConfiguration) throws(StoreError) { throw .closed }
    init(_ lower: any StorageBackend) { self.lower = lower }

    var claims: StorageClaims { lower.claims }
    var counts: Counts { state.withLock { $0.counts } }
    func fail(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }
    /// Fails for good after so many writes and removals, as for a process that ends there.
    func end(afterWrites count: Int) { state.withLock { $0.writesMax = count } }

    /// Fails one write, the one after so many more.
    func fail(onceAfterWrites count: Int) { state.withLock { $0.failsAt = $0.counts.writes + count + 1 } }

    /// Takes so long for each write.
    func delayWrites(seconds: Double) { state.withLock { $0.pause = seconds } }

    private func note(_ change: (inout Counts) -> Void) throws(StoreError) {
        let isBroken = state.withLock { state in
            change(&state.counts)
            let isOnce = state.counts.writes == state.failsAt
            if isOnce { state.failsAt = nil }
            return isOnce || state.isBroken || state.counts.writes + state.counts.removals > state.writesMax
        }
        if isBroken { throw StoreError(.inputOutput, "broken, as it was told to be") }
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try note { $0.reads += 1 }
        return try lower.get(key)
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try note { $0.writes += 1 }
        let pause = state.withLock { $0.pause }
        if pause > 0 { Thread.sleep(forTimeInterval: pause) }
        try lower.put(entry, for: key)
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try note { $0.removals += 1 }
        return try lower.remove(key)
    }

    func removeAll() throws(StoreError) { try lower.removeAll() }
    func count() throws(StoreError) -> Int { try lower.count() }
    func keys() throws(StoreError) -> [[UInt8]] { try lower.keys() }
    func close() throws(StoreError) { try lower.close() }
}
