internal import CacheCore

/// The queues of MQ as logs in which nothing moves: what is renewed is written again at an end, and leaves a gap where it was.
///
/// - The queues above the lowest share two logs, one of what was asked for and one of what has sunk into another of them. All
///   objects there have the same lifetime, so that each log is in the order in which they expire: a hand in each finds what is due,
///   whatever its queue. What is due while another object of its queue sinks is late and waits behind the hand.
/// - The lowest queue and the ghosts are one log, since objects become ghosts in the order in which they enter that queue:
///   evicting moves one end, forgetting another. Its positions only grow, and its slots are a ring.
///
/// All operations are O(1) amortised, but O(slots) where the lowest queue is empty and a victim is looked for for the first time
/// since the logs were packed. Memory: 8 bytes an id; 9 a slot of the logs above, of which there are four or five for each object
/// that may be resident; 5 a slot of the ring, which is as long as the next power of two of 1.6 times the objects and ghosts; 8
/// more an id in bytes.
struct MultiQueue<Sizes: SizeStore & ~Copyable>: ~Copyable {
    let entries: FixedBuffer<QueueEntry>
    /// 0 for a gap; 1 in the ring, and above twice the number of the queue and 1 more. The slots of the ring are the first; those
    /// of what was asked for and of what has sunk follow.
    let marks: FixedBuffer<UInt8>
    /// The objects at the slots of the ring.
    let ids: FixedBuffer<ObjectID>
    /// What is at the slots behind the ring.
    let upper: FixedBuffer<UpperSlot>
    /// What was asked for, in the queues above the lowest.
    var asked: SlotRun
    /// What has sunk, but not into the lowest queue.
    var sunk: SlotRun
    /// For each queue, first in `asked` and then in `sunk`: a slot before which it has no object.
    let cursors: FixedBuffer<UInt32>
    /// The same way: how many objects are late.
    let late: FixedBuffer<UInt32>
    /// A bit for each queue with a late object.
    var lateQueues: UInt32 = 0
    var now: UInt32 = 0
    let lifetime: UInt32
    /// The number of the highest queue.
    let top: UInt32

    /// One less than the slots of the ring, which are the first.
    let mask: UInt32
    /// No ghost is at a position before this one.
    var firstGhost: UInt32
    /// No object of the lowest queue is at a position before this one, and no ghost at or after it.
    var oldest: UInt32
    /// The next position to write.
    var next: UInt32
    let ghostLimit: Int
    var (lowCount, upperCount, ghostCount) = (0, 0, 0)
    private let sizes: Sizes
    private var (totalWeight, totalGhostWeight) = (0, 0)
    /// The object that is being inserted, `.max` for none: if its ghost is dropped meanwhile, that is not reported.
    var incoming: ObjectID = .max
    let plan: DemotionBatch

    /// Queues `0...top` and ghosts that weigh at most `ghostLimit`. Positions begin at `start`.
    init(_ configuration: PolicyConfiguration, top: UInt32, lifetime: UInt32, ghostLimit: Int, start: UInt32 = 1) {
        let objects = configuration.objects.count
        let residents = min(objects, configuration.residentLimit)
        let remembered = min(objects, residents + configuration.objectLimit(of: ghostLimit))
        precondition(remembered < 1 << 28, "more objects than positions tell apart")
        let length = FrequencySketch.words(for: max(remembered + Self.margin, remembered * 8 / 5))
        asked = SlotRun(start: length, count: max(2, configuration.logSlotsPerResident - 2) * residents + Self.margin)
        sunk = SlotRun(start: Int(asked.bound), count: 2 * residents + Self.margin)
        mask = UInt32(length - 1)
        entries = FixedBuffer(repeating: QueueEntry(place: QueueEntry.nowhere, count: 0), count: objects)
        // The last one is written instead of a gap that nobody leaves.
        ids = FixedBuffer(repeating: 0, count: length)
        marks = FixedBuffer(repeating: 0, count: Int(sunk.bound) + 16)
        upper = FixedBuffer(repeating: UpperSlot(id: 0, expiry: 0), count: Int(sunk.bound) - length)
        cursors = FixedBuffer(repeating: 0, count: 2 * Int(top + 1))
        late = FixedBuffer(repeating: 0, count: 2 * Int(top + 1))
        plan = DemotionBatch()
        sizes = Sizes(slots: objects)
        (self.top, self.lifetime, self.ghostLimit) = (top, lifetime, ghostLimit)
        (firstGhost, oldest, next) = (start, start, start)
        for queue in 0...top { (cursors[queue], cursors[top + 1 + queue]) = (asked.start, sunk.start) }
    }

    /// The slots of a log that are left for a block of requests.
    static var margin: Int { 2 * ObjectBlock.limit }

    /// The number of resident objects.
    var count: Int { lowCount + upperCount }
    /// The total weight of the resident objects.
    var weight: Int { Sizes.isUnit ? count : totalWeight }
    private var ghostWeight: Int { Sizes.isUnit ? ghostCount : totalGhostWeight }

    /// Whether an object is resident.
    @inline(__always)
    func contains(_ id: ObjectID) -> Bool { entries[id].place >= oldest }

    /// Asks the processor to fetch what is known of an object.
    @inline(__always)
    func prefetch(_ id: ObjectID) { entries.prefetch(id) }

    /// Counts a hit, renews the object, ticks the clock, and returns true if the object is resident.
    @inline(__always)
    mutating func touch(_ id: ObjectID) -> Bool {
        let entry = entries[id]
        guard entry.place >= oldest else { return false }
        leave(entry.place)
        enter(id, Self.increased(entry.count))
        tick()
        return true
    }

    /// Makes an object, of which nothing is known, resident with a count, and ticks the clock.
    @inline(__always)
    mutating func add(_ id: ObjectID, weight: Int, count: UInt32) {
        sizes.setWeight(weight, at: id)
        totalWeight += Sizes.isUnit ? 0 : weight
        enter(id, count)
        tick()
    }

    /// Drops an object's ghost and returns its count, 0 if there is none.
    @inline(__always)
    mutating func takeGhost(of id: ObjectID) -> UInt32 {
        let entry = entries[id]
        guard entry.place >= firstGhost, entry.place < oldest else { return 0 }
        dropGhost(id, at: entry.place)
        return entry.count
    }

    /// Evicts the oldest object of the lowest queue that is not empty, and leaves a ghost unless that is too heavy. There must
    /// be one.
    @inline(__always)
    mutating func evictOldest<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if lowCount == 0 { lowerVictim() }
        let id = oldestOfLowest()
        let weight = sizes.weight(at: id)
        sink.evicted(id)
        totalWeight -= Sizes.isUnit ? 0 : weight
        lowCount -= 1
        if weight <= ghostLimit {
            while ghostWeight > ghostLimit - weight { forgetOldestGhost(into: &sink) }
            ghostCount += 1
            totalGhostWeight += Sizes.isUnit ? 0 : weight
        } else {
            marks[slot(oldest)] = 0
            entries[id] = QueueEntry(place: QueueEntry.nowhere, count: 0)
            sink.forgotten(id)
        }
        oldest += 1
    }

    /// Takes an object out, resident or ghost; does nothing for any other.
    mutating func remove(_ id: ObjectID) {
        let place = entries[id].place
        guard place >= firstGhost else { return }
        guard place >= oldest else { return dropGhost(id, at: place) }
        leave(place)
        entries[id] = QueueEntry(place: QueueEntry.nowhere, count: 0)
        totalWeight -= Sizes.isUnit ? 0 : sizes.weight(at: id)
    }

    /// A count and one more.
    @inline(__always)
    static func increased(_ count: UInt32) -> UInt32 { count &+ 1 &- (count &+ 1) &>> 31 }

    /// The queue of a count, which is not 0.
    @inline(__always)
    func queue(of count: UInt32) -> UInt32 {
        // The lower of two numbers, written so that it becomes no branch.
        let excess = 31 &- UInt32((count | 1).leadingZeroBitCount) &- top
        return top &+ excess & UInt32(bitPattern: Int32(bitPattern: excess) &>> 31)
    }

    private mutating func dropGhost(_ id: ObjectID, at place: UInt32) {
        marks[slot(place)] = 0
        entries[id] = QueueEntry(place: QueueEntry.nowhere, count: 0)
        ghostCount -= 1
        totalGhostWeight -= Sizes.isUnit ? 0 : sizes.weight(at: id)
    }

    private mutating func forgetOldestGhost<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while marks[slot(firstGhost)] == 0 { firstGhost += 1 }
        let id = ids[slot(firstGhost)]
        firstGhost += 1
        ghostCount -= 1
        totalGhostWeight -= Sizes.isUnit ? 0 : sizes.weight(at: id)
        if id != incoming { sink.forgotten(id) }
    }

    /// Leaves a gap where a resident object was.
    @inline(__always)
    private mutating func leave(_ place: UInt32) {
        guard place >= QueueEntry.upper else {
            marks[slot(place)] = 0
            lowCount -= 1
            return
        }
        leaveUpper(place & ~QueueEntry.upper)
    }

    /// Writes an object at the end of the log to which its count brings it.
    @inline(__always)
    private mutating func enter(_ id: ObjectID, _ count: UInt32) {
        let queue = queue(of: count)
        if queue == 0 { appendLowest(id, count) } else { appendAsked(id, count, to: queue) }
    }

    /// Writes down where an object is from now on.
    @inline(__always)
    func setPlace(_ place: UInt32, of id: ObjectID) {
        entries[id] = QueueEntry(place: place, count: entries[id].count)
    }
}
