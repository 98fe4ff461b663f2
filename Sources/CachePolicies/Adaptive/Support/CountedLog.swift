internal import CIntrinsics
internal import CacheCore

/// Residents in the order of their last use, of which both the oldest is known and the one that was asked for least often,
/// the oldest of equals; and a word for each object.
///
/// A use writes its object anew at the end of a log (``MarkedLog``), where it stays with its count until the next one. So the
/// objects that were asked for once are in their order too, and the first of them is found by a second cursor, which only moves
/// on like that of the oldest. Only where there is none is the lowest count looked for among those of blocks of the log.
///
/// Memory: 8 bytes an id, 5.5 a slot. To append, to raise and to take is O(1) amortised, as is to find the oldest and the rarest while
/// something was asked for once; otherwise to find the rarest is O(log n) amortised, with a block of 64 slots for each step.
struct CountedLog: ~Copyable {
    /// For each object its place in the lower half, 0 for none: a slot of the log, or from 2^31 on what the policy says. In
    /// the upper half its count, 0 if it has no place.
    let words: FixedBuffer<UInt64>
    let log: MarkedLog
    let slots: UInt32
    /// No object is before this slot.
    var oldest = MarkedLog.margin
    /// No object that was asked for once is before this slot.
    var rarest = MarkedLog.margin
    /// The next slot to write.
    var next = MarkedLog.margin
    /// The number of objects in the log.
    var count = 0
    /// The first objects, and the first of those that were asked for once.
    var zones = (old: LogZone(), rare: LogZone())
    private var lowest: LowestCounts

    /// The mark of an object that was asked for once.
    static var once: UInt8 { 1 }

    /// An empty log for ids `0..<objects`, of which at most `residents` are in it together.
    init(objects: Int, residents: Int, slotsPerResident: Int) {
        let count = slotsPerResident * (residents + 64) + 2 * Int(MarkedLog.margin)
        slots = UInt32(count)
        words = FixedBuffer(repeating: 0, count: objects)
        log = MarkedLog(slots: count)
        lowest = LowestCounts(blocks: count / 64 + 1)
    }

    /// The place of an object, 0 for none.
    @inline(__always)
    func place(of id: ObjectID) -> UInt32 { UInt32(truncatingIfNeeded: words[id]) }

    /// How often an object that has a place was asked for.
    @inline(__always)
    func count(of id: ObjectID) -> UInt32 { UInt32(truncatingIfNeeded: words[id] &>> 32) }

    /// Gives an object a place out of the log, and keeps its count; 0 to forget both.
    @inline(__always)
    func setPlace(_ place: UInt32, of id: ObjectID) {
        words[id] = place == 0 ? 0 : words[id] & ~UInt64(UInt32.max) | UInt64(place)
    }

    /// Whether a place is in the log.
    @inline(__always)
    static func isResident(_ place: UInt32) -> Bool { Int32(bitPattern: place) > 0 }

    /// Whether an object's place is one out of the log.
    @inline(__always)
    func isGhost(_ id: ObjectID) -> Bool { place(of: id) & TimedGhosts.bit != 0 }

    /// Counts a use of an object that is in the log, and makes it the newest.
    @inline(__always)
    mutating func raise(_ id: ObjectID) {
        let count = count(of: id)
        vacate(place(of: id), count)
        append(id, count: count == .max ? count : count + 1)
    }

    /// Makes an object that is not in the log its newest.
    @inline(__always)
    mutating func append(_ id: ObjectID, count: UInt32) {
        if next == slots { pack() }
        log.ids[next] = id
        log.marks[next] = count == 1 ? Self.once : MarkedLog.vacant
        words[id] = UInt64(count) << 32 | UInt64(next)
        next += 1
        self.count += 1
    }

    /// Takes the object at a slot out. It keeps its word.
    @inline(__always)
    mutating func vacate(_ slot: UInt32, _ count: UInt32) {
        log.marks[slot] = MarkedLog.gap
        zones.old.lose(slot)
        if count == 1 { zones.rare.lose(slot) }
        self.count -= 1
    }

    /// Moves the cursors to the oldest object and to the rarest, and returns the slots of these. The log must not be empty.
    @inline(__always)
    mutating func findVictims() -> (oldest: UInt32, rarest: UInt32) {
        oldest = log.firstOccupied(from: oldest)
        rarest = log.first(Self.once, from: rarest, before: next)
        return (oldest, rarest < next ? rarest : findLowest())
    }

    /// The slot of the rarest object, if none was asked for once.
    @inline(never)
    private mutating func findLowest() -> UInt32 {
        // The last block may have got objects since it was looked at.
        for block in lowest.end - min(lowest.end, 1)..<(next + 63) / 64 { lowest.set(block, first(of: block).count) }
        while true {
            let (block, bound) = lowest.smallest
            let (slot, count) = first(of: block)
            if count == bound { return slot }
            lowest.set(block, count)
        }
    }

    /// The first slot of a block that has its lowest count, and that; `.max` if the block is empty.
    private func first(of block: UInt32) -> (slot: UInt32, count: UInt64) {
        var first = (slot: UInt32.max, count: UInt64.max)
        for slot in max(64 * block, oldest)..<max(64 * block, oldest, min(64 * block + 64, next)) {
            guard log.marks[slot] != MarkedLog.gap else { continue }
            let count = UInt64(count(of: log.ids[slot]))
            if count < first.count { first = (slot, count) }
        }
        return first
    }

    /// Moves all objects to the beginning. O(slots).
    @inline(never)
    mutating func pack() {
        let words = words.base
        next = log.pack(oldest..<next, to: MarkedLog.margin) { id in
            assay_prefetch_to_write(words + Int(id))
        } move: { id, slot in
            words[Int(id)] = words[Int(id)] & ~UInt64(UInt32.max) | UInt64(slot)
        }
        (oldest, rarest, zones) = (MarkedLog.margin, MarkedLog.margin, (LogZone(), LogZone()))
        lowest.clear()
    }
}
