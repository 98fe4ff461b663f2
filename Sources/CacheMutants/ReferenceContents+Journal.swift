import CacheConformance
import CacheCore

// What is written of the contents, and read back.
extension ReferenceContents {
    /// What has changed since this was asked.
    /// Or all there is, for a new file.
    mutating func takeChanges(all: Bool) -> [ReferenceJournal.Record] {
        defer { changed = [] }
        if all { changed = Set(entries.keys) }
        return changed.sorted { (entries[$0]?.stamp ?? 0) < (entries[$1]?.stamp ?? 0) }
            .map { ReferenceJournal.Record(place: $0, entry: entries[$0]) }
    }

    /// Lets go of what could not be written. What is in the file under its key is to be removed at the next time.
    mutating func failed(_ changes: [ReferenceJournal.Record], dropping: Bool) {
        if dropping { for change in changes { leave(change.place, .removed) } }
        changed.formUnion(changes.map(\.place))
    }

    /// A record with its names as the disk has them.
    private func asRead(_ record: ReferenceJournal.Record) -> ReferenceJournal.Record {
        func ascii(_ name: String) -> String { String(name.map { $0.isASCII ? $0 : "?" }) }
        let tags = record.entry?.terms.tags ?? []
        var record = record
        switch bug {
        case .tagsASCIIOnDisk: record.entry?.terms.tags = tags.map(ascii)
        case .firstTagOnDisk: record.entry?.terms.tags = Array(tags.prefix(1))
        case .emptyTagLostOnDisk: record.entry?.terms.tags = tags.filter { !$0.isEmpty }
        case .costsOf32BitsOnDisk: record.entry?.terms.cost &= 0xFFFF_FFFF
        case .idleEndLostOnDisk:
            if record.entry?.terms.timeToLiveNanoseconds == nil { record.entry?.deadline = nil }
        case .groupsASCIIOnDisk: record.place.group = record.place.group.map(ascii)
        case .groupsFoldOnDisk: record.place.group = record.place.group?.lowercased()
        case .groupsCutOnDisk: record.place.group = record.place.group.map { String($0.prefix(16)) }
        default: break
        }
        return record
    }

    mutating func restore(_ records: [ReferenceJournal.Record], damaged: [[UInt8]]) {
        for record in records.map(asRead) {
            entries[record.place] = record.entry
            if bug == .groupRemovalReplaysPlain, record.entry == nil { entries[Place(key: record.place.key)] = nil }
            writes += 1
            if bug != .restoredShareVersion { entries[record.place]?.version = writes }
            if bug == .deadlineRestarts, let terms = record.entry?.terms {
                let restarted = deadline(terms)
                entries[record.place]?.deadline = restarted
            }
            if bug == .forgetsTerms { entries[record.place]?.terms.tags = [] }
            if bug == .losesValues, (record.entry?.stored.value.count ?? 0) > 10_000 {
                entries[record.place]?.deadline = nil
                lost.insert(record.place)
            }
        }
        stuck = Set(damaged)
        clock = entries.values.map(\.stamp).max() ?? 0
        if bug == .forgetsOrder { for place in entries.keys { entries[place]!.stamp = -Int(place.key.last ?? 0) } }
        cost = entries.values.reduce(0) { $0 + $1.terms.cost }
        if bug == .countsFromZero { uncounted = entries.count }
        if bug == .defaultTrimsFirst {
            while entries.count > 5, let oldest = entries.min(by: { $0.value.stamp < $1.value.stamp })?.key {
                leave(oldest, .evicted)
            }
        }
        if bug == .openEvictsNewest {
            while occupied > limit, let newest = entries.max(by: { $0.value.stamp < $1.value.stamp })?.key {
                leave(newest, .evicted)
            }
        }
        makeRoom(sparing: nil)
        if bug == .openEvictionForgotten { changed = [] }
        told = []
    }
}
