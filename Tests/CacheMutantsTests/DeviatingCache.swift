import CacheConformance
import CacheCore
import CacheMutants
import CachePolicies
import CacheReference
import Synchronization

/// The reference cache, with a bug or without, behind something that does one thing otherwise than most caches.
struct DeviatingCache: CacheSubject {
    /// What it does otherwise.
    var deviations: Set<Deviation> = []
    var limits = Claims.Limits()
    /// Whether it says so.
    var isStated = true
    /// The id of the mutant that it is.
    var bug: String?
    var features: Set<Claims.Feature> = [
        .storedExpiry, .timeToLive, .remainingTime, .putIfAbsent, .replace, .compareAndSet, .take, .bulk, .bulkPut,
        .cost,
        .statistics,
        .events, .listener, .loader, .update, .resize,
    ]
    var isConcurrent = false

    let name = "deviating"
    /// The clock of all instances, where they share one.
    var clock = SharedClock()

    final class SharedClock: Sendable {
        let now = Mutex<Int64>(0)
    }

    private var reference: any CacheSubject {
        bug.flatMap(Mutation.named).map { $0.subject(policies: BuiltinPolicies.all) }
            ?? ReferenceSubject(policies: BuiltinPolicies.all)
    }
    var orderPolicy: PolicyEntry? { reference.orderPolicy }

    func claims() throws(StoreError) -> Claims {
        var claims = try reference.claims()
        claims.features = features
        claims.isConcurrent = isConcurrent
        if deviations.contains(.limitsAreNotEnforced) {
            (claims.keyBytesMax, claims.valueBytesMax) = (1_000, 100_000)
        }
        if let most = limits.capacityMax { claims.room?.capacity = .objects(most) }
        guard isStated else { return claims }
        claims.deviations = deviations
        claims.limits = limits
        return claims
    }

    /// The same on a clock of its own: tests that run at once do not move each other's.
    var alone: DeviatingCache {
        var copy = self
        copy.clock = SharedClock()
        return copy
    }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        var setup = setup
        if deviations.contains(.zeroCapacityIsUnlimited), setup.capacity?.amount == 0 { setup.capacity?.amount = .max }
        if let most = limits.capacityMax, let capacity = setup.capacity, capacity.unit == .objects,
            capacity.amount > most
        {
            throw StoreError(.crashed, "no memory for \(capacity.amount) entries")
        }
        return Instance(self, try reference.open(setup, in: directory), setup)
    }

    /// What is known besides, under a lock.
    private struct Notes {
        var now: Int64 = 0
        var told: Int64 = 0
        /// What a clock of all instances showed when this one looked last.
        var shared: Int64 = 0
        var capacity: Capacity?
        /// When what was put ends, until it is swept.
        var ends: [[UInt8]: (end: Int64, cost: Int)] = [:]
        var updates = 0
        var conditions = 0
        var atClear = CacheCounters()
        var emptyLoads = 0
        /// What was told before a clear that tells nothing.
        var toldBefore: [CacheEvent] = []
    }

    private final class Instance: CacheInstance {
        private let subject: DeviatingCache
        private let cache: any CacheInstance
        private let life: Int64?
        private let collides: Bool
        private let notes: Mutex<Notes>

        init(_ subject: DeviatingCache, _ cache: any CacheInstance, _ setup: CacheSetup) {
            self.subject = subject
            self.cache = cache
            life = setup.timeToLiveNanoseconds
            collides = setup.collide == true
            var notes = Notes()
            notes.capacity = setup.capacity
            notes.shared = subject.clock.now.withLock(\.self)
            self.notes = Mutex(notes)
        }

        private func has(_ deviation: Deviation) -> Bool { subject.deviations.contains(deviation) }

        func perform(_ operation: CacheOperation) -> OperationResult {
            if has(.sharedClock) {
                var now = subject.clock.now.withLock(\.self)
                let missed = notes.withLock { notes in
                    defer { notes.shared = now }
                    return now - notes.shared
                }
                if missed > 0 { _ = advance(missed) }
                if case .advance(let time) = operation {
                    now += time
                    subject.clock.now.withLock { $0 = now }
                    notes.withLock { $0.shared = now }
                }
            }
            if has(.keysArePrintable), operation.keys.contains(where: { !$0.allSatisfy { (33...126).contains($0) } }) {
                return .failure(StoreError(.keyRefused, "no such key"))
            }
            if has(.refusesWhenFull), isTooMuch(operation) { return .failure(StoreError(.full, "no room")) }
            switch operation {
            case .get, .contains, .count, .keys, .cost, .remainingTime, .statistics, .events, .getMany, .advance,
                .remove, .maintain, .load:
                return look(operation)
            case .take, .removeMany:
                // diskcache counts what has expired on where these find nothing.
                notes.withLock { notes in
                    for key in operation.keys where notes.ends[key].map({ $0.end > notes.told }) ?? true {
                        notes.ends[key] = nil
                    }
                }
                return change(operation)
            default:
                let keys = operation.keys
                notes.withLock { notes in for key in keys { notes.ends[key] = nil } }
                return change(operation)
            }
        }

        /// Whether an operation would store a new key in a full cache.
        private func isTooMuch(_ operation: CacheOperation) -> Bool {
            guard let room = notes.withLock({ $0.capacity }), room.unit == .objects else { return false }
            switch operation {
            case .put(let key, _, _, _), .putIfAbsent(let key, _, _), .exchange(let key, _), .update(let key, _),
                .increment(let key, _):
                return cache.perform(.contains(key)) == .flag(false) && cache.perform(.count) == .number(room.amount)
            default: return false
            }
        }

        private func change(_ operation: CacheOperation) -> OperationResult {
            switch operation {
            case .put(let key, let value, let expiry, let terms):
                return put(key, value, expiry, ended(terms))
            case .putIfAbsent(let key, let value, let terms):
                notes.withLock { $0.conditions += 1 }
                return refused(ended(terms)) ?? cache.perform(.putIfAbsent(key, value, terms: ended(terms)))
            case .replace(let key, let value, let terms):
                return refused(ended(terms)) ?? cache.perform(.replace(key, value, terms: ended(terms)))
            case .touch(let key, let time):
                return cache.perform(.touch(key, timeToLiveNanoseconds: ended(time) ?? .max))
            case .removeAll: return clear()
            case .failLower where has(.lowerTierCannotFail): return .failure(.unsupported(operation))
            case .update: return noting(operation) { $0.updates += 1 }
            case .resize(let amount): return resize(amount)
            case .listen(.reenters) where has(.listenersMayNotUseTheCache):
                return .failure(StoreError(.hung, "the listener waits for the cache's lock"))
            default: return cache.perform(operation)
            }
        }

        private func look(_ operation: CacheOperation) -> OperationResult {
            switch operation {
            case .load(let key, let origin): return load(key, origin)
            case .advance(let time): return advance(time)
            case .remainingTime:
                guard case .time(let time?) = cache.perform(operation), has(.liveAtDeadline) else {
                    return cache.perform(operation)
                }
                return .time(time - step)
            case .contains(let key) where has(.containsIsGet):
                return cache.perform(.get(key)) == .entry(nil) ? .flag(false) : .flag(true)
            case .remove(let key): return remove(key)
            case .maintain: return sweep(operation)
            case .count, .keys, .cost: return listed(operation)
            case .statistics: return counted()
            case .events: return events()
            case .getMany(let keys): return getMany(keys)
            default: return cache.perform(operation)
            }
        }

        private func noting(_ operation: CacheOperation, _ note: (inout Notes) -> Void) -> OperationResult {
            notes.withLock { note(&$0) }
            return cache.perform(operation)
        }

        // MARK: Times

        private var step: Int64 { subject.limits.clockStepNanoseconds ?? 1 }

        /// A time to live as the reference must be told it.
        private func ended(_ time: Int64?) -> Int64? {
            // What never ends is over when the clock is, and a sum beyond that has wrapped.
            let left = subject.limits.clockMaxNanoseconds.map { end in notes.withLock { end - $0.told } }
            guard var time, !has(.oneTimeToLive) else { return life ?? left ?? subject.limits.timeToLiveMaxNanoseconds }
            if let left, time > left { return 0 }
            if time == 0, has(.zeroTimeToLiveIsForever) { return nil }
            if time < 0, has(.negativeTimeToLiveIsForever) { return nil }
            if let most = subject.limits.timeToLiveMaxNanoseconds, time > most { return 0 }
            // The clock shows whole steps, and so do deadlines.
            if time > 0, time < .max - step { time = time / step * step }
            return has(.liveAtDeadline) && time >= 0 && time < .max - step ? time + step : time
        }

        private func ended(_ terms: PutTerms) -> PutTerms {
            var terms = terms
            terms.timeToLiveNanoseconds = ended(terms.timeToLiveNanoseconds)
            return terms
        }

        private func advance(_ time: Int64) -> OperationResult {
            // What was evicted is not left over when its time is over.
            let live =
                has(.countsExpired) ? notes.withLock { notes in notes.ends.filter { $0.value.end > notes.told } } : [:]
            for key in live.keys where cache.perform(.contains(key)) == .flag(false) {
                notes.withLock { $0.ends[key] = nil }
            }
            let move = notes.withLock { notes in
                notes.now = min(1 << 62, notes.now.addingReportingOverflow(time).overflow ? .max : notes.now + time)
                defer { notes.told = notes.now / step * step }
                return notes.now / step * step - notes.told
            }
            return cache.perform(.advance(nanoseconds: move))
        }

        // MARK: Writes

        private func refused(_ terms: PutTerms) -> OperationResult? {
            let isTooCheap = has(.refusesZeroCost) && terms.cost == 0
            let isTooDear = subject.limits.costMax.map { terms.cost > $0 } ?? false
            return isTooCheap || isTooDear ? .failure(StoreError(.valueRefused, "no such cost")) : nil
        }

        private func put(_ key: [UInt8], _ value: Payload, _ expiry: Int64?, _ terms: PutTerms) -> OperationResult {
            if let refusal = refused(terms) { return refusal }
            if let most = subject.limits.entryBytesMax, key.count + value.byteCount > most {
                _ = cache.perform(.remove(key))
                return .failure(StoreError(.valueRefused, "too long together"))
            }
            if collides, has(.collisionsLoseEntries), case .keys(let others) = cache.perform(.keys) {
                for other in others where other != key && other.count % 4 == key.count % 4 {
                    _ = cache.perform(.remove(other))
                }
            }
            let capacity = notes.withLock { $0.capacity }
            if has(.refusedPutKeepsOld), let capacity, capacity.unit == .bytes, terms.cost > capacity.amount {
                return has(.dropsOversized) ? .done : .failure(StoreError(.valueRefused, "too heavy"))
            }
            let operation = CacheOperation.put(key, value, expiresAtNanoseconds: expiry, terms: terms)
            let answer = cache.perform(operation)
            notes.withLock { notes in
                notes.ends[key] = terms.timeToLiveNanoseconds.map { (notes.told + min($0, 1 << 60), terms.cost) }
            }
            let isDropped: Bool
            if case .failure(let error) = answer { isDropped = error.code == .valueRefused } else { isDropped = false }
            if has(.dropsOversized), isDropped {
                tell(.evicted, of: operation)
                return .done
            }
            if has(.countsExpired), terms.timeToLiveNanoseconds ?? 1 <= 0 { tell(.expired, of: operation) }
            return answer
        }

        /// Tells, after what has left before, that what was put was let in and left at once.
        private func tell(_ cause: CacheEvent.Cause, of put: CacheOperation) {
            guard case .events(let before) = cache.perform(.events) else { return }
            notes.withLock {
                $0.toldBefore += before + [CacheEvent(key: put.key!, value: put.entry!.value, cause: cause)]
            }
        }

        private func resize(_ amount: Int) -> OperationResult {
            if amount == 0, has(.zeroCapacityIsUnlimited) { return cache.perform(.resize(.max)) }
            return noting(.resize(amount)) { $0.capacity?.amount = amount }
        }

        private func dead(_ key: [UInt8]? = nil) -> [[UInt8]: (end: Int64, cost: Int)] {
            notes.withLock { notes in
                notes.ends.filter { $0.value.end <= notes.told && (key == nil || $0.key == key) }
            }
        }

        private func remove(_ key: [UInt8]) -> OperationResult {
            let isDead = !dead(key).isEmpty
            let answer = noting(.remove(key)) { $0.ends[key] = nil }
            if has(.removesExpired), isDead { return .flag(true) }
            return has(.removeTellsNothing) ? .done : answer
        }

        /// A clear, of which the events are thrown away that it makes.
        private func clear() -> OperationResult {
            guard has(.clearsAreNotTold), case .events(let before) = cache.perform(.events) else {
                return sweep(.removeAll)
            }
            let answer = sweep(.removeAll)
            guard case .events(let made) = cache.perform(.events) else { return answer }
            notes.withLock { $0.toldBefore += before + made.filter { $0.cause != .removed } }
            return answer
        }

        private func sweep(_ operation: CacheOperation) -> OperationResult {
            let answer = cache.perform(operation)
            guard case .statistics(let counters) = cache.perform(.statistics) else { return answer }
            let swept = operation == .maintain && has(.neverSweeps) ? [:].keys : dead().keys
            notes.withLock { notes in
                for key in swept { notes.ends[key] = nil }
                if operation == .removeAll { (notes.ends, notes.atClear) = ([:], counters) }
            }
            return answer
        }

        // MARK: Looks

        private func listed(_ operation: CacheOperation) -> OperationResult {
            let answer = cache.perform(operation)
            let left = has(.countsExpired) ? dead() : [:]
            // What has expired takes room as well.
            let room = notes.withLock { $0.capacity?.amount ?? .max }
            switch answer {
            case .number(let number):
                let isWeight = operation == .cost && notes.withLock { $0.capacity?.unit == .bytes }
                let more = isWeight ? left.values.reduce(0) { $0 + max(0, $1.cost) } : left.count
                return .number(max(number, min(room, number + more)))
            case .keys(let keys):
                return has(.cannotList)
                    ? .failure(.unsupported(operation)) : .keys(keys + left.keys.prefix(max(0, room - keys.count)))
            default: return answer
            }
        }

        private func getMany(_ keys: [[UInt8]]) -> OperationResult {
            guard has(.countsRepeatedKeysOnce) else { return cache.perform(.getMany(keys)) }
            let distinct = keys.reduce(into: [[UInt8]]()) { if !$0.contains($1) { $0.append($1) } }
            guard case .entries(let found) = cache.perform(.getMany(distinct)) else { return .entries([]) }
            return .entries(keys.map { found[distinct.firstIndex(of: $0)!] })
        }

        private func load(_ key: [UInt8], _ origin: Origin) -> OperationResult {
            let touches = origin.meanwhile.contains { step in
                if case .pause = step { return false }
                return has(.loadersMayNotUseTheCache) || has(.loadersMayNotUseTheirKey) && step.key == key
            }
            if touches { return .failure(StoreError(.hung, "the loader waits for the lock of its own load")) }
            var answer = origin.answer
            if case .value(let value, let terms) = answer {
                if let refusal = refused(terms) { return refusal }
                answer = .value(value, ended(terms))
            }
            let loaded = cache.perform(.load(key, Origin(answer, meanwhile: origin.meanwhile.map(within))))
            notes.withLock { notes in
                if case .loaded(.value, 1...) = loaded { notes.ends[key] = nil }
                if origin.meanwhile.contains(.removeAll) { notes.ends = [:] }
                for changed in origin.meanwhile.flatMap(\.keys) { notes.ends[changed] = nil }
            }
            guard has(.emptyLoadsAreFailures), case .loaded(.nothing, let calls) = loaded else { return loaded }
            notes.withLock { $0.emptyLoads += calls }
            return .loaded(.failed, calls: calls)
        }

        /// What is done while the origin is asked, as the reference must be told it.
        private func within(_ operation: CacheOperation) -> CacheOperation {
            switch operation {
            case .put(let key, let value, let expiry, let terms):
                .put(key, value, expiresAtNanoseconds: expiry, terms: ended(terms))
            case .putIfAbsent(let key, let value, let terms): .putIfAbsent(key, value, terms: ended(terms))
            default: operation
            }
        }

        // MARK: What is told

        private func counted() -> OperationResult {
            guard case .statistics(var counters) = cache.perform(.statistics) else { return .done }
            let notes = notes.withLock { $0 }
            if has(.updateCountsAsLoad) { counters.loads? += notes.updates }
            if has(.expirationsCountAsEvictions) { counters.evictions? += counters.expirations ?? 0 }
            if has(.conditionsCountAsReads) { counters.misses? += notes.conditions }
            counters.loads? -= notes.emptyLoads
            counters.loadFailures? += notes.emptyLoads
            if has(.clearResetsCounters) {
                counters.hits? -= notes.atClear.hits ?? 0
                counters.misses? -= notes.atClear.misses ?? 0
                counters.evictions? -= notes.atClear.evictions ?? 0
                counters.expirations? -= notes.atClear.expirations ?? 0
                counters.loads? -= notes.atClear.loads ?? 0
                counters.loadFailures? -= notes.atClear.loadFailures ?? 0
                counters.hitRatio = nil
            }
            return .statistics(counters)
        }

        private func events() -> OperationResult {
            guard case .events(var events) = cache.perform(.events) else { return .done }
            if has(.replacementsAreNotTold) { events.removeAll { $0.cause == .replaced } }
            if has(.removalsAreNotTold) { events.removeAll { $0.cause == .removed } }
            if has(.expirationsAreNotTold) { events.removeAll { $0.cause == .expired } }
            if has(.evictionsAreNotTold) { events.removeAll { $0.cause == .evicted } }
            events = notes.withLock { notes in
                defer { notes.toldBefore = [] }
                return notes.toldBefore + events
            }
            if has(.noCauses) { for index in events.indices { events[index].cause = .removed } }
            if has(.noValues) { for index in events.indices { events[index].value = [] } }
            return .events(events)
        }
    }
}

extension CacheOperation {
    /// The keys that a change names.
    fileprivate var keys: [[UInt8]] {
        switch self {
        case .putMany(let items): items.map(\.key)
        case .removeMany(let keys): keys
        default: key.map { [$0] } ?? []
        }
    }
}
