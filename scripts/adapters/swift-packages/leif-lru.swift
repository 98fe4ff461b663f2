// package Cache Cache
import Cache
import CacheConformance
import CacheCore
import Synchronization

struct Subject: CacheSubject {
    let name = "0xLeif/Cache LRUCache"

    /// `contains` of this class is a use, and remove tells nothing.
    func claims() -> Claims {
        var claims = Claims(StorageClaims(keyBytesMax: .max, isConcurrent: true), room: Claims.Room(.objects(2_000)), order: "lru")
        claims.deviations = [.containsIsGet, .removeTellsNothing, .limitsAreNotEnforced]
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
        Instance(LRUCache(capacity: UInt(setup.capacity?.amount ?? 2_000)))
    }

    final class Instance: CacheInstance {
        private let cache: LRUCache<[UInt8], [UInt8]>
        private let isOpen = Atomic(true)

        init(_ cache: LRUCache<[UInt8], [UInt8]>) { self.cache = cache }

        func perform(_ operation: CacheOperation) -> OperationResult {
            guard isOpen.load(ordering: .relaxed) || operation == .close else { return .failure(.closed) }
            switch operation {
            case .put(let key, let payload, _, _): cache.set(value: payload.bytes(for: key), forKey: key)
            case .get(let key): return .entry(cache.get(key).map { StoredEntry($0) })
            case .contains(let key): return .flag(cache.contains(key))
            case .remove(let key): cache.remove(key)
            case .removeAll: for key in cache.allValues.keys { cache.remove(key) }
            case .count: return .number(cache.allValues.count)
            case .keys: return .keys(Array(cache.allValues.keys))
            case .close: isOpen.store(false, ordering: .relaxed)
            case .flush, .maintain: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        }
    }
}

SubjectServer.serve(Subject())
