import CacheConformance
import CacheCore

// Defects of what holds of one thing and not of its like: of one way, one place, one key, or of few.
extension ReferenceContents {
    /// Whether an operation is done after the close.
    func staysOpen(for operation: CacheOperation) -> Bool {
        if case .removeTagged = operation { return bug == .tagRemovalAfterClose }
        return false
    }

    /// Whether a pin keeps an entry from being evicted.
    func isHeld(_ entry: Entry) -> Bool { entry.isPinned && (bug != .pinsOnlyObjects || unit == .objects) }

    /// Whether it is known that there is nothing at a place.
    func isKnownAbsent(_ place: Place) -> Bool {
        bug == .absenceOfAllGroups ? absent.contains { $0.key == place.key } : absent.contains(place)
    }

    /// What may be served of a place while its origin fails.
    func staleEntry(for place: Place) -> (entry: Entry, until: Int64)? {
        guard bug == .staleOfAllGroups else { return stale[place] }
        return stale.first { $0.key.key == place.key }?.value
    }

    /// Whether an eviction was told since there were so many events.
    func hasEvicted(since first: Int) -> Bool { told[first...].contains { $0.cause == .evicted } }

    /// The keys that have no live entry.
    mutating func missing(_ keys: [[UInt8]]) -> Set<[UInt8]> { Set(keys.filter { find(Place(key: $0)) == nil }) }

    /// An operation as a cache with such a defect does it; nil if the defect has nothing to do with it.
    mutating func slipOnSiblings(_ operation: CacheOperation) -> OperationResult? {
        switch (bug, operation) {
        case (.clearTellsHundred, .removeAll):
            let before = told.count
            let result = performSoundly(operation)
            told.removeSubrange(min(before + 100, told.count)...)
            return result
        case (.sweepCountsHundred, .maintain):
            let before = counters.expirations!
            let result = performSoundly(operation)
            counters.expirations = min(counters.expirations!, before + 100)
            return result
        case (.failureLosesEnds, .maintain) where listener == .fails:
            let before = told.count
            let result = performSoundly(operation)
            told.removeSubrange(min(before + 1, told.count)...)
            return result
        case (.limitsEndWithClear, .removeAll):
            groupLimits = [:]
            return nil
        case (.groupTagTakesNamesake, .removeTagged(let tag)):
            let grouped = entries.filter { $0.key.group != nil && $0.value.terms.tags.contains(tag) }.keys
            for place in grouped { leave(Place(key: place.key), .removed) }
            return nil
        case (.bulkReadSeesStale, .getMany(let keys)):
            guard case .entries(let found) = performSoundly(operation) else { return nil }
            return .entries(
                zip(keys, found).map { key, entry in
                    entry ?? stale[Place(key: key)].flatMap { now < $0.until ? $0.entry.stored : nil }
                })
        case (.behindDropsExpired, .get(let key)):
            let before = counters.expirations!
            let result = performSoundly(operation)
            if counters.expirations! > before { behind.removeAll { $0.key == key } }
            return result
        case (.behindIsForPuts, .exchange), (.behindIsForPuts, .update), (.behindIsForPuts, .increment):
            let waiting = behind
            let result = performSoundly(operation)
            behind = waiting
            return result
        case (.behindFailureDropsOthers, .flush) where !failingKeys.isEmpty:
            behind.removeAll { !failingKeys.contains($0.key) }
            return nil
        case (.bulkPutKeepsOld, .putMany(let items)):
            let old = items.map { entries[Place(key: $0.key)] }
            let result = performSoundly(operation)
            guard case .flags(let stored) = result else { return result }
            for (index, item) in items.enumerated() where !stored[index] { entries[Place(key: item.key)] = old[index] }
            return result
        case (.renameForgetsIdleEnd, .rename(_, let name)):
            let result = performSoundly(operation)
            let place = Place(key: name)
            if entries[place]?.terms.timeToLiveNanoseconds == nil { entries[place]?.deadline = nil }
            return result
        case (.countingEvictsUntold, .increment):
            let before = told.count
            let result = performSoundly(operation)
            let events = told[min(before, told.count)...].filter { $0.cause != .evicted }
            told.replaceSubrange(min(before, told.count)..., with: events)
            return result
        case (.manyEntriesMixed, .get) where entries.count > 1 << 16:
            let answer = performSoundly(operation)
            guard case .entry(let entry?) = answer, operation.key?.last == UInt8(ascii: "5") else { return answer }
            return .entry(StoredEntry(entry.value.reversed(), expiresAtNanoseconds: entry.expiresAtNanoseconds))
        default: return nil
        }
    }
}
