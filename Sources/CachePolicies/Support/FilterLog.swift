internal import CacheCore

/// The small queue of a ``FilteredQueue`` and its ghosts as one log, and what is known of each object.
///
/// What leaves the small queue becomes a ghost in the order in which it entered, so a newcomer's place is also that of its
/// ghost: the oldest object becomes one when `oldest` moves past it, and is forgotten when `firstGhost` does. Nothing is
/// written for either. Positions only grow, and the slots are a ring; an object that leaves from the middle leaves a gap, and
/// a ring that is full of gaps is packed.
///
/// Memory: 4 bytes an id; 5 a slot, of which there are a quarter more than objects and ghosts at most.
struct FilterLog: ~Copyable {
    /// The position of each object in the log, one that it had there, or, of an object in main, `firstOfMain` and its hits.
    let places: FixedBuffer<UInt32>
    /// The object at each slot; `gap` where it was removed from the small queue.
    let ids: FixedBuffer<ObjectID>
    /// How many more hits the object at a slot needs to be promoted. 0 for a gap, whatever made it, and `threshold` where
    /// neither object nor ghost is.
    let marks: FixedBuffer<UInt8>
    let slots: UInt32
    let threshold: UInt8
    /// The place of an object in main without a hit. It cannot be hit more often than until `.max`.
    let firstOfMain: UInt32
    /// The position of the first slot when the newest object that is there entered.
    var base: UInt32
    /// No ghost is at a position before this one.
    var firstGhost: UInt32
    /// No object of the small queue is at a position before this one, and no ghost at or after it.
    var oldest: UInt32
    /// The next position to write.
    var next: UInt32
    /// The first position whose object's hits do not count.
    var window: UInt32 = .max
    /// Objects from the oldest to here are neither gone nor due to be promoted.
    var calm: UInt32
    /// The objects of the small queue.
    var count = 0
    var ghostCount = 0

    /// The place of what never had one.
    static var nowhere: UInt32 { 0 }
    /// The id at a slot from which an object was removed.
    static var gap: ObjectID { .max }

    /// A log for ids `0..<objects`, of which at most `entries` are in it together. Objects are promoted after `threshold`
    /// hits, and in main `largestCount` of them are counted. Positions begin at `start`.
    init(objects: Int, entries: Int, threshold: UInt32, largestCount: UInt32, start: UInt32 = 1) {
        let slots = entries + entries / 4 + 64
        precondition(slots < 1 << 30, "more objects than positions tell apart")
        self.slots = UInt32(slots)
        self.threshold = UInt8(threshold)
        firstOfMain = .max - largestCount
        places = FixedBuffer(repeating: Self.nowhere, count: objects)
        // What lies after the end is written before it is known to belong there, or read.
        ids = FixedBuffer(repeating: 0, count: slots + 1)
        marks = FixedBuffer(repeating: UInt8(threshold), count: slots + 8)
        (base, firstGhost, oldest, next, calm) = (start, start, start, start, start)
    }

    /// The slot of a position, or `slots` for one that begins a new lap.
    @inline(__always)
    func slot(_ place: UInt32) -> UInt32 { place >= base ? place - base : place &- base &+ slots }

    /// Whether nothing was removed from among the objects of the small queue.
    @inline(__always)
    var hasNoGaps: Bool { next - oldest == UInt32(count) }

    /// Whether an object in the small queue has had hits enough. It must not be a gap.
    @inline(__always)
    func isPromotable(_ place: UInt32) -> Bool { marks[slot(place)] == 0 }

    /// Counts a hit of an object of the small queue.
    @inline(__always)
    mutating func count(hitAt place: UInt32) {
        guard place < window else { return }
        let slot = slot(place)
        let rest = marks[slot]
        guard rest > 0 else { return }
        marks[slot] = rest - 1
        if rest == 1 { calm = min(calm, place) }
    }

    /// Makes an object the newest of the small queue.
    @inline(__always)
    mutating func append(_ id: ObjectID) {
        if next &- firstGhost == slots { pack() }
        if next &- base == slots { beginLap() }
        let slot = slot(next)
        ids[slot] = id
        places[id] = next
        next += 1
        count += 1
    }

    /// The oldest object's position. The small queue must not be empty.
    @inline(__always)
    mutating func oldestPlace() -> UInt32 {
        var slot = slot(oldest)
        while marks[slot] == 0, ids[slot] == Self.gap {
            oldest += 1
            slot = self.slot(oldest)
        }
        return oldest
    }

    /// Takes the oldest object out, leaving a ghost or none.
    @inline(__always)
    mutating func takeOldest(leavingGhost: Bool) {
        let slot = slot(oldest)
        // What could not be promoted may leave a ghost too.
        if !leavingGhost { marks[slot] = 0 } else if marks[slot] == 0 { marks[slot] = threshold }
        ghostCount += leavingGhost ? 1 : 0
        count -= 1
        oldest += 1
    }

    /// The oldest ghost. There must be one.
    @inline(__always)
    mutating func oldestGhost() -> ObjectID {
        while marks[slot(firstGhost)] == 0 { giveBackSlot() }
        return ids[slot(firstGhost)]
    }

    /// Drops the oldest ghost, which ``oldestGhost()`` has found.
    @inline(__always)
    mutating func dropOldestGhost() {
        giveBackSlot()
        ghostCount -= 1
    }

    @inline(__always)
    private mutating func giveBackSlot() {
        marks[slot(firstGhost)] = threshold
        firstGhost += 1
    }

    /// Takes an object or ghost out, wherever it is.
    mutating func remove(_ id: ObjectID) {
        let place = places[id]
        let slot = slot(place)
        places[id] = Self.nowhere
        marks[slot] = 0
        guard place >= oldest else {
            ghostCount -= 1
            return
        }
        ids[slot] = Self.gap
        count -= 1
        calm = min(calm, place)
    }

    /// Moves every object and ghost to the lowest free position, in order.
    ///
    /// O(slots).
    @inline(never)
    private mutating func pack() {
        let (small, start, end) = (oldest, window, next)
        next = firstGhost
        for place in firstGhost..<end {
            if place == small { oldest = next }
            if place == start { window = next }
            let source = slot(place)
            let id = ids[source]
            guard marks[source] != 0 || place >= small && id != Self.gap else { continue }
            let target = slot(next)
            ids[target] = id
            marks[target] = marks[source]
            places[id] = next
            next += 1
        }
        for place in next..<end { marks[slot(place)] = threshold }
        if small == end { oldest = next }
        if start == end { window = next }
        calm = oldest
    }

    /// Begins again at the first slot.
    @inline(never)
    mutating func beginLap() {
        base = next
        // In two laps at most positions must not be mistaken for places in main.
        if next > firstOfMain - 2 * slots { beginAnew() }
    }

    /// Makes all positions as small as can be. O(objects), once in four billion positions.
    private mutating func beginAnew() {
        let excess = firstGhost - 1
        for id in 0..<UInt32(places.count) where places[id] < firstOfMain {
            places[id] = places[id] < firstGhost ? Self.nowhere : places[id] - excess
        }
        base -= excess
        firstGhost -= excess
        oldest -= excess
        next -= excess
        if window != .max { window -= excess }
        calm = oldest
    }
}
