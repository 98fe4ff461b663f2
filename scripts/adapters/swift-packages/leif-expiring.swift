// package Cache Cache
// clock faketime
import Cache
import CacheConformance
import CacheCore

struct Subject: CacheSubject {
    let name = "0xLeif/Cache ExpiringCache"

    /// One time to live for all entries, in whole seconds; remove tells nothing.
    func claims() -> Claims {
        var claims = Claims(StorageClaims(isConcurrent: true), features: [.timeToLive])
        claims.deviations = [.oneTimeToLive, .removeTellsNothing, .limitsAreNotEnforced]
        claims.limits.clockStepNanoseconds = 1_000_000_000
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
        Leif(setup.timeToLiveNanoseconds.map { UInt(max(0, $0) / 1_000_000_000) } ?? .max)
    }
}

final class Leif: Instance, @unchecked Sendable {
    private let cache: ExpiringCache<[UInt8], [UInt8]>

    init(_ seconds: UInt) { cache = ExpiringCache(duration: .seconds(seconds)) }

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
