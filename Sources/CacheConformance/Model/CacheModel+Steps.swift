import CacheCore

// Versions, updates, counters, names, pins, refreshing and limits of groups.
extension CacheModel {
    func isMarked(_ place: Place) -> Bool { entries[place].map { marks[place] == $0.version } ?? false }

    mutating func judgeMark(_ place: Place, _ result: OperationResult) -> String? {
        let complaint = judgeFlag(place, result, removes: false)
        marks[place] = entries[place]?.version
        return complaint
    }

    mutating func judgePutMany(_ items: [KeyedPayload], in group: String?, _ result: OperationResult) -> String? {
        let wanted = items.map { item in
            !isRefused(item.key) && item.payload.byteCount <= claims.valueBytesMax
                && !writer.isBroken(claims, item.key) && !room.isTooHeavy(1)
        }
        // What is dropped in silence may be told stored, and where a full cache refuses, what it had no room for not.
        let (isSilent, mayRefuse) = (claims.deviates(.dropsOversized), claims.deviates(.refusesWhenFull))
        let permitted = wanted.map { "\($0)" }
        guard case .flags(let answers) = result, answers.count == wanted.count else {
            return ValueText.list(permitted, ", ")
        }
        for (index, (answer, wanted)) in zip(answers, wanted).enumerated()
        where !(answer == wanted || isSilent && answer || mayRefuse && !answer) {
            return ValueText.permitted(permitted, ", ", at: index, not: "\(answer)", for: items[index].key)
        }
        for (item, (isTaken, isTold)) in zip(items, zip(wanted, answers)) {
            let place = Place(group: group, key: item.key)
            if isTaken, isTold {
                store(place, StoredEntry(item.value), .plain)
            } else if !writer.isBroken(claims, item.key) {
                expectWrite(place, item.value, isOptional: true)
                if isTaken {
                    entries[place]?.isCertain = false
                } else if !claims.deviates(.refusedPutKeepsOld) {
                    leave(place, .replaced)
                }
            }
        }
        return nil
    }

    mutating func judgeUpdate(_ place: Place, _ change: Change, _ result: OperationResult) -> String? {
        if claims.deviates(.updateCountsAsLoad) { (counters.loadsAreKnown, counters.failuresAreKnown) = (false, false) }
        let state = entries[place]
        var permitted = [change.result(for: place.key, old: state?.entry.value)]
        if state?.isCertain == false { permitted.append(change.result(for: place.key, old: nil)) }
        guard case .entry(let new) = result, permitted.contains(new?.value) else {
            return permitted.map { $0.map { ValueText.describe(StoredEntry($0), under: place.key) } ?? "nil" }
                .joined(separator: " or ")
        }
        if let new {
            store(place, StoredEntry(new.value), .plain)
        } else {
            expectRemoval(place, wasThere: state?.isCertain == true)
            leave(place, .removed)
        }
        return nil
    }

    mutating func judgeIncrement(_ place: Place, _ step: Int, _ result: OperationResult) -> String? {
        let state = entries[place]
        let old = state.map { DecimalText.number($0.entry.value) } ?? 0
        guard let old else {
            if case .failure = result { return nil }
            if state?.isCertain == false, case .number(max(0, step)) = result {
                _ = sawNothing(place)
                store(place, StoredEntry(DecimalText.bytes(max(0, step))), .plain)
                return nil
            }
            return "an error, as the value is no number"
        }
        let sum = old.addingReportingOverflow(step)
        // Beyond its width a counter refuses, or tells what it holds from then on.
        let most = claims.limits.counterMax ?? .max
        let isBeyond = sum.overflow || !(-most - 1...most).contains(sum.partialValue)
        if isBeyond, case .failure = result { return nil }
        var permitted = [sum.partialValue]
        if state?.isCertain == false { permitted.append(step) }
        if claims.claims(.counterFloor) { permitted = permitted.map { max(0, $0) } }
        guard case .number(let number) = result, isBeyond || permitted.contains(number) else {
            return permitted.map { "\($0)" }.joined(separator: " or ")
        }
        let deadline = state?.deadline
        store(place, StoredEntry(DecimalText.bytes(number)), state?.terms ?? .plain)
        guard let deadline else { return nil }
        if state?.terms.timeToLiveNanoseconds != nil {
            entries[place]?.deadline = deadline
        } else {
            // Whether it is a write that begins the life anew which all entries have is the cache's own affair.
            (entries[place]!.isCertain, entries[place]!.mayHaveLeftEarlier) = (false, true)
        }
        return nil
    }

    mutating func judgeRename(_ place: Place, _ other: Place, _ result: OperationResult) -> String? {
        if isRefused(other.key), result.error?.code == .keyRefused { return nil }
        if let complaint = judgeFlag(place, result, removes: false) { return complaint }
        if isRefused(other.key), result == .flag(true) { return keyRefusal }
        guard result == .flag(true), let state = entries[place] else { return nil }
        guard place != other else {
            // Whether that is a use, or an entry that leaves and comes back, is the cache's own affair too.
            ledger.mayLeave(place, state.entry)
            mayRestartIdleTime(place)
            room.loseOrder()
            return nil
        }
        entries[place] = nil
        room.remove(place)
        leave(other, .replaced)
        // A name may be changed by taking the value out and putting it in again.
        ledger.mayLeave(place, state.entry)
        expectRemoval(place, wasThere: false)
        expectWrite(other, state.entry.value, isOptional: true)
        negatives.remove(other)
        entries[other] = state
        mayRestartIdleTime(other)
        _ = room.store(other, state.terms.cost, replacing: nil, true)
        // Whether a new name makes an entry a newer one is the cache's own affair.
        room.loseOrder()
        return nil
    }

    mutating func judgePin(_ place: Place, _ isPinned: Bool, _ result: OperationResult) -> String? {
        if let complaint = judgeFlag(place, result, removes: false) { return complaint }
        entries[place]?.isPinned = isPinned
        if isPinned { hasPins = true }
        room.loseTrack()
        return nil
    }

    /// Whether what is held leaves no room for another entry, which may then be refused.
    func isHeldShut(_ place: Place) -> Bool {
        guard hasPins, let amount = room.amount else { return false }
        return entries.count { $0.value.isPinned && $0.key != place } >= amount
    }

    /// What does not fit into a group leaves that group, and it is not known what.
    mutating func limitGroup(of place: Place) {
        guard let group = place.group, let limit = groupLimits[group] else { return }
        let own = entries.keys.filter { $0.group == group }
        guard own.count > limit else { return }
        for other in own { entries[other]!.isCertain = false }
    }

    // MARK: Refreshing

    /// An entry of this age is loaded afresh while it is answered.
    ///
    /// One whose origin was asked takes the place of one that has failed.
    mutating func beginRefresh(of place: Place, _ origin: Origin, hasAsked: Bool = false) {
        guard isDueForRefresh(place), refreshes[place] == nil || hasAsked else { return }
        // Whether what nobody waits for is a load like others is the cache's own affair; nobody reads, at least.
        (counters.loadsAreKnown, counters.failuresAreKnown) = (false, false)
        var refresh = Refresh(entry: nil, terms: .plain, meanwhile: origin.meanwhile)
        if case .value(let payload, let terms) = origin.answer {
            (refresh.entry, refresh.terms) = (StoredEntry(payload.bytes(for: place.key)), terms)
        }
        refreshes[place] = refresh
    }

    /// Whether an entry is there that a load loads afresh.
    func isDueForRefresh(_ place: Place) -> Bool {
        guard let age = setup.refreshNanoseconds, let state = entries[place] else { return false }
        return now - state.writtenAt >= age
    }

    mutating func endRefresh(of place: Place) {
        guard let refresh = refreshes.removeValue(forKey: place) else { return }
        let isOvertaken = assumeMeanwhile(refresh.meanwhile, place)
        guard !isOvertaken, let entry = refresh.entry else { return }
        let wasThere = entries[place] != nil
        store(place, entry, refresh.terms, isLoaded: true)
        // It may have come to nothing when it found the old value gone.
        if !wasThere { entries[place]?.isCertain = false }
    }

    mutating func endRefreshes() {
        for place in refreshes.keys { endRefresh(of: place) }
    }

    // MARK: Loading several keys

    mutating func judgeLoadMany(
        _ keys: [[UInt8]], _ lacking: Set<[UInt8]>, _ first: Int, in group: String?, _ result: OperationResult
    ) -> String? {
        guard case .loadedMany(let outcomes, let asked) = result, outcomes.count == keys.count else {
            return "an outcome for each key"
        }
        guard Set(asked).count == asked.count, Set(asked).isSubset(of: Set(keys)) else {
            return "each missing key asked for once"
        }
        var seen: Set<[UInt8]> = []
        // One call or several loads, and a key that is named twice is one read or two.
        counters.loadsAreKnown = asked.isEmpty && counters.loadsAreKnown
        counters.readsAreKnown = Set(keys).count == keys.count && counters.readsAreKnown
        for (index, key) in keys.enumerated() where seen.insert(key).inserted {
            let place = Place(group: group, key: key)
            counters.read(isHit: !asked.contains(key))
            if !asked.contains(key) {
                let permitted = entries[place] == nil ? "the origin asked for it" : self.permitted(place)
                guard case .value(let entry) = outcomes[index], sawEntry(place, entry) else {
                    return "\(permitted) for \(KeyText.describe(key))"
                }
                continue
            }
            guard sawNothing(place) else { return "the origin not asked for \(KeyText.describe(key))" }
            let fresh = StoredEntry(value(first + index).bytes(for: key))
            let wanted = lacking.contains(key) ? LoadOutcome.nothing : .value(fresh)
            guard outcomes[index] == wanted else { return "another outcome for \(KeyText.describe(key))" }
            if !lacking.contains(key) { store(place, fresh, .plain, isLoaded: true) }
        }
        return nil
    }
}
