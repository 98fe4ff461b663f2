import CacheConformance
import CacheCore

// More defects around an operation that is right by itself.
extension ReferenceContents {
    mutating func slipFurther(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        switch (bug, operation) {
        case (.pinnedUnlisted, .count):
            guard case .number(let count) = performSoundly(operation) else { return nil }
            return .number(count - entries.count { $0.value.isPinned })
        case (.pinnedUnlisted, .keys):
            guard case .keys(let keys) = performSoundly(operation) else { return nil }
            return .keys(keys.filter { entries[Place(key: $0)]?.isPinned != true })
        case (.incrementDoesNotRefresh, .increment), (.bulkPutDoesNotRefresh, .putMany):
            let stamps = entries.mapValues(\.stamp)
            let result = performSoundly(operation)
            for (place, stamp) in stamps { entries[place]?.stamp = stamp }
            return result
        case (.stepKeepsIdleDeadline, .exchange), (.stepKeepsIdleDeadline, .update):
            let old = find(place)
            let result = performSoundly(operation)
            if let old, timeToIdle != nil { entries[place]?.deadline = old.deadline }
            return result
        case (.tagsBeyondEight, .put):
            let result = performSoundly(operation)
            if let tags = entries[place]?.terms.tags { entries[place]!.terms.tags = Array(tags.prefix(8)) }
            return result
        case (.lowerRemovalLost, .remove) where lowerFails:
            lowerFails = false
            if let entry = find(place) { slips.below[place] = entry }
            let result = performSoundly(operation)
            lowerFails = true
            return result
        case (.lowerRemovalLost, .dropMemory):
            for (place, entry) in slips.below where entries[place] == nil { entries[place] = entry }
            slips.below = [:]
            return nil
        case (.firstKeysZeroIsAll, .firstKeys(0)): return performSoundly(.keys)
        case (.emptyRemovalClearsAll, .removeMany(let keys)) where keys.isEmpty:
            let count = entries.count
            _ = performSoundly(.removeAll)
            return .number(count)
        case (.groupLimitOnlyFirst, .limitGroup(let name, _)) where groupLimits[name] != nil: return .done
        case (.touchZeroTellsNothing, .touch(_, let time)) where time <= 0:
            let before = told.count
            let result = performSoundly(operation)
            _ = find(place)
            told.removeSubrange(min(before, told.count)...)
            return result
        case (.tagSparesPinned, .removeTagged(let tag)):
            for (place, entry) in entries where !entry.isPinned && entry.terms.tags.contains(tag) {
                leave(place, .removed)
            }
            return .done
        default: return slipIndexing(operation, place) ?? slipRarely(operation, place)
        }
    }

    /// An index of tags that goes by keys, and does not hear of new names.
    private mutating func slipIndexing(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        guard bug == .renameKeepsTagIndex else { return nil }
        switch operation {
        case .put where find(place) != nil:
            for tag in slips.index.keys { slips.index[tag]!.remove(place) }
        case .rename:
            for tag in find(place)?.terms.tags ?? [] { slips.index[tag, default: []].insert(place) }
        case .removeTagged(let tag):
            for place in slips.index.removeValue(forKey: tag) ?? [] { leave(place, .removed) }
        default: break
        }
        return nil
    }
}
