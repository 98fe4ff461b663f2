public import CPrefetch

/// Where the hand of a ``HandedQueue`` is and how far its log is written: small enough to stay in registers.
@frozen
public struct QueueCursor: BitwiseCopyable {
    /// The positions of the hand's word that the hand may take: not passed, not marked; unwritten positions are set.
    @usableFromInline var candidates: UInt64 = 0
    /// The bit of the hand's position in its word, 0 if that is the next word's first.
    ///
    /// Where no object is ever marked it may lag behind, because whatever the hand has passed is gone.
    @usableFromInline var handBit: UInt64 = 1
    @usableFromInline var handWord: UInt32 = 0
    /// The next position to write. Unless the queue is empty, the position before it is occupied.
    @usableFromInline var head: UInt32 = 0
    /// No object is older by position than this one and newer by rank: see ``QueueLog/reentered(_:)``.
    @usableFromInline var tail: UInt32 = 0
    @usableFromInline var count = 0
    @usableFromInline var weight = 0

    @inlinable init() {}

    /// The position that the hand would take; past its word if it has no candidate there.
    @inlinable @inline(__always)
    var candidate: UInt32 { handWord << 6 &+ UInt32(truncatingIfNeeded: candidates.trailingZeroBitCount) }

    /// The position of the hand.
    @inlinable @inline(__always)
    var hand: UInt32 { handWord << 6 &+ UInt32(truncatingIfNeeded: handBit.trailingZeroBitCount) }

    /// Whether the candidate may lie outside of what is written, or is the newest object, whose departure is special.
    @inlinable @inline(__always)
    func isUncertain(_ candidate: UInt32) -> Bool { candidates == 0 || candidate &+ 1 >= head }

    /// Takes a position off the candidates if it is one.
    @inlinable @inline(__always)
    mutating func strike(_ place: UInt32) { candidates &= ~(place >> 6 == handWord ? QueueLog.bit(place) : 0) }
}

/// The columns of a ``HandedQueue``, and the rarer steps on them as functions from cursor to cursor: a cursor that is
/// never lent by address can live in registers.
@frozen
public struct QueueLog: BitwiseCopyable {
    /// The position of each object; `length` for those that are not in the queue. One more belongs to `nobody`.
    @usableFromInline let places: UnsafeMutablePointer<UInt32>
    /// The object at each position.
    @usableFromInline let ids: UnsafeMutablePointer<ObjectID>
    /// For each position whether its object belongs there; set where nothing was written yet.
    @usableFromInline let live: UnsafeMutablePointer<UInt64>
    /// For each position whether the hand spares its object; clear where nothing belongs.
    @usableFromInline let marks: UnsafeMutablePointer<UInt64>
    /// The number of positions, a multiple of 64.
    @usableFromInline let length: UInt32
    /// An id that no object has: work that a hit or a miss does not need is done on it.
    @usableFromInline let nobody: ObjectID

    @usableFromInline
    init(objects: Int, residents: Int) {
        // Three positions an object: a log that is packed when full copies every other position once.
        let positions = (3 * residents + 1024) / 64 * 64
        length = UInt32(positions)
        nobody = ObjectID(objects)
        // The positions after the end are read ahead and never written; the word after the end belongs to `length`.
        places = .allocate(capacity: objects + 1)
        ids = .allocate(capacity: positions + 64)
        live = .allocate(capacity: positions / 64 + 1)
        marks = .allocate(capacity: positions / 64 + 1)
        places.initialize(repeating: length, count: objects + 1)
        ids.initialize(repeating: 0, count: positions + 64)
        live.initialize(repeating: .max, count: positions / 64 + 1)
        marks.initialize(repeating: 0, count: positions / 64 + 1)
    }

    @usableFromInline
    func deallocate() {
        places.deallocate()
        ids.deallocate()
        live.deallocate()
        marks.deallocate()
    }

    /// The bit of a position in its word.
    @inlinable @inline(__always)
    static func bit(_ place: UInt32) -> UInt64 { 1 &<< UInt64(place & 63) }

    @inlinable @inline(__always)
    func prefetch(_ id: ObjectID) { assay_prefetch_to_write(places + Int(id)) }

    /// Says that nothing belongs to a position any more.
    @inlinable @inline(__always)
    func clear(_ place: UInt32) { live[Int(place >> 6)] &= ~Self.bit(place) }

    @inlinable @inline(__always)
    func isLive(_ place: UInt32) -> Bool { live[Int(place >> 6)] & Self.bit(place) != 0 }

    /// Puts the hand at the start of a word.
    @usableFromInline
    func atWord(_ word: UInt32, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        cursor.handWord = word
        cursor.handBit = 1
        return withCandidates(cursor)
    }

    private func withCandidates(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        let word = Int(cursor.handWord)
        cursor.candidates = live[word] & ~marks[word] & ~(cursor.handBit &- 1)
        return cursor
    }

    /// Moves the hand to the first object without a mark, clearing the marks that it passes. Something must be live.
    @inline(never) @usableFromInline
    func found(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        while cursor.candidates == 0 || cursor.candidate >= cursor.head {
            marks[Int(cursor.handWord)] &= cursor.handBit &- 1
            let next = cursor.handWord + 1
            cursor = next << 6 < cursor.head ? atWord(next, cursor) : wrapped(cursor)
        }
        return cursor
    }

    /// Puts a hand that has found its candidate just before it, and takes the marks off what lies between.
    @inline(never) @usableFromInline
    func settled(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        let bit = Self.bit(cursor.candidate)
        marks[Int(cursor.handWord)] &= ~(bit &- cursor.handBit)
        cursor.handBit = bit
        return cursor
    }

    /// Puts the hand before the oldest object; packs the log if the hand has crossed mostly empty words.
    private func wrapped(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        cursor.tail = 0
        cursor = atWord(0, cursor)
        return Int(cursor.head >> 6) > 16 + cursor.count >> 4 ? packed(cursor) : cursor
    }

    /// Takes the candidate out of the log, which lies at `place`, and leaves the hand behind it.
    @inline(never) @usableFromInline
    func taken(_ place: UInt32, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        let bit = Self.bit(place)
        clear(place)
        marks[Int(cursor.handWord)] &= ~(bit &- cursor.handBit)
        cursor.handBit = bit << 1
        cursor.candidates &= ~bit
        return place + 1 == cursor.head ? shortened(cursor) : cursor
    }

    /// Takes the object out of the log that the hand finds, and appends another.
    @inline(never) @usableFromInline
    func exchanged(for id: ObjectID, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = found(cursor)
        places[Int(ids[Int(cursor.candidate)])] = length
        cursor = taken(cursor.candidate, cursor)
        return appended(id, cursor)
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
        var cursor = cursor.hand >= cursor.head ? wrapped(cursor) : cursor
        let behind = cursor.hand &- 1
        guard cursor.hand > 0, !isLive(behind) else { return appended(id, reentered(cursor)) }
        live[Int(behind >> 6)] |= Self.bit(behind)
        ids[Int(behind)] = id
        places[Int(id)] = behind
        cursor.tail = min(cursor.tail, behind)
        return cursor
    }

    /// Moves what the hand has passed behind the head, where it belongs by rank.
    private func reentered(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        if Int(cursor.head) + cursor.count >= length { cursor = packed(cursor) }
        for place in cursor.tail..<max(cursor.tail, cursor.hand) where isLive(place) {
            let (from, to) = (Int(place >> 6), Int(cursor.head >> 6))
            if marks[from] & Self.bit(place) != 0 { marks[to] |= Self.bit(cursor.head) }
            marks[from] &= ~Self.bit(place)
            clear(place)
            cursor = appended(ids[Int(place)], cursor)
        }
        cursor.tail = cursor.hand
        return withCandidates(cursor)
    }

    /// Takes any position out of the log.
    @inline(never) @usableFromInline
    func removed(_ place: UInt32, _ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        clear(place)
        marks[Int(place >> 6)] &= ~Self.bit(place)
        cursor.strike(place)
        return place + 1 == cursor.head ? shortened(cursor) : cursor
    }

    /// Takes back the positions after the newest object. A hand that nothing newer awaits starts again from the oldest,
    /// whatever enters meanwhile.
    private func shortened(_ cursor: QueueCursor) -> QueueCursor {
        var cursor = cursor
        while cursor.head > 0, !isLive(cursor.head - 1) {
            cursor.head -= 1
            live[Int(cursor.head >> 6)] |= Self.bit(cursor.head)
        }
        return cursor.hand >= cursor.head ? wrapped(cursor) : withCandidates(cursor)
    }

    /// Moves every object to the lowest free position, in order, so that the rest of the log can be written again.
    @inline(never) @usableFromInline
    func packed(_ cursor: QueueCursor) -> QueueCursor {
        var (hand, tail, target) = (cursor.head, cursor.head, UInt32(0))
        for word in 0..<(cursor.head + 63) >> 6 {
            let end = cursor.head - word << 6
            var rest = live[Int(word)] & (end < 64 ? 1 << UInt64(end) - 1 : .max)
            let marked = marks[Int(word)]
            live[Int(word)] = .max
            while rest != 0 {
                let place = word << 6 + UInt32(rest.trailingZeroBitCount)
                // The next objects' places lie anywhere in a large table.
                prefetch(ids[Int(place + 32)])
                if place >= cursor.hand { hand = min(hand, target) }
                if place >= cursor.tail { tail = min(tail, target) }
                if target & 63 == 0 { marks[Int(target >> 6)] = 0 }
                if marked & Self.bit(place) != 0 { marks[Int(target >> 6)] |= Self.bit(target) }
                ids[Int(target)] = ids[Int(place)]
                places[Int(ids[Int(target)])] = target
                target += 1
                rest &= rest - 1
            }
        }
        let written = Int(target + 63) >> 6
        (marks + written).update(repeating: 0, count: max(0, Int((cursor.head + 63) >> 6) - written))
        var cursor = cursor
        cursor.head = target
        cursor.tail = min(tail, target)
        hand = min(hand, target)
        cursor.handWord = hand >> 6
        cursor.handBit = Self.bit(hand)
        return withCandidates(cursor)
    }
}
