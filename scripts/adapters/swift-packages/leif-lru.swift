// package Cache Cache
import Cache
import CacheConformance
import CacheCore

struct Subject: CacheSubject {
    let name = "0xLeif/Cache LRUCache"

    /// `contains` of this class is a use, and remove tells nothing.
    func claims() -> Claims {
        var claims = Claims(StorageClaims(isConcurrent: true), room: CapacityClaim(.objects(2_000)), order: "lru")
        claims.deviations = [.containsIsGet, .removeTellsNothing, .limitsAreNotEnforced]
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Leif(UInt(setup.capacity?.amount ?? 2_000)) }
}

final class Leif: Instance, @unchecked Sendable {
    private let cache: LRUCache<[UInt8], [UInt8]>

    init(_ capacity: UInt) { cache = LRUCache(capacity: capacity) }

    override func answer(_ operation: CacheOperation) -> OperationResult? {
        switch operation {
        case .put(let key, let payload, _, _): cache.set(value: payload.bytes(for: key), forKey: key)
        case .get(let key): return .entry(cache.get(key).map { StoredEntry($0) })
        case .contains(let key): return .flag(cache.contains(key))
        case .remove(let key): cache.remove(key)
        case .removeAll: for key in cache.allValues.keys { cache.remove(key) }
        case .count: return .number(cache.allValues.count)
        case .keys: return .keys(Array(cache.allValues.keys))
        default: return nil
        }
        return .done
    }
}

SubjectServer.serve(Subject())
