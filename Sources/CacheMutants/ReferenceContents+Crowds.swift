import CacheConformance
import CacheCore

// Defects of many: what is right for few entries, small amounts and the first times.
extension ReferenceContents {
    /// What such defects remember.
    struct Crowds {
        /// How many left, and how many keys were stored where one was removed.
        var drops = 0
        var reuses = 0
        /// What lies in each part of a big room, the oldest first.
        var segments: [Int: [Place]] = [:]
    }

    mutating func slipCrowded(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        let isNew = entries[place] == nil
        switch (bug, operation) {
        case (.exactResizeEvicts, .resize(let amount)) where amount > 0 && weight == amount:
            evictOldest(sparing: place)
            return nil
        case (.resizeOf31Bits, .resize(let amount)) where amount > 0:
            return performSoundly(.resize(amount % (1 << 31)))
        case (.shrinkStopsEarly, .resize(let amount)) where entries.count - amount > 256:
            _ = performSoundly(.resize(entries.count - 256))
            capacity = amount
            return .done
        case (.shrinkTakesGroupsFirst, .resize(let amount)) where amount >= 0:
            for other in entries.keys where other.group != nil && weight > amount { leave(other, .evicted) }
            return nil
        case (.segmentsFillEarly, .put) where isNew && capacity >= 1_024:
            let result = performSoundly(operation)
            let segment = place.key.reduce(0) { $0 &* 31 &+ Int($1) } & 15
            slips.crowds.segments[segment, default: []].append(place)
            guard slips.crowds.segments[segment]!.count > capacity / 16 else { return result }
            leave(slips.crowds.segments[segment]!.removeFirst(), .evicted)
            return result
        case (.growthChangesVersions, .put) where isNew && entries.count == 256:
            for other in entries.keys {
                writes += 1
                entries[other]!.version = writes
            }
            return nil
        case (.growthForgetsIdleEnds, .put) where isNew && entries.count == 256:
            for (other, entry) in entries where entry.terms.timeToLiveNanoseconds == nil {
                entries[other]!.deadline = nil
            }
            return nil
        case (.pinsOf8Bits, .pin) where entries.count { $0.value.isPinned } >= 255: return .flag(find(place) != nil)
        case (.pinKeepsCost, .put):
            let old = entries[place]
            let result = performSoundly(operation)
            if let old, old.isPinned, result == .done { cost += old.terms.cost }
            return result
        case (.groupRemovalUnpins, .within(_, .remove(let key))):
            entries[Place(key: key)]?.isPinned = false
            return nil
        default: return slipCounting(operation, place)
        }
    }

    private mutating func slipCounting(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        switch (bug, operation) {
        case (.walksShort, .firstKeys(let most)): return performSoundly(.firstKeys(min(most, 4_096)))
        case (.groupCountOf12Bits, .within(_, .count)):
            guard case .number(let count) = performSoundly(operation) else { return nil }
            return .number(count % (1 << 12))
        case (.groupLimitOf8Bits, .limitGroup(let name, let amount)):
            return performSoundly(.limitGroup(name, amount % (1 << 8)))
        case (.groupLimitOfLast, .limitGroup(_, let amount)):
            groupLimits = groupLimits.mapValues { _ in amount }
            return nil
        case (.reuseLosesPut, .put) where entries[place] == nil && removals > slips.crowds.reuses:
            slips.crowds.reuses += 1
            return slips.crowds.reuses % 4_096 == 0 ? .done : nil
        default: return slipConversed(operation, place)
        }
    }

    /// Counts what leaves: after so many a defect puts what stays in the order of the keys.
    mutating func noteDrop() {
        slips.crowds.drops += 1
        guard bug == .compactionSorts, slips.crowds.drops % 4_096 == 0 else { return }
        for place in entries.keys.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            clock += 1
            entries[place]!.stamp = clock
        }
    }
}
