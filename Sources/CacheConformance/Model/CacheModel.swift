import CacheCore

/// What a cache with given claims may answer: a dictionary in which some entries are certain and others may be gone.
///
/// An entry is certain while the cache claims to retain, there is room for all, and nothing happened that its durability
/// does not cover. With an order of eviction claimed, what leaves for room is known and the rest stays certain. An entry
/// that is not certain may be answered as absent, and stays absent from then on; an entry that was never put, was removed,
/// was replaced or has expired may never be answered.
struct CacheModel {
    /// Where an entry lies.
    struct Place: Hashable {
        var group: String?
        var key: [UInt8]

        // An array would hash its bytes one by one.
        func hash(into hasher: inout Hasher) {
            hasher.combine(group)
            key.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    struct State {
        var entry: StoredEntry
        var isCertain: Bool
        /// When it expires, on the model's clock.
        var deadline: Int64?
        var terms = PutTerms.plain
        /// The number of the write that stored it.
        var version = 0
        /// When it was stored.
        var writtenAt: Int64 = 0
        var isPinned = false
        /// Whether a lower tier may not have it.
        var isMemoryOnly = false
        /// Whether it may have left before the cache was opened again, which is not told afterwards.
        var mayHaveLeftEarlier = false
    }

    /// A load that runs beside the cache's work and takes the place of what is there when it ends.
    struct Refresh {
        /// What it brings; nil if it fails.
        var entry: StoredEntry?
        var terms: PutTerms
        /// What its loader does to the cache.
        var meanwhile: [CacheOperation]
    }

    let claims: Claims
    var entries: [Place: State] = [:]
    /// Keys that are known to have no value, after a load that found none.
    var negatives = KnownAbsences()
    var now: Int64 = 0
    var room: RoomModel
    var ledger = EventLedger()
    var counters = CounterModel()
    var writer = WriterModel()
    let timeToIdle: Int64?
    let setup: CacheSetup
    var writeCount = 0
    /// The versions that were marked.
    var marks: [Place: Int] = [:]
    var refreshes: [Place: Refresh] = [:]
    /// What has expired and may still be answered, with the moment from which on it may not.
    var stale: [Place: (state: State, until: Int64)] = [:]
    var groupLimits: [String: Int] = [:]
    var lowerFails = false
    /// What has expired and may not have been swept, where that is still counted or can be removed.
    var unswept: [Place: State] = [:]
    /// Whether anything was ever pinned.
    var hasPins = false
    /// What was found since anything else was done: all of it was there at once, since nothing comes by looking.
    private var found: Set<Place> = []
    private var isOpen = true
    /// No deadline is earlier.
    var nextDeadline = Int64.max

    init(claims: Claims, setup: CacheSetup = CacheSetup(), orderPolicy: PolicyEntry? = nil) {
        var claims = claims
        if setup.collide == true, claims.deviates(.collisionsLoseEntries) { claims.retains = false }
        self.claims = claims
        timeToIdle = setup.timeToIdleNanoseconds
        self.setup = setup
        writer.isBehind = claims.claims(.writeBehind)
        room = RoomModel(claims, setup, orderPolicy)
        if claims.deviates(.replacementsAreNotTold) { ledger.untold.insert(.replaced) }
        if claims.deviates(.removalsAreNotTold) { ledger.untold.insert(.removed) }
        if claims.deviates(.expirationsAreNotTold) { ledger.untold.insert(.expired) }
        if claims.deviates(.evictionsAreNotTold) { ledger.untold.insert(.evicted) }
        ledger.tellsCauses = !claims.deviates(.noCauses)
        ledger.tellsValues = !claims.deviates(.noValues)
        counters.countsEmptyLoads = !claims.deviates(.emptyLoadsAreFailures)
        counters.mayCountExpirations = claims.deviates(.expirationsCountAsEvictions)
    }

    /// Takes an operation and its answer in; returns what was permitted if the answer was not.
    mutating func judge(_ operation: CacheOperation, _ result: OperationResult) -> String? {
        guard !refreshes.isEmpty else { return judgeAsKnown(operation, result) }
        let before = self
        guard let permitted = judgeAsKnown(operation, result) else { return nil }
        // A refresh may have ended by now, of this key or of all.
        for isEnded in [{ $0 == operation.key }, { _ in true }] as [([UInt8]) -> Bool] {
            var fresh = before
            for place in before.refreshes.keys where isEnded(place.key) { fresh.endRefresh(of: place) }
            guard fresh.judgeAsKnown(operation, result) != nil else {
                self = fresh
                return nil
            }
        }
        return permitted
    }

    private mutating func judgeAsKnown(_ operation: CacheOperation, _ result: OperationResult) -> String? {
        if !isOpen, !operation.isLifeCycle { return judgeClosed(operation, result) }
        expire()
        switch operation {
        case .within(let group, let inner):
            return judgeOne(inner, in: group, result) ?? judgeFound(inner, in: group, result)
        case .close: isOpen = false
        case .reopen, .relocate: reopen(lasting: claims.durability >= .exit)
        case .abandon: reopen(lasting: claims.durability >= .kill)
        case .upgrade: reopen(lasting: claims.durability >= .exit && claims.formats?.keepsEntries == true)
        default: return judgeOne(operation, in: nil, result) ?? judgeFound(operation, in: nil, result)
        }
        found = []
        return result == .done ? nil : "no error"
    }

    /// Judges what was found one by one, which is more than a cache counts that cannot list.
    private mutating func judgeFound(_ operation: CacheOperation, in group: String?, _ result: OperationResult)
        -> String?
    {
        switch operation {
        case .get(let key) where result.isHit, .contains(let key) where result == .flag(true):
            found.insert(Place(group: group, key: key))
        case .get, .contains, .count, .keys: break
        default: found = []
        }
        // What lies below is no part of the room.
        guard room.isStrict, let bound = room.countBound, found.count > bound, !claims.claims(.tiers) else {
            return nil
        }
        return "\(bound) keys at most"
    }

    private mutating func judgeOne(_ operation: CacheOperation, in group: String?, _ result: OperationResult) -> String?
    {
        func place(_ key: [UInt8]) -> Place { Place(group: group, key: key) }
        writer.beginStep()
        mayCountRead(by: operation)
        if isStoppedByWriter(operation, result) { return nil }
        if overlooksWriter(operation, in: group, result) { return "the writer's error, and the cache as it was" }
        if let key = operation.key, isRefusedAsFull(operation, place(key), result) { return nil }
        switch operation {
        case .put(let key, _, _, let terms): return judgePut(place(key), entry(of: operation), ended(terms), result)
        case .get(let key): return judgeGet(place(key), result)
        case .contains(let key): return judgeLook(place(key), result)
        case .remove(let key): return judgeFlag(place(key), result, removes: true)
        case .removeAll: removeAll(in: group)
        case .count: return judgeCount(group, result)
        case .keys: return judgeKeys(group, result)
        case .firstKeys(let most): return judgeFirstKeys(most, group, result)
        case .flush: return judgeFlush(result)
        // One that takes a value alone says so of all else, and does nothing.
        case .putIfAbsent(_, _, let terms) where terms != .plain && result.isUnsupported,
            .replace(_, _, let terms) where terms != .plain && result.isUnsupported:
            return nil
        case .putIfAbsent(let key, _, let terms):
            return judgeConditional(place(key), entry(of: operation), ended(terms), result, wants: false)
        case .replace(let key, _, let terms):
            return judgeConditional(place(key), entry(of: operation), ended(terms), result, wants: true)
        case .compareAndSet(let key, let expected, _):
            let isEqual = entries[place(key)]?.entry.value == expected.bytes(for: key)
            return judgeDepending(place(key), isEqual, entry(of: operation), result)
        case .exchange(let key, _): return judgeExchange(place(key), entry(of: operation), result)
        case .take(let key): return judgeExchange(place(key), nil, result)
        case .getMany(let keys): return judgeGetMany(keys.map(place), result)
        case .removeMany(let keys): return judgeRemoveMany(keys.map(place), result)
        case .load(let key, let origin): return judgeLoad(place(key), origin, result)
        case .mark(let key): return judgeMark(place(key), result)
        case .setIfMarked(let key, _):
            return judgeDepending(place(key), isMarked(place(key)), entry(of: operation), result)
        case .removeIfMarked(let key): return judgeDepending(place(key), isMarked(place(key)), nil, result)
        case .putMany(let items): return judgePutMany(items, in: group, result)
        case .update(let key, let change): return judgeUpdate(place(key), change, result)
        case .increment(let key, let step): return judgeIncrement(place(key), step, result)
        case .rename(let key, let other): return judgeRename(place(key), place(other), result)
        case .pin(let key): return judgePin(place(key), true, result)
        case .unpin(let key): return judgePin(place(key), false, result)
        case .loadMany(let keys, let lacking, let first):
            return judgeLoadMany(keys, Set(lacking), first, in: group, result)
        default: return judgeWhole(operation, result)
        }
        return result == .done ? nil : "no error"
    }

    /// Judges what is about the cache and not about one key or group.
    private mutating func judgeWhole(_ operation: CacheOperation, _ result: OperationResult) -> String? {
        switch operation {
        case .advance(let step), .sleep(let step):
            now = saturatingSum(now, step)
            expire()
        case .moveWallClock: break
        case .touch(let key, let time): return judgeTouch(Place(key: key), time, result)
        case .remainingTime(let key): return judgeRemainingTime(Place(key: key), result)
        case .cost: return judgeCost(result)
        case .resize(let amount):
            // A cache for nothing may be refused, as at opening.
            if amount <= 0 || claims.deviates(.refusesWhenFull), case .failure = result { return nil }
            shrink(to: max(0, amount))
        case .maintain:
            let isSwept = !claims.deviates(.neverSweeps)
            room.settle(isSwept: isSwept)
            if isSwept {
                ledger.expireDue()
                unswept = [:]
            }
            writer.settle()
            endRefreshes()
        case .statistics: return counters.judge(result, ledger, room)
        case .events: return judgeEvents(result)
        case .writes: return writer.judge(result)
        case .failWrites(let fails): writer.fails = fails
        case .failWritesOf(let keys): writer.failing = Set(keys)
        case .listen(let listener): ledger.isHeard = listener != .none
        case .limitGroup(let name, let amount):
            // A group for nothing may be refused, as a cache for nothing is.
            if amount <= 0, case .failure = result { return nil }
            groupLimits[name] = amount
            room.loseTrack()
        case .diskUsage:
            if case .number(0...) = result { return nil }
            return "a number of bytes"
        case .dropMemory:
            doubt { $0.isMemoryOnly }
            negatives.doubtAll()
        case .failLower(let fails): lowerFails = fails
        case .removeTagged(let tag):
            for (place, state) in entries where state.terms.tags.contains(tag) {
                // Whether what is taken out of the cache alone goes to the writer is the cache's own affair.
                expectRemoval(place, wasThere: false)
                leave(place, .removed)
            }
            negatives.doubtAll()
            stale = stale.filter { !$0.value.state.terms.tags.contains(tag) }
        default: break
        }
        return result == .done ? nil : "no error"
    }

    /// The entry that an operation stores, with its moment of expiry where the cache keeps that.
    func entry(of operation: CacheOperation) -> StoredEntry {
        let entry = operation.entry!
        return claims.claims(.storedExpiry) ? entry : StoredEntry(entry.value)
    }

    private func judgeClosed(_ operation: CacheOperation, _ result: OperationResult) -> String? {
        // The protocol's default `flush` has nothing to look at and so cannot know that the store is closed.
        if operation == .flush, result == .done { return nil }
        // What lay waiting is written when the cache closes, and the suite must see it.
        if operation == .writes, claims.claims(.writeBehind) {
            var writer = writer
            writer.settle()
            return writer.judge(result)
        }
        return result.error?.code == .closed ? nil : "the error 'closed', as the store is closed"
    }

    private mutating func reopen(lasting: Bool) {
        isOpen = true
        negatives = KnownAbsences()
        refreshes = [:]
        // What was marked or pinned was so in the instance that is gone.
        marks = [:]
        changeEach {
            $0.isPinned = false
            $0.mayHaveLeftEarlier = !$0.isCertain
        }
        ledger.forget()
        counters.reopen()
        room.countAnew()
        guard !lasting else {
            if !claims.claims(.keepsOrder) { room.loseTrack() }
            // That a read put an end off need not be written down.
            if timeToIdle != nil { doubt { $0.terms.timeToLiveNanoseconds == nil } }
            return
        }
        doubt { _ in true }
        room.loseTrack()
    }

    /// Changes each entry where it lies; by its key each would be hashed, and a full cache may do this at every put.
    private mutating func changeEach(_ change: (inout State) -> Void) {
        var index = entries.startIndex
        while index != entries.endIndex {
            change(&entries.values[index])
            entries.formIndex(after: &index)
        }
    }

    /// Entries of a kind may be gone from now on.
    mutating func doubt(where isMeant: (State) -> Bool) {
        changeEach { if isMeant($0) { $0.isCertain = false } }
    }

    private mutating func removeAll(in group: String?) {
        unswept = group == nil ? [:] : unswept.filter { $0.key.group != group }
        for place in entries.keys where group == nil || place.group == group { expectRemoval(place, wasThere: false) }
        guard let group else {
            let isTold = !claims.deviates(.clearsAreNotTold)
            for place in entries.keys { ledger.leave(place, entries[place]!, .removed, isTold: isTold) }
            entries = [:]
            negatives = KnownAbsences()
            refreshes = [:]
            stale = [:]
            room.clear()
            if claims.deviates(.clearResetsCounters) {
                counters.clear()
                ledger.clearCount()
                room.countAnew()
            }
            return
        }
        for place in entries.keys where place.group == group { leave(place, .removed) }
        negatives.forget(group: group)
        stale = stale.filter { $0.key.group != group }
    }

    func isRefused(_ key: [UInt8]) -> Bool {
        key.count > claims.keyBytesMax || (key.isEmpty && !claims.allowsEmptyKey)
    }

    /// Takes away what a write would have replaced that was refused in the end: what the cause is called is its own affair.
    mutating func leaveForRefused(_ place: Place) {
        guard !claims.deviates(.refusedPutKeepsOld) else {
            entries[place]?.isCertain = false
            return
        }
        leave(place, .replaced, or: [.removed, .evicted])
    }

    /// Takes an entry away and remembers that it has left; one that is not certain may not have been there, unless it was seen.
    mutating func leave(
        _ place: Place, _ cause: CacheEvent.Cause, or others: Set<CacheEvent.Cause> = [], wasSeen: Bool = false
    ) {
        unswept[place] = nil
        refreshes[place] = nil
        stale[place] = nil
        guard let state = entries.removeValue(forKey: place) else { return }
        ledger.leave(place, state, cause, or: others)
        if !state.isCertain, !wasSeen { room.loseCount() }
        room.remove(place)
    }

    /// Moves what has expired out of the entries.
    mutating func expire() {
        guard nextDeadline <= now else { return }
        nextDeadline = .max
        for (place, state) in entries {
            guard let deadline = state.deadline else {
                mayEnd(place, state)
                continue
            }
            if deadline > now {
                nextDeadline = min(nextDeadline, deadline)
            } else {
                entries[place] = nil
                // What lies there still leaves as if it had not expired.
                var causes: Set<CacheEvent.Cause> = claims.deviates(.removesExpired) ? [.removed] : []
                if claims.deviates(.neverSweeps) { causes.formUnion([.replaced, .evicted]) }
                ledger.expire(place, state, orBy: causes)
                if !causes.isEmpty { ledger.loseCount() }
                mayLinger(place, state)
                if let time = setup.staleNanoseconds {
                    stale[place] = (state, saturatingSum(deadline, time))
                }
                if !state.isCertain { room.loseCount() }
                room.expire(place, state.terms.cost)
            }
        }
    }

    /// When an entry may be gone that has no end, where no life is longer than a stated one (Caffeine: 146 years).
    func longestEnd(of state: State) -> Int64? {
        claims.limits.timeToLiveMaxNanoseconds.map { saturatingSum(state.writtenAt, $0) }
    }

    private mutating func mayEnd(_ place: Place, _ state: State) {
        guard let end = longestEnd(of: state) else { return }
        guard end <= now else {
            nextDeadline = min(nextDeadline, end)
            return
        }
        guard !state.mayHaveLeftEarlier else { return }
        (entries[place]!.isCertain, entries[place]!.mayHaveLeftEarlier) = (false, true)
        ledger.mayLeave(place, state.entry, [.expired])
        ledger.loseCount()
    }

    /// Takes in that something has expired, and may still be seen until it is swept.
    mutating func mayLinger(_ place: Place, _ state: State) {
        if claims.deviates(.countsExpired) || claims.deviates(.removesExpired) { unswept[place] = state }
    }

    /// How long an entry is live from its deadline on.
    var lastStep: Int64 { claims.deviates(.liveAtDeadline) ? claims.clockStep : 0 }

    /// Terms as the cache takes them: some times to live are no end.
    func ended(_ terms: PutTerms) -> PutTerms {
        var terms = terms
        terms.timeToLiveNanoseconds = terms.timeToLiveNanoseconds.flatMap { isForEver($0) ? nil : $0 }
        return terms
    }

    /// Whether a time to live is no end.
    func isForEver(_ time: Int64) -> Bool {
        time == 0 && claims.deviates(.zeroTimeToLiveIsForever)
            || time < 0 && claims.deviates(.negativeTimeToLiveIsForever)
    }

    /// When something ends that is written or touched now with that time to live.
    func deadline(after time: Int64?) -> Int64? {
        guard let time else { return nil }
        // The first moment at which it is gone.
        let end = time.addingReportingOverflow(lastStep)
        let sum = now.addingReportingOverflow(end.partialValue)
        return end.overflow || sum.overflow ? nil : sum.partialValue
    }
}
