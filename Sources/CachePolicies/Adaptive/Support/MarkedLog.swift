internal import CIntrinsics
internal import CacheCore

/// The columns of a log from which anything may be taken: the objects in the order in which they were written, and a byte for
/// each.
///
/// An object that is taken leaves a gap, which moves nothing. Who is first after a slot is found by comparing a lane of bytes
/// at a time. Memory: 5 bytes a slot.
struct MarkedLog: ~Copyable {
    /// The object at each slot.
    let ids: FixedBuffer<ObjectID>
    /// What is at each slot: `gap`, or `vacant` for an object and where nothing was written yet.
    let marks: FixedBuffer<UInt8>

    /// The mark of a slot whose object was taken.
    static var gap: UInt8 { .max }
    /// The mark of an object, and of a slot that was not written yet.
    static var vacant: UInt8 { .max - 1 }
    /// The first slot of a log: what must change nothing is written before.
    static var margin: UInt32 { 64 }
    /// How many bytes are compared at once.
    @inline(__always)
    private static var lane: UInt32 { UInt32(ASSAY_LANE) }

    /// A bit for each of them.
    @inline(__always)
    static var allOfLane: UInt32 { 1 << lane - 1 }

    /// Columns of that many slots.
    init(slots: Int) {
        precondition(slots < 1 << 30, "more slots than places tell apart")
        // What lies after the end is read ahead.
        ids = FixedBuffer(repeating: 0, count: slots + 64)
        marks = FixedBuffer(repeating: Self.vacant, count: slots + 128)
    }

    /// A bit for each of a lane of slots, set where there is no gap.
    @inline(__always)
    func lane(at slot: UInt32) -> UInt32 { assay_lane_equal(marks.base + Int(slot), Self.gap) ^ Self.allOfLane }

    /// The first slot from one on that is no gap. O(slots that are passed).
    @inline(__always)
    func firstOccupied(from start: UInt32) -> UInt32 {
        var slot = start
        while true {
            let bits = lane(at: slot)
            if bits != 0 { return slot &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount) }
            slot &+= Self.lane
        }
    }

    /// The slot behind the last of so many objects from a slot on. O(slots that are passed).
    @inline(__always)
    func passed(_ count: Int, from start: UInt32) -> UInt32 {
        guard count > 0 else { return start }
        var (slot, rest) = (start, count)
        while true {
            var bits = lane(at: slot)
            let length = bits.nonzeroBitCount
            if length >= rest {
                // Mostly there is no gap before.
                let all: UInt32 = 1 &<< UInt32(truncatingIfNeeded: rest) &- 1
                if bits & all == all { return slot &+ UInt32(truncatingIfNeeded: rest) }
                for _ in 1..<rest { bits &= bits &- 1 }
                return slot &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount) &+ 1
            }
            rest &-= length
            slot &+= Self.lane
        }
    }

    /// Goes through so many objects from a slot on, and returns the slot behind the last. Announces some objects before that
    /// they are about to come, and others. O(slots that are passed).
    @inline(__always)
    func forEach(
        _ count: Int, from start: UInt32, _ body: (ObjectID) -> Void, announce: (ObjectID) -> Void
    ) -> UInt32 {
        var (slot, rest) = (start, count)
        var last = start
        while rest > 0 {
            var bits = lane(at: slot)
            let length = min(rest, bits.nonzeroBitCount)
            for _ in 0..<length {
                last = slot &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount)
                announce(ids[last &+ 32])
                body(ids[last])
                bits &= bits &- 1
            }
            rest &-= length
            slot &+= Self.lane
        }
        return count > 0 ? last &+ 1 : start
    }

    /// Moves the end of a zone on, at most to `end`, until it has so many objects.
    @inline(__always)
    func widen(_ zone: inout LogZone, to wanted: Int, before end: UInt32) {
        while zone.count < wanted, zone.end < end {
            let length = min(Self.lane, end &- zone.end)
            zone.count &+= (lane(at: zone.end) & (1 &<< length &- 1)).nonzeroBitCount
            zone.end &+= length
        }
    }

    /// Moves what is left in a range of slots together, from its start on, and returns where it ends then. Tells of each
    /// object where it is now, and some objects before that it is about to. O(slots of the range).
    @inline(__always)
    func pack(
        _ range: Range<UInt32>, to start: UInt32, announce: (ObjectID) -> Void, move: (ObjectID, UInt32) -> Void
    ) -> UInt32 {
        var target = start
        var first = range.lowerBound
        while first < range.upperBound {
            let length = min(64, range.upperBound &- first)
            var rest = occupied(from: first) & (.max &>> UInt64(64 &- length))
            while rest != 0 {
                let slot = first &+ UInt32(truncatingIfNeeded: rest.trailingZeroBitCount)
                // What was written next to the last may be an object that is not here any more.
                announce(ids[min(slot &+ 32, range.upperBound &- 1)])
                let id = ids[slot]
                (ids[target], marks[target]) = (id, marks[slot])
                move(id, target)
                target &+= 1
                rest &= rest &- 1
            }
            first &+= length
        }
        if target < range.upperBound {
            (marks.base + Int(target)).update(repeating: Self.vacant, count: Int(range.upperBound &- target))
        }
        return target
    }

    /// A bit for each of 64 slots, set where it is no gap.
    @inline(__always)
    private func occupied(from slot: UInt32) -> UInt64 {
        var bits: UInt64 = 0
        var part: UInt32 = 0
        while part < 64 {
            bits |= UInt64(lane(at: slot &+ part)) &<< UInt64(part)
            part &+= Self.lane
        }
        return bits
    }
}

/// The beginning of a log, up to a slot, and how many objects are in it.
struct LogZone: BitwiseCopyable {
    /// The slot behind the zone.
    var end = MarkedLog.margin
    /// The number of objects.
    var count = 0

    /// Counts an object less if it was in the zone.
    @inline(__always)
    mutating func lose(_ slot: UInt32) { count &-= slot < end ? 1 : 0 }
}
