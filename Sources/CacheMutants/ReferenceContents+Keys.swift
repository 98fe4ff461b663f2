import CacheConformance
import CacheCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// Reading and writing.
extension ReferenceContents {
    private mutating func count(isHit: Bool) {
        let step = bug == .countsTwice ? 2 : 1
        if isHit { counters.hits! += step } else { counters.misses! += 1 }
    }

    mutating func read(_ place: Place) -> StoredEntry? {
        if bug == .servesExpired, let entry = entries[place] {
            count(isHit: true)
            return entry.stored
        }
        if bug == .expiredIsNoMiss, let entry = entries[place], isOver(entry) {
            leave(place, .expired)
            return nil
        }
        if bug == .fallsThrough, entries[place] == nil, let other = entries.first(where: { $0.key.key == place.key }) {
            return other.value.stored
        }
        if bug == .sentinelLeaks, absent.contains(place) { return StoredEntry(Array("null".utf8)) }
        if lost.contains(place) {
            count(isHit: false)
            return nil
        }
        age()
        if bug == .keepsAddress, let kept = addresses[place] {
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: kept.address), count: kept.count)
            return StoredEntry([UInt8](bytes))
        }
        if bug == .oldInMemory, let kept = memoryOnly[place] { return kept }
        guard let entry = find(place) else {
            count(isHit: false)
            return nil
        }
        if bug == .emptyIsMiss, entry.stored.value.isEmpty { return nil }
        count(isHit: true)
        noteTier(place)
        use(place)
        if bug == .readsWriteBack { written.append(WrittenEntry(key: entry.name, value: entry.stored.value)) }
        return entry.stored
    }

    /// Halves all counts now and then, whether what is read is there or not: a set that is not would never find room.
    private mutating func age() {
        reads += 1
        guard order == "aged-lfu", reads % (8 * max(1, min(capacity, 1 << 32))) == 0, bug != .neverAges else { return }
        for other in entries.keys { entries[other]!.reads /= 2 }
    }

    /// What a read does to an entry.
    mutating func use(_ place: Place) {
        clock += 1
        // The order is kept on disk too.
        if flavour == .persistent { changed.insert(place) }
        if bug == .lowerReadDoesNotRefresh, wasInLower { return }
        if order == "lru" ? bug != .readDoesNotRefresh : order.hasSuffix("lfu") || bug == .fifoMoves {
            entries[place]!.stamp = clock
        }
        if bug != .wrongFrequency || entries[place]!.reads < 2 { entries[place]!.reads += 1 }
        let hasOwnTime = entries[place]!.terms.timeToLiveNanoseconds != nil
        if hasOwnTime ? bug == .readExtends : timeToIdle != nil {
            entries[place]!.deadline = deadline(entries[place]!.terms)
        }
        if hasOwnTime, bug == .readShortens { entries[place]!.deadline = entries[place]!.deadline.map { $0 - 1 } }
    }

    mutating func looks(_ place: Place) -> Bool {
        let isThere = bug == .servesExpired ? entries[place] != nil : find(place) != nil
        if bug == .containsRefreshes, isThere { use(place) }
        if bug == .containsCounts { counters.hits! += isThere ? 1 : 0 }
        if bug == .containsStores, !isThere, failed.contains(place) {
            set(place, place.key, StoredEntry([1]), .plain)
        }
        return isThere
    }

    mutating func readMany(_ places: [Place]) -> [StoredEntry?] {
        if bug == .bulkServesExpired || bug == .bulkDoesNotRefresh {
            return places.map { place in
                let entry = bug == .bulkServesExpired ? entries[place] : find(place)
                count(isHit: entry != nil)
                return entry?.stored
            }
        }
        let deadlines = places.map { entries[$0]?.deadline }
        let found = places.enumerated().map { bug == .bulkReadsHundred && $0 >= 100 ? nil : read($1) }
        if bug == .bulkDoesNotExtend {
            for (place, deadline) in zip(places, deadlines) { entries[place]?.deadline = deadline }
        }
        if bug == .bulkCountsOnce, let hits = counters.hits, found.count > 1 {
            counters.hits = max(0, hits - (places.count - Set(places).count))
        }
        guard bug == .pairsWrongly else { return found }
        return found.filter { $0 != nil } + found.filter { $0 == nil }
    }

    /// Whether the writer fails for a key, and somebody waits for it.
    private func isBroken(_ key: [UInt8]) -> Bool {
        flavour != .behind && (failsWrites || failingKeys.contains(key))
    }

    mutating func put(_ place: Place, _ key: [UInt8], _ entry: StoredEntry, _ terms: PutTerms) -> OperationResult {
        if key.count > 255, bug == .dropsLongKeys { return .done }
        if key.contains(UInt8(ascii: "/")), bug == .skipsPaths { return .done }
        if entry.value.count > 1 << 20 + 1 {
            if bug == .countsRefusedPut { counters.misses! += 1 }
            if bug != .refusedLeavesOld { leave(place, .replaced) }
            return .failure(StorageError(.valueRefused, "use a shorter value"))
        }
        if isBroken(key) {
            if bug == .failedWriteChanges || (bug == .partialFailureStores && failingKeys.contains(key)) {
                set(place, key, entry, terms)
            }
            return .failure(StorageError(.unavailable, "the writer failed"))
        }
        if lowerFails, bug != .lowerFailureHidden { return .failure(StorageError(.unavailable, "the disk failed")) }
        if terms.cost < 0, bug != .negativeCostCounts {
            leave(place, .replaced)
            return .failure(StorageError(.valueRefused, "it costs less than nothing"))
        }
        if hasPins, entries.count(where: { $0.value.isPinned && $0.key != place }) >= capacity {
            if bug == .trimsForEver { for _ in 0..<20_000 { usleep(1_000) } }
            if bug != .evictsPinned {
                leave(place, .replaced)
                return .failure(StorageError(.valueRefused, "all that is there is pinned"))
            }
        }
        note(key, bug == .keepsAddress ? entry.value.map { $0 } : entry.value)
        if bug == .writesTwice { written.append(WrittenEntry(key: key, value: entry.value)) }
        if weight(of: terms) > capacity, bug != .storesOversize {
            if bug == .countsRefusedPut { counters.misses! += 1 }
            leave(place, .replaced)
            loading[place] = nil
            return .failure(StorageError(.valueRefused, "it costs more than the capacity"))
        }
        set(place, key, entry, terms)
        return .done
    }

    /// Stores an entry in the place of what is there, and makes room.
    mutating func set(_ place: Place, _ key: [UInt8], _ entry: StoredEntry, _ terms: PutTerms, isLoaded: Bool = false) {
        var (entry, terms) = (entry, terms)
        if !isLoaded, bug != .groupPutLosesLoad || place.group == nil { loading[place] = nil }
        if bug != .absenceSurvivesPut { absent.remove(place) }
        stale[place] = nil
        if !isLoaded, bug != .refreshOverwritesPut { refreshing[place] = nil }
        if bug == .expiredKeepsCost, let dead = entries[place], isOver(dead) { cost += dead.terms.cost }
        let dead = entries[place].flatMap { isOver($0) ? $0 : nil }
        let oldVersion = bug == .versionReturnsAfterExpiry ? dead?.version : nil
        let old = find(place)
        if bug == .neverFillsAgain, wasCleared { return }
        if bug == .fullRefuses, old == nil, weight + 1 > capacity { return }
        if bug == .equalKeepsAge, let old, old.stored == entry { return }
        if let time = terms.timeToLiveNanoseconds, time <= 0, bug != .zeroIsForever {
            if bug == .tellsRefused { tell(place, key, entry.value, .removed) }
            if bug != .expiredPutKeepsOld { leave(place, .replaced) }
            return
        }
        if bug == .keepsFirst, old != nil { return }
        if bug == .removalOutlivesClear {
            tombstones.remove(place)
            if buried.remove(place) != nil { return }
        }
        if bug == .cutsAtCRLF,
            let end = entry.value.indices.first(where: { entry.value[$0...].starts(with: [13, 10]) })
        {
            entry.value.removeSubrange(end...)
        }
        if bug == .keepsTags, let old { terms.tags += old.terms.tags }
        clock += 1
        writes += 1
        var fresh = Entry(
            name: key, stored: entry, terms: terms, deadline: deadline(terms), stamp: clock, version: writes,
            writtenAt: now)
        if bug == .lateStamp { fresh.deadline = fresh.deadline.map { $0 + 10 } }
        if isLoaded, bug == .loadedForever { fresh.deadline = nil }
        if let version = oldVersion { fresh.version = version }
        beforeNewest = old?.stored
        objects[place] = nil
        if let old {
            if bug != .tellsFirstReplacement || replaced.insert(place).inserted {
                tell(place, old.name, bug == .wrongCause ? entry.value : old.stored.value, .replaced)
            }
            if bug != .costDrifts { cost -= old.terms.cost }
            fresh.reads = old.reads + 1
            fresh.isPinned = old.isPinned
            if bug == .equalKeepsVersion, old.stored == entry { fresh.version = old.version }
            if order == "fifo" || bug == .writeDoesNotRefresh { fresh.stamp = old.stamp }
            if bug == .keepsOldDeadline, let deadline = old.deadline { fresh.deadline = deadline }
            if bug == .unpinnedByOverwrite { fresh.isPinned = false }
            if bug == .inheritsDeadline, terms.timeToLiveNanoseconds == nil { fresh.deadline = old.deadline }
        }
        if bug == .staleTimer, old == nil, failed.contains(place) { fresh.terms.tags.append("timer") }
        cost += terms.cost
        if bug == .costWraps { cost = Int(Int32(truncatingIfNeeded: cost)) }
        if bug == .keepsAddress, entry.value.count == 64 {
            addresses[place] = (entry.value.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }, 64)
            fresh.stored = StoredEntry([])
        }
        if bug == .pinOutlivesRemoval, held.contains(place) { fresh.isPinned = true }
        entries[place] = fresh
        if bug == .overwriteCountsBoth, let old, unit == .bytes {
            cost += old.terms.cost
            makeRoom(sparing: place)
            cost -= old.terms.cost
        }
        changed.insert(place)
        newest = place
        inMemory.insert(place)
        if bug == .loadIgnoresLimit, isLoaded { return }
        let toldBefore = told.count
        makeRoom(sparing: place)
        if bug == .growingToldTwice, old != nil { told += told[min(toldBefore, told.count)...] }
        limitGroup(of: place)
    }

    mutating func remove(_ place: Place, _ key: [UInt8]) -> OperationResult {
        if isBroken(key) {
            if bug == .failedWriteChanges { leave(place, .removed) }
            return .failure(StorageError(.unavailable, "the writer failed"))
        }
        if lowerFails { return .failure(StorageError(.unavailable, "the disk failed")) }
        note(key, nil)
        let wasDead = entries[place].map { isOver($0) } ?? false
        let entry = find(place)
        loading[place] = nil
        absent.remove(place)
        removals += 1
        if bug == .removalOutlivesClear, entry != nil { tombstones.insert(place) }
        if bug == .staleTimer, entry?.deadline != nil { failed.insert(place) }
        if bug == .ghostOfLarge, let entry, entry.stored.value.count > 1_000, removals > 1 { return .flag(true) }
        if bug == .groupRemovesPlain, place.group != nil { leave(Place(key: key), .removed) }
        leave(place, .removed)
        return .flag(entry != nil || (bug == .removesExpired && wasDead))
    }

    mutating func performConditional(_ operation: Operation, _ place: Place, _ key: [UInt8]) -> OperationResult {
        let load = loading[place]
        defer {
            switch (operation, bug) {
            case (.exchange, .exchangeLosesLoad), (.take, .takeLosesLoad), (.update, .updateLosesLoad):
                loading[place] = load
            default: break
            }
        }
        if bug == .conditionsSeeDead, let entry = entries[place], isOver(entry) {
            if case .putIfAbsent = operation { return .flag(false) }
        }
        let wasDead = entries[place]?.stored
        let old = find(place)
        switch operation {
        case .putIfAbsent(_, _, let terms):
            if old != nil, bug == .conditionRefreshes { entries[place]!.deadline = deadline(terms) }
            guard old == nil || bug == .putIfAbsentOverwrites else { return .flag(false) }
            if case .failure(let error) = put(place, key, operation.entry!, terms) { return .failure(error) }
            return .flag(old == nil)
        case .replace(_, _, let terms):
            guard old != nil || bug == .replaceCreates else { return .flag(false) }
            if bug == .conditionalStoresOversize {
                note(key, operation.entry!.value)
                set(place, key, operation.entry!, terms)
            }
            if bug != .replaceDoesNothing, bug != .conditionalStoresOversize,
                case .failure(let error) = put(place, key, operation.entry!, terms)
            {
                return .failure(error)
            }
            return .flag(old != nil)
        case .compareAndSet(_, let expected, _):
            let wanted = expected.bytes(for: key)
            let isLong = bug == .comparesLength && old?.stored.value.count == wanted.count
            guard let old, old.stored.value == wanted || isLong || bug == .comparesNothing else {
                return .flag(false)
            }
            _ = put(place, key, operation.entry!, .plain)
            if bug == .stepKeepsDeadline { entries[place]?.deadline = old.deadline }
            if bug == .compareKeepsOrder { entries[place]?.stamp = old.stamp }
            return .flag(true)
        case .exchange:
            if bug == .exchangeCounts { counters.hits! += old == nil ? 0 : 1 }
            _ = put(place, key, operation.entry!, .plain)
            if bug == .exchangeWritesNothing { _ = written.popLast() }
            if bug == .stepKeepsDeadline, let old { entries[place]?.deadline = old.deadline }
            if bug == .exchangeSeesDead { return .entry(wasDead) }
            return .entry(bug == .exchangeAnswersNew ? operation.entry : old?.stored)
        case .take:
            let toldBefore = told.count
            _ = remove(place, key)
            if bug == .silentTake { told.removeSubrange(min(toldBefore, told.count)...) }
            return .entry(bug == .takeServesExpired ? wasDead : old?.stored)
        case .touch(_, let time):
            if bug == .touchRevives, old == nil, let wasDead {
                set(place, key, wasDead, PutTerms(timeToLiveNanoseconds: time))
                return .flag(true)
            }
            guard old != nil else { return .flag(false) }
            if bug == .touchDoesNothing { return .flag(true) }
            entries[place]!.terms.timeToLiveNanoseconds = time
            if bug != .touchForgotten { changed.insert(place) }
            entries[place]!.deadline = bug == .touchOverflows ? now &+ time : deadline(entries[place]!.terms)
            return .flag(true)
        case .remainingTime:
            if bug == .remainingTimeCounts { count(isHit: old != nil) }
            if bug == .remainingIsWhole { return .time(old?.terms.timeToLiveNanoseconds) }
            return .time(old?.deadline.map { $0 - now })
        default: return performStep(operation, place, key)
        }
    }
}
