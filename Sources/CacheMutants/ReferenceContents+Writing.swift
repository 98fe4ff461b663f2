import CacheConformance
import CacheCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// Writing and removing.
extension ReferenceContents {
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
            return .failure(StoreError(.valueRefused, "use a shorter value"))
        }
        if isBroken(key) {
            if bug == .failedWriteChanges || (bug == .partialFailureStores && failingKeys.contains(key)) {
                set(place, key, entry, terms)
            }
            if bug == .refusedWriteKeepsCost { cost += terms.cost }
            if bug == .refusedWriteCountsMiss { counters.misses! += 1 }
            return .failure(StoreError(.unavailable, "the writer failed"))
        }
        if lowerFails, bug != .lowerFailureHidden { return .failure(StoreError(.unavailable, "the disk failed")) }
        if terms.cost < 0, bug != .negativeCostCounts {
            leave(place, .replaced)
            return .failure(StoreError(.valueRefused, "it costs less than nothing"))
        }
        if hasPins, entries.count(where: { $0.value.isPinned && $0.key != place }) >= capacity {
            if bug == .trimsForEver { for _ in 0..<20_000 { usleep(1_000) } }
            if bug != .evictsPinned {
                leave(place, .replaced)
                return .failure(StoreError(.valueRefused, "all that is there is pinned"))
            }
        }
        note(key, bug == .keepsAddress ? entry.value.map { $0 } : entry.value)
        if bug == .writesTwice { written.append(WrittenEntry(key: key, value: entry.value)) }
        if weight(of: terms) > capacity, bug != .storesOversize {
            if bug == .countsRefusedPut { counters.misses! += 1 }
            leave(place, .replaced)
            loading[place] = nil
            return .failure(StoreError(.valueRefused, "it costs more than the capacity"))
        }
        set(place, key, entry, terms)
        return .done
    }

    /// Stores an entry in the place of what is there, and makes room.
    mutating func set(_ place: Place, _ key: [UInt8], _ entry: StoredEntry, _ terms: PutTerms, isLoaded: Bool = false) {
        var (entry, terms) = (entry, terms)
        if !isLoaded, bug != .groupPutLosesLoad || place.group == nil { loading[place] = nil }
        if bug == .absenceIsReplaced, absent.contains(place) { tell(place, key, [], .replaced) }
        if bug != .absenceSurvivesPut { absent.remove(place) }
        let isLifeless = (terms.timeToLiveNanoseconds ?? 1) <= 0
        if bug != .lifelessPutLeavesStale || !isLifeless { stale[place] = nil }
        if bug == .putEndsRefreshElsewhere { refreshing = refreshing.filter { $0.key.key != key } }
        let isEqual = bug == .refreshComparesValues && entries[place]?.stored == entry
        if !isLoaded, bug != .refreshOverwritesPut, !isEqual { refreshing[place] = nil }
        if bug == .expiredKeepsCost, let dead = entries[place], isOver(dead) { cost += dead.terms.cost }
        let dead = entries[place].flatMap { isOver($0) ? $0 : nil }
        let oldVersion = bug == .versionReturnsAfterExpiry ? dead?.version : nil
        let old = find(place)
        if bug == .neverFillsAgain, wasCleared { return }
        if bug == .fullRefuses, old == nil, weight + 1 > capacity { return }
        if bug == .equalKeepsAge, let old, old.stored == entry { return }
        if let time = terms.timeToLiveNanoseconds, time <= 0, bug != .zeroIsForever {
            if bug == .tellsRefused { tell(place, key, entry.value, .removed) }
            let kept = bug == .lifelessPutLeavesStale ? stale[place] : nil
            if bug != .expiredPutKeepsOld { leave(place, .replaced) }
            if let kept { stale[place] = kept }
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
        if bug == .shortAt32K, entry.value.count == 1 << 15 { entry.value.removeLast() }
        if let left = slips.remains.tags.removeValue(forKey: place) { terms.tags += left }
        if bug == .keepsTags, let old { terms.tags += old.terms.tags }
        clock += 1
        writes += 1
        var fresh = Entry(
            name: key, stored: entry, terms: terms, deadline: deadline(terms), stamp: clock, version: writes,
            writtenAt: now)
        if bug == .loadKeepsVersion, isLoaded, let version = marks[place] { fresh.version = version }
        if bug == .lateStamp { fresh.deadline = fresh.deadline.map { $0 + 10 } }
        if isLoaded, bug == .loadedForever { fresh.deadline = nil }
        if let version = oldVersion { fresh.version = version }
        beforeNewest = old?.stored
        letGo(place)
        if let old {
            if bug != .tellsFirstReplacement || replaced.insert(place).inserted {
                tell(place, old.name, bug == .wrongCause ? entry.value : old.stored.value, .replaced)
            }
            if bug != .costDrifts { cost -= old.terms.cost }
            if bug == .rewriteWrapsCost { cost -= (terms.cost >> 32) << 32 }
            fresh.reads = old.reads + 1
            fresh.isPinned = old.isPinned
            if bug == .equalKeepsVersion, old.stored == entry { fresh.version = old.version }
            if order == "fifo" || bug == .writeDoesNotRefresh { fresh.stamp = old.stamp }
            if bug == .keepsOldDeadline, let deadline = old.deadline { fresh.deadline = deadline }
            if bug == .unpinnedByOverwrite { fresh.isPinned = false }
            if bug == .inheritsDeadline, terms.timeToLiveNanoseconds == nil { fresh.deadline = old.deadline }
        }
        if bug == .staleTimer, old == nil, failed.contains(place) { fresh.terms.tags.append("timer") }
        while unit == .bytes, cost.addingReportingOverflow(terms.cost).overflow, let victim = victim(sparing: place),
            entries[victim] != nil
        {
            leave(victim, .evicted)
        }
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
        if bug != .groupLoadForgotten || !isLoaded || place.group == nil { changed.insert(place) }
        newest = place
        inMemory.insert(place)
        if bug == .loadIgnoresLimit, isLoaded { return }
        let toldBefore = told.count
        makeRoom(sparing: place)
        if bug == .growingToldTwice, old != nil { told += told[min(toldBefore, told.count)...] }
        if bug != .groupLoadsIgnoreLimit || !isLoaded { limitGroup(of: place) }
    }

    mutating func remove(_ place: Place, _ key: [UInt8]) -> OperationResult {
        if isBroken(key) {
            if bug == .failedWriteChanges { leave(place, .removed) }
            return .failure(StoreError(.unavailable, "the writer failed"))
        }
        if lowerFails { return .failure(StoreError(.unavailable, "the disk failed")) }
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
}
