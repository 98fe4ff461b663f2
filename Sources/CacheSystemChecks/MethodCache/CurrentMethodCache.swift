public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Synchronization

/// MethodCache as a subject: its shared operations are those of one function from bytes to bytes.
public struct CurrentMethodCache: MethodCacheSubject {
    private let policies: [PolicyEntry]

    /// A subject with the policies that it may be opened with; `lru` must be among them.
    public init(policies: [PolicyEntry]) { self.policies = policies }

    /// `method-cache`.
    public var name: String { "method-cache" }
    /// Its order is that of LRU.
    public var orderPolicy: PolicyEntry? { policies.first { $0.descriptor.name == "lru" } }

    /// A cache in memory with strict room, lives, loads and counters.
    public func claims() throws(StoreError) -> Claims {
        Claims(
            StorageClaims(keyBytesMax: CurrentMethodCacheBytes.keyBytesMax, iterates: false),
            features: [.timeToLive, .timeToIdle, .loader, .coalesce, .resize, .statistics],
            room: CapacityClaim(.objects(1 << 16)), order: "lru")
    }

    private func open(
        _ capacity: Capacity, _ policy: String, clock: VirtualClock, expiry: MethodCacheOptions.Expiry,
        monitor: (@Sendable (MethodEvent) -> Void)? = nil
    ) throws -> MethodCache {
        guard let entry = policies.first(where: { $0.descriptor.name == policy }) else {
            throw AssayError(.usage, "The subject was given no policy '\(policy)'. Give it the built-in ones.")
        }
        var options = MethodCacheOptions(capacity: capacity)
        options.clock = clock
        options.expiry = expiry
        options.monitor = monitor
        return try MethodCache(options, policy: entry)
    }

    /// Opens an empty cache with one function.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        let clock = VirtualClock()
        do {
            let expiry = setup.timeToIdleNanoseconds.map { MethodCacheOptions.Expiry.afterAccess(.nanoseconds($0)) }
            let cache = try open(setup.capacity ?? .objects(1 << 16), "lru", clock: clock, expiry: expiry ?? .never)
            return CurrentMethodCacheBytes(cache, clock, slides: expiry != nil)
        } catch { throw StoreError(.unavailable, "\(error)") }
    }

    /// Opens an empty cache for methods.
    public func openMethods(_ setup: MethodSetup) throws -> any MethodInstance {
        let clock = VirtualClock()
        let counter = EventCounter()
        let expiry = setup.lifeNanoseconds.map { MethodCacheOptions.Expiry.afterWrite(.nanoseconds($0)) }
        let cache = try open(
            .objects(setup.capacity), setup.policy, clock: clock, expiry: expiry ?? .never,
            monitor: { _ in counter.add() })
        return CurrentMethodCacheInstance(cache, clock, counter)
    }
}

/// An open MethodCache for the checks of memoisation.
private final class CurrentMethodCacheInstance: MethodInstance {
    private let cache: MethodCache
    private let clock: VirtualClock
    private let events: EventCounter
    private let trigger = InvalidationTrigger()
    private let witness: ClearWitness

    init(_ cache: MethodCache, _ clock: VirtualClock, _ events: EventCounter) {
        self.cache = cache
        self.clock = clock
        self.events = events
        witness = ClearWitness(cache)
    }

    func memoize(
        _ name: String, receiver: Int, keyedBy places: [Int]?,
        _ body: @escaping @Sendable ([MethodValue]) throws -> MethodValue
    ) -> CheckedMethod {
        let f = cache.memoize(
            MethodRules(name), key: { (values: [MethodValue]) in places.map { $0.map { values[$0] } } ?? values }, body)
        return CheckedMethod(
            call: { try f($0) }, remember: { f.remember($0, for: $1) }, cached: { f.cached($0) })
    }

    func memoizeEffect(
        _ name: String, _ body: @escaping @Sendable ([MethodValue]) -> Void
    ) -> @Sendable ([MethodValue]) -> Void {
        let f = cache.memoize(MethodRules(name), body)
        return { f($0) }
    }

    func attachTrigger() { trigger.attach(witness) }

    func fireTrigger() -> Int {
        let before = witness.clears.count
        trigger.fire()
        return witness.clears.count - before
    }

    func set(on: Bool) { cache.isOn = on }
    func advance(nanoseconds: Int64) { clock.advance(nanoseconds: nanoseconds) }
    var monitoredCount: Int { events.count }
}

/// Clears a cache and counts how often.
private final class ClearWitness: Invalidatable {
    let clears = EventCounter()
    private let cache: MethodCache

    init(_ cache: MethodCache) { self.cache = cache }

    func invalidate() {
        cache.invalidate()
        clears.add()
    }
}
