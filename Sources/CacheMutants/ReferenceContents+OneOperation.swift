import CacheConformance
import CacheCore
import Synchronization

// Defects of one operation of many: one that makes no room, is not told to the writer, or is counted as a read.
extension ReferenceContents {
    /// Puts wrong what the operation has left that a defect is about.
    mutating func endOneOperation(at places: [Place], after old: ReferenceContents) {
        for place in places {
            guard let entry = entries[place] else { continue }
            let before = old.entries[place].flatMap { old.isOver($0) ? nil : $0 }
            switch bug {
            case .overwriteKeepsAge: entries[place]!.writtenAt = before?.writtenAt ?? entry.writtenAt
            case .countingUnpins: entries[place]!.isPinned = false
            case .costsOf48Bits: charge(place, entry.terms.cost % (1 << 48))
            case .unpinCounts, .incrementCounts: if before != nil { counters.hits! += 1 }
            default: if let before { endLook(at: place, before) }
            }
        }
        endOneOperation(sparing: places, after: old)
    }

    private mutating func endOneOperation(sparing places: [Place], after old: ReferenceContents) {
        let evicted = old.entries.filter { entries[$0.key] == nil && !places.contains($0.key) && !old.isOver($0.value) }
        switch bug {
        case .exchangeEvictionKeepsCost: cost += evicted.values.reduce(0) { $0 + $1.terms.cost }
        case .countingLosesLoad: loading.merge(old.loading) { new, _ in new }
        case .refreshSurvivesCounting, .refreshSurvivesRename: refreshing.merge(old.refreshing) { new, _ in new }
        case .staleSurvivesNewer: stale.merge(old.stale) { new, _ in new }
        case .evictedIsStale:
            guard let time = setup.staleNanoseconds else { return }
            for (place, entry) in evicted { stale[place] = (entry, Self.end(now, after: time)) }
        case .walkCounts, .groupListingCounts: if !old.entries.isEmpty { counters.hits! += 1 }
        case .groupLoadUncounted: counters = old.counters
        case .groupWritesNothing: written = old.written
        case .groupIgnoresWriter: failsWrites = slips.failsWrites
        case .clearBringsListener: listener = .plain
        case .shrinkForgetsGroup:
            for index in told.indices.dropFirst(old.told.count) { told[index].group = nil }
        case .flushTellsNothing:
            sweep()
            told = old.told
        case .countingTellsNothing:
            if places.contains(where: { old.entries[$0].map(old.isOver) == true }) { told = old.told }
        default: break
        }
    }

    /// The limits of groups of all caches, where a defect keeps them for the whole process.
    private static let sharedLimits = Mutex<[String: Int]>([:])

    /// Defects around an operation that is right by itself, besides those of ``slip(_:)``.
    mutating func slipOutside(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        switch (bug, operation) {
        case (.putIfAbsentStoresHeavy, .putIfAbsent(let key, _, let terms)) where isTooHeavy(terms):
            guard find(place) == nil else { return .flag(false) }
            note(key, operation.entry!.value)
            set(place, key, operation.entry!, terms)
            return .flag(true)
        case (.equalEventsOnce, .events):
            var heard: [CacheEvent] = []
            for event in told where !heard.contains(event) { heard.append(event) }
            told = heard
            return nil
        case (.clearForgetsIdleRule, .put(_, _, _, let terms)) where wasCleared:
            let result = performSoundly(operation)
            if terms.timeToLiveNanoseconds == nil { entries[place]?.deadline = nil }
            return result
        case (.countUpOf32Bits, .update(_, .countUp)):
            guard case .entry(let new?) = performSoundly(operation), let number = DecimalText.number(new.value) else {
                return nil
            }
            let short = StoredEntry(DecimalText.bytes(number % (1 << 32)))
            entries[place]?.stored = short
            return .entry(short)
        case (.limitsAreShared, .limitGroup(let name, let amount)):
            Self.sharedLimits.withLock { $0[name] = amount }
            return nil
        case (.limitsAreShared, .within(_, .put)):
            groupLimits = Self.sharedLimits.withLock { $0 }
            return nil
        case (.tagsCutShort, .put), (.tagsSplit, .put):
            let result = performSoundly(operation)
            let tags = entries[place]?.terms.tags ?? []
            let kept = tags.flatMap {
                bug == .tagsSplit ? $0.split(separator: " ").map(String.init) : [String($0.prefix(64))]
            }
            entries[place]?.terms.tags = kept
            return result
        case (.groupNamesTrimmed, .within(let group, let inner)) where group.hasPrefix(" "):
            return perform(.within(group: String(group.drop { $0 == " " }), inner))
        case (.pinsOverflow, .put) where hasPins:
            let bound = capacity
            capacity = .max
            defer { capacity = bound }
            return performSoundly(operation)
        case (.walkMovesFirst, .firstKeys):
            guard case .keys(let keys) = performSoundly(operation) else { return nil }
            // A walk over all, in the order in which they leave, changes nothing.
            for key in keys.sorted(by: { entries[Place(key: $0)]?.stamp ?? 0 < entries[Place(key: $1)]?.stamp ?? 0 }) {
                clock += 1
                entries[Place(key: key)]?.stamp = clock
            }
            return .keys(keys)
        default: return slipRefused(operation, place)
        }
    }
}
