public import CacheConformance
public import CacheCore
import CacheReference
import Foundation
import Synchronization

/// A poor cache that is not a wrong one: it has every feature, promises no order and, unless it says so, to keep nothing, and
/// tells every value that it drops. A check that fails it raises a false alarm.
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
        /// An LRU in four parts, by the hash of a key, each with a quarter of the room for entries: it keeps what it is given
        /// while no part is full.
        case sharded
        /// The reference with room for few entries, unless it is opened with more.
        case small
        /// The reference with room for few entries.
        case fixed

        /// Whether it promises what the reference does, but for the room.
        var isWhole: Bool { [.slow, .small, .fixed].contains(self) }
    }

    /// A harmless cache as a subject.
    public struct Subject: CacheSubject {
        private let kind: Kind
        private static let few = Capacity.objects(24)

        /// A harmless cache of a kind.
        public init(_ kind: Kind) { self.kind = kind }

        /// `harmless`, with its kind if that is not the first.
        public var name: String { kind == .neverStores ? "harmless" : "harmless:\(kind.rawValue)" }

        /// Every feature but those of a cache that keeps what it is given; of the whole ones what the reference claims.
        public func claims() throws(StoreError) -> Claims {
            guard !kind.isWhole else {
                var claims = try ReferenceSubject(policies: []).claims()
                if kind == .small { claims.room?.capacity = Self.few }
                if kind == .fixed { claims.room = CapacityClaim(Self.few, isAdjustable: false) }
                return claims
            }
            // Events and counters of evictions are those of what was stored, which this cache does not tell apart.
            let features = Set(Claims.Feature.allCases).subtracting([
                .events, .statistics, .negative, .expiredFirst, .writeBehind, .tiers, .ages, .frequencyAware,
                .diskUsage,
                .keepsOrder, .compacts, .detectsDamage, .pin, .validates,
            ])
            return Claims(
                StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1, retains: kind == .sharded),
                features: features,
                room: CapacityClaim(.objects(64), units: [.objects, .bytes], isStrict: kind != .sharded))
        }

        /// An empty cache.
        public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            var setup = setup
            if kind.isWhole { try ReferenceSubject.check(setup) }
            switch kind {
            case .slow: break
            case .small, .fixed: setup.capacity = setup.capacity ?? Self.few
            default: setup.capacity = setup.capacity ?? .objects(64)
            }
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

    private typealias Place = ReferenceContents.EntryID

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
        case .slow, .small, .fixed: break
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
        stored.withLock { stored in
            stored.places.removeAll { $0 == place }
            stored.places.append(place)
            guard stored.places.count(where: { part($0) == part(place) }) > partMax else { return }
            stored.places.removeAll { part($0) == part(place) && !isThere($0) }
            let others = stored.places.filter { part($0) == part(place) }
            guard others.count > partMax else { return }
            stored.places.removeAll { $0 == others[0] }
            drop(others[0])
        }
    }

    private func isThere(_ place: Place) -> Bool {
        let look = CacheOperation.contains(place.key)
        return cache.perform(place.group.map { .within(group: $0, look) } ?? look) == .flag(true)
    }

    private func part(_ place: Place) -> Int { place.key.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff } % 4 }

    private func rest() {
        let isTurn = stored.withLock { stored in
            stored.operations += 1
            return stored.operations % 30 == 0
        }
        if isTurn { usleep(100) }
    }
}
