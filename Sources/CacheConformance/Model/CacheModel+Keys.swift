import CacheCore

// Reading and writing one key or several.
extension CacheModel {
    private func refuses(_ place: Place, _ result: OperationResult) -> Bool {
        isRefused(place.key) && result.error?.code == .keyRefused
    }

    /// Whether a full cache refuses what is new or greater, where that is documented; what was there stays, or may have left.
    mutating func isRefusedAsFull(_ operation: CacheOperation, _ place: Place, _ result: OperationResult) -> Bool {
        guard claims.deviates(.refusesWhenFull), result.error?.code == .full else { return false }
        let cost: Int
        switch operation {
        case .put(_, _, _, let terms), .putIfAbsent(_, _, let terms): cost = terms.cost
        case .exchange, .update, .increment: cost = 1
        default: return false
        }
        let old = entries[place].flatMap { $0.isCertain ? $0.terms.cost : nil }
        guard room.lacks(cost, replacing: old) else { return false }
        if let entry = operation.entry { expectWrite(place, entry.value, isOptional: true) }
        entries[place]?.isCertain = false
        return true
    }

    /// What a key of a length that is not allowed is answered, in words.
    var keyRefusal: String {
        "the error 'keyRefused', as the claims allow keys of \(claims.allowsEmptyKey ? 0 : 1) to "
            + "\(claims.keyBytesMax) bytes"
    }

    mutating func judgePut(
        _ place: Place, _ entry: StoredEntry, _ terms: PutTerms, _ result: OperationResult
    ) -> String? {
        let terms = weighed(place, entry, terms)
        if isRefused(place.key) { return refuses(place, result) ? nil : keyRefusal }
        if entry.value.count > claims.valueBytesMax {
            return judgeRefused(
                place, entry, result, "as the claims allow values of at most \(claims.valueBytesMax) bytes")
        }
        if !claims.isOfFittingSize(place.key, entry.value.count) {
            if result.error?.code == .keyRefused {
                leaveForRefused(place)
                return nil
            }
            return judgeRefused(
                place, entry, result,
                "as the claims allow a key and its value \(claims.limits.entryBytesMax ?? 0) bytes together")
        }
        if writer.isBroken(claims, place.key) {
            if case .failure = result { return nil }
            return "the writer's error, and the cache as it was"
        }
        let isShut = place.group.flatMap { groupLimits[$0] }.map { $0 <= 0 } ?? false
        let lacksRoom = isShut || isHeldShut(place) || room.isOfMemory
        if terms.cost < 0 && result.error?.code == .valueRefused
            || lacksRoom && [.valueRefused, .full].contains(result.error?.code)
        {
            leaveForRefused(place)
            expectWrite(place, entry.value, isOptional: true)
            return nil
        }
        if lowerFails, case .failure = result {
            entries[place]?.isCertain = false
            return nil
        }
        if room.isTooHeavy(terms.cost) {
            return judgeRefused(place, entry, result, "as the entry costs more than the whole capacity")
        }
        let isOver = terms.timeToLiveNanoseconds.map { $0 <= 0 } ?? false
        if isOver, result.error?.code == .valueRefused {
            expectWrite(place, entry.value, isOptional: true)
            if !claims.deviates(.refusedPutKeepsOld) { store(place, entry, terms, isLoaded: true) }
            return nil
        }
        store(place, entry, terms)
        return result == .done ? nil : isOver ? "no error, or the error 'valueRefused'" : "no error"
    }

    /// Terms with what an entry weighs at least, where that is not what it is said to cost.
    private func weighed(_ place: Place, _ entry: StoredEntry, _ terms: PutTerms) -> PutTerms {
        guard room.isOfMemory else { return terms }
        var terms = terms
        terms.cost = place.key.count + entry.value.count
        return terms
    }

    /// Judges a put of what the cache does not take.
    private mutating func judgeRefused(
        _ place: Place, _ entry: StoredEntry, _ result: OperationResult, _ reason: String
    ) -> String? {
        leaveForRefused(place)
        // It was written before it was found to be too much, or it was not.
        expectWrite(place, entry.value, isOptional: true)
        if result.error?.code == .valueRefused { return nil }
        let isDropped = claims.deviates(.dropsOversized)
        if isDropped, result == .done {
            // Some let it in, and evict it at once (zict).
            ledger.mayLeave(place, entry, [.evicted, .removed])
            return nil
        }
        return "the error 'valueRefused'\(isDropped ? " or none" : ""), \(reason)"
    }

    /// Stores an entry, replacing what was there; one whose time is over leaves nothing behind.
    mutating func store(_ place: Place, _ entry: StoredEntry, _ terms: PutTerms, isLoaded: Bool = false) {
        negatives.remove(place)
        refreshes[place] = nil
        stale[place] = nil
        unswept[place] = nil
        if !isLoaded { expectWrite(place, entry.value) }
        let terms = ended(weighed(place, entry, terms))
        let time = terms.timeToLiveNanoseconds
        // Where an entry is live at its deadline, one that ends at once may be there until the clock goes on.
        let isEndingNow = time == 0 && lastStep > 0
        if let time, time <= 0, !isEndingNow {
            leave(place, .replaced, or: [.expired, .removed])
            mayLinger(place, State(entry: entry, isCertain: false, terms: terms))
            guard claims.deviates(.countsExpired) || claims.deviates(.neverSweeps) else { return }
            // It was let in where what has expired stays (Caffeine), and takes its room there.
            ledger.mayLeave(place, entry, claims.deviates(.neverSweeps) ? [.expired, .replaced, .evicted] : [.expired])
            take(room.linger(terms.cost))
            return
        }
        let old = entries[place]
        if let old { ledger.leave(place, old, .replaced, or: isEndingNow ? [.expired, .removed] : []) }
        let deadline = deadline(after: time ?? setup.timeToLiveNanoseconds ?? timeToIdle)
        writeCount += 1
        entries[place] = State(
            entry: entry, isCertain: claims.retains && !isEndingNow, deadline: deadline, terms: terms,
            version: writeCount,
            writtenAt: now, isPinned: old?.isPinned ?? false, isMemoryOnly: lowerFails,
            mayHaveLeftEarlier: isEndingNow)
        if isEndingNow {
            ledger.mayLeave(place, entry, [.expired, .removed])
            room.loseTrack()
        }
        nextDeadline = min(nextDeadline, deadline ?? longestEnd(of: entries[place]!) ?? .max)
        makeRoom(for: place, old)
        limitGroup(of: place)
    }

    /// What a read of a place may bring, in words.
    func permitted(_ place: Place) -> String {
        if let fresh = refreshes[place]?.entry {
            return "\(ValueText.describe(fresh, under: place.key)), or what was there before it"
        }
        guard let state = entries[place] else { return "nil" }
        return ValueText.describe(state.entry, under: place.key) + (state.isCertain ? "" : ", or nil")
    }

    /// Takes in that a place was seen to be empty; false if it may not be.
    mutating func sawNothing(_ place: Place) -> Bool {
        guard let state = entries[place] else { return true }
        if state.isCertain { return false }
        entries[place] = nil
        ledger.leave(place, state, .evicted)
        room.forget(place)
        return true
    }

    /// Takes in that a place was read and found; false if that was not there.
    mutating func sawEntry(_ place: Place, _ found: StoredEntry) -> Bool {
        if refreshes[place] != nil, entries[place]?.entry != found { endRefresh(of: place) }
        guard let state = entries[place], state.entry == found else { return false }
        room.touch(place)
        entries[place]!.mayHaveLeftEarlier = false
        extend(place, state)
        return true
    }

    private mutating func extend(_ place: Place, _ state: State) {
        guard let timeToIdle, state.terms.timeToLiveNanoseconds == nil else { return }
        entries[place]!.deadline = deadline(after: timeToIdle)
    }

    private mutating func judgeRead(_ place: Place, _ found: StoredEntry?, isCounted: Bool = true) -> Bool {
        if isCounted { counters.read(isHit: found != nil) }
        guard let found else { return sawNothing(place) }
        return sawEntry(place, found)
    }

    mutating func judgeGet(_ place: Place, _ result: OperationResult) -> String? {
        if refuses(place, result) { return nil }
        // What lies below is not known while that fails, and whoever asks may be told.
        if lowerFails, entries[place].map({ !$0.isMemoryOnly || !$0.isCertain }) ?? true, case .failure = result {
            return nil
        }
        let permitted = self.permitted(place)
        guard case .entry(let found) = result else { return permitted }
        return judgeRead(place, found) ? nil : permitted
    }

    mutating func judgeGetMany(_ places: [Place], _ result: OperationResult) -> String? {
        let each = places.map { self.permitted($0) }
        guard case .entries(let found) = result, found.count == places.count else { return ValueText.list(each, "; ") }
        var seen: Set<Place> = []
        let countsOnce = claims.deviates(.countsRepeatedKeysOnce)
        for (index, (place, found)) in zip(places, found).enumerated() {
            let isCounted = seen.insert(place).inserted || !countsOnce
            if judgeRead(place, found, isCounted: isCounted) { continue }
            let answer = found.map { ValueText.describe($0, under: place.key) } ?? "nil"
            return ValueText.permitted(each, "; ", at: index, not: answer, for: place.key)
        }
        return nil
    }

    mutating func judgeRemoveMany(_ places: [Place], _ result: OperationResult) -> String? {
        // What the writer fails for stays; whether that stops the rest is the cache's own affair.
        let broken = places.contains { writer.isBroken(claims, $0.key) }
        let distinct = Set(places.filter { !writer.isBroken(claims, $0.key) })
        if broken, case .failure = result {
            for place in distinct {
                expectRemoval(place, wasThere: false)
                entries[place]?.isCertain = false
            }
            return nil
        }
        let present = distinct.filter { entries[$0] != nil }
        let low = present.count { entries[$0]!.isCertain }
        let high = present.count + (claims.deviates(.removesExpired) ? distinct.count { unswept[$0] != nil } : 0)
        let permitted = (low...high).words
        switch result {
        case .number(let number) where (low...high).contains(number): break
        case .number, .done: guard claims.deviates(.removeTellsNothing) else { return permitted }
        default: return permitted
        }
        for place in places where distinct.contains(place) {
            expectRemoval(place, wasThere: entries[place]?.isCertain == true)
            negatives.remove(place)
            stale[place] = nil
            if entries[place] != nil { leave(place, .removed) }
        }
        return nil
    }

    /// Judges a look, which for some caches is a read.
    mutating func judgeLook(_ place: Place, _ result: OperationResult) -> String? {
        let state = entries[place]
        if let complaint = judgeFlag(place, result, removes: false) { return complaint }
        guard claims.deviates(.containsIsGet), case .flag(let found) = result else { return nil }
        counters.read(isHit: found)
        if found, let state { _ = sawEntry(place, state.entry) }
        return nil
    }

    mutating func judgeFlag(_ place: Place, _ result: OperationResult, removes: Bool) -> String? {
        if refuses(place, result) { return nil }
        if removes, writer.isBroken(claims, place.key) {
            if case .failure = result { return nil }
            // Where nothing may be, there may be nothing to write.
            let isStale = stale[place].map { now < $0.until } ?? false
            guard result == .flag(false), !isStale, sawNothing(place) else {
                return "the writer's error, and the cache as it was"
            }
            negatives.doubt(place)
            return nil
        }
        if removes, lowerFails, case .failure = result {
            entries[place]?.isCertain = false
            return nil
        }
        if removes, claims.deviates(.removeTellsNothing), result.isUntold {
            expectRemoval(place, wasThere: entries[place]?.isCertain == true)
            negatives.remove(place)
            leave(place, .removed)
            return nil
        }
        let state = entries[place]
        let isDead = removes && claims.deviates(.removesExpired) && unswept[place] != nil
        let permitted = state.map { $0.isCertain ? "true" : "true or false" } ?? (isDead ? "true or false" : "false")
        guard case .flag(let found) = result, found ? state != nil || isDead : state?.isCertain != true else {
            return permitted
        }
        if removes {
            expectRemoval(place, wasThere: found)
            negatives.remove(place)
            stale[place] = nil
        }
        if !found { _ = sawNothing(place) } else if removes { leave(place, .removed, wasSeen: true) }
        return nil
    }

    /// Judges a write that depends on whether there is a value: on `wants`.
    mutating func judgeConditional(
        _ place: Place, _ entry: StoredEntry, _ terms: PutTerms, _ result: OperationResult, wants: Bool
    ) -> String? {
        let terms = weighed(place, entry, terms)
        let state = entries[place]
        let permitted = state.map { $0.isCertain ? "\(wants)" : "true or false" } ?? "\(!wants)"
        let isOver = terms.timeToLiveNanoseconds.map { $0 <= 0 } ?? false
        if room.isTooHeavy(terms.cost) || isOver, result.error?.code == .valueRefused {
            expectWrite(place, entry.value, isOptional: true)
            entries[place]?.isCertain = false
            return nil
        }
        guard case .flag(let isDone) = result else { return permitted }
        // What is over already may be told not stored where nothing is, since nothing is there afterwards.
        if isOver, !isDone, !wants, state == nil { return nil }
        let wasThere = isDone == wants
        guard wasThere ? state != nil : state?.isCertain != true else { return permitted }
        if !wasThere { _ = sawNothing(place) }
        if isDone, room.isTooHeavy(terms.cost) {
            expectWrite(place, entry.value, isOptional: true)
            if claims.deviates(.refusedPutKeepsOld) {
                entries[place]?.isCertain = false
            } else {
                leave(place, .replaced)
            }
        } else if isDone {
            store(place, entry, terms)
        } else if wasThere, !wants {
            mayCountAsRead(place)
        }
        return nil
    }

    /// Takes in that a write that looks first may be a read.
    mutating func mayCountRead(by operation: CacheOperation) {
        guard claims.deviates(.conditionsCountAsReads) else { return }
        switch operation {
        case .putIfAbsent, .replace, .exchange, .compareAndSet, .take, .update, .increment, .setIfMarked,
            .removeIfMarked:
            counters.readsAreKnown = false
        default: break
        }
    }

    /// Takes in what some caches do to an entry that stood in the way of a write: as if it had been read.
    private mutating func mayCountAsRead(_ place: Place) {
        room.loseTrack()
        mayRestartIdleTime(place)
    }

    /// Takes in that an entry without a life of its own may have been used just now.
    mutating func mayRestartIdleTime(_ place: Place) {
        guard let state = entries[place], timeToIdle != nil, state.terms.timeToLiveNanoseconds == nil else { return }
        entries[place]!.isCertain = false
        extend(place, state)
    }

    /// Judges a write, or with nil a removal, that is done where the entry is the one that is meant.
    mutating func judgeDepending(
        _ place: Place, _ isEqual: Bool, _ entry: StoredEntry?, _ result: OperationResult
    ) -> String? {
        let state = entries[place]
        let permitted = isEqual ? (state!.isCertain ? "true" : "true or false") : "false"
        guard case .flag(let isDone) = result, isDone ? isEqual : !isEqual || !state!.isCertain else {
            return permitted
        }
        if isDone {
            if let entry {
                store(place, entry, .plain)
            } else {
                expectRemoval(place, wasThere: true)
                leave(place, .removed, wasSeen: true)
            }
        } else if isEqual {
            _ = sawNothing(place)
        }
        return nil
    }

    /// Judges an exchange for `entry`, or a removal that answers what was there.
    mutating func judgeExchange(_ place: Place, _ entry: StoredEntry?, _ result: OperationResult) -> String? {
        let permitted = self.permitted(place)
        guard case .entry(let found) = result else { return permitted }
        if let found {
            guard entries[place]?.entry == found else { return permitted }
        } else if !sawNothing(place) {
            return permitted
        }
        if let entry {
            store(place, entry, .plain)
        } else {
            expectRemoval(place, wasThere: found != nil)
            negatives.remove(place)
            stale[place] = nil
            // Where nothing was found, what has expired may stay until it is swept.
            if found != nil { leave(place, .removed, wasSeen: true) }
        }
        return nil
    }

    mutating func judgeTouch(_ place: Place, _ time: Int64, _ result: OperationResult) -> String? {
        let state = entries[place]
        let permitted = state.map { $0.isCertain ? "true" : "true or false" } ?? "false"
        if isForEver(time), result == .flag(true), entries[place] != nil {
            room.loseTrack()
            entries[place]!.deadline = nil
            entries[place]!.terms.timeToLiveNanoseconds = nil
            return nil
        }
        // A time of nothing or below may be refused; what was there is still there, or is not.
        if time <= 0, result.error?.code == .valueRefused {
            entries[place]?.isCertain = false
            return nil
        }
        guard case .flag(let found) = result, found ? state != nil : state?.isCertain != true else { return permitted }
        guard found else {
            _ = sawNothing(place)
            return nil
        }
        if time == 0, lastStep > 0 {
            entries[place]!.isCertain = false
            entries[place]!.mayHaveLeftEarlier = true
            entries[place]!.deadline = deadline(after: 0)
            nextDeadline = min(nextDeadline, entries[place]!.deadline ?? .max)
            ledger.mayLeave(place, state!.entry, [.expired, .removed])
            room.loseTrack()
        } else if time <= 0 {
            ledger.expire(place, state!, orBy: [.removed])
            room.remove(place)
            entries[place] = nil
            mayLinger(place, state!)
        } else {
            // Whether it counts as a use is the cache's own affair.
            room.loseTrack()
            entries[place]!.deadline = deadline(after: time)
            entries[place]!.terms.timeToLiveNanoseconds = time
            nextDeadline = min(nextDeadline, entries[place]!.deadline ?? .max)
        }
        return nil
    }

    mutating func judgeRemainingTime(_ place: Place, _ result: OperationResult) -> String? {
        let state = entries[place]
        let left = state?.deadline.map { $0 - now - lastStep }
        let words = left.map { "\($0) ns" } ?? "nil"
        // What ends only because nobody asks for it need not be told of.
        let mayBeNil = state.map { !$0.isCertain || $0.terms.timeToLiveNanoseconds == nil } ?? true
        let permitted = mayBeNil && left != nil ? "\(words) or nil" : words
        guard case .time(let time) = result else { return permitted }
        // What all entries have need not be told of each.
        if time == nil, claims.deviates(.oneTimeToLive) { return nil }
        // For ever may be the longest life.
        if left == nil, let time, let end = state.flatMap(longestEnd), time == end - now { return nil }
        return time == left || time == nil && mayBeNil ? nil : permitted
    }
}
