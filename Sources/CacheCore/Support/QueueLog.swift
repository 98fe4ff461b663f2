public import CIntrinsics

/// The columns of a ``ClockHandQueue``. What changes with every request is in ``Ends``, which the queue keeps.
@frozen
public struct QueueLog: BitwiseCopyable {
    /// Where the hand is and how far the log is written.
    @frozen
    public struct Ends: BitwiseCopyable {
        /// The hand has passed all positions before this one.
        @usableFromInline var hand = QueueLog.first
        /// The next position to write. Unless the queue is empty, the position before it is occupied.
        @usableFromInline var head = QueueLog.first
        /// No object is older by position than this one and newer by rank: see ``QueueLog/enter(behindHand:_:)``.
        @usableFromInline var tail = QueueLog.first
        /// The number of objects.
        @usableFromInline var count = 0

        @inlinable init() {}
    }

    /// A log that is freed with its owner. A type of its own and not generic, because Swift 6.3 forgets the deinitialiser of a
    /// generic type of which every member is trivial, where it is destroyed behind a pointer.
    @frozen @usableFromInline
    struct Memory: ~Copyable {
        @usableFromInline let log: QueueLog

        @inlinable
        init(_ log: QueueLog) { self.log = log }

        @inlinable deinit { log.deallocate() }
    }

    /// The position of each object; `nowhere` for those that are not in the queue. The one before the first belongs to
    /// nobody: work that a hit does not need is done on it.
    @usableFromInline let places: UnsafeMutablePointer<UInt32>
    /// The object at each position.
    @usableFromInline let ids: UnsafeMutablePointer<ObjectID>
    /// A byte a position: `gap` where nothing belongs any more; else 0 unless the hand spares the object; 0 where nothing was
    /// written yet. Bytes, because a bit could not be set without reading its word, and what is read soon after it was
    /// written makes the processor wait. The byte of `nowhere` is never 0.
    @usableFromInline let marks: UnsafeMutablePointer<UInt8>
    /// The places, ids and stamps of the victims of a ``HandRegion``.
    @usableFromInline let plan: UnsafeMutablePointer<UInt32>
    /// The number of positions, a multiple of 64.
    @usableFromInline let length: UInt32

    /// The position of what is in no position.
    @inlinable static var nowhere: UInt32 { 0 }
    /// The first position that is written.
    @inlinable static var first: UInt32 { 64 }
    /// What says that nothing belongs to a position any more.
    @inlinable static var gap: UInt8 { 128 }
    /// The mark of what was asked for after the hand would have passed it, if it were not late.
    @inlinable static var markedAgain: UInt8 { 127 }

    @usableFromInline
    init(objects: Int, residents: Int, slotsPerResident: Int) {
        let positions = slotsPerResident * (residents + 205) / 64 * 64 + Int(Self.first)
        length = UInt32(positions)
        // The positions after the end are read ahead, or written before they are known to belong there.
        places = UnsafeMutablePointer.allocate(capacity: objects + 1) + 1
        ids = .allocate(capacity: positions + 64)
        marks = .allocate(capacity: positions)
        plan = .allocate(capacity: 3 * Self.planLength)
        (places - 1).initialize(repeating: Self.nowhere, count: objects + 1)
        ids.initialize(repeating: 0, count: positions + 64)
        marks.initialize(repeating: 0, count: positions)
        plan.initialize(repeating: 0, count: 3 * Self.planLength)
        marks[Int(Self.nowhere)] = 1
    }

    @usableFromInline
    func deallocate() {
        (places - 1).deallocate()
        ids.deallocate()
        marks.deallocate()
        plan.deallocate()
    }

    @inlinable @inline(__always)
    func prefetch(_ id: ObjectID) { assay_prefetch_to_write(places + Int(id)) }

    /// Those of 64 positions, a bit each, to which an object without a mark belongs, or which were not written yet.
    @inline(__always)
    func unmarked(_ word: UInt32) -> UInt64 { assay_equal_bytes(marks + Int(word) * 64, 0) }

    /// Those of 64 positions, a bit each, to which an object belongs, or which were not written yet.
    @inline(__always)
    private func live(_ word: UInt32) -> UInt64 { ~assay_bits(marks + Int(word) * 64, 7) }

    /// Takes the marks off the objects from a position to before another of the same 64, but leaves one on those that were
    /// marked again.
    @inline(__always)
    func pass(_ first: UInt32, before end: UInt32) {
        assay_keep_full(marks + Int(first & ~63), Int32(first & 63), Int32(end - first & ~63))
    }

    /// Moves the hand to the first object without a mark, takes the marks off those that it passes, and returns the position.
    /// Something must be live.
    @inlinable @inline(__always)
    func find(_ ends: inout Ends) -> UInt32 {
        // Mostly it is near, and bytes that were just written are read one by one sooner than many at once.
        var place = ends.hand
        let near = min(place &+ 8, ends.head)
        while place < near {
            let mark = marks[Int(place)]
            if mark == 0 {
                ends.hand = place
                return place
            }
            marks[Int(place)] = mark & Self.gap
            place &+= 1
        }
        ends.hand = place
        return findFar(&ends)
    }

    /// The rest of ``find(_:)``, 64 positions at once.
    @inline(never) @usableFromInline
    func findFar(_ ends: inout Ends) -> UInt32 {
        while true {
            let word = ends.hand >> 6
            let end = min(word << 6 + 64, ends.head)
            let unmarked = unmarked(word) & .max << UInt64(ends.hand & 63)
            let found = word << 6 + UInt32(unmarked.trailingZeroBitCount)
            if ends.hand < min(found, end) { pass(ends.hand, before: min(found, end)) }
            ends.hand = min(found, end)
            if found < end { return found }
            if end == ends.head { wrap(&ends) }
        }
    }

    /// Puts the hand before the oldest object; packs the log if the hand has crossed mostly empty words.
    func wrap(_ ends: inout Ends) {
        ends.tail = Self.first
        ends.hand = Self.first
        if Int(ends.head >> 6) > 16 + ends.count >> 4 { pack(&ends) }
    }

    /// Takes the object at the hand out of the log and leaves the hand behind it.
    @inlinable @inline(__always)
    func take(_ place: UInt32, _ ends: inout Ends) {
        marks[Int(place)] = Self.gap
        ends.hand = place + 1
        if ends.hand == ends.head { shorten(&ends) }
    }

    /// Takes the object out of the log that the hand finds, and appends another.
    @inline(never) @usableFromInline
    func exchange(for id: ObjectID, _ ends: inout Ends) {
        let place = find(&ends)
        places[Int(ids[Int(place)])] = Self.nowhere
        take(place, &ends)
        append(id, &ends)
    }

    /// Writes an object at the head, and packs the log if that fills it.
    @inlinable @inline(__always)
    func append(_ id: ObjectID, _ ends: inout Ends) {
        ids[Int(ends.head)] = id
        places[Int(id)] = ends.head
        ends.head &+= 1
        if ends.head == length { pack(&ends) }
    }

    /// Writes an object where the hand comes to it last: at the free position behind the hand, or at the head once what
    /// the hand has passed lies before it.
    @inline(never) @usableFromInline
    func enter(behindHand id: ObjectID, _ ends: inout Ends) {
        if ends.hand >= ends.head { wrap(&ends) }
        let behind = ends.hand - 1
        guard behind >= Self.first, marks[Int(behind)] == Self.gap else {
            reenter(&ends)
            return append(id, &ends)
        }
        marks[Int(behind)] = 0
        ids[Int(behind)] = id
        places[Int(id)] = behind
        ends.tail = min(ends.tail, behind)
    }

    /// Moves what the hand has passed behind the head, where it belongs by rank.
    private func reenter(_ ends: inout Ends) {
        if Int(ends.head) + ends.count >= length { pack(&ends) }
        for place in Int(ends.tail)..<Int(max(ends.tail, ends.hand)) where marks[place] != Self.gap {
            marks[Int(ends.head)] = marks[place]
            marks[place] = Self.gap
            append(ids[place], &ends)
        }
        ends.tail = ends.hand
    }

    /// Takes any position out of the log.
    @inline(never) @usableFromInline
    func remove(_ place: UInt32, _ ends: inout Ends) {
        marks[Int(place)] = Self.gap
        if place + 1 == ends.head { shorten(&ends) }
    }

    /// Takes back the positions after the newest object. A hand that nothing newer awaits starts again from the oldest,
    /// whatever enters meanwhile.
    @inline(never) @usableFromInline
    func shorten(_ ends: inout Ends) {
        while ends.head > Self.first, marks[Int(ends.head - 1)] == Self.gap {
            ends.head -= 1
            marks[Int(ends.head)] = 0
        }
        if ends.hand >= ends.head { wrap(&ends) }
    }

    /// Moves every object to the lowest free position, in order, so that the rest of the log can be written again.
    @inline(never) @usableFromInline
    func pack(_ ends: inout Ends) {
        let old = ends
        ends = Ends()
        ends.count = old.count
        (ends.hand, ends.tail) = (old.head, old.head)
        for word in Self.first >> 6..<(old.head + 63) >> 6 {
            let end = old.head - word << 6
            var rest = live(word) & (end < 64 ? 1 << UInt64(end) - 1 : .max)
            while rest != 0 {
                let place = word << 6 + UInt32(rest.trailingZeroBitCount)
                // The next objects' places lie anywhere in a large table.
                prefetch(ids[Int(place + 32)])
                if place >= old.hand { ends.hand = min(ends.hand, ends.head) }
                if place >= old.tail { ends.tail = min(ends.tail, ends.head) }
                marks[Int(ends.head)] = marks[Int(place)]
                ids[Int(ends.head)] = ids[Int(place)]
                places[Int(ids[Int(ends.head)])] = ends.head
                ends.head += 1
                rest &= rest - 1
            }
        }
        (marks + Int(ends.head)).update(repeating: 0, count: Int(old.head - ends.head))
        (ends.hand, ends.tail) = (min(ends.hand, ends.head), min(ends.tail, ends.head))
    }
}
