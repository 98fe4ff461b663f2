import CacheConformance
import CacheCore

// Defects of what one operation leaves on the disk.
extension Mutant {
    /// Whether the record of an operation waits in a buffer for the next one.
    func holdsBack(_ operation: CacheOperation) -> Bool {
        switch (self, operation) {
        case (.renameWaits, .rename), (.countingWaits, .increment), (.tagRemovalWaits, .removeTagged),
            (.groupClearWaits, .within(_, .removeAll)), (.touchWaits, .touch):
            true
        default: false
        }
    }

    /// Whether what waits is written when the cache is let go of, but not when its process is killed.
    var writesAtTheEnd: Bool { self == .countingWaits || self == .tagRemovalWaits }
}

extension ReferenceContents {
    /// The records of what an operation has changed, as such a defect writes them.
    mutating func asWritten(_ changes: [ReferenceJournal.Record], by operation: CacheOperation) -> [ReferenceJournal
        .Record]
    {
        switch (bug, operation) {
        case (.bulkReadOrderForgotten, .getMany), (.groupReadOrderForgotten, .within(_, .get)): return []
        case (.renameLosesEndOnDisk, .rename):
            return changes.map { record in
                var record = record
                record.entry?.deadline = nil
                return record
            }
        case (.renameLosesMomentOnDisk, .rename):
            return changes.map { record in
                var record = record
                record.entry?.stored.expiresAtNanoseconds = nil
                return record
            }
        case (.valuesKeepOldTerms, _):
            let isValueAlone =
                switch operation {
                case .exchange, .compareAndSet, .update, .setIfMarked: true
                default: false
                }
            return changes.map { record in
                var record = record
                if isValueAlone, let old = slips.onDisk[record.place] {
                    record.entry?.terms = old.terms
                    record.entry?.deadline = old.deadline
                }
                slips.onDisk[record.place] = record.entry
                return record
            }
        case (.termsWait, .put):
            slips.remainsOnDisk = changes.map(\.place)
            return changes.map { record in
                var record = record
                record.entry?.terms.tags = []
                record.entry?.deadline = nil
                return record
            }
        case (.termsWait, .mark), (.termsWait, .get): return changes
        case (.termsWait, _):
            let places = Set(changes.map(\.place))
            let late = slips.remainsOnDisk.filter { !places.contains($0) }
            slips.remainsOnDisk = []
            return late.map { ReferenceJournal.Record(place: $0, entry: entries[$0]) } + changes
        case (.overwriteOrderForgotten, .put):
            return changes.map { record in
                var record = record
                if let old = slips.onDisk[record.place], let stamp = record.entry.map({ _ in old.stamp }) {
                    record.entry?.stamp = stamp
                }
                slips.onDisk[record.place] = record.entry
                return record
            }
        case (.resizedComesBack, .resize): return changes.filter { $0.entry != nil }
        case (.groupsOfThisSession, .close):
            let others = entries.keys.filter { $0.group != nil && slips.onDisk[$0] == nil }
            return changes + others.map { ReferenceJournal.Record(place: $0, entry: nil) }
        case (.groupsOfThisSession, _):
            for record in changes { slips.onDisk[record.place] = record.entry }
            return changes
        default: return changes
        }
    }
}
