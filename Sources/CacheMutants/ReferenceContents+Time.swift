import CacheConformance
import CacheCore

// How long entries live.
extension ReferenceContents {
    func isOver(_ entry: Entry) -> Bool {
        guard let deadline = entry.deadline else { return false }
        if bug == .pinnedNeverExpires, entry.isPinned { return false }
        switch bug {
        case .deadlineLate: return now > deadline
        case .endsEarly: return now + 1 >= deadline
        case .oneTierForgetsTime where !inMemory.contains(place(entry)): return false
        case .followsWallClock: return wall >= deadline
        case .oneKindOfEnd where entry.terms.timeToLiveNanoseconds == nil:
            return now >= deadline && !hasEnded { $0.terms.timeToLiveNanoseconds != nil }
        case .pinnedEndHidesOthers where !entry.isPinned: return now >= deadline && !hasEnded(where: \.isPinned)
        default: return now >= deadline
        }
    }

    /// Whether such an entry has ended and is still there.
    private func hasEnded(where isMeant: (Entry) -> Bool) -> Bool {
        entries.values.contains { isMeant($0) && now >= $0.deadline ?? .max }
    }

    func deadline(_ terms: PutTerms) -> Int64? {
        var time = terms.timeToLiveNanoseconds ?? timeToIdle
        if bug == .ruleWins, let timeToIdle { time = timeToIdle }
        guard let time else { return nil }
        if bug == .zeroIsForever, time <= 0 { return nil }
        if bug == .longLifeIsDate, time > 30 * 86_400 * 1_000_000_000 { return time }
        let sum = now.addingReportingOverflow(time)
        if bug == .idleOverflows, terms.timeToLiveNanoseconds == nil { return sum.partialValue }
        return sum.overflow && bug != .greatestLifeWraps ? nil : sum.partialValue
    }

    /// The live entry at a place; what has expired leaves.
    mutating func find(_ place: Place) -> Entry? {
        guard let entry = entries[place] else { return nil }
        if isOver(entry) {
            expire(place, entry)
            if bug == .lazyExpiryUncounted { counters.expirations! -= 1 }
            return nil
        }
        return entry
    }

    private func place(_ entry: Entry) -> Place { Place(key: entry.name) }

    private mutating func expire(_ place: Place, _ entry: Entry) {
        if let time = setup.staleNanoseconds {
            if bug == .onlyOneStale { stale = [:] }
            let begin = bug == .staleFromFinding ? now : entry.deadline ?? 0
            stale[place] = (entry, bug == .staleForEver ? .max : Self.end(begin, after: time))
        }
        let refresh = refreshing[place]
        lastExpired = entry
        let (toldBefore, expirations) = (told.count, counters.expirations!)
        leave(place, .expired)
        hush(entry, toldBefore, expirations)
        refreshing[place] = refresh
    }

    /// Puts wrong, with a defect, what must not follow the clock on the wall, or must follow one that goes on during sleep.
    mutating func slipClock(_ operation: CacheOperation) {
        switch (bug, operation) {
        case (.idleIgnoresSleep, .sleep(let step)):
            for (place, entry) in entries where entry.terms.timeToLiveNanoseconds == nil {
                entries[place]!.deadline = entry.deadline.map { Self.end($0, after: step) }
            }
        case (.staleFollowsWall, .moveWallClock(let step)):
            for (place, old) in stale { stale[place]!.until = Self.end(old.until, after: -step) }
        case (.refreshFollowsWall, .moveWallClock(let step)):
            for (place, entry) in entries { entries[place]!.writtenAt = Self.end(entry.writtenAt, after: -step) }
        default: break
        }
    }

    /// The time that is left of an entry, as it is told.
    func remainingTime(of entry: Entry?) -> Int64? {
        if bug == .remainingIsWhole { return entry?.terms.timeToLiveNanoseconds }
        guard let left = entry?.deadline.map({ $0 - now }) else { return nil }
        switch bug {
        case .remainingTimeIsFloat: return Int64(exactly: Double(left)) ?? .max
        case .longLifeIsNone: return left < 1_800_000_000_000_000_000 ? left : nil
        default: return left
        }
    }

    /// The end of a time that begins then, and never where that is beyond what a clock shows.
    static func end(_ begin: Int64, after time: Int64) -> Int64 {
        let sum = begin.addingReportingOverflow(time)
        return sum.overflow ? .max : sum.partialValue
    }

    mutating func sweep(atMost limit: Int = .max) {
        var left = limit
        for (place, entry) in entries where left > 0 && isOver(entry) {
            left -= 1
            if bug == .wheelLosesLevel, entry.terms.timeToLiveNanoseconds ?? 0 > 1 << 30 { continue }
            expire(place, entry)
        }
        if bug == .staleTimer {
            for (place, entry) in entries where entry.terms.tags.contains("timer") { leave(place, .removed) }
        }
    }
}
