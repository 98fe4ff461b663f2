// package hyperoslo Cache OsloCache
// clock faketime
import Cache
import CacheConformance
import CacheCore
import Foundation

struct Subject: CacheSubject {
    let name = "hyperoslo/Cache MemoryStorage"
    /// With ROOM=bytes the room is `totalCostLimit`, in bytes of memory: nobody can give a cost.
    let isInBytes = ProcessInfo.processInfo.environment["ROOM"] == "bytes"
    var room: Capacity { isInBytes ? .bytes(1 << 20) : .objects(10_000) }

    /// A limit of 0 is none, an entry is over after its date and stays until removeExpiredObjects, and remove tells nothing.
    func claims() -> Claims {
        var claims = Claims(StorageClaims(isConcurrent: false), features: [.timeToLive], room: CapacityClaim(room, isStrict: false))
        claims.deviations = [.liveAtDeadline, .countsExpired, .removeTellsNothing, .zeroCapacityIsUnlimited, .limitsAreNotEnforced]
        if isInBytes { claims.deviations.formUnion([.weighsBytes, .dropsOversized]) }
        claims.limits.clockStepNanoseconds = 1_000_000_000
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
        let amount = UInt((setup.capacity ?? room).amount)
        return Memory(isInBytes ? MemoryConfig(totalCostLimit: amount) : MemoryConfig(countLimit: amount))
    }
}

final class Memory: Instance, @unchecked Sendable {
    private let store: MemoryStorage<[UInt8], [UInt8]>

    init(_ config: MemoryConfig) { store = MemoryStorage(config: config) }

    /// `object(forKey:)` has what is over as well.
    private func find(_ key: [UInt8]) -> StoredEntry? {
        guard let entry = try? store.entry(forKey: key), !entry.expiry.isExpired else { return nil }
        return StoredEntry(entry.object)
    }

    override func answer(_ operation: CacheOperation) throws -> OperationResult? {
        switch operation {
        case .put(let key, let payload, _, let terms):
            store.setObject(payload.bytes(for: key), forKey: key, expiry: terms.timeToLiveNanoseconds.map { .seconds(Double($0) / 1e9) })
        case .get(let key): return .entry(find(key))
        case .contains(let key): return .flag(find(key) != nil)
        case .remove(let key): store.removeObject(forKey: key)
        case .removeAll: store.removeAll()
        case .count: return .number(store.allKeys.count)
        case .keys: return .keys(store.allKeys)
        case .maintain: store.removeExpiredObjects()
        default: return nil
        }
        return .done
    }
}

SubjectServer.serve(Subject())
