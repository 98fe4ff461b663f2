internal import CacheCore

/// How places are used again.
extension ClockProLog {
    /// Makes room for so many places, of which those up to the end of the lap are plain then, and at least one.
    @inline(never)
    mutating func prepare(_ count: UInt32) {
        if next &- firstGhost &+ count > slots { pack() }
        if next &- base == slots { beginLap() }
        clean = max(clean, next)
        // Few at a time: what is soon written stays in the nearest cache.
        let length = min(lapLeft(from: clean), slots &- (clean &- firstGhost), max(count, 1024))
        (marks.base + Int(slot(clean))).update(repeating: Self.plain, count: Int(length))
        clean &+= length
    }

    /// Moves every cold object and ghost to the lowest free place, in order. O(slots).
    @inline(never)
    mutating func pack() {
        let (small, passed, start, end) = (oldest, unpassed, firstGhost, next)
        var hand: UInt32 = 0
        next = start
        for place in start...end {
            if place == small { oldest = next }
            if place == passed { unpassed = next }
            while hand < hotLength, hot[hotSlot(hand)].stamp <= place {
                let slot = hotSlot(hand)
                hot.update(slot) { if $0.stamp >= start { $0.stamp = next } }
                hand += 1
            }
            guard place < end else { break }
            move(from: place, isResident: place >= small)
        }
        calm = oldest
        clean = next
    }

    private mutating func move(from place: UInt32, isResident: Bool) {
        let (id, mark) = (ids[slot(place)], marks[slot(place)])
        guard mark != Self.struck else { return }
        guard mark == Self.plain || isResident else {
            // It was demoted and has left: its word must not tell of a place where another will be.
            if self.place(of: id) == place { words[id] = 0 }
            return
        }
        ids[slot(next)] = id
        marks[slot(next)] = mark
        words[id] = next << 2 | words[id] & 3
        next += 1
    }

    /// Closes the gaps between hot objects. O(slots of the ring).
    @inline(never)
    mutating func packHot() {
        var kept: UInt32 = 0
        for position in 0..<hotLength {
            let entry = hot[hotSlot(position)]
            guard entry.id != gap else { continue }
            let slot = hotSlot(kept)
            hot[slot] = entry
            words[entry.id] = (firstHotPlace + slot) << 2 | words[entry.id] & 3
            kept += 1
        }
        hotLength = kept
    }

    /// Begins again at the first slot.
    @inline(never)
    mutating func beginLap() {
        base = next
        // In two laps at most places must not be mistaken for those of hot objects.
        if next > firstHotPlace - 2 * slots { beginAnew() }
    }

    /// Makes all places in the log as small as can be. O(objects), once in a billion places.
    private mutating func beginAnew() {
        let (start, excess) = (firstGhost, firstGhost - 1)
        for id in 0..<gap where place(of: id) < firstHotPlace {
            words[id] = place(of: id) < start ? 0 : words[id] - excess << 2
        }
        for position in 0..<hotLength {
            hot.update(hotSlot(position)) { $0.stamp = max($0.stamp, start) - excess }
        }
        base -= excess
        firstGhost -= excess
        oldest -= excess
        calm -= excess
        next -= excess
        clean -= excess
        unpassed = max(unpassed, start) - excess
    }
}
