internal import CIntrinsics
internal import CacheCore

/// The lowest queue and the ghosts.
extension MultiQueue where Sizes: ~Copyable {
    /// The slot of a position.
    @inline(__always)
    func slot(_ place: UInt32) -> UInt32 { place & mask }

    /// Makes an object the newest of the lowest queue.
    @inline(__always)
    mutating func appendLowest(_ id: ObjectID, _ count: UInt32) {
        makeRoom(for: 1)
        ids[slot(next)] = id
        marks[slot(next)] = 1
        entries[id] = QueueEntry(place: next, count: count)
        next += 1
        lowCount += 1
    }

    /// The oldest object of the lowest queue, which must not be empty.
    @inline(__always)
    mutating func oldestOfLowest() -> ObjectID {
        while marks[slot(oldest)] == 0 { oldest += 1 }
        return ids[slot(oldest)]
    }

    /// Makes sure that so many positions can be written.
    @inline(__always)
    mutating func makeRoom(for count: UInt32) {
        if next - firstGhost + count > mask + 1 { packRing() }
        if next > QueueEntry.upper - 2 * UInt32(Self.margin) { beginAnew() }
    }

    /// No position between this one and the one behind so many objects, or ghosts, from there on is at or behind the one that
    /// is returned. There must be as many.
    @inline(__always)
    func positionFar(_ place: UInt32, past count: Int) -> UInt32 {
        var word = place & ~63
        var size = (present(word) & .max << UInt64(place & 63)).nonzeroBitCount
        while size < count {
            word += 64
            size += present(word).nonzeroBitCount
        }
        return word + 64
    }

    /// The position behind so many objects, or ghosts, from a position on. There must be as many.
    @inline(__always)
    func position(_ place: UInt32, past count: Int) -> UInt32 {
        var count = count
        var word = place & ~63
        var rest = present(word) & .max << UInt64(place & 63)
        var size = rest.nonzeroBitCount
        while size < count {
            count -= size
            word += 64
            rest = present(word)
            size = rest.nonzeroBitCount
        }
        for _ in 1..<count { rest &= rest &- 1 }
        return word + UInt32(rest.trailingZeroBitCount) + 1
    }

    /// The positions of 64 slots at which something is.
    @inline(__always)
    private func present(_ word: UInt32) -> UInt64 { assay_lowest_bits(marks.base + Int(slot(word))) }

    /// Moves every object and ghost to the lowest free position, in order. O(slots).
    @inline(never)
    private mutating func packRing() {
        let (small, end) = (oldest, next)
        next = firstGhost
        for place in firstGhost..<end {
            if place == small { oldest = next }
            guard marks[slot(place)] != 0 else { continue }
            let id = ids[slot(place)]
            marks[slot(place)] = 0
            ids[slot(next)] = id
            marks[slot(next)] = 1
            setPlace(next, of: id)
            next += 1
        }
        if small == end { oldest = next }
    }

    /// Makes all positions as small as can be without another slot. O(objects), once in two billion positions.
    @inline(never)
    private mutating func beginAnew() {
        let excess = (firstGhost - 1) & ~mask
        for id in 0..<UInt32(entries.count) where entries[id].place < QueueEntry.upper {
            let place = entries[id].place
            setPlace(place < firstGhost ? QueueEntry.nowhere : place - excess, of: id)
        }
        firstGhost -= excess
        oldest -= excess
        next -= excess
    }
}
