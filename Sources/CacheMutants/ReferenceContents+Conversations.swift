import CacheConformance
import CacheCore

// Defects that an operation leaves behind for the next one, or for the one after that.
extension ReferenceContents {
    /// What such defects have left.
    struct Remains {
        /// The loads that the last clear has overtaken.
        var loads: [Place: Int] = [:]
        /// The tags of what was removed by another one.
        var tags: [Place: [String]] = [:]
        /// What was given another name.
        var renamed: Set<Place> = []
        /// The ends that entries had before they were touched.
        var ends: [Place: Int64?] = [:]
        /// What the writer did not take.
        var refused: [Place: StoredEntry] = [:]
        /// Whether the last size was refused.
        var isSizeRefused = false
        /// How often somebody has begun to listen.
        var listeners = 0
        /// The answer to the last count.
        var count: Int?
    }

    mutating func slipConversed(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        switch (bug, operation) {
        case (.oneMark, .mark): marks = [:]
        case (.clearTwiceRevives, .removeAll):
            let overtaken = loading
            let result = performSoundly(operation)
            if overtaken.isEmpty { loading = slips.remains.loads }
            slips.remains.loads = overtaken
            return result
        case (.otherTagsRemain, .removeTagged(let tag)):
            for (place, entry) in entries where entry.terms.tags.contains(tag) {
                slips.remains.tags[place] = entry.terms.tags.filter { $0 != tag }
            }
        case (.secondRenameLosesTags, .rename(_, let other)):
            if slips.remains.renamed.contains(place) { entries[place]?.terms.tags = [] }
            slips.remains.renamed.insert(Place(key: other))
        case (.renameForgetsTouch, .touch): slips.remains.ends[place] = entries[place]?.deadline
        case (.renameForgetsTouch, .rename):
            if let end = slips.remains.ends[place] { entries[place]?.deadline = end }
        case (.growthUnpins, .resize(let amount)) where amount > capacity:
            for other in entries.keys { entries[other]!.isPinned = false }
        case (.repeatsReserveRoom, .putMany(let items)):
            let isRepeated = Set(items.map(\.key)).count < items.count
            if isRepeated, weight + items.count > capacity { evictOldest(sparing: place) }
        case (.limitGoesWithGroup, .within(let group, .removeAll)): groupLimits[group] = nil
        default: return slipLater(operation, place)
        }
        return nil
    }

    private mutating func slipLater(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        switch (bug, operation) {
        case (.retryWritesNothing, .put):
            if failsWrites { slips.remains.refused[place] = operation.entry }
            guard !failsWrites, slips.remains.refused.removeValue(forKey: place) == operation.entry else { return nil }
            let before = written
            defer { written = before }
            return performSoundly(operation)
        case (.refusedSizeSticks, .resize(let amount)):
            defer { slips.remains.isSizeRefused = amount < 0 }
            return slips.remains.isSizeRefused && amount >= 0 ? .done : nil
        case (.listensTwice, .listen(.plain)): slips.remains.listeners += 1
        case (.listensTwice, .listen): slips.remains.listeners = 0
        case (.listensTwice, .events) where slips.remains.listeners > 1:
            guard case .events(let events) = performSoundly(operation) else { return nil }
            return .events(events.flatMap { [$0, $0] })
        case (.countOutlivesRename, .count):
            if let count = slips.remains.count { return .number(count) }
            let result = performSoundly(operation)
            if case .number(let count) = result { slips.remains.count = count }
            return result
        case (.countOutlivesRename, .rename), (.countOutlivesRename, .get), (.countOutlivesRename, .keys): break
        case (.countOutlivesRename, _): slips.remains.count = nil
        default: return slipFailing(operation)
        }
        return nil
    }
}
