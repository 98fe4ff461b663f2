internal import CIntrinsics
internal import CacheCore

/// The queues above the lowest.
extension MultiQueue where Sizes: ~Copyable {
    /// Makes an object the newest of a queue above the lowest.
    @inline(__always)
    mutating func appendAsked(_ id: ObjectID, _ count: UInt32, to queue: UInt32) {
        if asked.next == asked.end { asked = packed(asked) }
        write(id, count, queue, at: asked.next)
        asked.next += 1
        upperCount += 1
    }

    /// The same for an object that sinks into that queue.
    @inline(__always)
    private mutating func appendSunk(_ id: ObjectID, to queue: UInt32) {
        if sunk.next == sunk.end { sunk = packed(sunk) }
        write(id, entries[id].count, queue, at: sunk.next)
        sunk.next += 1
        upperCount += 1
    }

    @inline(__always)
    private func write(_ id: ObjectID, _ count: UInt32, _ queue: UInt32, at slot: UInt32) {
        upper[slot - asked.start] = UpperSlot(id: id, expiry: now &+ lifetime)
        marks[slot] = Self.mark(queue)
        entries[id] = QueueEntry(place: slot | QueueEntry.upper, count: count)
    }

    /// Leaves a gap in a queue above the lowest.
    @inline(__always)
    mutating func leaveUpper(_ slot: UInt32) {
        if slot < (slot < sunk.start ? asked.hand : sunk.hand) {
            let queue = UInt32(marks[slot] >> 1)
            late[number(queue, slot)] -= 1
            if late[queue] + late[top + 1 + queue] == 0 { lateQueues &= ~(1 << queue) }
        }
        marks[slot] = 0
        upperCount -= 1
    }

    /// Moves the clock on and lets what is due sink.
    @inline(__always)
    mutating func tick() {
        let id = sinkAtNextTick()
        if id != .max { appendLowest(id, entries[id].count) }
    }

    /// Moves the clock on and lets the oldest object of each queue sink if it is due. Returns the one that leaves for the lowest
    /// queue, `.max` if none does.
    @inline(__always)
    mutating func sinkAtNextTick() -> ObjectID {
        now &+= 1
        findDue()
        return lateQueues == 0 ? .max : sinkLate()
    }

    /// Moves the hands past all that is due, which is late from now on.
    @inline(__always)
    mutating func findDue() {
        // What was asked for expires one by one, at most one at a tick, and whether one does at this one is hard to foretell.
        let slot = asked.hand
        let isThere = (UInt64(slot) &- UInt64(asked.next)) &>> 63
        let isOver = UInt64(bitPattern: Int64(Int32(bitPattern: expiry(of: slot) &- now))) &>> 63
        let passed = UInt32(truncatingIfNeeded: isThere & isOver)
        asked.hand = slot &+ passed
        if UInt32(marks[slot]) & (0 &- passed) != 0 { lateQueues |= noteLate(slot) }
        assert(asked.hand >= asked.next || !isDue(asked.hand), "two expire at a tick")
        while sunk.hand < sunk.next, isDue(sunk.hand) {
            becomeLate(sunk.hand)
            sunk.hand += 1
        }
    }

    @inline(__always)
    private func isDue(_ slot: UInt32) -> Bool { Int32(bitPattern: now &- expiry(of: slot)) > 0 }

    /// Lets what the hand has found wait for its queue's turn, if it is still there.
    @inline(__always)
    func noteLate(_ slot: UInt32) -> UInt32 {
        let queue = UInt32(marks[slot] >> 1)
        let number = number(queue, slot)
        // Nothing of the queue is left before what is late first.
        if late[number] == 0 { cursors[number] = slot }
        late[number] += 1
        return 1 << queue
    }

    @inline(__always)
    private mutating func becomeLate(_ slot: UInt32) { if marks[slot] != 0 { lateQueues |= noteLate(slot) } }

    /// Moves the oldest object of each queue with late ones down. Returns what ``sinkAtNextTick()`` does.
    @inline(never)
    private mutating func sinkLate() -> ObjectID {
        var lowest = ObjectID.max
        var queues = lateQueues
        while queues != 0 {
            let queue = UInt32(queues.trailingZeroBitCount)
            queues &= queues - 1
            let slot = oldestLateSlot(of: queue)
            let id = upper[slot - asked.start].id
            leaveUpper(slot)
            if queue == 1 { lowest = id } else { appendSunk(id, to: queue - 1) }
        }
        return lowest
    }

    /// Moves the oldest object of the lowest queue that is not empty into the lowest of all, which is empty.
    @inline(never)
    mutating func lowerVictim() {
        var (queue, slot) = (UInt32(1), oldestSlot(of: 1))
        while slot == .max {
            queue += 1
            slot = oldestSlot(of: queue)
        }
        let id = upper[slot - asked.start].id
        leaveUpper(slot)
        appendLowest(id, entries[id].count)
    }

    /// The slot of the oldest object of a queue above the lowest, `.max` if it is empty.
    @inline(__always)
    private func oldestSlot(of queue: UInt32) -> UInt32 {
        let first = firstSlot(of: queue, queue, before: asked.next)
        let other = firstSlot(of: queue, top + 1 + queue, before: sunk.next)
        guard first < asked.next else { return other < sunk.next ? other : .max }
        guard other < sunk.next else { return first }
        // What sinks at a tick precedes what is asked for after it and expires with it.
        return Int32(bitPattern: expiry(of: other) &- expiry(of: first)) <= 0 ? other : first
    }

    /// The slot of the oldest object of a queue of which some are late.
    @inline(__always)
    private func oldestLateSlot(of queue: UInt32) -> UInt32 {
        if late[top + 1 + queue] == 0 { return firstSlot(of: queue, queue, before: asked.next) }
        return late[queue] == 0 ? firstSlot(of: queue, top + 1 + queue, before: sunk.next) : oldestSlot(of: queue)
    }

    /// The first slot of a queue in a log, whose figures have that number there, or `end` if it has none before.
    @inline(__always)
    private func firstSlot(of queue: UInt32, _ number: UInt32, before end: UInt32) -> UInt32 {
        var slot = cursors[number]
        while slot < end {
            let found = assay_equal_of_16(marks.base + Int(slot), Self.mark(queue))
            if found != 0 {
                slot = min(end, slot &+ UInt32(truncatingIfNeeded: found.trailingZeroBitCount))
                break
            }
            slot = min(end, slot &+ 16)
        }
        cursors[number] = slot
        return slot
    }

    /// Moves the objects of a log to its start. O(slots).
    @inline(never)
    func packed(_ run: SlotRun) -> SlotRun {
        var run = run
        let (hand, end) = (run.hand, run.next)
        run.next = run.start
        for word in stride(from: run.start, to: end, by: 64) {
            var rest = assay_lowest_bits(marks.base + Int(word))
            if end - word < 64 { rest &= 1 << UInt64(end - word) - 1 }
            if hand >= word, hand < word + 64 {
                run.hand = run.next + UInt32((rest & (1 << UInt64(hand - word) - 1)).nonzeroBitCount)
            }
            while rest != 0 {
                let slot = word + UInt32(rest.trailingZeroBitCount)
                rest &= rest - 1
                let (object, mark) = (upper[slot - asked.start], marks[slot])
                marks[slot] = 0
                marks[run.next] = mark
                upper[run.next - asked.start] = object
                setPlace(run.next | QueueEntry.upper, of: object.id)
                run.next += 1
            }
        }
        if hand == end { run.hand = run.next }
        for queue in 0...top { cursors[number(queue, run.start)] = run.start }
        run.setEnd()
        return run
    }

    @inline(__always)
    func expiry(of slot: UInt32) -> UInt32 { upper[slot - asked.start].expiry }

    /// Where a queue's figures for the log of a slot are.
    @inline(__always)
    private func number(_ queue: UInt32, _ slot: UInt32) -> UInt32 { slot < sunk.start ? queue : top + 1 + queue }

    /// The mark of an object in a queue above the lowest.
    @inline(__always)
    static func mark(_ queue: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: queue << 1 | 1) }
}
