import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Foundation
import Synchronization
import Testing

/// Small caches with the fault of a public report, each beside the same cache without it: the check that was made for the report
/// notices the one and passes the other.
@Suite("Faults of public reports")
struct FaultyCacheTests {
    enum Fault: String, CaseIterable {
        /// A full cache is emptied for a newcomer.
        case emptiesWhenFull
        /// The bound is enforced when something is read.
        case trimsWhenRead
        /// The bound is enforced after the lock was let go of (nicklockwood/LRUCache).
        case trimsUnlocked
        /// Threads change the count by which room is made at once (ben-manes/caffeine#225).
        case miscounts
        /// An entry that grows by an overwrite makes room by leaving itself.
        case growthEvictsItself
        /// Costs are added up modulo 2^64.
        case costsWrap
        /// What a listener puts while it is told of a clear is dropped (isaacs/node-lru-cache, `dispose`).
        case clearDropsNewcomer
        /// An end that an overwrite gives is scheduled nowhere (ben-manes/caffeine#478).
        case endOfOverwriteUnscheduled
        /// A clear leaves the timers of its entries (avoidwork/tiny-lru#11).
        case timersOutliveClear
        /// An overwrite without an end leaves the old timer.
        case timersOutliveOverwrite
        /// A name that is too long for a file by what follows its last dot is not stored (SDWebImage/SDWebImage#2444).
        case longExtensionDropped
        /// The count is at most the capacity, and the list is not (quick-lru 6.1.1).
        case countIsLimited
        /// A life ends after a year, whatever was asked for.
        case livesAYear
        /// What overwrites with a life stays in memory, and if it is over at closing the older value stands in the file.
        case olderValueReturns
        /// A clear brings back the capacity that the cache was opened with.
        case clearForgetsResize
        /// Of what waits for the writer the removals are written first (ehcache/ehcache3#626).
        case removalsAreWrittenFirst
        /// No more than 999 keys are read at once (couchbase/couchbase-lite-android#1091).
        case readsManyAtMost
        /// Of what is put at once all but the first 999 is refused.
        case storesManyAtMost
        /// A tag with more entries than 999 is not removed (nette/caching#25).
        case tagsFewAtMost
        /// What a refresh brings is stored whatever was put while its origin was asked (logto-io/logto#9428).
        case refreshUndoesPut
        /// What is loaded afresh has no tags.
        case refreshDropsTags
        /// After opening a life is counted from the last write of the file (tidwall/buntdb#85).
        case livesFromLastWrite
        /// What is packed is unpacked when it is read (neomutt/neomutt#2152).
        case unpacks
        /// A stored 0 is no value for a load (jaredwray/cacheable#25).
        case zeroIsLoaded
        /// What was removed and put again leaves a full cache as it did before (repoze.lru).
        case removalIsRepeated
        /// An object is let go of while the lock is held (awolverp/cachebox#84).
        case endsUnderLock

        /// The checks of which each notices it.
        var checks: [String] {
            switch self {
            case .emptiesWhenFull: ["CAP-22"]
            case .trimsWhenRead: ["CAP-2"]
            case .trimsUnlocked: ["CAP-23"]
            case .miscounts: ["CAP-24"]
            case .growthEvictsItself: ["CAP-6"]
            case .costsWrap: ["CAP-25"]
            case .clearDropsNewcomer: ["EVT-11"]
            case .endOfOverwriteUnscheduled: ["EVT-2", "TTL-28"]
            case .timersOutliveClear, .timersOutliveOverwrite: ["TTL-28"]
            case .longExtensionDropped: ["KEY-3", "PER-1"]
            case .countIsLimited: ["ITR-6"]
            case .livesAYear: ["TTL-10"]
            case .olderValueReturns: ["TTL-27"]
            case .clearForgetsResize: ["CLR-5"]
            case .removalsAreWrittenFirst: ["WRT-5"]
            case .readsManyAtMost, .storesManyAtMost: ["CON-22"]
            case .tagsFewAtMost: ["GRP-11"]
            case .refreshUndoesPut: ["LDR-20"]
            case .refreshDropsTags: ["GRP-5"]
            case .livesFromLastWrite: ["TTL-27"]
            case .unpacks, .zeroIsLoaded: ["VAL-5"]
            case .removalIsRepeated: ["BAS-13"]
            case .endsUnderLock: ["VAL-11"]
            }
        }

        /// Which reference it is planted in.
        var flavour: ReferenceSubject.Flavour {
            switch self {
            case .longExtensionDropped, .olderValueReturns, .livesFromLastWrite: .persistent
            case .removalsAreWrittenFirst: .behind
            default: .plain
            }
        }
    }

    @Test(arguments: Fault.allCases) func `are noticed by the checks made for them`(fault: Fault) throws {
        for id in fault.checks {
            let check = try #require(ConformanceSuite.cache.check(id))
            let outcome = check.run(on: FaultyCache(fault), seed: 1).outcome
            #expect(outcome.name == "fail", "\(id) says \(outcome) of \(fault)")
            // A list of a thousand was printed whole.
            #expect(outcome.detail?.utf8.count ?? 0 < 2_000, "\(id) says too much of \(fault)")
            #expect(fault != .storesManyAtMost || outcome.detail?.contains("number 1000 of 1100") == true)
            let twin = check.run(on: FaultyCache(nil, like: fault), seed: 1).outcome
            #expect(twin == .pass, "\(id) says \(twin) of the twin of \(fault)")
        }
    }
}

/// The reference with a fault in front of it, or none.
private struct FaultyCache: CacheSubject {
    typealias Fault = FaultyCacheTests.Fault
    let fault: Fault?
    private let cache: ReferenceSubject

    init(_ fault: Fault?, like other: Fault? = nil) {
        self.fault = fault
        cache = ReferenceSubject(flavour: (fault ?? other)?.flavour ?? .plain, policies: BuiltinPolicies.all)
    }

    var name: String { fault?.rawValue ?? "twin" }
    var needsDirectory: Bool { cache.needsDirectory }
    var orderPolicy: PolicyEntry? { cache.orderPolicy }

    func claims() throws(StoreError) -> Claims {
        var claims = try cache.claims()
        // Where the bound is strict and the order known these are found by other checks too.
        if fault == .removalIsRepeated { claims.order = nil }
        if [.emptiesWhenFull, .miscounts, .countIsLimited].contains(fault) {
            claims.order = nil
            claims.room?.isStrict = false
        }
        if fault == .endOfOverwriteUnscheduled { claims.iterates = false }
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        guard let fault else { return try cache.open(setup, in: directory) }
        if fault == .endsUnderLock { return LockedObjects() }
        var wider = setup
        let room = setup.capacity ?? .objects(1 << 20)
        switch fault {
        case .trimsWhenRead, .trimsUnlocked, .countIsLimited: wider.capacity = Capacity(room.amount + 1, room.unit)
        case .miscounts: wider.capacity = Capacity(1 << 20, room.unit)
        case .costsWrap: wider.capacity = .objects(1 << 20)
        default: break
        }
        return FaultyInstance(fault, try cache.open(wider, in: directory), room)
    }
}

private final class FaultyInstance: CacheInstance {
    private struct State {
        var count = 0
        var costs: [[UInt8]: Int] = [:]
        var now: Int64 = 0
        var ends: [[UInt8]: Int64] = [:]
        /// What is in memory alone.
        var unwritten: [[UInt8]: CacheOperation] = [:]
        var written: [WrittenEntry] = []
        var tagged = 0
        var removed: Set<[UInt8]> = []
        /// When each entry with a life was written, and what was written last.
        var writes: [[UInt8]: Int64] = [:]
        var lastWrite: Int64 = 0
        var undoing: CacheOperation?
        var reentry: CacheOperation?
        var total: Int { costs.values.reduce(0, &+) }
    }

    private let fault: FaultyCacheTests.Fault
    private let cache: any CacheInstance
    private let room: Capacity
    private let state = Mutex(State())

    init(_ fault: FaultyCacheTests.Fault, _ cache: any CacheInstance, _ room: Capacity) {
        (self.fault, self.cache, self.room) = (fault, cache, room)
    }

    func perform(_ operation: CacheOperation) -> OperationResult {
        switch fault {
        case .emptiesWhenFull:
            if case .put(let key, _, _, _) = operation, cache.perform(.contains(key)) == .flag(false),
                cache.perform(.count) == .number(room.amount)
            {
                _ = cache.perform(.removeAll)
            }
        case .trimsWhenRead:
            if case .get = operation { _ = cache.perform(.resize(room.amount)) }
        case .trimsUnlocked:
            let result = cache.perform(operation)
            if case .put = operation {
                for amount in [room.amount, room.amount + 1] { _ = cache.perform(.resize(amount)) }
            }
            return result
        case .miscounts: return miscounted(operation)
        case .growthEvictsItself:
            guard case .put(let key, _, _, let terms) = operation, cache.perform(.contains(key)) == .flag(true),
                terms.cost > room.amount / 10 * 9
            else { break }
            let result = cache.perform(operation)
            _ = cache.perform(.remove(key))
            return result
        case .costsWrap: return wrapped(operation)
        case .clearDropsNewcomer: return cleared(operation)
        case .endOfOverwriteUnscheduled: return unscheduled(operation)
        case .timersOutliveClear, .timersOutliveOverwrite: return timed(operation)
        case .longExtensionDropped:
            if case .put(let key, _, _, _) = operation, let dot = key.lastIndex(of: UInt8(ascii: ".")),
                key.count - dot > 200
            {
                return .done
            }
        case .countIsLimited:
            guard operation == .count, case .number(let count) = cache.perform(.count) else { break }
            return .number(min(count, room.amount))
        case .livesAYear:
            let year: Int64 = 365 * 86_400_000_000_000
            guard case .put(let key, let value, let expiry, var terms) = operation,
                terms.timeToLiveNanoseconds.map({ $0 > year }) == true
            else { break }
            terms.timeToLiveNanoseconds = year
            return cache.perform(.put(key, value, expiresAtNanoseconds: expiry, terms: terms))
        case .olderValueReturns: return overlaid(operation)
        case .clearForgetsResize:
            if operation == .removeAll { _ = cache.perform(.resize(room.amount)) }
        case .removalsAreWrittenFirst:
            return state.withLock { state in
                switch operation {
                case .put(let key, _, _, _):
                    state.written.append(WrittenEntry(key: key, value: operation.entry!.value))
                case .remove(let key): state.written.append(WrittenEntry(key: key, value: nil))
                case .writes:
                    _ = cache.perform(.writes)
                    defer { state.written = [] }
                    return .writes(state.written.filter { $0.value == nil } + state.written.filter { $0.value != nil })
                default: break
                }
                return cache.perform(operation)
            }
        case .readsManyAtMost:
            if case .getMany(let keys) = operation, keys.count > 999 {
                return .failure(StoreError(.inputOutput, "too many SQL variables"))
            }
        case .storesManyAtMost:
            if case .putMany(let items) = operation, items.count > 999 {
                _ = cache.perform(.putMany(Array(items.prefix(999))))
                return .flags(items.indices.map { $0 < 999 })
            }
        case .tagsFewAtMost:
            let count = state.withLock { state in
                if case .put(_, _, _, let terms) = operation, !terms.tags.isEmpty { state.tagged += 1 }
                return state.tagged
            }
            if case .removeTagged = operation, count > 999 { return .done }
        case .refreshUndoesPut:
            if case .load(let key, let origin) = operation, !origin.meanwhile.isEmpty,
                case .value(let payload, _) = origin.answer
            {
                state.withLock { $0.undoing = .put(key, payload) }
            }
            let result = cache.perform(operation)
            if operation == .maintain, let late = state.withLock({ $0.undoing.take() }) { _ = cache.perform(late) }
            return result
        case .refreshDropsTags:
            if case .load(let key, let origin) = operation, cache.perform(.contains(key)) == .flag(true),
                case .value(let payload, _) = origin.answer
            {
                return cache.perform(.load(key, Origin(.value(payload))))
            }
        case .livesFromLastWrite: return agedByFile(operation)
        case .unpacks:
            let result = cache.perform(operation)
            guard case .entry(let entry?) = result, entry.value.starts(with: [0x78, 0x9C]) else { return result }
            return .entry(StoredEntry(Array("hello".utf8)))
        case .zeroIsLoaded:
            if case .load(let key, _) = operation,
                cache.perform(.get(key)) == .entry(StoredEntry([UInt8(ascii: "0")]))
            {
                _ = cache.perform(.remove(key))
            }
        case .removalIsRepeated: return repeated(operation)
        case .endsUnderLock: break
        }
        return cache.perform(operation)
    }

    /// Keeps the places of what was removed, which a full cache gives up first, whatever has them by then.
    private func repeated(_ operation: CacheOperation) -> OperationResult {
        let result = cache.perform(operation)
        switch operation {
        case .remove(let key): state.withLock { _ = $0.removed.insert(key) }
        case .removeAll: state.withLock { $0.removed = [] }
        case .put(let key, _, _, _) where room.amount == 2 && cache.perform(.count) == .number(2):
            for other in state.withLock({ $0.removed }) where other != key {
                state.withLock { _ = $0.removed.remove(other) }
                _ = cache.perform(.remove(other))
            }
        default: break
        }
        return result
    }

    /// Writes what overwrites with a life when the cache closes, unless it is over.
    private func overlaid(_ operation: CacheOperation) -> OperationResult {
        state.withLock { state in
            switch operation {
            case .advance(let step): state.now += step
            case .put(let key, _, _, let terms):
                (state.unwritten[key], state.ends[key]) = (nil, nil)
                guard let time = terms.timeToLiveNanoseconds, cache.perform(.contains(key)) == .flag(true) else {
                    break
                }
                (state.unwritten[key], state.ends[key]) = (operation, state.now + time)
                return .done
            case .get(let key):
                guard let end = state.ends[key] else { break }
                return .entry(end <= state.now ? nil : state.unwritten[key]?.entry)
            case .close:
                for (key, end) in state.ends where end > state.now { _ = cache.perform(state.unwritten[key]!) }
            default: break
            }
            return cache.perform(operation)
        }
    }

    private func agedByFile(_ operation: CacheOperation) -> OperationResult {
        state.withLock { state in
            switch operation {
            case .advance(let step): state.now += step
            case .put(let key, _, _, let terms):
                state.lastWrite = state.now
                state.writes[key] = state.now
                state.ends[key] = terms.timeToLiveNanoseconds.map { state.now + $0 }
            case .close:
                for (key, end) in state.ends where end > state.now {
                    let late = state.lastWrite - state.writes[key]!
                    _ = cache.perform(.touch(key, timeToLiveNanoseconds: end + late - state.now))
                }
            default: break
            }
            return cache.perform(operation)
        }
    }

    /// Reads the count under one lock and writes it under another.
    private func miscounted(_ operation: CacheOperation) -> OperationResult {
        guard case .put(let key, _, _, _) = operation, cache.perform(.contains(key)) == .flag(false) else {
            return cache.perform(operation)
        }
        let count = state.withLock { $0.count }
        Thread.sleep(forTimeInterval: 20e-6)
        let result = cache.perform(operation)
        if count >= room.amount, case .keys(let keys) = cache.perform(.keys),
            let other = keys.first(where: { $0 != key })
        {
            _ = cache.perform(.remove(other))
        } else {
            state.withLock { $0.count = count + 1 }
        }
        return result
    }

    private func wrapped(_ operation: CacheOperation) -> OperationResult {
        var plain = operation
        if case .put(let key, let payload, _, _) = operation { plain = .put(key, payload) }
        let result = cache.perform(plain)
        return state.withLock { state in
            switch operation {
            case .put(let key, _, _, let terms):
                state.costs[key] = terms.cost
                while state.total > room.amount, let other = state.costs.keys.first(where: { $0 != key }) {
                    state.costs[other] = nil
                    _ = cache.perform(.remove(other))
                }
            case .remove(let key): state.costs[key] = nil
            case .removeAll: state.costs = [:]
            case .cost: return .number(state.total)
            default: break
            }
            return result
        }
    }

    private func cleared(_ operation: CacheOperation) -> OperationResult {
        let result = cache.perform(operation)
        if case .listen(let listener) = operation {
            state.withLock { if case .reenters(let inner) = listener { $0.reentry = inner } else { $0.reentry = nil } }
        }
        guard operation == .removeAll, case .put(let key, _, _, _)? = state.withLock({ $0.reentry }) else {
            return result
        }
        for step in [.listen(.none), .remove(key), .listen(.plain)] as [CacheOperation] {
            _ = cache.perform(step)
        }
        return result
    }

    /// Stores what overwrites without its end, and remembers that to answer reads alone.
    private func unscheduled(_ operation: CacheOperation) -> OperationResult {
        state.withLock { state in
            switch operation {
            case .advance(let step): state.now += step
            case .put(let key, let payload, let moment, var terms):
                state.ends[key] = nil
                guard cache.perform(.contains(key)) == .flag(true), let time = terms.timeToLiveNanoseconds, time > 0
                else { break }
                state.ends[key] = state.now + time
                terms.timeToLiveNanoseconds = nil
                return cache.perform(.put(key, payload, expiresAtNanoseconds: moment, terms: terms))
            case .get(let key), .contains(let key), .remove(let key):
                guard let end = state.ends[key], end <= state.now else { break }
                state.ends[key] = nil
                _ = cache.perform(.touch(key, timeToLiveNanoseconds: 0))
            case .removeAll: state.ends = [:]
            default: break
            }
            return cache.perform(operation)
        }
    }

    /// Has timers beside the entries, which remove what lies under their key.
    private func timed(_ operation: CacheOperation) -> OperationResult {
        state.withLock { state in
            switch operation {
            case .advance(let step): state.now += step
            case .put(let key, _, _, let terms):
                if let time = terms.timeToLiveNanoseconds {
                    state.ends[key] = state.now + time
                } else if fault != .timersOutliveOverwrite {
                    // Nothing is there after a clear, and so nothing to take back.
                    if cache.perform(.contains(key)) == .flag(true) { state.ends[key] = nil }
                }
            case .remove(let key): state.ends[key] = nil
            case .removeAll: if fault != .timersOutliveClear { state.ends = [:] }
            case .maintain:
                for (key, end) in state.ends where end <= state.now {
                    state.ends[key] = nil
                    _ = cache.perform(.remove(key))
                }
            default: break
            }
            return cache.perform(operation)
        }
    }
}

/// Objects under one lock, under which they are let go of too.
private final class LockedObjects: ObjectInstance {
    private let lock = NSLock()
    private let objects = Mutex<[[UInt8]: any AnyObject & Sendable]>([:])

    func perform(_ operation: CacheOperation) -> OperationResult {
        lock.withLock {
            switch operation {
            case .put(let key, _, _, _), .remove(let key):
                // Taken out of the table first: the table's own lock is not what is held.
                withExtendedLifetime(objects.withLock { $0.removeValue(forKey: key) }) {}
                return .done
            case .get, .contains: return .entry(nil)
            default: return .done
            }
        }
    }

    func put(object: any AnyObject & Sendable, for key: [UInt8]) { objects.withLock { $0[key] = object } }
    func object(for key: [UInt8]) -> (any AnyObject & Sendable)? { objects.withLock { $0[key] } }
}
