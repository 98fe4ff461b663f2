// A cache under Assay's conformance suite. Put your cache in the place of LRU, and its calls in the place of those of Instance.
import CacheConformance
import CacheCore
import Synchronization

struct LRU {
    let limit: Int
    var entries: [[UInt8]: (value: [UInt8], used: Int)] = [:]
    var now = 0

    mutating func put(_ value: [UInt8], for key: [UInt8]) {
        now += 1
        entries[key] = (value, now)
        if entries.count > limit, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
            entries[oldest.key] = nil
        }
    }

    mutating func get(_ key: [UInt8]) -> [UInt8]? {
        now += 1
        entries[key]?.used = now
        return entries[key]?.value
    }
}

struct Subject: CacheSubject {
    let name = "my cache 1.0"

    func claims() -> Claims {
        var claims = Claims(StorageClaims(isConcurrent: false), room: CapacityClaim(.objects(1_000)), order: "lru")
        claims.deviations = [.limitsAreNotEnforced]  // keys and values may have any length
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
        Instance(setup.capacity?.amount ?? 1_000)
    }

    final class Instance: CacheInstance {
        private let cache: Mutex<LRU?>
        init(_ limit: Int) { cache = Mutex(LRU(limit: limit)) }

        func perform(_ operation: CacheOperation) -> OperationResult {
            cache.withLock { cache in
                if operation == .close { cache = nil }
                guard cache != nil else { return operation == .close ? .done : .failure(.closed) }
                switch operation {
                case .put(let key, let payload, _, let terms) where terms == .plain:
                    cache!.put(payload.bytes(for: key), for: key)
                case .get(let key): return .entry(cache!.get(key).map { StoredEntry($0) })
                case .contains(let key): return .flag(cache!.entries[key] != nil)
                case .remove(let key): return .flag(cache!.entries.removeValue(forKey: key) != nil)
                case .removeAll: cache!.entries = [:]
                case .count: return .number(cache!.entries.count)
                case .keys: return .keys(Array(cache!.entries.keys))
                case .flush, .maintain: break
                default: return .failure(.unsupported(operation))
                }
                return .done
            }
        }
    }
}

SubjectServer.serve(Subject())
