import CacheConformance
import CacheCore

// Defects of what one failure has for others: a write that the writer refuses, a listener that fails, and what a write of
// several values has no room for.
extension ReferenceContents {
    /// The defects of what a write that the writer does not take must leave as it was.
    static let ofRefusedWrites: Set<Mutant> = [
        .refusedWriteRestartsStale, .refusedWriteDropsStale, .refusedWriteEndsRefresh, .refusedRemovalEndsRefresh,
        .refusedWriteRestartsAge, .refusedWriteForgetsAbsence, .refusedWriteIsAbsence, .refusedWriteRestartsTime,
        .refusedWriteLeavesTags, .refusedWriteTells,
    ]

    /// Puts it wrong.
    mutating func spoilRefused(_ operation: CacheOperation, _ place: Place) {
        switch (bug, operation) {
        case (.refusedWriteRestartsStale, .put):
            _ = find(place)
            let until = Self.end(now, after: setup.staleNanoseconds ?? 0)
            if let old = stale[place] { stale[place] = (old.entry, until) }
        case (.refusedWriteDropsStale, .exchange):
            _ = find(place)
            stale[place] = nil
        case (.refusedWriteEndsRefresh, .put), (.refusedRemovalEndsRefresh, .remove): refreshing[place] = nil
        case (.refusedWriteRestartsAge, .put): entries[place]?.writtenAt = now
        case (.refusedWriteForgetsAbsence, .put): absent.remove(place)
        case (.refusedWriteIsAbsence, .putIfAbsent): if find(place) == nil { absent.insert(place) }
        case (.refusedWriteRestartsTime, .put):
            if timeToIdle == nil, let old = entries[place], !isOver(old) {
                entries[place]!.deadline = deadline(old.terms)
            }
        case (.refusedWriteLeavesTags, .put(_, _, _, let terms)): entries[place]?.terms.tags += terms.tags
        case (.refusedWriteTells, .put): if let old = find(place) { tell(place, old.name, old.stored.value, .replaced) }
        default: break
        }
    }

    /// Does with a defect what several events are told of, or what comes after a listener that failed.
    mutating func slipFailing(_ operation: CacheOperation) -> OperationResult? {
        switch (bug, operation) {
        case (.deafAfterFailures, .listen): slips.failures = 0
        case (.failureOutlivesListener, .listen(.plain)) where listener == .fails && slips.failures > 0:
            slips.failures = 0
            return performSoundly(.listen(.none))
        case (.failureStopsTagRemoval, .removeTagged(let tag)) where listener == .fails:
            if let first = entries.first(where: { $0.value.terms.tags.contains(tag) })?.key { leave(first, .removed) }
            return .done
        case (.failureStopsGroupClear, .within(let group, .removeAll)) where listener == .fails:
            if let first = entries.keys.first(where: { $0.group == group }) { leave(first, .removed) }
            return .done
        case (.failureLosesShrinking, .resize) where listener == .fails: return tellingFirst(operation)
        case (.failureLosesBulkPut, .putMany) where listener == .fails: return tellingFirst(operation)
        case (.failureUncounted, .resize) where listener == .fails:
            let evictions = counters.evictions!
            let result = performSoundly(operation)
            counters.evictions = min(counters.evictions!, evictions + 1)
            return result
        default: return slipOverflowing(operation)
        }
        return nil
    }

    /// Does an operation, and tells the first of its events alone.
    private mutating func tellingFirst(_ operation: CacheOperation) -> OperationResult {
        let before = told.count
        let result = performSoundly(operation)
        if told.count > before + 1 { told.removeSubrange((before + 1)...) }
        return result
    }

    /// With a defect, tells or counts wrong what a write of several values has no room for.
    private mutating func slipOverflowing(_ operation: CacheOperation) -> OperationResult? {
        guard case .putMany = operation else { return nil }
        let (before, evictions) = (told.count, counters.evictions!)
        switch bug {
        case .bulkOverflowTellsNothing, .bulkOverflowIsReplacement:
            let result = performSoundly(operation)
            let events = told[before...].compactMap { event -> CacheEvent? in
                guard event.cause == .evicted else { return event }
                guard bug == .bulkOverflowIsReplacement else { return nil }
                return CacheEvent(group: event.group, key: event.key, value: event.value, cause: .replaced)
            }
            told.replaceSubrange(before..., with: events)
            return result
        case .bulkOverflowCountsOnce:
            let result = performSoundly(operation)
            counters.evictions = min(counters.evictions!, evictions + 1)
            return result
        default: return nil
        }
    }

    /// Whether a listener is not told any more, with a defect, because it has failed so often.
    mutating func isDeaf() -> Bool {
        guard listener == .fails, bug == .deafAfterFailures || bug == .failureOutlivesListener else { return false }
        slips.failures += 1
        return bug == .deafAfterFailures && slips.failures > 16
    }
}
