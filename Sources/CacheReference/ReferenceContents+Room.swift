package import CacheConformance
import CacheCore

// Room, the order of eviction, and what is written of the contents to disk.
extension ReferenceContents {
    /// What the capacity bounds: the entries, or their costs.
    package var weight: Int { unit == .bytes ? cost : entries.count }

    package func weight(of terms: PutTerms) -> Int { unit == .bytes ? terms.cost : 1 }

    package mutating func makeRoom(sparing newcomer: EntryID?) {
        guard weight > capacity else { return }
        sweep()
        while weight > capacity, let victim = victim(sparing: newcomer), entries[victim] != nil {
            leave(victim, .evicted)
        }
    }

    /// What leaves next: the first of the order that is not pinned, and the newcomer only if there is nothing else.
    package func victim(sparing newcomer: EntryID?) -> EntryID? {
        let others = entries.lazy.filter { $0.key != newcomer && !$0.value.isPinned }
        let first =
            order.hasSuffix("lfu")
            ? others.min { ($0.value.reads, $0.value.stamp) < ($1.value.reads, $1.value.stamp) }
            : others.min { $0.value.stamp < $1.value.stamp }
        return first?.key ?? newcomer
    }

    /// Keeps a group within its limit. The newcomer stays, unless the group is for nothing.
    package mutating func limitGroup(of newcomer: EntryID) {
        guard let group = newcomer.group, let limit = groupLimits[group] else { return }
        while entries.count(where: { $0.key.group == group }) > limit,
            let victim = entries.filter({ $0.key.group == group && ($0.key != newcomer || limit <= 0) })
                .min(by: { $0.value.stamp < $1.value.stamp })?.key
        {
            leave(victim, .evicted)
        }
    }

    // MARK: The journal

    /// The records of what has changed since this was asked, or of all there is for a new file.
    mutating func takeChanges(all: Bool) -> [ReferenceJournal.Record] {
        defer { changed = [] }
        if all { changed = Set(entries.keys) }
        return changed.sorted { (entries[$0]?.stamp ?? 0) < (entries[$1]?.stamp ?? 0) }
            .map { ReferenceJournal.Record(id: $0, entry: entries[$0]) }
    }

    /// Keeps what could not be written for the next time; what cannot be remembered as changed leaves.
    mutating func keepUnwritten(_ changes: [ReferenceJournal.Record], dropping: Bool) {
        if dropping { for change in changes { leave(change.id, .removed) } }
        changed.formUnion(changes.map(\.id))
    }

    /// Takes over what the journal holds.
    package mutating func restore(_ records: [ReferenceJournal.Record]) {
        for record in records {
            entries[record.id] = record.entry
            writes += 1
            entries[record.id]?.version = writes
        }
        clock = entries.values.map(\.stamp).max() ?? 0
        cost = entries.values.reduce(0) { $0 + $1.terms.cost }
        makeRoom(sparing: nil)
        events = []
    }
}
