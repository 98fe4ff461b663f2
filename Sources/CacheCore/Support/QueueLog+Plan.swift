internal import CIntrinsics

/// The 64 positions of the log that the hand walks through while requests are served in place, with its victims there planned: see
/// ``ClockHandQueue/serveBlockInPlace(_:)``.
///
/// The marks that the region had when the hand entered it are taken off at once, and whatever is asked for is marked with a stamp
/// that says how far the hand has come: one more than the number of positions that it has passed. Once it has passed all of
/// them, an object is marked if its stamp says that the hand was behind it; what was asked for before was marked already
/// or was spared, and the hand has taken the mark off.
@frozen
public struct HandRegion: BitwiseCopyable {
    /// Whether the hand is in the region. Only then do the marks of the region mean what is said above.
    @usableFromInline var isOpen = false
    /// The first of the 64 positions.
    @usableFromInline var base: UInt32 = 0
    /// Where the hand has entered, counted from the first position.
    @usableFromInline var start: Int32 = 0
    /// Where the hand leaves.
    @usableFromInline var end: Int32 = 0
    /// The next of the planned victims.
    @usableFromInline var next: UInt32 = 0

    @inlinable init() {}
}

/// Blocks of requests of which each newcomer takes its victim's place at once: see ``ClockHandQueue/serveBlockInPlace(_:)``.
extension QueueLog {
    /// One more than the most victims that can be planned, and one more for the stamp after the last.
    static var planLength: Int { 66 }

    /// Where a planned victim is; after the last `nowhere`, which is always marked.
    @inline(__always)
    private func place(ofPlanned number: UInt32) -> UInt32 { plan[Int(number)] }

    /// One more than the id of a planned victim.
    @inline(__always)
    private func follower(ofPlanned number: UInt32) -> UInt32 { plan[Int(number) &+ Self.planLength] }

    /// What is written at what is asked for while a planned victim is the next.
    @inline(__always)
    private func stamp(beforePlanned number: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: plan[Int(number) &+ 2 &* Self.planLength])
    }

    /// Lets the hand enter the 64 positions that it is at.
    private func enter(_ ends: Ends) -> HandRegion {
        var region = HandRegion()
        region.isOpen = true
        region.base = ends.hand & ~63
        region.start = Int32(ends.hand & 63)
        region.end = Int32(min(64, ends.head - region.base))
        var rest = unmarked(region.base >> 6) & .max << UInt64(region.start)
        if region.end < 64 { rest &= 1 << UInt64(region.end) - 1 }
        pass(ends.hand, before: region.base + UInt32(region.end))
        var (places, followers, stamps) = (plan, plan + Self.planLength, plan + 2 * Self.planLength)
        stamps[0] = UInt32(region.start) + 1
        while rest != 0 {
            let offset = UInt32(rest.trailingZeroBitCount)
            let victim = ids[Int(region.base &+ offset)]
            prefetch(victim)
            (places[0], followers[0], stamps[1]) = (region.base &+ offset, victim &+ 1, offset &+ 2)
            (places, followers, stamps) = (places + 1, followers + 1, stamps + 1)
            rest &= rest &- 1
        }
        places[0] = Self.nowhere
        return region
    }

    /// Lets the hand pass the rest of its region and enter the next that has an object without a mark.
    @inline(never)
    private func advance(_ region: inout HandRegion, _ ends: inout Ends) {
        repeat {
            assay_keep_later(marks + Int(region.base), region.start, region.end)
            ends.hand = region.base &+ UInt32(region.end)
            if ends.hand == ends.head { wrap(&ends) }
            region = enter(ends)
        } while place(ofPlanned: 0) == Self.nowhere
    }

    /// Serves a block of requests of a full queue.
    @inline(never) @usableFromInline
    func servedInPlace(_ block: ObjectBlock, _ region: inout HandRegion, _ ends: inout Ends) -> UInt64 {
        if !region.isOpen { region = enter(ends) }
        var progress = BlockProgress()
        progress.next = region.next
        while true {
            progress = servedAsPlanned(block, progress)
            if progress.position == block.count { break }
            progress = servedWithoutVictim(block, progress, &region, &ends)
            if progress.position == block.count { break }
        }
        region.next = progress.next
        return progress.misses
    }

    /// Serves requests until the next planned victim is marked.
    @inline(never)
    private func servedAsPlanned(_ block: ObjectBlock, _ before: BlockProgress) -> BlockProgress {
        var progress = before
        repeat {
            prefetch(block.upcoming(progress.position))
            let id = block[progress.position]
            let victim = place(ofPlanned: progress.next)
            if marks[Int(victim)] != 0 { break }
            let place = places[Int(id)]
            let missed = assay_all_if_zero(UInt64(place))
            let mask = UInt32(truncatingIfNeeded: missed)
            marks[Int(place)] = stamp(beforePlanned: progress.next)
            // One of the two is `nowhere`, which is 0.
            let kept = place | victim & mask
            // For a hit the position before the first, which is nobody's.
            places[Int(follower(ofPlanned: progress.next) & mask) &- 1] = Self.nowhere
            places[Int(id)] = kept
            ids[Int(kept)] = id
            progress.next &-= mask
            progress.advance(missed: missed)
        } while progress.position != block.count
        return progress
    }

    /// Strikes the next planned victim out, which was asked for; or, after the last, serves requests up to a miss, for which the
    /// hand leaves its region: what is asked for before that loses its mark when it does.
    @inline(never)
    private func servedWithoutVictim(
        _ block: ObjectBlock, _ before: BlockProgress, _ region: inout HandRegion, _ ends: inout Ends
    ) -> BlockProgress {
        var progress = before
        if place(ofPlanned: progress.next) != Self.nowhere {
            progress.next += 1
            // The hand has not passed it yet.
            let stamps = plan + 2 * Self.planLength
            stamps[Int(progress.next)] = stamps[Int(progress.next) - 1]
            return progress
        }
        while progress.position < block.count {
            let place = places[Int(block[progress.position])]
            if place == Self.nowhere {
                advance(&region, &ends)
                progress.next = 0
                return progress
            }
            marks[Int(place)] = stamp(beforePlanned: progress.next)
            progress.advance(missed: 0)
        }
        return progress
    }

    /// Writes down where the hand is and what of its region is marked.
    @inline(never) @usableFromInline
    func leave(_ region: inout HandRegion, _ ends: inout Ends) {
        var unmarked: UInt64 = 0
        var number = region.next
        while place(ofPlanned: number) != Self.nowhere {
            let place = place(ofPlanned: number)
            if marks[Int(place)] == 0 { unmarked |= 1 << UInt64(place & 63) }
            number += 1
        }
        let passed = Int32(stamp(beforePlanned: region.next)) - 1
        assay_keep_later(marks + Int(region.base), region.start, passed)
        for offset in UInt32(passed)..<UInt32(region.end) where marks[Int(region.base + offset)] != Self.gap {
            marks[Int(region.base + offset)] = unmarked >> UInt64(offset) & 1 == 0 ? 1 : 0
        }
        ends.hand = region.base + UInt32(passed)
        region = HandRegion()
    }
}
