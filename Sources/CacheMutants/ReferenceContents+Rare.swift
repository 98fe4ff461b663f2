import CacheConformance
import CacheCore

// Defects of what is rarely done together: an eviction of what has a tag, a pin that is set twice, a refused put over a mortal.
extension ReferenceContents {
    mutating func slipRarely(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        switch (bug, operation) {
        case (.evictionKeepsTags, .put): return evicting(operation, place)
        case (.absenceSurvivesCondition, .putIfAbsent):
            let wasAbsent = absent.contains(place)
            let result = performSoundly(operation)
            if wasAbsent { absent.insert(place) }
            return result
        case (.touchKeepsIdleRule, .touch):
            let result = performSoundly(operation)
            entries[place]?.terms.timeToLiveNanoseconds = nil
            return result
        case (.heavyKeepsMortal, .put(_, _, _, let terms)) where isTooHeavy(terms) && entries[place]?.deadline != nil:
            return .failure(StoreError(.valueRefused, "it costs more than the capacity"))
        case (.heavyTellsNothing, .put(_, _, _, let terms)) where isTooHeavy(terms):
            return telling(operation) { _, _ in nil }
        case (.evictionForgetsGroup, .within(_, .put)):
            return telling(operation) { event, _ in
                var event = event
                if event.cause == .evicted { event.group = nil }
                return event
            }
        case (.shrinkTellsImmortals, .resize):
            return telling(operation) { event, entry in entry?.deadline == nil ? event : nil }
        case (.taggedEvictionsUncounted, .put):
            let before = entries
            let result = performSoundly(operation)
            counters.evictions! -= before.count {
                $0.key != place && entries[$0.key] == nil && !$0.value.terms.tags.isEmpty
            }
            return result
        case (.pinsAddUp, .pin) where entries[place]?.isPinned == true:
            slips.pins[place, default: 0] += 1
            return .flag(true)
        case (.pinsAddUp, .unpin) where slips.pins[place] ?? 0 > 0:
            slips.pins[place]! -= 1
            return .flag(true)
        case (.expiredPinHoldsRoom, .get), (.expiredPinHoldsRoom, .put):
            return holding(operation, place)
        default: return slipOutside(operation, place)
        }
    }

    func isTooHeavy(_ terms: PutTerms) -> Bool { weight(of: terms) > capacity }

    /// Does an operation whose events are changed or kept back, by the entry that they are about.
    private mutating func telling(
        _ operation: CacheOperation, _ change: (CacheEvent, Entry?) -> CacheEvent?
    ) -> OperationResult {
        let (old, before) = (entries, told.count)
        let result = performSoundly(operation)
        let first = min(before, told.count)
        let events = told[first...].compactMap { event in change(event, old[Place(group: event.group, key: event.key)])
        }
        told.replaceSubrange(first..., with: events)
        return result
    }

    /// What comes back after an eviction has the tags that it had then.
    private mutating func evicting(_ operation: CacheOperation, _ place: Place) -> OperationResult {
        let before = entries
        let result = performSoundly(operation)
        for (other, entry) in before where other != place && entries[other] == nil {
            slips.evictedTags[other] = entry.terms.tags
        }
        let tags = slips.evictedTags.removeValue(forKey: place) ?? []
        if before[place] == nil { entries[place]?.terms.tags += tags }
        return result
    }

    /// The room of a pinned entry that is found to have expired is never free again.
    private mutating func holding(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        if let entry = entries[place], entry.isPinned, isOver(entry) { slips.heldPins += 1 }
        guard case .put = operation, slips.heldPins >= capacity else { return nil }
        return .failure(StoreError(.valueRefused, "all that is there is pinned"))
    }
}
