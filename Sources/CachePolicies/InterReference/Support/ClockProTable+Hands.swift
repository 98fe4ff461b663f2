internal import CacheCore

/// The hands of the clock.
extension ClockProTable where Sizes: ~Copyable {
    /// HAND_cold: promotes, renews or evicts the oldest resident cold object.
    mutating func runColdHand<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        guard log.findOldest() else {
            // Only in bytes, or after removals: everything that is resident is hot.
            _ = runHotHand(beforeGhostOrCold: nil, into: &sink)
            return
        }
        let id = log.ids[log.slot(log.oldest)]
        let word = log.words[id]
        if word & ClockProLog.referenced != 0 { return renew(id, into: &sink) }
        let isInTest = isInTest(word)
        let weight = sizes.weight(at: id)
        leaveCold(id)
        log.passOldest(leavingGhost: isInTest)
        account(resident: -1, weight)
        sink.evicted(id)
        if isInTest {
            ghostWeight += weight
            while ghostWeight > ghostLimit { endOldestGhost(into: &sink) }
        } else {
            log.words[id] = 0
            sink.forgotten(id)
        }
    }

    /// Makes the oldest cold object hot, which is referenced, if it is in its test period and may be, and starts a new period
    /// otherwise.
    mutating func renew<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, into sink: inout Sink) {
        let weight = sizes.weight(at: id)
        let word = log.words[id] & ~ClockProLog.referenced
        log.words[id] = word
        let becomesHot = isInTest(word) && mayPromote(id, weight, into: &sink)
        if adaptation == .utility, word & ClockProLog.wasDemoted != 0 { moveTarget(up: false, weight) }
        leaveCold(id)
        log.passOldest(leavingGhost: false)
        if becomesHot {
            becomeHot(id, weight)
            if !followsCaffeine { demoteSurplus(into: &sink) }
        } else {
            log.append(id)
        }
    }

    /// Adapts to an access in a test period; whether the object may become hot, for which the hot hand makes room.
    mutating func mayPromote<Sink: EvictionSink & ~Copyable>(
        _ id: ObjectID, _ weight: Int, into sink: inout Sink
    ) -> Bool {
        if adaptation == .testPeriods || !log.isResident(id) { moveTarget(up: true, weight) }
        guard followsCaffeine else { return true }
        while hotWeight + weight > capacity - coldTarget {
            // The hot hand may have passed the object and ended its period, or dropped its ghost.
            guard log.isGhost(id) || log.isResident(id) && isInTest(log.words[id]),
                runHotHand(beforeGhostOrCold: id, into: &sink)
            else { return false }
        }
        return true
    }

    /// Lets the hot hand demote until the hot objects are within their share.
    mutating func demoteSurplus<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while hotWeight > capacity - coldTarget {
            if !runHotHand(beforeGhostOrCold: nil, into: &sink) { return }
        }
    }

    /// HAND_hot: demotes the first hot object without its bit that moved before another object did, if one is given; false
    /// if there is none.
    mutating func runHotHand<Sink: EvictionSink & ~Copyable>(
        beforeGhostOrCold other: ObjectID?, into sink: inout Sink
    ) -> Bool {
        let limit = other.map { log.place(of: $0) } ?? .max
        var entry = log.oldestHot()
        while entry.id != log.gap, entry.stamp <= limit, log.words[entry.id] & ClockProLog.referenced != 0 {
            log.dropOldestHot()
            log.appendHot(entry.id)
            entry = log.oldestHot()
        }
        let demotes = entry.id != log.gap && entry.stamp <= limit
        if demotes {
            let weight = sizes.weight(at: entry.id)
            log.dropOldestHot()
            hotWeight -= weight
            demotedWeight += weight
            log.append(entry.id, isDemoted: true)
        }
        passColdObjects(into: &sink)
        return demotes
    }

    /// Ends the test periods of the cold objects between the hot hand's last place and its next hot object: ghosts
    /// first, which are all older than the resident ones.
    mutating func passColdObjects<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let hand = log.oldestHot()
        guard hand.id != log.gap else { return }
        if log.firstGhost < min(hand.stamp, log.oldest) {
            endGhosts(before: min(hand.stamp, log.oldest), into: &sink)
        }
        if adaptation == .testPeriods { endPeriods(from: max(log.unpassed, log.oldest), before: hand.stamp) }
        log.unpassed = max(log.unpassed, hand.stamp)
    }

    /// HAND_test on the ghosts before a place.
    private mutating func endGhosts<Sink: EvictionSink & ~Copyable>(before end: UInt32, into sink: inout Sink) {
        var ended = 0
        while log.firstGhost < end {
            let slot = log.slot(log.firstGhost)
            var ghosts = log.passGhosts(before: end)
            if Sizes.isUnit { ended += ghosts.nonzeroBitCount }
            while ghosts != 0 {
                let id = log.ids[slot + UInt32(truncatingIfNeeded: ghosts.trailingZeroBitCount)]
                if !Sizes.isUnit { ended += sizes.weight(at: id) }
                if id != incoming { sink.forgotten(id) }
                ghosts &= ghosts &- 1
            }
        }
        forget(ghosts: ended)
    }

    /// Takes note that ghosts of some weight are gone, whose periods ended without an access.
    mutating func forget(ghosts weight: Int) {
        ghostWeight -= weight
        guard adaptation == .testPeriods else { return }
        // To fall by 1 for each, never below the least, is to fall by as many.
        coldTarget = max(coldTarget - weight, coldRange.lowerBound)
    }

    /// HAND_test on resident objects, which may have been asked for.
    private mutating func endPeriods(from start: UInt32, before end: UInt32) {
        var place = start
        while place < end {
            let slot = log.slot(place)
            if log.marks[slot] == ClockProLog.plain {
                let id = log.ids[slot]
                moveTarget(up: log.words[id] & ClockProLog.referenced != 0, sizes.weight(at: id))
            }
            place += 1
        }
    }

    /// HAND_test on a ghost. There must be one.
    mutating func endOldestGhost<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let id = log.takeOldestGhost()
        if id != incoming { sink.forgotten(id) }
        forget(ghosts: sizes.weight(at: id))
    }
}
