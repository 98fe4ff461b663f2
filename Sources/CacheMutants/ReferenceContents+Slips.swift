import CacheConformance
import CacheCore

// Defects around an operation that is right by itself: what else it touches, and what it leaves behind.
extension ReferenceContents {
    /// What such defects remember.
    struct Slips {
        /// Moments at which something under a key will be thrown away, whatever it is then.
        var timers: [(place: Place, end: Int64)] = []
        /// What was ever put into a group.
        var everPut: [String: Int] = [:]
        /// Objects that are held for nobody.
        var objects: [any AnyObject & Sendable] = []
        /// Which places have a tag, or had it.
        var index: [String: Set<Place>] = [:]
        /// What was removed and is still in the lower tier.
        var below: [Place: Entry] = [:]
        /// Loads that fail because another one did.
        var doomed: Set<Place> = []
        /// What a way of removing has left of entries.
        var gone: [Place: Entry] = [:]
        /// What has expired and is taken for live.
        var dead: [Place: Entry] = [:]
        /// The tags that what was evicted had.
        var evictedTags: [Place: [String]] = [:]
        /// How often places were pinned that were pinned already, and how many pins outlived their entries.
        var pins: [Place: Int] = [:]
        var heldPins = 0
        /// The capacity while nothing is bounded, and whether the writer fails while it is not asked.
        var capacity = 0
        var failsWrites = false
        var crowds = Crowds()
        var remains = Remains()
        /// How often a listener has failed.
        var failures = 0
        /// Places of which a part is still to be written.
        var remainsOnDisk: [Place] = []
        /// How often everything was cleared.
        var clears = 0
        /// What was written of a place last, since it was opened.
        var onDisk: [Place: Entry] = [:]
    }

    /// An operation as a cache with such a defect does it; nil if the defect has nothing to do with it.
    mutating func slip(_ operation: CacheOperation) -> OperationResult? {
        guard bug != nil else { return nil }
        return slipWriting(operation) ?? slipTelling(operation) ?? slipTiming(operation) ?? slipMakingRoom(operation)
            ?? slipComparing(operation) ?? slipBelow(operation) ?? slipFurther(operation, home(operation))
            ?? slipOnSiblings(operation)
    }

    /// Does an operation, and puts something back as it was.
    private mutating func keeping<Value>(
        _ path: WritableKeyPath<ReferenceContents, Value>, _ operation: CacheOperation
    ) -> OperationResult {
        let old = self[keyPath: path]
        let result = performSoundly(operation)
        self[keyPath: path] = old
        return result
    }

    private func home(_ operation: CacheOperation) -> Place {
        if case .within(let group, let inner) = operation { return Place(group: group, key: inner.key ?? []) }
        return Place(key: operation.key ?? [])
    }

    private mutating func slipWriting(_ operation: CacheOperation) -> OperationResult? {
        switch (bug, operation) {
        case (.takeWritesNothing, .take), (.bulkRemoveWritesNothing, .removeMany),
            (.markedRemovalWritesNothing, .removeIfMarked),
            (.incrementWritesNothing, .increment):
            return keeping(\.written, operation)
        case (.failedConditionWrites, .putIfAbsent(let key, _, _)):
            let result = performSoundly(operation)
            if result == .flag(false) { note(key, operation.entry!.value) }
            return result
        default: return nil
        }
    }

    private mutating func slipTelling(_ operation: CacheOperation) -> OperationResult? {
        let before = (told: told.count, evictions: counters.evictions ?? 0)
        switch (bug, operation) {
        case (.incrementTellsNothing, .increment), (.renameTellsNothing, .rename),
            (.groupClearTellsNothing, .within(_, .removeAll)):
            return keeping(\.told, operation)
        case (.tellsOneOfSeveral, .put):
            let result = performSoundly(operation)
            var hasTold = false
            let new = told[before.told...].filter { event in
                defer { hasTold = hasTold || event.cause == .evicted }
                return event.cause != .evicted || !hasTold
            }
            told.replaceSubrange(before.told..., with: new)
            return result
        case (.evictionsCountOnce, .put):
            let result = performSoundly(operation)
            counters.evictions = min(before.evictions + 1, counters.evictions!)
            return result
        case (.failureStopsClear, .removeAll) where listener == .fails:
            if let first = entries.keys.first { leave(first, .removed) }
            return .done
        case (.dropMemoryTells, .dropMemory):
            for (place, entry) in entries { tell(place, entry.name, entry.stored.value, .evicted) }
            return nil
        case (.dropMemoryCounts, .dropMemory):
            counters.evictions! += entries.count
            return nil
        case (.groupReadUncounted, .within(_, .get)): return keeping(\.counters, operation)
        case (.compareCounts, .compareAndSet):
            if find(home(operation)) == nil { counters.misses! += 1 } else { counters.hits! += 1 }
            return nil
        default: return nil
        }
    }

    private mutating func slipTiming(_ operation: CacheOperation) -> OperationResult? {
        let place = home(operation)
        switch (bug, operation) {
        case (.touchBelowIsForever, .touch(_, let time)) where time < 0:
            let isThere = find(place) != nil
            entries[place]?.deadline = nil
            return .flag(isThere)
        case (.remainingTimeExtends, .remainingTime):
            let result = performSoundly(operation)
            if timeToIdle != nil, let entry = entries[place], entry.terms.timeToLiveNanoseconds == nil {
                entries[place]!.deadline = deadline(entry.terms)
            }
            return result
        case (.remainingTimeRefreshes, .remainingTime):
            clock += 1
            entries[place]?.stamp = clock
            return nil
        case (.idleTimerStale, .maintain):
            guard let timeToIdle else { return nil }
            for (place, entry) in entries
            where entry.terms.timeToLiveNanoseconds == nil && entry.writtenAt + timeToIdle <= now {
                leave(place, .expired)
            }
            return nil
        case (.groupReadDoesNotExtend, .within(_, .get)):
            guard let end = entries[place]?.deadline, end > now else { return nil }
            let result = performSoundly(operation)
            entries[place]?.deadline = end
            return result
        case (.idleRuleForgotten, .put(_, _, _, let terms)) where terms.timeToLiveNanoseconds == nil:
            let hadOwn = entries[place]?.terms.timeToLiveNanoseconds != nil
            let result = performSoundly(operation)
            if hadOwn { entries[place]?.deadline = nil }
            return result
        case (.renameLeavesTimer, .rename):
            if let end = entries[place]?.deadline { slips.timers.append((place, end)) }
            return nil
        case (.renameLeavesTimer, .maintain):
            for timer in slips.timers where timer.end <= now { leave(timer.place, .expired) }
            slips.timers.removeAll { $0.end <= now }
            return nil
        default: return nil
        }
    }

    /// Lets go of what was not used for longest.
    mutating func evictOldest(sparing place: Place, in group: String? = nil) {
        let others = entries.filter { $0.key != place && (group == nil || $0.key.group == group) }
        if let oldest = others.min(by: { $0.value.stamp < $1.value.stamp })?.key { leave(oldest, .evicted) }
    }

    private var isFull: Bool { weight >= capacity }

    private mutating func slipMakingRoom(_ operation: CacheOperation) -> OperationResult? {
        let place = home(operation)
        let old = entries[place]
        switch (bug, operation) {
        case (.resizeIgnoresCosts, .resize(let amount)) where unit == .bytes:
            capacity = amount
            return .done
        case (.resizeToZeroForgotten, .resize(0)): return .done
        case (.groupLimitCountsOverwrites, .within(let group, .put)):
            if old != nil, entries.count(where: { $0.key.group == group }) >= groupLimits[group] ?? .max {
                evictOldest(sparing: place, in: group)
            }
        case (.groupLimitForgetsRemovals, .within(let group, .put)) where old == nil:
            slips.everPut[group, default: 0] += 1
            if slips.everPut[group]! > groupLimits[group] ?? .max { evictOldest(sparing: place, in: group) }
        case (.deadPutEvicts, .put(_, _, _, let terms)) where terms.timeToLiveNanoseconds ?? 1 <= 0:
            if old == nil, isFull { evictOldest(sparing: place) }
        case (.failedWriteEvicts, .put) where failsWrites: if old == nil, isFull { evictOldest(sparing: place) }
        case (.equalKeepsTags, .put), (.equalKeepsCost, .put), (.equalKeepsOrder, .put):
            guard let old, old.stored.value == operation.entry!.value else { return nil }
            let result = performSoundly(operation)
            guard let new = entries[place] else { return result }
            if bug == .equalKeepsTags { entries[place]!.terms.tags = old.terms.tags }
            if bug == .equalKeepsOrder { entries[place]!.stamp = old.stamp }
            if bug == .equalKeepsCost {
                cost += old.terms.cost - new.terms.cost
                entries[place]!.terms.cost = old.terms.cost
            }
            return result
        default: return nil
        }
        return nil
    }

    private mutating func slipComparing(_ operation: CacheOperation) -> OperationResult? {
        let place = home(operation)
        // What has expired is left for the operation to find.
        let old = entries[place].flatMap { isOver($0) ? nil : $0 }
        switch (bug, operation) {
        case (.incrementKeepsVersion, .increment):
            let result = performSoundly(operation)
            if let old { entries[place]?.version = old.version }
            return result
        case (.tagSkipsGroups, .removeTagged(let tag)):
            for (place, entry) in entries where place.group == nil && entry.terms.tags.contains(tag) {
                leave(place, .removed)
            }
            return .done
        case (.conditionalLosesTags, .putIfAbsent), (.conditionalLosesTags, .replace):
            let result = performSoundly(operation)
            if result == .flag(true) { entries[place]?.terms.tags = [] }
            return result
        case (.absenceIsCounted, .count):
            guard case .number(let count) = performSoundly(operation) else { return nil }
            return .number(count + absent.count)
        case (.absenceIsRemovable, .remove) where absent.contains(place):
            _ = performSoundly(operation)
            return .flag(true)
        case (.absenceIsPresent, .putIfAbsent) where absent.contains(place): return .flag(false)
        default: break
        }
        return nil
    }

    /// What is kept elsewhere: in a lower tier, or in a file.
    private mutating func slipBelow(_ operation: CacheOperation) -> OperationResult? {
        let place = home(operation)
        switch (bug, operation) {
        case (.promotionLosesTags, .get), (.promotionUnpins, .get), (.promotionChangesVersion, .get):
            guard find(place) != nil, !inMemory.contains(place) else { return nil }
            let result = performSoundly(operation)
            if bug == .promotionLosesTags { entries[place]?.terms.tags = [] }
            if bug == .promotionUnpins { entries[place]?.isPinned = false }
            writes += 1
            if bug == .promotionChangesVersion { entries[place]?.version = writes }
            return result
        case (.refusedComesBack, .put) where operation.entry!.value.count > 1 << 20 + 1:
            return keeping(\.changed, operation)
        default: return nil
        }
    }
}
