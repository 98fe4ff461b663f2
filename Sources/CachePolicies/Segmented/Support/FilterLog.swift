internal import CacheCore

/// The small queue of a ``SmallMainGhostQueues`` and its ghosts as one log, and what is known of each object.
///
/// What leaves the small queue becomes a ghost in the order in which it entered, so a newcomer's place is also that of its
/// ghost: the oldest object becomes one when `oldest` moves past it, and is forgotten when `firstGhost` does. Nothing is
/// written for either. Positions only grow, and the slots are a ring; an object that leaves from the middle leaves a gap, and
/// a ring that is full of gaps is packed.
///
/// Positions are multiples of ``step``, so that an object's place holds its hits too: to the processor a hit is the same in
/// either queue.
///
/// Memory: 4 bytes an id; 5 a slot, of which there are a quarter more than objects and ghosts at most.
struct FilterLog: ~Copyable {
    /// The position of each object in the log, or one that it had there, and its hits; of an object in main, `firstOfMain` and
    /// its hits.
    let places: FixedBuffer<UInt32>
    /// The object at each slot; `gap` where it was removed from the small queue.
    let ids: FixedBuffer<ObjectID>
    /// 0 for a gap, whatever made it, and 1 for any other slot.
    let marks: FixedBuffer<UInt8>
    /// From a slot in one lap to the same in the next.
    let lap: UInt32
    /// What a newcomer's place is more than its position: with as many hits as promote it, its place cannot grow any more.
    let newcomer: UInt32
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
    /// From one position to the next: a place has room for as many hits less one.
    static var step: UInt32 { 4 }
    /// The most objects and ghosts that positions tell apart.
    static var mostEntries: Int { (1 << 28 - 65) / 5 * 4 }

    /// A log for ids `0..<objects`, of which at most `entries` are in it together, no more than ``mostEntries``. Objects are
    /// promoted after `threshold` hits, and in main `largestCount` of them are counted; both are at most 3. Positions begin at
    /// `start`, a multiple of ``step``.
    init(objects: Int, entries: Int, threshold: UInt32, largestCount: UInt32, start: UInt32 = step) {
        precondition(entries <= Self.mostEntries, "more objects and ghosts than positions tell apart")
        precondition(max(threshold, largestCount) < Self.step, "more hits than a place has room for")
        let slots = entries + entries / 4 + 64
        lap = UInt32(slots) * Self.step
        newcomer = Self.step - 1 - threshold
        firstOfMain = .max - largestCount
        places = FixedBuffer(repeating: Self.nowhere, count: objects)
        ids = FixedBuffer(repeating: 0, count: slots)
        // Eight are read at once.
        marks = FixedBuffer(repeating: 1, count: slots + 8)
        (base, firstGhost, oldest, next, calm) = (start, start, start, start, start)
    }

    /// The slot of a position, or the one after the last for a position that begins a new lap.
    @inline(__always)
    func slot(_ position: UInt32) -> UInt32 { (position &- base &+ (position >= base ? 0 : lap)) / Self.step }

    /// Whether nothing was removed from among the objects of the small queue.
    @inline(__always)
    var hasNoGaps: Bool { (next - oldest) / Self.step == UInt32(count) }

    /// Whether the oldest object has had hits enough. It must not be a gap.
    @inline(__always)
    var isOldestPromotable: Bool { isDue(places[ids[slot(oldest)]]) }

    /// Whether the object of a place has had hits enough to be promoted, unless it is in main.
    @inline(__always)
    func isDue(_ place: UInt32) -> Bool { place % Self.step == Self.step - 1 }

    /// The place of a resident object after a hit that counts.
    @inline(__always)
    func raised(_ place: UInt32) -> UInt32 {
        let raised = place &+ 1
        return raised % Self.step == 0 ? place : raised
    }

    /// Counts a hit of an object of the small queue.
    @inline(__always)
    mutating func count(hitOf id: ObjectID) {
        let place = places[id]
        guard place < window else { return }
        places[id] = raised(place)
        if isDue(places[id]) { calm = min(calm, place & ~(Self.step - 1)) }
    }

    /// Makes an object the newest of the small queue.
    @inline(__always)
    mutating func append(_ id: ObjectID) {
        if next &- firstGhost == lap { pack() }
        if next &- base == lap { beginLap() }
        let slot = slot(next)
        ids[slot] = id
        places[id] = next + newcomer
        next += Self.step
        count += 1
    }

    /// Moves on to the oldest object. The small queue must not be empty.
    @inline(__always)
    mutating func skipGaps() {
        while marks[slot(oldest)] == 0 { oldest += Self.step }
    }

    /// Takes the oldest object out, leaving a ghost or none.
    @inline(__always)
    mutating func takeOldest(leavingGhost: Bool) {
        if !leavingGhost { marks[slot(oldest)] = 0 }
        ghostCount += leavingGhost ? 1 : 0
        count -= 1
        oldest += Self.step
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
        marks[slot(firstGhost)] = 1
        firstGhost += Self.step
    }

    /// Takes an object or ghost out, wherever it is.
    mutating func remove(_ id: ObjectID) {
        let position = places[id] & ~(Self.step - 1)
        let slot = slot(position)
        places[id] = Self.nowhere
        marks[slot] = 0
        guard position >= oldest else {
            ghostCount -= 1
            return
        }
        ids[slot] = Self.gap
        count -= 1
        calm = min(calm, position)
    }

    /// Moves every object and ghost to the lowest free position, in order.
    ///
    /// O(slots).
    @inline(never)
    private mutating func pack() {
        let (small, start, end) = (oldest, window, next)
        next = firstGhost
        for position in stride(from: firstGhost, to: end, by: Int(Self.step)) {
            if position == small { oldest = next }
            if position == start { window = next }
            let source = slot(position)
            guard marks[source] != 0 else { continue }
            let (id, target) = (ids[source], slot(next))
            ids[target] = id
            marks[target] = 1
            places[id] = next | places[id] % Self.step
            next += Self.step
        }
        for position in stride(from: next, to: end, by: Int(Self.step)) { marks[slot(position)] = 1 }
        if small == end { oldest = next }
        if start == end { window = next }
        calm = oldest
    }

    /// Begins again at the first slot.
    @inline(never)
    mutating func beginLap() {
        base = next
        // In two laps at most positions must not be mistaken for places in main.
        if next > firstOfMain - 2 * lap { beginAnew() }
    }

    /// Makes all positions as small as can be. O(objects), once in a billion positions.
    private mutating func beginAnew() {
        let excess = firstGhost - Self.step
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
