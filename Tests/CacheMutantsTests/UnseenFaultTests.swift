import CacheCore
import CachePolicies
import CacheReference
import Synchronization
import Testing

@testable import CacheConformance

/// Faults, most of them of public reports, that the suite once passed, each as a layer in front of the reference: the check that was
/// extended or made for it notices the layer, and passes without it.
@Suite("Faults that were once unseen")
struct UnseenFaultTests {
    typealias Layer = @Sendable (CacheOperation) -> OperationResult

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: String
        let flavour: ReferenceSubject.Flavour
        /// The answers of a faulty cache with so much room, by those of the one behind it.
        let layer: @Sendable (_ cache: any CacheInstance, _ room: Capacity) -> Layer

        init(
            _ words: String, _ check: String, behind flavour: ReferenceSubject.Flavour = .plain,
            _ layer: @escaping @Sendable (any CacheInstance, Capacity) -> Layer
        ) {
            (testDescription, self.check, self.flavour, self.layer) = (words, check, flavour, layer)
        }
    }

    static let faults = ofReads + ofTags + ofLoads + ofRooms + ofRefreshes

    private static let ofReads = [
        Fault("Several keys of which none is there are answered by nothing (jaredwray/keyv#386).", "CON-10") {
            cache, _ in
            { operation in
                let result = cache.perform(operation)
                guard case .entries(let found) = result, found.allSatisfy({ $0 == nil }) else { return result }
                return .entries([])
            }
        },
        Fault("An empty value is none once it has left memory (dominictarr/hashlru#19).", "VAL-1", behind: .tiered) {
            cache, _ in
            let isDropped = Mutex(false)
            return { operation in
                if operation == .dropMemory { isDropped.withLock { $0 = true } }
                let result = cache.perform(operation)
                guard case .entry(let entry?) = result, entry.value.isEmpty, isDropped.withLock({ $0 }) else {
                    return result
                }
                return .entry(nil)
            }
        },
        Fault("A counter of 0 is made anew and without an end (laravel/framework#32875).", "CON-15") { cache, _ in
            { operation in
                if case .increment(let key, _) = operation,
                    cache.perform(.get(key)) == .entry(StoredEntry(Array("0".utf8)))
                {
                    _ = cache.perform(.remove(key))
                }
                return cache.perform(operation)
            }
        },
        Fault("What was read is never swept once it was idle too long (isaacs/node-lru-cache#392).", "TTL-5") {
            cache, _ in
            let read = Mutex(Set<[UInt8]>())
            return { operation in
                let result = cache.perform(operation)
                if case .get(let key) = operation, result.isHit { read.withLock { _ = $0.insert(key) } }
                guard operation == .count, case .number(let count) = result else { return result }
                let left = read.withLock { $0 }.count { cache.perform(.contains($0)) == .flag(false) }
                return .number(count + left)
            }
        },
    ]

    private static let ofTags = [
        Fault("The list of a tag ends with the first of its entries (eko/gocache#305).", "GRP-5") { cache, _ in
            let state = Mutex((now: Int64(0), end: Int64?.none))
            return { operation in
                let isOver = state.withLock { state in
                    if case .advance(let step) = operation { state.now += step }
                    if case .put(_, _, _, let terms) = operation, !terms.tags.isEmpty, state.end == nil {
                        state.end = terms.timeToLiveNanoseconds.map { state.now + $0 }
                    }
                    return state.end.map { $0 <= state.now } ?? false
                }
                if case .removeTagged = operation, isOver { return .done }
                return cache.perform(operation)
            }
        },
        Fault("What was removed by its tag is back when that is forgotten (symfony/symfony#21330).", "GRP-5") {
            cache, _ in
            let tagged = Mutex([String: CacheOperation]())
            let gone = Mutex(CacheOperation?.none)
            return { operation in
                if case .put(_, _, _, let terms) = operation, terms.timeToLiveNanoseconds == nil,
                    let tag = terms.tags.first
                {
                    tagged.withLock { $0[tag] = operation }
                }
                if case .removeTagged(let tag) = operation { gone.withLock { $0 = tagged.withLock { $0[tag] } } }
                let result = cache.perform(operation)
                if case .advance(1_000...) = operation, let put = gone.withLock({ $0.take() }) {
                    _ = cache.perform(put)
                }
                return result
            }
        },
        Fault(
            "The list of a tag goes after its entries, with what came in meanwhile (laravel/framework#61328).", "LIN-18"
        ) {
            cache, _ in
            let listed = Mutex(false)
            return { operation in
                if case .put(_, _, _, let terms) = operation, !terms.tags.isEmpty { listed.withLock { $0 = true } }
                guard case .removeTagged = operation else { return cache.perform(operation) }
                guard listed.withLock({ $0 }) else { return .done }
                let result = cache.perform(operation)
                sleepUninterrupted(.microseconds(200))
                listed.withLock { $0 = false }
                return result
            }
        },
    ]

    private static let ofLoads = [
        Fault("A load whose place is given away meanwhile answers nothing (isaacs/node-lru-cache#274).", "LDR-11") {
            cache, room in
            { operation in
                let result = cache.perform(operation)
                guard case .load(let key, let origin) = operation, origin.meanwhile.count > room.amount else {
                    return result
                }
                _ = cache.perform(.remove(key))
                return .loaded(.nothing, calls: result.calls)
            }
        },
        Fault("A key that is being loaded is there (isaacs/node-lru-cache#285).", "LDR-26") { cache, _ in
            let loading = Mutex(Set<[UInt8]>())
            return { operation in
                if case .contains(let key) = operation, loading.withLock({ $0.contains(key) }) { return .flag(true) }
                guard case .load(let key, _) = operation else { return cache.perform(operation) }
                loading.withLock { _ = $0.insert(key) }
                defer { loading.withLock { _ = $0.remove(key) } }
                return cache.perform(operation)
            }
        },
        Fault("Whoever joins a load counts as one (google/guava#2389).", "STA-3") { cache, _ in
            let joined = Mutex(0)
            return { operation in
                let isThere = operation.key.map { cache.perform(.contains($0)) == .flag(true) } ?? false
                let result = cache.perform(operation)
                if case .load = operation, !isThere, result.calls == 0 { joined.withLock { $0 += 1 } }
                guard case .statistics(var counters) = result else { return result }
                counters.loads? += joined.withLock { $0 }
                return .statistics(counters)
            }
        },
        Fault("Whoever joins a load looks for what it has stored (jellydator/ttlcache#44).", "LDR-21") { cache, _ in
            { operation in
                let result = cache.perform(operation)
                guard case .load(let key, _) = operation, case .loaded(.value, 0) = result,
                    cache.perform(.contains(key)) == .flag(false)
                else { return result }
                return .loaded(.nothing, calls: 0)
            }
        },
        Fault("A load that is overtaken by a put fails (arthurprs/quick-cache#40).", "LDR-22") { cache, _ in
            { operation in
                let result = cache.perform(operation)
                guard case .load(let key, _) = operation, case .loaded(.value(let entry), let calls) = result,
                    case .entry(let stored?) = cache.perform(.get(key)), stored.value != entry.value
                else { return result }
                return .loaded(.failed, calls: calls)
            }
        },
        Fault("What is loaded enters where the next leaves (arthurprs/quick-cache#95).", "POL-7") { cache, _ in
            { operation in
                let result = cache.perform(operation)
                if case .load(let key, _) = operation, result.calls == 1, case .keys(let keys) = cache.perform(.keys) {
                    for other in keys where other != key { _ = cache.perform(.get(other)) }
                }
                return result
            }
        },
    ]

    private static let ofRooms = [
        Fault("Once it is full of bytes newcomers are dropped (dotnet/runtime#97962).", "CAP-27") { cache, room in
            { operation in
                guard room.unit == .bytes, case .put(let key, _, _, let terms) = operation,
                    case .number(let total) = cache.perform(.cost), total + terms.cost > room.amount,
                    cache.perform(.contains(key)) == .flag(false)
                else { return cache.perform(operation) }
                return .done
            }
        },
        Fault("What makes room in bytes is not counted (coocood/freecache#86).", "STA-10") { cache, room in
            { operation in
                let result = cache.perform(operation)
                guard room.unit == .bytes, case .statistics(var counters) = result else { return result }
                counters.evictions = 0
                return .statistics(counters)
            }
        },
        Fault("What a reader finds expired is not counted (coocood/freecache#71).", "STA-9") { cache, _ in
            let uncounted = Mutex(0)
            return { operation in
                func expirations() -> Int {
                    if case .statistics(let counters) = cache.perform(.statistics) {
                        counters.expirations ?? 0
                    } else {
                        0
                    }
                }
                if case .get = operation {
                    let before = expirations()
                    defer { uncounted.withLock { $0 += expirations() - before } }
                    return cache.perform(operation)
                }
                let result = cache.perform(operation)
                guard case .statistics(var counters) = result else { return result }
                counters.expirations? -= uncounted.withLock { $0 }
                return .statistics(counters)
            }
        },
        Fault("Of several that leave for one the first is told.", "EVT-2") { cache, room in
            { operation in
                let result = cache.perform(operation)
                guard room.unit == .bytes, case .events(let events) = result else { return result }
                return .events(Array(events.prefix(1)))
            }
        },
        Fault("A listener that fails leaves the count as it was (dask/zict#47).", "EVT-6") { cache, room in
            let fails = Mutex(false)
            let drift = Mutex(0)
            return { operation in
                if case .listen(let listener) = operation { fails.withLock { $0 = listener == .fails } }
                if case .put(let key, _, _, _) = operation, fails.withLock({ $0 }),
                    cache.perform(.contains(key)) == .flag(false), cache.perform(.count) == .number(room.amount)
                {
                    drift.withLock { $0 += 1 }
                }
                let result = cache.perform(operation)
                if case .number(let count) = result, operation == .count {
                    return .number(count + drift.withLock { $0 })
                }
                return result
            }
        },
        Fault("What a listener stores while room is made takes the same room (denoland/std#7047).", "EVT-7") {
            cache, room in
            { operation in
                if case .listen(.reenters(.putIfAbsent)) = operation { _ = cache.perform(.resize(room.amount + 1)) }
                return cache.perform(operation)
            }
        },
    ]

    private static let ofRefreshes = [
        Fault("What a refresh replaces is not told (as ben-manes/caffeine#593 asks).", "EVT-2") { cache, _ in
            let refreshed = Mutex(Set<[UInt8]>())
            return { operation in
                if case .load(let key, _) = operation, cache.perform(.contains(key)) == .flag(true) {
                    refreshed.withLock { _ = $0.insert(key) }
                }
                let result = cache.perform(operation)
                guard case .events(let events) = result else { return result }
                return .events(events.filter { event in !refreshed.withLock { $0.contains(event.key) } })
            }
        },
        Fault("What is loaded afresh costs what the old value did.", "CAP-6") { cache, _ in
            { operation in
                guard case .load(let key, let origin) = operation, case .value(let payload, var terms) = origin.answer,
                    case .number(let cost) = cache.perform(.cost), cost > 0
                else { return cache.perform(operation) }
                terms.cost = cost
                return cache.perform(.load(key, Origin(.value(payload, terms), meanwhile: origin.meanwhile)))
            }
        },
    ]

    @Test(arguments: faults) func `are noticed by the checks that were extended`(fault: Fault) throws {
        let check = try #require(ConformanceSuite.cache.check(fault.check))
        let outcome = check.run(on: Layered(fault, behind: fault.flavour), seed: 1).outcome
        #expect(outcome.name == "fail", "\(outcome)")
        let twin = check.run(on: Layered(nil, behind: fault.flavour), seed: 1).outcome
        #expect(twin == .pass, "\(twin)")
    }
}

/// The reference with a layer in front of it, or none.
private struct Layered: CacheSubject {
    private let fault: UnseenFaultTests.Fault?
    private let cache: ReferenceSubject

    init(_ fault: UnseenFaultTests.Fault?, behind flavour: ReferenceSubject.Flavour) {
        self.fault = fault
        cache = ReferenceSubject(flavour: flavour, policies: BuiltinPolicies.all)
    }

    var name: String { "layered" }
    var orderPolicy: PolicyEntry? { cache.orderPolicy }

    func claims() throws(StoreError) -> Claims { try cache.claims() }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        let behind = try cache.open(setup, in: directory)
        return fault.map { Instance(layer: $0.layer(behind, setup.capacity ?? .objects(1 << 20))) } ?? behind
    }

    private final class Instance: CacheInstance {
        private let layer: UnseenFaultTests.Layer
        init(layer: @escaping UnseenFaultTests.Layer) { self.layer = layer }
        func perform(_ operation: CacheOperation) -> OperationResult { layer(operation) }
    }
}
