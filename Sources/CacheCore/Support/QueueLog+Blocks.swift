internal import CIntrinsics

/// Blocks of requests, served with the evictions put off: see ``ClockHandQueue/serveBlock(_:)``.
extension QueueLog {
    /// The most words of the log that a stretch may cover: looking for more costs more than it saves.
    @inlinable static var stretchWords: UInt32 { 16 }

    /// The stretch from the hand on. Makes the log ready for a block: there is room at the head.
    @inline(never) @usableFromInline
    func stretch(_ ends: inout Ends) -> HandZone {
        if ends.head + UInt32(ObjectBlock.limit) > length { pack(&ends) }
        // A small cache has few objects, and the more of them lie in the stretch, the more must be counted for.
        let wanted = min(ObjectBlock.limit, 1 + ends.count >> 4)
        var found = 0
        var word = ends.hand >> 6
        let end = min(word + Self.stretchWords, (ends.head + 63) >> 6)
        var ahead = UInt64.max << UInt64(ends.hand & 63)
        while word < end, found <= wanted {
            found += (unmarked(word) & ahead).nonzeroBitCount
            ahead = .max
            word += 1
        }
        if word << 6 > ends.head {
            // What is not written yet was counted. Each newcomer is one object more for the hand to take.
            found -= Int(word << 6 - ends.head)
            if found > 1 {
                return HandZone(
                    hand: ends.hand, length: 1 << 31, budget: ObjectBlock.limit, spare: found - 2)
            }
        }
        let budget = max(0, min(wanted, found - 1))
        return HandZone(
            hand: ends.hand, length: word << 6 - ends.hand, budget: budget, spare: found - 1 - budget)
    }

    /// Serves requests until one asks for an object that may be gone, or no more evictions may be put off.
    @inline(never) @usableFromInline
    func served(_ block: ObjectBlock, _ before: BlockProgress, _ stretch: inout HandZone) -> BlockProgress {
        var progress = before
        repeat {
            let head = progress.next
            progress = served(block, progress, min(block.count, progress.position + stretch.budget), stretch)
            stretch.debt += Int(progress.next - head)
            stretch.budget -= Int(progress.next - head)
            if progress.position == block.count || stretch.budget == 0 { break }
            let place = places[Int(block[progress.position])]
            if place &- stretch.hand < stretch.length {
                guard isServed(at: place, &stretch) else { break }
                progress.advance(missed: 0)
            }
        } while progress.position < block.count
        return progress
    }

    /// Serves requests until one asks for an object of the stretch.
    @inline(never)
    private func served(
        _ block: ObjectBlock, _ before: BlockProgress, _ end: Int, _ stretch: HandZone
    ) -> BlockProgress {
        var progress = before
        let (hand, length) = (stretch.hand, stretch.length)
        while progress.position < end {
            prefetch(block.upcoming(progress.position))
            let id = block[progress.position]
            let place = places[Int(id)]
            if place &- hand < length { break }
            let missed = assay_all_if_zero(UInt64(place))
            ids[Int(progress.next)] = id
            marks[Int(place)] = 1
            // One of the two is `nowhere`, which is 0.
            places[Int(id)] = place | progress.next & UInt32(truncatingIfNeeded: missed)
            progress.next &-= UInt32(truncatingIfNeeded: missed)
            progress.advance(missed: missed)
        }
        return progress
    }

    /// Marks an object of the stretch; false if it is gone, or if the stretch has too few others without a mark.
    @inline(never)
    private func isServed(at place: UInt32, _ stretch: inout HandZone) -> Bool {
        var before = 0
        var ahead = UInt64.max << UInt64(stretch.hand & 63)
        let last = place >> 6
        for word in stretch.hand >> 6..<last {
            before += (unmarked(word) & ahead).nonzeroBitCount
            ahead = .max
        }
        before += (unmarked(last) & ahead & (1 << UInt64(place & 63) - 1)).nonzeroBitCount
        if marks[Int(place)] != 0 {
            // The hand would have passed it and taken the mark off.
            if before < stretch.debt { marks[Int(place)] = Self.markedAgain }
            return true
        }
        guard before >= stretch.debt, stretch.spare > 0 else { return false }
        stretch.spare -= 1
        marks[Int(place)] = 1
        return true
    }

    /// Lets the hand walk on until it has evicted what was put off. The newcomers are at the head by now.
    @inline(never) @usableFromInline
    func catchUp(_ stretch: HandZone, _ ends: inout Ends) {
        guard stretch.debt > 0 else { return }
        var debt = stretch.debt
        while true {
            let word = ends.hand >> 6
            var candidates = unmarked(word) & .max << UInt64(ends.hand & 63)
            var last = ends.hand
            while candidates != 0, debt != 0 {
                last = word << 6 + UInt32(candidates.trailingZeroBitCount)
                places[Int(ids[Int(last)])] = Self.nowhere
                marks[Int(last)] = Self.gap
                candidates &= candidates - 1
                debt -= 1
            }
            let end = debt == 0 ? last + 1 : word << 6 + 64
            pass(ends.hand, before: end)
            ends.hand = end
            if debt == 0 { return }
        }
    }
}
