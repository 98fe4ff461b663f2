import CacheConformance
import CacheCore

// Defects of what a write that the writer refuses has for what is there.
extension ReferenceContents {
    /// The defects of what a write that the writer does not take must leave as it was.
    static let ofRefusedWrites: Set<Mutant> = [
        .refusedWriteRestartsStale, .refusedWriteDropsStale, .refusedWriteEndsRefresh, .refusedRemovalEndsRefresh,
        .refusedWriteRestartsAge, .refusedWriteForgetsAbsence, .refusedWriteIsAbsence, .refusedWriteRestartsTime,
        .refusedWriteLeavesTags, .refusedWriteTells,
    ]

    /// Puts it wrong.
    mutating func spoilRefused(_ operation: Operation, _ place: Place) {
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
}
