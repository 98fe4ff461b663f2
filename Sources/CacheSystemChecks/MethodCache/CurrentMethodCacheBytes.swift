internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Synchronization

/// An open MethodCache for the shared checks: one function from keys to values, which asks an origin.
final class CurrentMethodCacheBytes: CacheInstance {
    /// A value with the life that its origin gave it; nil bytes for no value, which is not kept.
    private struct Loaded: Sendable {
        var bytes: [UInt8]?
        var terms = PutTerms.plain

        var expiry: EntryExpiry { terms.timeToLiveNanoseconds.map { .after(.nanoseconds($0)) } ?? .never }
    }

    /// Who is asked for a value, and how often that was so; never part of the key.
    private struct Asking: Sendable {
        let origin: Origin
        let calls = EventCounter()
        let instance: CurrentMethodCacheBytes
    }

    static let keyBytesMax = 65_536

    private let cache: MethodCache
    private let clock: VirtualClock
    private let function: MemoizedFunction<[UInt8], Asking?, Loaded, Origin.Failure>
    private let isClosed = Atomic(false)
    private let slides: Bool

    init(_ cache: MethodCache, _ clock: VirtualClock, slides: Bool) {
        self.cache = cache
        self.clock = clock
        self.slides = slides
        var rules = MethodRules<Loaded>("bytes", admits: { $0.bytes != nil })
        rules.expiryOfResult = { [slides] in slides && $0.terms.timeToLiveNanoseconds == nil ? nil : $0.expiry }
        function = cache.memoize(rules, key: { (key: [UInt8], _: Asking?) in key }) {
            (key: [UInt8], asking: Asking?) throws(Origin.Failure) in
            guard let asking else { return Loaded() }
            asking.calls.add()
            let bytes = try asking.origin.fetch(key, for: asking.instance)
            return Loaded(bytes: bytes, terms: asking.origin.terms)
        }
    }

    func perform(_ operation: CacheOperation) -> OperationResult {
        if isClosed.load(ordering: .acquiring), operation != .close { return .failure(.closed) }
        // A function takes arguments of any length; the suite wants a limit that it can try.
        if let key = operation.key, key.count > Self.keyBytesMax {
            return .failure(StoreError(.keyRefused, "the subject takes keys up to \(Self.keyBytesMax) bytes"))
        }
        switch operation {
        case .put(let key, _, _, let terms) where terms.tags.isEmpty:
            function.remember(Loaded(bytes: operation.entry!.value, terms: terms), for: key, nil)
        case .get(let key): return .entry((function.cached(key, nil)?.bytes).map { StoredEntry($0) })
        case .contains(let key): return .flag(function.isCached(key, nil))
        case .remove(let key): return .flag(function.forget(key, nil))
        case .removeAll: cache.invalidate()
        case .count: return .number(cache.count)
        case .load(let key, let origin): return load(key, origin)
        case .resize(let amount): return resize(to: amount)
        case .advance(let time): clock.advance(nanoseconds: time)
        case .moveWallClock(let time): clock.setWall(nanoseconds: clock.wallNanoseconds() + time)
        case .maintain: cache.removeExpired()
        case .statistics: return .statistics(counters)
        case .flush, .pause: break
        case .close:
            isClosed.store(true, ordering: .releasing)
            cache.close()
        default: return .failure(.unsupported(operation))
        }
        return .done
    }

    private func load(_ key: [UInt8], _ origin: Origin) -> OperationResult {
        let asking = Asking(origin: origin, instance: self)
        do throws(Origin.Failure) {
            let loaded = try function(key, asking)
            return .loaded(loaded.bytes.map { .value(StoredEntry($0)) } ?? .nothing, calls: asking.calls.count)
        } catch {
            return .loaded(.failed, calls: asking.calls.count)
        }
    }

    private func resize(to amount: Int) -> OperationResult {
        do throws(AssayError) {
            try cache.resize(to: amount)
            return .done
        } catch { return .failure(StoreError(.unavailable, error.description)) }
    }

    private var counters: CacheCounters {
        let statistics = cache.statistics
        var counters = CacheCounters()
        counters.hits = statistics.hits
        counters.misses = statistics.misses
        counters.evictions = statistics.removals(.evicted)
        counters.expirations = statistics.removals(.expired)
        counters.loads = statistics.loads
        counters.loadFailures = statistics.loadFailures
        return counters
    }
}
