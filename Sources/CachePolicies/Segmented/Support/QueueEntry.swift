internal import CacheCore

/// What a ``MultiQueue`` knows of an object, in one word that is read and written at once.
struct QueueEntry: BitwiseCopyable {
    private var word: UInt64

    /// An object at a place that was asked for so often.
    @inline(__always)
    init(place: UInt32, count: UInt32) { word = UInt64(count) &<< 32 | UInt64(place) }

    /// The position in the lowest queue or among the ghosts; with ``upper`` set, the slot in a queue above.
    @inline(__always)
    var place: UInt32 { UInt32(truncatingIfNeeded: word) }
    /// How often it was asked for.
    @inline(__always)
    var count: UInt32 { UInt32(truncatingIfNeeded: word &>> 32) }

    /// The bit of a place that tells the queues above from the lowest.
    static var upper: UInt32 { 1 << 31 }
    /// The place of what is nowhere.
    static var nowhere: UInt32 { 0 }
}

/// A slot of the queues above the lowest.
struct UpperSlot: BitwiseCopyable {
    var id: ObjectID
    /// When the object may sink. The clock wraps around: only differences count.
    var expiry: UInt32
}

/// A part of the slots that is written from its start to its end and then packed.
struct SlotRun: BitwiseCopyable {
    let start: UInt32
    /// The first slot that does not belong to it.
    let bound: UInt32
    /// Where it is packed: far behind what was left of it, near enough for all of it to stay in a processor's cache.
    var end: UInt32
    /// No object before this slot waits for its time; those that are there are late.
    var hand: UInt32
    /// The next slot to write.
    var next: UInt32

    init(start: Int, count: Int) {
        (self.start, bound) = (UInt32(start), UInt32(start + count))
        (hand, next, end) = (self.start, self.start, self.start)
        setEnd()
    }

    /// Finds the next end after a packing, which costs so much less than what is written until then.
    mutating func setEnd() { end = min(bound, next + 3 * (next - start) + 1024) }
}
