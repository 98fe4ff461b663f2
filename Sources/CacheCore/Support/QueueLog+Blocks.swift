internal import CPrefetch

/// Blocks of requests, served with the evictions put off: see ``HandedQueue/exchange(_:)``.
extension QueueLog {
    /// The most words of the log that a stretch may cover: looking for more costs more than it saves.
    @inlinable static var stretchWords: UInt32 { 16 }

    /// The stretch from the hand on. Makes the log ready for a block: everything the cursor knows is written down until the
    /// hand has caught up, and there is room at the head.
    @inline(never) @usableFromInline
    func stretch(_ cursor: inout QueueCursor) -> QueueStretch {
        if cursor.head + UInt32(ObjectBlock.limit) > length { cursor = packed(cursor) }
        let hand = hand(cursor)
        // A small cache has few objects, and the more of them lie in the stretch, the more requests have to wait.
        let wanted = min(ObjectBlock.limit, 1 + totals.pointee.count >> 5)
        var found = 0
        var word = hand >> 6
        let end = min(word + Self.stretchWords, (cursor.head + 63) >> 6)
        left(cursor)
        var ahead = UInt64.max << UInt64(hand & 63)
        while word < end, found <= wanted {
            found += (bits[Self.live(word)] & ~bits[Self.marks(word)] & ahead).nonzeroBitCount
            ahead = .max
            word += 1
        }
        if word << 6 > cursor.head {
            // What is not written yet was counted. Each newcomer is one object more for the hand to take.
            found -= Int(word << 6 - cursor.head)
            if found > 1 { return QueueStretch(hand: hand, length: 1 << 31, budget: UInt64(ObjectBlock.limit)) }
        }
        guard found > 1 else {
            cursor = entered(hand, cursor)
            return QueueStretch(hand: hand, length: 0, budget: 0)
        }
        return QueueStretch(hand: hand, length: word << 6 - hand, budget: UInt64(min(wanted, found - 1)))
    }

    /// Serves requests until one asks for an object of the stretch, or no more evictions may be put off.
    @inline(never) @usableFromInline
    func served(_ block: ObjectBlock, _ before: BlockProgress, _ stretch: inout QueueStretch) -> BlockProgress {
        var progress = before
        var budget = stretch.budget
        let (hand, length) = (stretch.hand, stretch.length)
        repeat {
            prefetch(block.upcoming(progress.position))
            let id = block[progress.position]
            let place = places[Int(id)]
            if place &- hand < length { break }
            let missed = assay_all_if_zero(UInt64(place))
            ids[Int(progress.head)] = id
            bits[Self.marks(place >> 6)] |= Self.bit(place)
            // One of the two is `nowhere`, which is 0.
            places[Int(id)] = place | progress.head & UInt32(truncatingIfNeeded: missed)
            progress.head &-= UInt32(truncatingIfNeeded: missed)
            budget &+= missed
            progress.advance(missed: missed)
        } while budget != 0 && progress.position != block.count
        stretch.debt = Int(stretch.budget - budget)
        stretch.budget = budget
        return progress
    }

    /// Lets the hand walk on until it has evicted what was put off. The newcomers are at the head by now.
    @inline(never) @usableFromInline
    func caughtUp(_ stretch: QueueStretch, head: UInt32) -> QueueCursor {
        var cursor = QueueCursor()
        cursor.head = head
        guard stretch.debt > 0 else { return entered(stretch.hand, cursor) }
        var word = stretch.hand >> 6
        var ahead = UInt64.max << UInt64(stretch.hand & 63)
        var candidates = bits[Self.live(word)] & ~bits[Self.marks(word)] & ahead
        var gone = candidates
        for _ in 0..<stretch.debt {
            while candidates == 0 {
                bits[Self.live(word)] &= ~gone
                bits[Self.marks(word)] &= ~ahead
                word += 1
                ahead = .max
                candidates = bits[Self.live(word)] & ~bits[Self.marks(word)]
                gone = candidates
            }
            places[Int(ids[Int(word << 6 + UInt32(candidates.trailingZeroBitCount))])] = Self.nowhere
            candidates &= candidates - 1
        }
        bits[Self.live(word)] &= ~(gone & ~candidates)
        // Not the candidates that are left, but the last that is gone tells where the hand is.
        let behind = UInt32(64 - (gone & ~candidates).leadingZeroBitCount)
        bits[Self.marks(word)] &= ~ahead | (behind == 64 ? 0 : .max << UInt64(behind))
        return entered(word << 6 + behind, cursor)
    }
}
