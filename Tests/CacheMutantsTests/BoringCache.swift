import CacheConformance
import CacheCore
import CacheReference
import Synchronization

/// A poor cache that is not a wrong one: it has every feature, promises neither to keep anything nor an order, and tells
/// every value that it drops.
final class BoringCache: CacheInstance {
    enum Boredom: String, CaseIterable, Sendable {
        /// Accepts everything and drops it at once.
        case neverStores
        /// Remembers the newest entry alone.
        case oneSlot
        /// Drops a random entry every third operation.
        case dropsAtRandom
        /// Lets nothing in, and does not even drop it.
        case admitsNothing
    }

    struct Subject: CacheSubject {
        let boredom: Boredom
        var name: String { boredom.rawValue }

        func claims() throws(StoreError) -> Claims {
            // Events and counters of evictions are those of what was stored, which this cache does not tell apart.
            let features = Set(Claims.Feature.allCases).subtracting([
                .events, .statistics, .negative, .expiredFirst, .writeBehind, .tiers, .ages, .frequencyAware,
                .diskUsage,
                .keepsOrder, .compacts, .detectsDamage, .pin, .validates,
            ])
            return Claims(
                StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1, retains: false), features: features,
                room: Claims.Room(.objects(64), units: [.objects, .bytes]))
        }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            var setup = setup
            setup.capacity = setup.capacity ?? .objects(64)
            return BoringCache(boredom, setup)
        }

        func open(
            _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
        ) throws(StoreError) -> any SuspendingInstance { Waiting(try open(setup, in: directory), executor) }
    }

    /// A boring cache that lets others go on before and after each operation.
    private final class Waiting: SuspendingInstance {
        private let cache: any CacheInstance
        private let executor: SteppedExecutor

        init(_ cache: any CacheInstance, _ executor: SteppedExecutor) {
            (self.cache, self.executor) = (cache, executor)
        }

        func perform(_ operation: CacheOperation) -> OperationResult { cache.perform(operation) }

        func performSuspending(_ operation: CacheOperation) async -> OperationResult {
            await Task(executorPreference: executor.tasks) {}.value
            let result = cache.perform(operation)
            await Task(executorPreference: executor.tasks) {}.value
            return result
        }
    }

    private let boredom: Boredom
    private let cache: ReferenceCache
    private let stored = Mutex<(places: [(String?, [UInt8])], random: SeededGenerator)>(([], SeededGenerator(seed: 42)))

    init(_ boredom: Boredom, _ setup: CacheSetup) {
        self.boredom = boredom
        cache = ReferenceCache(ReferenceContents(setup, order: "lru", flavour: .plain))
    }

    func perform(_ operation: CacheOperation) -> OperationResult {
        if boredom == .dropsAtRandom { dropAtRandom() }
        let result = cache.perform(operation)
        guard operation.key != nil else { return result }
        switch boredom {
        case .neverStores, .admitsNothing: forget(operation)
        case .oneSlot: keepOnly(operation)
        case .dropsAtRandom: note(operation)
        }
        return result
    }

    private func name(_ operation: CacheOperation) -> (String?, [UInt8]) {
        if case .within(let group, let inner) = operation { return (group, inner.key ?? []) }
        return (nil, operation.key ?? [])
    }

    private func note(_ operation: CacheOperation) { stored.withLock { $0.places.append(name(operation)) } }

    /// Drops an entry behind the writer's back.
    private func drop(_ place: (String?, [UInt8])) {
        let touch = CacheOperation.touch(place.1, timeToLiveNanoseconds: 0)
        _ = cache.perform(place.0.map { .within(group: $0, touch) } ?? touch)
        _ = cache.perform(place.0.map { .within(group: $0, .contains(place.1)) } ?? .contains(place.1))
    }

    private func forget(_ operation: CacheOperation) { drop(name(operation)) }

    private func keepOnly(_ operation: CacheOperation) {
        let place = name(operation)
        let others = stored.withLock { stored in
            defer { stored.places = [place] }
            return stored.places.filter { $0.0 != place.0 || $0.1 != place.1 }
        }
        for other in others { drop(other) }
    }

    private func dropAtRandom() {
        let place: (String?, [UInt8])? = stored.withLock { stored in
            guard !stored.places.isEmpty, stored.random.next(below: 3) == 0 else { return nil }
            let index = stored.random.next(below: stored.places.count)
            return stored.places.remove(at: index)
        }
        if let place { drop(place) }
    }
}
