import CacheConformance
import CacheCore

// Reading, and what it does to an entry.
extension ReferenceContents {
    mutating func count(isHit: Bool) {
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
        if bug == .wordIsNothing, entry.stored.value == Array("None".utf8) { return nil }
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
        if flavour.isOnDisk { changed.insert(place) }
        if bug == .lowerReadDoesNotRefresh, wasInLower { return }
        if bug == .readsMoveFew, entries.count > 256 { return }
        if order == "lru" ? bug != .readDoesNotRefresh : order.hasSuffix("lfu") || bug == .fifoMoves {
            entries[place]!.stamp = clock
        }
        if bug != .wrongFrequency || entries[place]!.reads < 2 { entries[place]!.reads += 1 }
        let hasOwnTime = entries[place]!.terms.timeToLiveNanoseconds != nil
        let isWornOut = bug == .hundredReadsExtend && entries[place]!.reads > 100
        if hasOwnTime ? bug == .readExtends : timeToIdle != nil && !isWornOut {
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
}
