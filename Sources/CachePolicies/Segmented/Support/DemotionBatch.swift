internal import CIntrinsics
internal import CacheCore

/// What sinks while a block of requests is served by a ``MultiQueue``, and what there is to know of each request.
struct DemotionBatch: ~Copyable {
    /// What is due in both logs, each followed by the slot behind the last, which is never due.
    let asked = FixedBuffer<Due>(repeating: Due(slot: 0, time: .max), count: Self.limit + 1)
    let sunk = FixedBuffer<Due>(repeating: Due(slot: 0, time: .max), count: Self.limit + 1)
    /// Four columns of a block, found by one address: ``leaves``, ``kinds``, ``lowest`` and ``places``.
    private let columns = FixedBuffer<UInt64>(repeating: 0, count: Self.size / 8)

    /// An object that sinks unless it is late.
    struct Due: BitwiseCopyable {
        var slot: UInt32
        /// After how many ticks, times four; what leaves first at a tick has the least to add to that.
        var time: UInt32

        static var sunk: UInt32 { 1 }
        static var asked: UInt32 { 2 }
    }

    /// The most objects of a log that are looked at together.
    static var limit: Int { 2 * ObjectBlock.limit }

    /// A byte for each request, 1 if something leaves for the lowest queue after it; as many more are written instead for what
    /// stays.
    static var leaves: Int { 0 }
    /// A byte for each request, the last first: bit 0 if it missed, bit 1 if something was known, bit 2 if above.
    static var kinds: Int { 2 * ObjectBlock.limit }
    /// The object that leaves for the lowest queue, and as many more that do not.
    static var lowest: Int { 3 * ObjectBlock.limit }
    /// The position that it gets there.
    static var places: Int { 11 * ObjectBlock.limit }
    private static var size: Int { 15 * ObjectBlock.limit }

    /// The columns.
    @inline(__always)
    var base: UnsafeMutableRawPointer { UnsafeMutableRawPointer(columns.base) }

    /// Forgets the last block.
    @inline(__always)
    func clear() { for word in 0..<UInt32(Self.lowest / 8) { columns[word] = 0 } }

    /// Notes what leaves for the lowest queue after a request.
    @inline(__always)
    func note(_ id: ObjectID, after request: Int) {
        base.storeBytes(of: 1, toByteOffset: Self.leaves &+ request, as: UInt8.self)
        base.storeBytes(of: id, toByteOffset: Self.lowest &+ 4 &* request, as: ObjectID.self)
    }

    /// A bit of each byte of a column.
    @inline(__always)
    func bits(_ column: Int, _ bit: Int32 = 0) -> UInt64 {
        assay_bits((base + column).assumingMemoryBound(to: UInt8.self), bit)
    }
}

/// What is due is known before the requests of a block are served, if they ask for none of it.
extension MultiQueue where Sizes: ~Copyable {
    /// Moves the clock on by so many ticks and lets what is due sink, but for what leaves for the lowest queue: that is noted in
    /// the plan, and has left its queue.
    @inline(__always)
    mutating func sink(ticks: Int) {
        plan.clear()
        let start = now
        let end = start &+ UInt32(ticks)
        while now != end {
            if lateQueues == 0 { sinkUnlessLate(until: end, from: start) } else { sinkOneTick(from: start) }
        }
    }

    private mutating func sinkOneTick(from start: UInt32) {
        let id = sinkAtNextTick()
        if id != .max { plan.note(id, after: Int(now &- start &- 1)) }
    }

    /// Moves the clock on until a queue has two objects due at a tick. Nothing may be late.
    @inline(never)
    private mutating func sinkUnlessLate(until end: UInt32, from start: UInt32) {
        let room = UInt32(2 * DemotionBatch.limit)
        if sunk.next + room > sunk.end { sunk = packed(sunk) }
        if sunk.next + room > sunk.end { return sinkOneTick(from: start) }
        var ticks = end &- now
        let askedCount = collectDue(asked, plan.asked, DemotionBatch.Due.asked, &ticks)
        let sunkCount = collectDue(sunk, plan.sunk, DemotionBatch.Due.sunk, &ticks)
        let (askedDue, sunkDue) = (plan.asked.base, plan.sunk.base)
        let (marks, entries, plans) = (marks.base, entries.base, plan.base)
        let upper = upper.base - Int(asked.start)
        let (passed, lasts) = (now &- start &- 1, now &+ lifetime)
        var (first, other, tick, queues) = (0, 0, UInt32(0), UInt32(0))
        var (next, left) = (Int(sunk.next), 0)
        while first &+ other < askedCount &+ sunkCount {
            let (one, two) = (askedDue[first], sunkDue[other])
            // Written so that it becomes no branch: what has sunk comes before what was asked for and expires with it.
            let isOne = UInt32(truncatingIfNeeded: (UInt64(one.time) &- UInt64(two.time)) &>> 63)
            let time = one.time ^ (one.time ^ two.time) & (isOne &- 1)
            let slot = one.slot ^ (one.slot ^ two.slot) & (isOne &- 1)
            let due = time &>> 2
            guard due <= ticks else { break }
            first &+= Int(isOne)
            other &+= Int(1 &- isOne)
            let mark = marks[Int(slot)]
            queues &= UInt32(truncatingIfNeeded: assay_all_if_zero(UInt64(due ^ tick)))
            tick = due
            let queue = UInt32(mark &>> 1)
            guard queues &>> queue & 1 == 0 else {
                if time & 3 == DemotionBatch.Due.asked {
                    // Its turn is the first at the next tick.
                    first &-= 1
                    askedDue[first].time = (due &+ 1) &<< 2
                } else {
                    lateQueues |= noteLate(slot)
                    // The rest of this tick.
                    ticks = due
                }
                continue
            }
            queues |= 1 &<< queue
            marks[Int(slot)] = 0
            let id = upper[Int(slot)].id
            // It is written as if it stayed and as if it left, of which one counts.
            let stays = Int(1 &- (UInt64(queue) &- 2) &>> 63)
            upper[next] = UpperSlot(id: id, expiry: lasts &+ due)
            marks[next] = mark &- 2
            let place = UInt32(truncatingIfNeeded: next) | QueueEntry.upper
            entries[Int(id)] = QueueEntry(place: place, count: entries[Int(id)].count)
            next &+= stays
            left &+= 1 &- stays
            let request = Int(passed &+ due) &+ ObjectBlock.limit &* stays
            plans.storeBytes(of: 1, toByteOffset: DemotionBatch.leaves &+ request, as: UInt8.self)
            plans.storeBytes(of: id, toByteOffset: DemotionBatch.lowest &+ 4 &* request, as: ObjectID.self)
        }
        (asked.hand, sunk.hand) = (askedDue[first].slot, sunkDue[other].slot)
        sunk.next = UInt32(next)
        upperCount -= left
        now &+= ticks
        findDue()
    }

    /// Notes what is due within so many ticks, or makes them fewer where that is too much.
    @inline(__always)
    private func collectDue(
        _ run: SlotRun, _ list: borrowing FixedBuffer<DemotionBatch.Due>, _ kind: UInt32, _ ticks: inout UInt32
    ) -> Int {
        let (list, marks, entries) = (list.base, marks.base, entries.base)
        let upper = upper.base - Int(asked.start)
        var (count, slot) = (0, Int(run.hand))
        while slot < Int(run.next) {
            let object = upper[slot]
            let time = object.expiry &- now
            // What is gone may have been due before.
            guard Int32(bitPattern: time) < Int32(bitPattern: ticks) else { break }
            assay_prefetch_to_write(entries + Int(object.id))
            list[count] = DemotionBatch.Due(slot: UInt32(truncatingIfNeeded: slot), time: (time &+ 1) &<< 2 | kind)
            count &+= Int(marks[slot] & 1)
            slot &+= 1
            guard count < DemotionBatch.limit else {
                ticks = time
                break
            }
        }
        list[count] = DemotionBatch.Due(slot: UInt32(slot), time: .max)
        return count
    }
}
