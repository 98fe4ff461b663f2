public import CacheConformance
public import CacheCore
import CacheReference
import Foundation
import Synchronization

/// A poor cache that is not a wrong one: it has every feature, promises neither to keep anything nor an order, and tells
/// every value that it drops. A check that fails it raises a false alarm.
public final class HarmlessCache: CacheInstance {
    /// What is poor about it.
    public enum Kind: String, CaseIterable, Sendable {
        /// Accepts everything and drops it at once.
        case neverStores
        /// Remembers the newest entry alone.
        case oneSlot
        /// Drops a random entry every third operation.
        case dropsAtRandom
        /// Rests for a tenth of a millisecond before every thirtieth operation.
        case slow
        /// An LRU in four parts, by the hash of a key, each with a quarter of the room for entries.
        case sharded
    }

    /// A harmless cache as a subject.
    public struct Subject: CacheSubject {
        private let kind: Kind

        /// A harmless cache of a kind.
        public init(_ kind: Kind) { self.kind = kind }

        /// `harmless`, with its kind if that is not the first.
        public var name: String { kind == .neverStores ? "harmless" : "harmless:\(kind.rawValue)" }

        /// Every feature but those of a cache that keeps what it is given; of `slow` what the reference claims.
        public func claims() throws(StoreError) -> Claims {
            guard kind != .slow else { return try ReferenceSubject(policies: []).claims() }
            // Events and counters of evictions are those of what was stored, which this cache does not tell apart.
            let features = Set(Claims.Feature.allCases).subtracting([
                .events, .statistics, .negative, .expiredFirst, .writeBehind, .tiers, .ages, .frequencyAware,
                .diskUsage,
                .keepsOrder, .compacts, .detectsDamage, .pin, .validates,
            ])
            return Claims(
                StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1, retains: false), features: features,
                room: CapacityClaim(.objects(64), units: [.objects, .bytes]))
        }

        /// An empty cache.
        public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            guard kind != .slow else {
                try ReferenceSubject.check(setup)
                return HarmlessCache(kind, setup)
            }
            var setup = setup
            setup.capacity = setup.capacity ?? .objects(64)
            return HarmlessCache(kind, setup)
        }

        /// An empty cache whose operations may be suspended.
        public func open(
            _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
        ) throws(StoreError) -> any SuspendingInstance {
            SuspendingReference(try open(setup, in: directory), executor)
        }
    }

    private let kind: Kind
    private let cache: ReferenceCache
    /// The most entries of a part, where there are parts.
    private let partMax: Int
    private let stored = Mutex<State>(State())

    private struct State {
        /// Of `sharded` each once, and the last used last.
        var places: [Place] = []
        var random = SeededGenerator(seed: 42)
        var operations = 0
    }

    private struct Place: Hashable {
        var group: String?
        var key: [UInt8]
        var part: Int { key.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff } % 4 }
    }

    init(_ kind: Kind, _ setup: CacheSetup) {
        self.kind = kind
        cache = ReferenceCache(ReferenceContents(setup, order: "lru", flavour: .plain))
        partMax = setup.capacity.map { $0.unit == .objects ? max(1, $0.amount / 4) : .max } ?? .max
    }

    /// Does one operation.
    public func perform(_ operation: CacheOperation) -> OperationResult {
        if kind == .dropsAtRandom { dropAtRandom() }
        if kind == .slow { rest() }
        let result = cache.perform(operation)
        guard operation.key != nil else { return result }
        switch kind {
        case .neverStores: drop(place(operation))
        case .oneSlot: keepOnly(place(operation))
        case .dropsAtRandom: stored.withLock { $0.places.append(place(operation)) }
        case .sharded: use(place(operation))
        case .slow: break
        }
        return result
    }

    private func place(_ operation: CacheOperation) -> Place {
        if case .within(let group, let inner) = operation { return Place(group: group, key: inner.key ?? []) }
        return Place(key: operation.key ?? [])
    }

    /// Drops an entry behind the writer's back.
    private func drop(_ place: Place) {
        let touch = CacheOperation.touch(place.key, timeToLiveNanoseconds: 0)
        _ = cache.perform(place.group.map { .within(group: $0, touch) } ?? touch)
        _ = cache.perform(place.group.map { .within(group: $0, .contains(place.key)) } ?? .contains(place.key))
    }

    private func keepOnly(_ place: Place) {
        let others = stored.withLock { stored in
            defer { stored.places = [place] }
            return stored.places.filter { $0 != place }
        }
        for other in others { drop(other) }
    }

    private func dropAtRandom() {
        let place: Place? = stored.withLock { stored in
            guard !stored.places.isEmpty, stored.random.next(below: 3) == 0 else { return nil }
            let index = stored.random.next(below: stored.places.count)
            return stored.places.remove(at: index)
        }
        if let place { drop(place) }
    }

    private func use(_ place: Place) {
        let oldest: Place? = stored.withLock { stored in
            stored.places.removeAll { $0 == place }
            stored.places.append(place)
            let part = stored.places.filter { $0.part == place.part }
            guard part.count > partMax else { return nil }
            stored.places.removeAll { $0 == part[0] }
            return part[0]
        }
        if let oldest { drop(oldest) }
    }

    private func rest() {
        let isTurn = stored.withLock { stored in
            stored.operations += 1
            return stored.operations % 30 == 0
        }
        if isTurn { usleep(100) }
    }
}
