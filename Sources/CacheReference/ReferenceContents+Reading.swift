package import CacheConformance
package import CacheCore

// Reading, what it does to an entry, and how long entries live.
extension ReferenceContents {
    /// The value of a live entry; counts the read and notes the use.
    package mutating func read(_ id: EntryID) -> StoredEntry? {
        age()
        guard let entry = find(id) else {
            counters.misses! += 1
            return nil
        }
        counters.hits! += 1
        if inMemory.insert(id).inserted, flavour == .tiered { counters.lowerHits! += 1 }
        use(id)
        return entry.stored
    }

    /// Halves all counts now and then, whether what is read is there or not: a set that is not would never find room.
    private mutating func age() {
        reads += 1
        guard order == "aged-lfu", reads % (8 * max(1, min(capacity, 1 << 32))) == 0 else { return }
        for other in entries.keys { entries[other]!.reads /= 2 }
    }

    /// What a read does to an entry: it moves in the order and begins to idle anew.
    package mutating func use(_ id: EntryID) {
        clock += 1
        // The order is kept on disk too.
        if flavour.isOnDisk { changed.insert(id) }
        if order != "fifo" { entries[id]!.stamp = clock }
        entries[id]!.reads += 1
        if entries[id]!.terms.timeToLiveNanoseconds == nil { entries[id]!.deadline = deadline(entries[id]!.terms) }
    }

    /// The live entry under a key; what has expired leaves.
    package mutating func find(_ id: EntryID) -> Entry? {
        guard let entry = entries[id] else { return nil }
        guard isOver(entry) else { return entry }
        expire(id, entry)
        return nil
    }

    /// The keys of the live entries of a group, or of all, in order.
    package mutating func listed(_ group: String?) -> [[UInt8]] {
        sweep()
        return entries.keys.filter { group == nil || $0.group == group }.map(\.key)
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    // MARK: Expiry

    package func isOver(_ entry: Entry) -> Bool { entry.deadline.map { now >= $0 } ?? false }

    /// When an entry with such terms expires that is stored or used now.
    package func deadline(_ terms: PutTerms) -> Int64? {
        guard let time = terms.timeToLiveNanoseconds ?? setup.timeToIdleNanoseconds else { return nil }
        let sum = now.addingReportingOverflow(time)
        return sum.overflow ? nil : sum.partialValue
    }

    /// Lets everything leave that has expired.
    package mutating func sweep() {
        for (id, entry) in entries where isOver(entry) { expire(id, entry) }
    }

    private mutating func expire(_ id: EntryID, _ entry: Entry) {
        if let time = setup.staleNanoseconds { stale[id] = (entry, saturatingSum(entry.deadline ?? 0, time)) }
        leave(id, .expired)
    }
}
