import CacheConformance
import CacheCore

// Versions, updates, counters, names, pins, what is written behind, and what waits to be refreshed.
extension ReferenceContents {
    func weight(of terms: PutTerms) -> Int { unit == .bytes ? terms.cost : 1 }

    mutating func performStep(_ operation: CacheOperation, _ place: Place, _ key: [UInt8]) -> OperationResult {
        var old = find(place)
        let dead = lastExpired?.name == key ? lastExpired : nil
        switch operation {
        case .mark:
            marks[place] = old?.version
            return .flag(old != nil)
        case .setIfMarked:
            if bug == .markedSeesDead { old = old ?? dead }
            guard let old, let mark = marks[place] else { return .flag(false) }
            let isSame = bug == .versionsOf8Bits ? (mark - old.version) % (1 << 8) == 0 : mark == old.version
            guard isSame else { return .flag(false) }
            _ = put(place, key, operation.entry!, .plain)
            if bug == .markedKeepsDeadline { entries[place]?.deadline = old.deadline }
            return .flag(true)
        case .removeIfMarked:
            guard let old, marks[place] == old.version || bug == .removesUnmarked else { return .flag(false) }
            let toldBefore = told.count
            _ = remove(place, key)
            if bug == .markedRemovalTellsNothing { told.removeSubrange(min(toldBefore, told.count)...) }
            return .flag(true)
        case .update(_, let change):
            if bug == .updateSeesDead { old = old ?? dead }
            guard let new = change.result(for: key, old: old?.stored.value) else {
                let toldBefore = told.count
                if bug != .updateKeeps { _ = remove(place, key) }
                if bug == .updateRemovalTellsNothing { told.removeSubrange(min(toldBefore, told.count)...) }
                return .entry(nil)
            }
            _ = put(place, key, StoredEntry(new), .plain)
            if bug == .updateWritesNothing { _ = written.popLast() }
            return .entry(StoredEntry(new))
        case .increment(_, let step):
            if bug == .emptyKeyCountsAnew, key.isEmpty { old = nil }
            return increment(place, key, bug == .counterOfDead ? old ?? dead : old, step)
        case .pin, .unpin:
            entries[place]?.isPinned = operation == .pin(key)
            if bug == .unpinsAll, operation == .unpin(key) {
                for other in entries.keys { entries[other]!.isPinned = false }
            }
            hasPins = true
            return .flag(old != nil)
        default: return .failure(.unsupported(operation))
        }
    }

    private mutating func increment(
        _ place: Place, _ key: [UInt8], _ old: Entry?, _ step: Int
    ) -> OperationResult {
        let digits = old.map { bug == .trimsNumbers ? $0.stored.value.filter { $0 > 32 } : $0.stored.value }
        guard let number = digits.map(DecimalText.number) ?? 0 else {
            return .failure(StoreError(.valueRefused, "it holds no number"))
        }
        let sum = number.addingReportingOverflow(step)
        if sum.overflow { return .failure(StoreError(.valueRefused, "it would pass the greatest number")) }
        let result = bug == .counterGoesBelow ? sum.partialValue : max(0, sum.partialValue)
        var text = DecimalText.bytes(result)
        if bug == .staleDigits, let old { text += old.stored.value.dropFirst(text.count) }
        let deadline = old?.deadline
        _ = put(place, key, StoredEntry(text), old?.terms ?? .plain)
        // A counter that begins has the time that the cache gives; one that goes on keeps its own.
        if bug != .counterLosesTime, old != nil { entries[place]?.deadline = deadline }
        return .number(result)
    }

    mutating func rename(_ place: Place, _ other: Place, _ name: [UInt8]) -> OperationResult {
        guard var entry = find(place) else { return .flag(false) }
        guard place != other else { return .flag(true) }
        if bug == .renameKeepsCost, let there = entries[other] { cost += there.terms.cost }
        if bug == .renameLosesTags { entry.terms.tags = [] }
        if bug != .renameLosesLoad { loading[other] = nil }
        if bug != .absenceSurvivesRename { absent.remove(other) }
        if bug == .renameForgetsPin { entry.isPinned = false }
        leave(other, .replaced)
        entries[place] = nil
        entry.name = name
        if bug == .renameLosesTime { entry.deadline = nil }
        entries[other] = entry
        changed.formUnion(bug == .renameForgotten ? [other] : [place, other])
        inMemory.insert(other)
        return .flag(true)
    }

    mutating func putMany(_ items: [KeyedPayload], in group: String?) -> OperationResult {
        let (before, loads) = (told.count, loading)
        defer { if bug == .putManyLosesLoad { loading = loads } }
        defer { if bug == .bulkPutTellsNothing { told.removeSubrange(min(before, told.count)...) } }
        let stored = items.enumerated().map { index, item in
            if bug == .bulkPutsHundred, index >= 100 { return true }
            defer { if bug == .bulkPutWritesNothing { _ = written.popLast() } }
            let place = place(item.key, in: group)
            return item.key.count <= 5_000 && put(place, item.key, StoredEntry(item.value), .plain) == .done
        }
        return .flags(bug == .reportsAllStored ? items.map { _ in true } : stored)
    }

    mutating func limitGroup(of place: Place) {
        guard let group = place.group, let limit = groupLimits[group] else { return }
        if limit <= 0, bug == .groupLimitZeroIsNone { return }
        let isShared = bug == .limitIsShared
        let toldBefore = told.count
        // The newcomer stays, unless the group is for nothing.
        while entries.count(where: { $0.key.group == group || isShared }) > limit,
            let victim = entries.filter({ ($0.key.group == group || isShared) && ($0.key != place || limit <= 0) })
                .min(by: { $0.value.stamp < $1.value.stamp })?.key
        {
            leave(victim, .evicted)
        }
        if bug == .groupLimitTellsNothing { told.removeSubrange(min(toldBefore, told.count)...) }
    }

    // MARK: Counters and the writer

    func counted() -> CacheCounters {
        var counters = counters
        let reads = Double(counters.hits! + counters.misses!)
        let isDefined = reads > 0 || bug == .ratioOfNothing
        switch bug {
        case .evictionsOf8Bits: counters.evictions! %= 1 << 8
        case .hitsOf16Bits: counters.hits! %= 1 << 16
        case .missesOf16Bits: counters.misses! %= 1 << 16
        case .expirationsOf8Bits: counters.expirations! %= 1 << 8
        case .loadsOf16Bits: counters.loads! %= 1 << 16
        case .failuresOf8Bits: counters.loadFailures! %= 1 << 8
        default: break
        }
        counters.hitRatio = isDefined ? Double(counters.hits!) / reads : 0
        return counters
    }

    mutating func note(_ key: [UInt8], _ value: [UInt8]?) {
        var change = WrittenEntry(key: key, value: value)
        if bug == .emptyWrittenAsRemoval, value?.isEmpty == true { change.value = nil }
        if bug == .writtenKeysRepaired { change.key = Array(String(decoding: key, as: UTF8.self).utf8) }
        guard flavour == .behind else { return written.append(change) }
        if bug == .behindReorders { behind.insert(change, at: 0) } else { behind.append(change) }
    }

    /// Gives the writer what waits for it, the last change of a key alone.
    mutating func drain() {
        let waiting = behind.filter { failsWrites || failingKeys.contains($0.key) }
        if !waiting.isEmpty {
            behind.removeAll { failsWrites || failingKeys.contains($0.key) }
        }
        defer { behind = bug == .behindDropsFailed ? [] : waiting }
        let last = Dictionary(behind.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { $1 })
        for (index, change) in behind.enumerated() where last[change.key] == index { written.append(change) }
        behind = []
    }

    mutating func takeWritten() -> [WrittenEntry] {
        defer { written = [] }
        return bug == .writesForgotten ? written.suffix(4_096) : written
    }

    // MARK: Tiers

    /// Whether the entry that is being read was not in memory.
    var wasInLower: Bool { lastReadWasLower }

    mutating func noteTier(_ place: Place) {
        lastReadWasLower = inMemory.insert(place).inserted && flavour == .tiered
        if lastReadWasLower, bug != .lowerHitsUncounted { counters.lowerHits! += 1 }
        if lastReadWasLower, bug == .promotionRestartsTime {
            entries[place]!.deadline = deadline(entries[place]!.terms)
        }
    }

    mutating func dropMemory() {
        if bug == .dropsLowerToo { for place in entries.keys { leave(place, .removed) } }
        if bug == .newestNeverLower, let newest { leave(newest, .removed) }
        let isBehind = bug == .writeWaitsForLower || (bug == .lowerFailureHidden && lowerFails)
        if isBehind, let newest, let old = beforeNewest { entries[newest]?.stored = old }
        inMemory = []
        memoryOnly = [:]
    }

    // MARK: Refreshing

    /// With a defect, what is served beyond its end because its refresh has not come.
    func servedStuck(_ place: Place) -> Entry? {
        guard bug == .servesWhileStuck, refreshing[place] != nil else { return nil }
        return lastExpired
    }

    /// The loads that are to be done now.
    mutating func takeRefreshes() -> [(Place, Origin)] {
        defer { refreshing = [:] }
        return refreshing.map { ($0.key, $0.value) }
    }

    mutating func endRefresh(_ place: Place, _ key: [UInt8], _ value: [UInt8]?, _ origin: Origin) {
        guard let value else {
            failed.insert(place)
            return
        }
        var terms = bug == .refreshLosesTime ? .plain : origin.terms
        if bug == .refreshLosesTags { terms.tags = [] }
        if bug == .refreshNegativeLives, terms.timeToLiveNanoseconds ?? 0 < 0 { terms.timeToLiveNanoseconds = nil }
        let before = told.count
        let old = find(place)
        if bug == .refreshKeepsTags, let old { terms.tags += old.terms.tags }
        set(place, key, StoredEntry(value), terms, isLoaded: true)
        if bug == .refreshUnpins { entries[place]?.isPinned = false }
        if bug == .refreshKeepsAge, let old { entries[place]?.writtenAt = old.writtenAt }
        if bug == .refreshKeepsOldCost, let old { cost += old.terms.cost }
        if bug == .refreshCountsHit { counters.hits! += 1 }
        if bug == .refreshTellsNothing { told.removeSubrange(min(before, told.count)...) }
        if bug == .refreshWritesBack { note(key, value) }
    }
}
