import CacheConformance
import CacheCore
import Foundation
import MyCache
import Synchronization

/// Keys and values of the cache may have any length, and its `Date`s hold whole seconds exactly.
struct Subject: CacheSubject {
    let name = "my-cache"
    func claims() -> Claims {
        let room = CapacityClaim(.objects(99), units: [.objects, .bytes])
        var claims = Claims(features: [.timeToLive, .cost], room: room, order: "lru")
        (claims.deviations, claims.limits.clockStepNanoseconds) = ([.limitsAreNotEnforced], 1_000_000_000)
        return claims
    }
    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Instance(setup.capacity) }
}

private final class Instance: CacheInstance {
    private let clock = Mutex(Date(timeIntervalSinceReferenceDate: 0))
    private let cache = Mutex<MyCache<[UInt8], [UInt8]>?>(nil)
    private let isCounted: Bool
    init(_ room: Capacity?) {
        isCounted = room?.unit != .bytes
        cache.withLock { $0 = MyCache(costLimit: room?.amount ?? 99) { [unowned self] in clock.withLock(\.self) } }
    }
    func perform(_ operation: CacheOperation) -> OperationResult {
        if operation == .close { cache.withLock { $0 = nil } }
        guard let cache = cache.withLock(\.self) else { return operation == .close ? .done : .failure(.closed) }
        switch operation {
        case .put(let key, let payload, _, let terms):
            let life = terms.timeToLiveNanoseconds.map { Double($0) / 1e9 } ?? .infinity
            let fits = cache.put(payload.bytes(for: key), for: key, cost: isCounted ? 1 : terms.cost, lifetime: life)
            return fits ? .done : .failure(StoreError(.valueRefused, "it costs more than the room"))
        case .get(let key): return .entry(cache.value(for: key).map { StoredEntry($0) })
        case .contains(let key): return .flag(cache.contains(key))
        case .remove(let key): return .flag(cache.remove(key))
        case .removeAll: cache.removeAll()
        case .count: return .number(cache.keys.count)
        case .keys: return .keys(cache.keys)
        case .cost: return .number(cache.cost)
        case .advance(let time): clock.withLock { $0 += Double(time) / 1e9 }
        case .flush, .maintain, .moveWallClock: break
        default: return .failure(.unsupported(operation))
        }
        return .done
    }
}
