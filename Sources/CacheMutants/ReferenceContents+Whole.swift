import CacheConformance
import CacheCore

// Room, events, clearing and loading.
extension ReferenceContents {
    var weight: Int { unit == .bytes ? cost : entries.count }

    var limit: Int {
        switch bug {
        case .ignoresLimit: .max
        case .costNotEnforced where unit == .bytes: .max
        case .oneTooMany: capacity == .max ? .max : capacity + 1
        case .trimsLate: capacity > .max / 2 ? .max : 2 * capacity
        case .bigRoomTrimsLate where capacity > 100 && clock % 4 != 0: .max
        case .orphanStalls where removals > 2: .max
        default: capacity
        }
    }

    var occupied: Int {
        if bug == .updateRevives { return weight - orphans.count }
        return bug == .hiddenCost && unit == .bytes ? weight + entries.count : weight
    }

    mutating func makeRoom(sparing newcomer: Place?) {
        guard occupied > limit else { return }
        if bug != .evictsLiveFirst { sweep() }
        if bug == .evictsInBulk, let newcomer, occupied > limit {
            for place in entries.keys where place != newcomer { leave(place, .evicted) }
        }
        if bug == .storesOversize, let newcomer, entries[newcomer]!.terms.cost > capacity {
            for place in entries.keys where place != newcomer { leave(place, .evicted) }
            return
        }
        var spare = bug == .bytesEvictOneMore && unit == .bytes ? 1 : 0
        let most = bug == .fewVictimsAtOnce && newcomer != nil ? entries.count - 100 : 0
        while occupied > limit || spare > 0, let victim = victim(sparing: newcomer), entries[victim] != nil {
            if occupied <= limit { spare -= 1 }
            if entries.count < most { return }
            leave(victim, .evicted)
            noteDrop()
        }
    }

    func victim(sparing newcomer: Place?) -> Place? {
        if bug == .evictsNewest { return newcomer ?? entries.keys.first }
        if bug == .bytesEvictNewest, unit == .bytes {
            return entries.filter { $0.key != newcomer }.max { $0.value.stamp < $1.value.stamp }?.key ?? newcomer
        }
        let others = entries.lazy.filter {
            $0.key != newcomer && !orphans.contains($0.key) && (!isHeld($0.value) || bug == .evictsPinned)
        }
        if bug == .evictsLiveFirst,
            let live = others.filter({ !isOver($0.value) }).min(by: { $0.value.stamp < $1.value.stamp })
        {
            return live.key
        }
        if bug == .evictsMostRead {
            return others.max { ($0.value.reads, $1.value.stamp) < ($1.value.reads, $0.value.stamp) }?.key ?? newcomer
        }
        if order.hasSuffix("lfu") {
            return others.min { ($0.value.reads, $0.value.stamp) < ($1.value.reads, $1.value.stamp) }?.key ?? newcomer
        }
        let oldest = others.min { $0.value.stamp < $1.value.stamp }?.key
        if bug == .secondRemovalShifts, removals > 1, others.count > 1 {
            return others.filter { $0.key != oldest }.min { $0.value.stamp < $1.value.stamp }?.key
        }
        return oldest ?? newcomer
    }

    /// Takes an entry away, and tells.
    mutating func leave(_ place: Place, _ cause: CacheEvent.Cause) {
        if cause != .expired, bug != .staleSurvivesRemove { stale[place] = nil }
        if bug != .refreshRevivesRemoved { refreshing[place] = nil }
        guard let entry = entries.removeValue(forKey: place) else { return }
        orphans.remove(place)
        if bug == .equalValuesShared {
            for (other, same) in entries where same.stored.value == entry.stored.value { entries[other] = nil }
        }
        if bug == .pinOutlivesRemoval, entry.isPinned { held.insert(place) }
        if bug == .behindDropsEvicted, cause == .evicted { behind.removeAll { $0.key == entry.name } }
        holdObject(place, cause)
        letGo(place)
        if bug == .evictionWritesRemoval, cause == .evicted { note(entry.name, nil) }
        if bug == .expiryWritesRemoval, cause == .expired { note(entry.name, nil) }
        let isForgotten =
            bug == .removalInGroupForgotten && place.group != nil || bug == .evictionForgotten && cause == .evicted
        if !isForgotten { changed.insert(place) }
        if bug == .oldInMemory, cause == .removed, inMemory.contains(place) { memoryOnly[place] = entry.stored }
        let keepsCost = bug == .removalKeepsCost && cause != .evicted
        if !keepsCost { cost -= entry.terms.cost }
        if cause == .evicted { counters.evictions! += 1 }
        if cause == .expired {
            if bug == .oneCounter { counters.evictions! += 1 } else { counters.expirations! += 1 }
        }
        if bug == .silentEviction, cause == .evicted || cause == .expired { return }
        if bug == .pinnedEndUntold, entry.isPinned, cause == .removed { return }
        tell(place, entry.name, entry.stored.value, cause)
        let isToldTwice = bug == .tellsTwice || bug == .twoTagsToldTwice && entry.terms.tags.count > 1
        if isToldTwice, cause == .removed { tell(place, entry.name, entry.stored.value, cause) }
    }

    /// Lets go of an object when the lock is free: its end may use the cache.
    mutating func letGo(_ place: Place) {
        if let object = objects.removeValue(forKey: place) { departed.append(object) }
    }

    private mutating func holdObject(_ place: Place, _ cause: CacheEvent.Cause) {
        guard let object = objects[place] else { return }
        switch (bug, cause) {
        case (.expiredObjectHeld, .expired), (.evictedObjectHeld, .evicted): slips.objects.append(object)
        case (.clearedObjectHeld, .removed) where wasCleared: slips.objects.append(object)
        default: break
        }
    }

    mutating func tell(_ place: Place, _ key: [UInt8], _ value: [UInt8], _ cause: CacheEvent.Cause) {
        if listener == .none, bug != .toldAnyway { return }
        if listener == .fails, bug == .failureLosesEvents, !told.isEmpty { return }
        if listener == .fails, bug == .groupFailureLosesEvents, place.group != nil { return }
        if isDeaf() { return }
        let isNoGroup = bug == .eventsForgetGroup || bug == .emptyGroupForgotten && place.group?.isEmpty == true
        let name = bug == .eventKeysCutAtNUL ? Array(key.prefix { $0 != 0 }) : key
        told.append(CacheEvent(group: isNoGroup ? nil : place.group, key: name, value: value, cause: cause))
    }

    mutating func takeEvents() -> [CacheEvent] {
        defer { told = [] }
        if bug == .eventsForgotten { return told.suffix(4_096) }
        return bug == .tellsBackwards ? told.reversed() : told
    }

    mutating func clear(_ group: String?) {
        if group == nil { loading = [:] }
        if let group, bug != .groupLoadSurvives { loading = loading.filter { $0.key.group != group } }
        refreshing = group == nil ? [:] : refreshing.filter { $0.key.group != group }
        memoryOnly = [:]
        (buried, tombstones) = (tombstones, [])
        wasCleared = true
        if bug == .versionsRestart { writes = 0 }
        if bug == .clearForgetsCounts { (counters.hits, counters.misses) = (0, 0) }
        var leaving = Array(entries.keys)
        if let group, bug != .groupClearsAll {
            if bug == .joinsNames {
                leaving = leaving.filter { $0.key.starts(with: Array(group.utf8)) }
            } else {
                leaving = leaving.filter {
                    bug == .groupIsPattern ? Self.fits($0.group ?? "", group) : $0.group == group
                }
            }
        }
        if let group, bug == .groupClearsOnce, !clearedGroups.insert(group).inserted { leaving = [] }
        if bug != .clearKeepsAbsence { absent = group == nil ? [] : absent.filter { $0.group != group } }
        if bug == .clearSkipsNewest { leaving.removeAll { $0 == newest } }
        if bug == .clearSparesThisTick { leaving.removeAll { entries[$0]!.writtenAt >= now } }
        if bug == .clearSkipsSome, leaving.count > 2 {
            let kept = leaving.max { $0.key.lexicographicallyPrecedes($1.key) }
            leaving.removeAll { $0 == kept }
        }
        if bug == .clearSparesPinned { leaving.removeAll { entries[$0]!.isPinned } }
        if bug == .groupClearsHundred, group != nil { leaving = Array(leaving.prefix(100)) }
        for place in leaving {
            leave(place, find(place) == nil ? .expired : bug == .clearTellsEviction ? .evicted : .removed)
        }
        // What is found to have expired while it is cleared is cleared too.
        if bug != .staleSurvivesClear { stale = group == nil ? [:] : stale.filter { $0.key.group != group } }
    }

    /// The live entries of a group, or of all.
    mutating func listed(_ group: String?) -> [(key: Place, value: Entry)] {
        switch bug {
        case .listsExpired: break
        case .listsAfterFewEnded: sweep(atMost: 100)
        default: sweep()
        }
        guard let group, bug != .groupCountsAll else {
            return entries.map { ($0.key, $0.value) }
        }
        return entries.filter { $0.key.group == group }.map { ($0.key, $0.value) }
    }

    // MARK: Loading

    /// What a read that loads answers without loading; nil if it must.
    mutating func beginLoad(_ place: Place, _ origin: Origin) -> OperationResult? {
        if isClosed, bug != .loadsAfterClose { return .failure(.closed) }
        if bug == .alwaysLoads { return nil }
        if bug == .failureSticks, failed.contains(place) { return .loaded(.failed, calls: 0) }
        if isKnownAbsent(place), bug != .forgetsAbsence {
            if bug == .absenceAnsweredOnce { absent.remove(place) }
            return .loaded(.nothing, calls: 0)
        }
        guard let entry = find(place) ?? servedStuck(place) else { return nil }
        if bug == .countsHitsAsLoads { counters.loads! += 1 }
        let after = setup.refreshNanoseconds.map { bug == .refreshAgeOf32Bits ? $0 % (1 << 32) : $0 }
        if let age = after, now - entry.writtenAt >= age + (bug == .refreshesLate ? 1 : 0),
            refreshing[place] == nil || bug == .refreshesTwice, bug != .refreshStops || !failed.contains(place)
        {
            if bug == .oneRefresh { refreshing = [:] }
            refreshing[place] = origin
        }
        if entries[place] == nil { return .loaded(.value(entry.stored), calls: 0) }
        if bug == .loadHitUncounted {
            use(place)
            return .loaded(.value(entry.stored), calls: 0)
        }
        let end = entries[place]?.deadline
        defer { if bug == .loadHitDoesNotExtend { entries[place]?.deadline = end } }
        return read(place).map { .loaded(.value($0), calls: 0) }
    }

    /// The value that a load has stored in the meantime.
    mutating func lookAgain(_ place: Place) -> LoadOutcome? {
        guard bug != .alwaysLoads, bug != .loadsTwice, bug != .registersLate, bug != .stampedesOnExpired,
            let entry = find(place)
        else { return nil }
        return .value(entry.stored)
    }

    mutating func startLoad(_ place: Place) -> Int {
        clock += 1
        counters.misses! += 1
        if !loading.isEmpty { isNested = true }
        loading[place] = clock
        return clock
    }

    mutating func endLoad(
        _ place: Place, _ key: [UInt8], _ result: Result<[UInt8]?, Origin.Failure>, _ origin: Origin, _ started: Int,
        _ startedAt: Int64
    ) -> LoadOutcome {
        let isNewest = loading[place] == started || bug == .staleLoad || bug == .loadsTwice
        loading[place] = nil
        switch result {
        case .failure:
            let isServed = stale[place].map { now < $0.until } ?? false
            if bug != .staleHidesFailure || !isServed { counters.loadFailures! += 1 }
            failed.insert(place)
            if bug == .failureForgetsAbsences { absent = [] }
            slips.doomed = Set(loading.keys)
            if bug == .failureRemovesPut, !isNewest { leave(place, .removed) }
            if bug == .failedLoadEvicts, weight >= capacity { evictOldest(sparing: place) }
            if let (old, until) = staleEntry(for: place), now < until { return .value(old.stored) }
            return .failed
        case .success(nil):
            if bug != .nothingIsNoLoad { counters.loads! += 1 }
            if bug == .oneAbsence { absent = [] }
            if isNewest || bug == .absenceOverPut { absent.insert(place) }
            return .nothing
        case .success where bug == .nestedFailureFails && slips.doomed.remove(place) != nil:
            counters.loadFailures! += 1
            return .failed
        case .success(let value?):
            if bug != .overtakenLoadUncounted || isNewest { counters.loads! += 1 }
            if bug == .containsStores { failed.insert(place) }
            let entry = StoredEntry(value)
            let fits = weight(of: origin.terms) <= capacity || bug == .loadStoresOversize
            let isKept = isNewest && fits && bug != .loadedNotKept && !(bug == .nestedLoadLost && isNested)
            if bug == .loadsWriteBack || bug == .groupLoadWritesBack && place.group != nil {
                written.append(WrittenEntry(key: key, value: value))
            }
            var terms = origin.terms
            if bug == .loadLosesCost { terms.cost = 1 }
            if bug == .loadLosesTags { terms.tags = [] }
            if isKept { set(place, key, entry, terms, isLoaded: true) }
            if isKept, entries[place]?.deadline != nil, now > startedAt {
                if bug == .flightLivesForEver { entries[place]!.deadline = nil }
                if bug == .livesFromTheAsking { entries[place]!.deadline! -= now - startedAt }
            }
            if bug == .expiredLoadIsNothing, find(place) == nil, isNewest { return .nothing }
            return .value(entry)
        }
    }
}
