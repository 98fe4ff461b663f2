public import CPrefetch

/// The columns of a ``HandedQueue``, and the rarer steps on them as functions from cursor to cursor: a cursor that is
/// never lent by address can live in registers.
@frozen
public struct QueueLog: BitwiseCopyable {
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
    /// Two words for 64 positions: whether an object belongs there (set where nothing was written yet), and whether the
    /// hand spares it (clear where nothing belongs).
    ///
    /// Of the positions ahead in the hand's region the cursor knows which are candidates, and they are clear in both; the
    /// others that are live are marked, and clear in the second. So the hand passes and takes without a word to memory.
    @usableFromInline let bits: UnsafeMutablePointer<UInt64>
    @usableFromInline let totals: UnsafeMutablePointer<QueueTotals>
    /// The number of positions, a multiple of 64.
    @usableFromInline let length: UInt32

    /// The position of what is in no position. Nothing in its word is live, and what is marked there does not matter.
    @inlinable static var nowhere: UInt32 { 0 }
    /// The first position that is written.
    @inlinable static var first: UInt32 { 64 }

    @usableFromInline
    init(objects: Int, residents: Int, slotsPerResident: Int) {
        let positions = slotsPerResident * (residents + 205) / 64 * 64 + Int(Self.first)
        length = UInt32(positions)
        // The positions after the end are read ahead and never written.
        places = UnsafeMutablePointer.allocate(capacity: objects + 1) + 1
        ids = .allocate(capacity: positions + 64)
        bits = .allocate(capacity: positions / 32)
        totals = .allocate(capacity: 1)
        (places - 1).initialize(repeating: Self.nowhere, count: objects + 1)
        ids.initialize(repeating: 0, count: positions + 64)
        totals.initialize(to: QueueTotals())
        bits.initialize(repeating: 0, count: positions / 32)
        for word in Self.first >> 6..<length >> 6 { bits[Self.live(word)] = .max }
    }

    @usableFromInline
    func deallocate() {
        (places - 1).deallocate()
        ids.deallocate()
        bits.deallocate()
        totals.deallocate()
    }

    /// The bit of a position in its word.
    @inlinable @inline(__always)
    static func bit(_ place: UInt32) -> UInt64 { 1 &<< UInt64(place & 63) }

    /// Where the live bits of 64 positions are; their marks follow.
    @inlinable @inline(__always)
    static func live(_ word: UInt32) -> Int { Int(word) &<< 1 }

    /// Where the marks of 64 positions are.
    @inlinable @inline(__always)
    static func marks(_ word: UInt32) -> Int { live(word) | 1 }

    @inlinable @inline(__always)
    func prefetch(_ id: ObjectID) { assay_prefetch_to_write(places + Int(id)) }

    /// Says that nothing belongs to a position any more, which may be `nowhere`.
    @inlinable @inline(__always)
    func clear(_ place: UInt32) { bits[Self.live(place >> 6)] &= ~Self.bit(place) }

    /// Whether an object belongs to a position that does not lie ahead in the hand's region.
    @inlinable @inline(__always)
    func isLive(_ place: UInt32) -> Bool { bits[Self.live(place >> 6)] & Self.bit(place) != 0 }

    /// The position of the hand.
    @inlinable @inline(__always)
    func hand(_ cursor: QueueCursor) -> UInt32 {
        cursor.ahead == 0
            ? totals.pointee.limit : cursor.base &+ UInt32(truncatingIfNeeded: cursor.ahead.trailingZeroBitCount)
    }

    /// Marks the object at a position, which may be `nowhere`.
    @inlinable @inline(__always)
    func marked(_ place: UInt32, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        let bit = Self.bit(place)
        let inHandWord = cursor.inHandWord(place)
        // Ahead of the hand the mark would come off again: what remains is that the hand does not take it.
        let isAhead = cursor.ahead &>> UInt64(place & 63) & inHandWord & 1
        bits[Self.marks(place >> 6) ^ Int(truncatingIfNeeded: isAhead)] |= bit
        cursor.candidates &= ~(bit & inHandWord)
        return cursor
    }

    /// Puts the hand before a position, with what is written of the rest of its word as the region.
    @usableFromInline
    func entered(_ position: UInt32, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        cursor.base = position & ~63
        let limit = min(cursor.base + 64, cursor.head)
        let (live, marks) = (Self.live(position >> 6), Self.marks(position >> 6))
        cursor.ahead = .max << UInt64(position & 63) & ~(.max << UInt64(max(position, limit) - cursor.base))
        cursor.candidates = bits[live] & ~bits[marks] & cursor.ahead
        bits[live] &= ~cursor.candidates
        bits[marks] &= ~cursor.ahead
        totals.pointee.limit = limit
        return cursor
    }

    /// Writes down what the cursor knows of its region. The hand must then enter it again, or another.
    func left(_ cursor: QueueCursor) {
        let (live, marks) = (Self.live(cursor.base >> 6), Self.marks(cursor.base >> 6))
        bits[marks] |= bits[live] & cursor.ahead
        bits[live] |= cursor.candidates
    }

    /// Moves the hand to a region with an object without a mark, and so takes the marks off what it passes. Something
    /// must be live.
    @inline(never) @usableFromInline
    func found(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        while cursor.candidates == 0 {
            let limit = totals.pointee.limit
            cursor = limit < cursor.head ? entered(limit, cursor) : wrapped(cursor)
        }
        return cursor
    }

    /// Puts the hand before the oldest object; packs the log if the hand has crossed mostly empty words.
    private func wrapped(_ cursor: QueueCursor) -> QueueCursor {
        totals.pointee.tail = Self.first
        let cursor = entered(Self.first, cursor)
        return Int(cursor.head >> 6) > 16 + totals.pointee.count >> 4 ? packed(cursor) : cursor
    }

    /// Moves the hand past its candidate.
    @inlinable @inline(__always)
    func spared(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        let bit = cursor.candidateBit
        bits[Self.live(cursor.base >> 6)] |= bit
        cursor.pass(bit)
        return cursor
    }

    /// Takes the candidate out of the log and leaves the hand behind it.
    @inline(never) @usableFromInline
    func taken(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        let place = cursor.candidate
        cursor.pass(Self.bit(place))
        return place + 1 == cursor.head ? shortened(cursor) : cursor
    }

    /// Takes the object out of the log that the hand finds, and appends another.
    @inline(never) @usableFromInline
    func exchanged(for id: ObjectID, _ cursor: QueueCursor) -> QueueCursor {
        let cursor = found(cursor)
        places[Int(ids[Int(cursor.candidate)])] = Self.nowhere
        return appended(id, taken(cursor))
    }

    /// Writes an object at the head, and packs the log if that fills it.
    @inlinable @inline(__always)
    func appended(_ id: ObjectID, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        ids[Int(cursor.head)] = id
        places[Int(id)] = cursor.head
        cursor.head &+= 1
        return cursor.head == length ? packed(cursor) : cursor
    }

    /// Writes an object where the hand comes to it last: at the free position behind the hand, or at the head once what
    /// the hand has passed lies before it.
    @inline(never) @usableFromInline
    func enteredBehindHand(_ id: ObjectID, _ cursor: QueueCursor) -> QueueCursor {
        let cursor = hand(cursor) >= cursor.head ? wrapped(cursor) : cursor
        let behind = hand(cursor) - 1
        guard behind >= Self.first, !isLive(behind) else { return appended(id, reentered(cursor)) }
        bits[Self.live(behind >> 6)] |= Self.bit(behind)
        ids[Int(behind)] = id
        places[Int(id)] = behind
        totals.pointee.tail = min(totals.pointee.tail, behind)
        return cursor
    }

    /// Moves what the hand has passed behind the head, where it belongs by rank.
    private func reentered(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        if Int(cursor.head) + totals.pointee.count >= length { cursor = packed(cursor) }
        left(cursor)
        let (tail, hand) = (totals.pointee.tail, hand(cursor))
        for place in tail..<max(tail, hand) where isLive(place) {
            let (from, to) = (Self.marks(place >> 6), Self.marks(cursor.head >> 6))
            if bits[from] & Self.bit(place) != 0 { bits[to] |= Self.bit(cursor.head) }
            bits[from] &= ~Self.bit(place)
            clear(place)
            cursor = appended(ids[Int(place)], cursor)
        }
        totals.pointee.tail = hand
        return entered(hand, cursor)
    }

    /// Takes any position out of the log.
    @inline(never) @usableFromInline
    func removed(_ place: UInt32, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        clear(place)
        bits[Self.marks(place >> 6)] &= ~Self.bit(place)
        cursor.strike(place)
        return place + 1 == cursor.head ? shortened(cursor) : cursor
    }

    /// Takes back the positions after the newest object. A hand that nothing newer awaits starts again from the oldest,
    /// whatever enters meanwhile.
    private func shortened(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        left(cursor)
        let hand = hand(cursor)
        while cursor.head > Self.first, !isLive(cursor.head - 1) {
            cursor.head -= 1
            bits[Self.live(cursor.head >> 6)] |= Self.bit(cursor.head)
        }
        return hand >= cursor.head ? wrapped(cursor) : entered(hand, cursor)
    }

    /// Moves every object to the lowest free position, in order, so that the rest of the log can be written again.
    @inline(never) @usableFromInline
    func packed(_ cursor: QueueCursor) -> QueueCursor {
        left(cursor)
        let (oldHand, oldTail) = (hand(cursor), totals.pointee.tail)
        var (hand, tail, target) = (cursor.head, cursor.head, Self.first)
        for word in Self.first >> 6..<(cursor.head + 63) >> 6 {
            let end = cursor.head - word << 6
            var rest = bits[Self.live(word)] & (end < 64 ? 1 << UInt64(end) - 1 : .max)
            let marked = bits[Self.marks(word)]
            bits[Self.live(word)] = .max
            bits[Self.marks(word)] = 0
            while rest != 0 {
                let place = word << 6 + UInt32(rest.trailingZeroBitCount)
                // The next objects' places lie anywhere in a large table.
                prefetch(ids[Int(place + 32)])
                if place >= oldHand { hand = min(hand, target) }
                if place >= oldTail { tail = min(tail, target) }
                if marked & Self.bit(place) != 0 { bits[Self.marks(target >> 6)] |= Self.bit(target) }
                ids[Int(target)] = ids[Int(place)]
                places[Int(ids[Int(target)])] = target
                target += 1
                rest &= rest - 1
            }
        }
        var cursor = cursor
        cursor.head = target
        totals.pointee.tail = min(tail, target)
        return entered(min(hand, target), cursor)
    }
}
