// package LRUCache LRUCache
import CacheConformance
import CacheCore
import LRUCache

struct Subject: CacheSubject {
    let name = "nicklockwood/LRUCache"

    /// What costs more than the limit is not stored, and nobody is told.
    func claims() -> Claims {
        var claims = Claims(
            StorageClaims(), features: [.cost, .resize, .walks, .defaults],
            room: CapacityClaim(.objects(10_000), units: [.objects, .bytes]), order: "lru")
        claims.deviations = [.dropsOversized, .limitsAreNotEnforced]
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Nick(setup.capacity ?? .objects(10_000)) }
}

final class Nick: Instance, @unchecked Sendable {
    private let cache: LRUCache<[UInt8], [UInt8]>
    private let unit: Capacity.Unit

    init(_ room: Capacity) {
        unit = room.unit
        cache = unit == .objects ? LRUCache(countLimit: room.amount) : LRUCache(totalCostLimit: room.amount)
    }

    override func answer(_ operation: CacheOperation) -> OperationResult? {
        switch operation {
        case .put(let key, let payload, _, let terms): cache.setValue(payload.bytes(for: key), forKey: key, cost: terms.cost)
        case .get(let key): return .entry(cache.value(forKey: key).map { StoredEntry($0) })
        case .contains(let key): return .flag(cache.hasValue(forKey: key))
        case .remove(let key): return .flag(cache.removeValue(forKey: key) != nil)
        case .removeAll: cache.removeAll()
        case .count: return .number(cache.count)
        case .keys: return .keys(Array(cache.keys))
        case .firstKeys(let count): return .keys(Array(cache.keys.prefix(count)))
        case .cost: return .number(cache.totalCost)
        case .resize(let amount): if unit == .objects { cache.countLimit = amount } else { cache.totalCostLimit = amount }
        default: return nil
        }
        return .done
    }
}

SubjectServer.serve(Subject())
