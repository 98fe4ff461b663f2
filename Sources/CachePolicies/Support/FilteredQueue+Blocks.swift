internal import CIntrinsics
internal import CacheCore

/// Some requests of a block.
struct BlockRun: BitwiseCopyable {
    /// How many.
    var requests = 0
    /// A bit for each, the lowest for the last, set where it missed.
    var misses: UInt64 = 0

    /// Adds those that follow.
    @inline(__always)
    mutating func append(_ others: BlockRun) {
        requests &+= others.requests
        misses = misses << UInt64(others.requests) | others.misses
    }
}

/// A policy over a ``FilteredQueue``, whose misses mostly push the oldest object of the small queue out.
protocol FilteringPolicy: VictimPolicy, ~Copyable {
    /// Serves requests up to a miss that must be served alone: ``FilteredQueue/serve(_:from:isSteady:)``.
    mutating func serve(_ block: ObjectBlock, from start: Int) -> BlockRun
    /// Drops the ghosts that are too many after requests were served: ``FilteredQueue/settle()``.
    mutating func settle()
}

extension FilteringPolicy where Self: ~Copyable {
    /// Serves a block of requests, alone the misses by which more changes than the log.
    @inline(__always)
    mutating func exchangeTogether(_ block: ObjectBlock) -> UInt64 {
        var sink = CountingSink()
        var served = serve(block, from: 0)
        while served.requests < block.count {
            // The next request misses, and by that more changes.
            prefetch(block.upcoming(served.requests))
            settle()
            _ = insert(Request(id: block[served.requests], size: 1, index: 0), evicting: &sink)
            served.append(BlockRun(requests: 1, misses: 1))
            served.append(serve(block, from: served.requests))
        }
        settle()
        return served.misses
    }
}

extension FilteredQueue where Sizes: ~Copyable {
    /// Serves requests of a queue in which every object weighs 1, up to a miss by which more changes than the log. ``settle()``
    /// is due afterwards.
    ///
    /// Whether a request hits is close to a coin's toss for the processor, and guessing wrong costs it more than doing the
    /// work of both, so a hit in main and a miss take the same instructions. That is possible while the queue `isSteady`: when
    /// a miss without a ghost evicts the oldest object of the small queue, unless that is due to be promoted, and enters that
    /// queue, so that the next miss finds the same. It moves nothing but the ends of the log and of the window. While the queue
    /// is not steady, hits are served wherever they are.
    @inline(__always)
    mutating func serve(_ block: ObjectBlock, from start: Int, isSteady: Bool) -> BlockRun {
        settleWindow()
        var served = BlockRun()
        if isSteady, let uncounted { served = log.run(block, from: start, uncounted: uncounted) }
        served.append(log.hits(block, from: start &+ served.requests))
        return served
    }

    /// How many of the newest objects have hits that do not count, if they are as many after each miss; nil otherwise.
    @inline(__always)
    private var uncounted: UInt32? {
        guard log.window != .max else { return 0 }
        let length = log.next &- log.window
        return isWindowFull && log.hasNoGaps ? length : nil
    }

    /// Drops the oldest of the ghosts that are too many after ``serve(_:from:isSteady:)``.
    @inline(__always)
    mutating func settle() {
        if log.ghostCount > ghostLimit { log.drop(log.ghostCount &- ghostLimit) }
    }
}

extension FilterLog {
    /// Serves requests until one asks for a ghost, or until as many missed as may. Hits of the `uncounted` newest objects do not
    /// count.
    @inline(never)
    mutating func run(_ block: ObjectBlock, from start: Int, uncounted: UInt32) -> BlockRun {
        let room = room(for: block.count &- start)
        let (places, marks, firstGhost) = (places.base, marks.base, firstGhost)
        let ids = ids.base + (Int(slot(next)) &- Int(next))
        let length = next &- oldest
        var (next, end) = (next, next &+ room)
        var (position, misses) = (start, UInt64(0))
        while position < block.count, next != end {
            assay_prefetch_to_write(places + Int(block.upcoming(position)))
            let id = block[position]
            let place = places[Int(id)]
            if place &- firstGhost < next &- firstGhost {
                if place < next &- length { break }
                let slot = Int(slotAtOnce(place))
                let left = marks[slot].counted(place < next &- uncounted)
                marks[slot] = left
                // Once it is the oldest, the next miss promotes it.
                end = left == 0 ? min(end, place &+ length) : end
                misses = misses &+ misses
                position &+= 1
                continue
            }
            // All bits for an object of main, none for one that is nowhere.
            let resident = UInt32(bitPattern: Int32(bitPattern: place) >> 31)
            ids[Int(next)] = id
            places[Int(id)] = next ^ (next ^ raised(place)) & resident
            next &+= 1 &+ resident
            misses = misses &+ misses &+ UInt64(1 &+ resident)
            position &+= 1
        }
        // As many leave the small queue, and the window, as enter it.
        let leaving = next &- self.next
        self.next = next
        oldest &+= leaving
        if window != .max { window &+= leaving }
        calm = min(calm, end &- length)
        ghostCount &+= Int(leaving)
        return BlockRun(requests: position &- start, misses: misses)
    }

    /// Serves requests until one asks for what is not resident. The window must be settled.
    @inline(never)
    mutating func hits(_ block: ObjectBlock, from start: Int) -> BlockRun {
        let (places, marks, oldest, firstOfMain, window) = (places.base, marks.base, oldest, firstOfMain, window)
        var (position, calm) = (start, calm)
        while position < block.count {
            assay_prefetch_to_write(places + Int(block.upcoming(position)))
            let id = block[position]
            let place = places[Int(id)]
            if place < oldest { break }
            position &+= 1
            if place >= firstOfMain {
                places[Int(id)] = raised(place)
                continue
            }
            let slot = Int(slotAtOnce(place))
            let left = marks[slot].counted(place < window)
            marks[slot] = left
            calm = left == 0 ? min(calm, place) : calm
        }
        self.calm = calm
        return BlockRun(requests: position &- start)
    }

    /// The place of an object of main after a hit.
    @inline(__always)
    private func raised(_ place: UInt32) -> UInt32 {
        let (raised, isMost) = place.addingReportingOverflow(1)
        return raised &- (isMost ? 1 : 0)
    }

    /// The slot of a position, without a branch.
    @inline(__always)
    private func slotAtOnce(_ place: UInt32) -> UInt32 { place &- base &+ (slots & (0 &- (place < base ? 1 : 0))) }

    /// How many of so many requests may miss before the log must be looked at.
    @inline(__always)
    private mutating func room(for requests: Int) -> UInt32 {
        if next &- base == slots { beginLap() }
        if Int(calm) &- Int(oldest) < requests, calm < oldest || marks[slot(calm)] != 0 { findCalm() }
        return min(calm &- oldest, slots &- slot(next), slots &- (next &- firstGhost))
    }

    /// Looks for what is to be promoted, or is gone, among the next objects.
    @inline(never)
    private mutating func findCalm() {
        calm = max(calm, oldest)
        let end = min(next, oldest &+ 256)
        var slot = slot(calm)
        while calm < end {
            if slot == slots { slot = 0 }
            let bytes = marks(from: slot)
            let zeros = (bytes &- 0x0101_0101_0101_0101) & ~bytes & 0x8080_8080_8080_8080
            let found = UInt32(zeros.trailingZeroBitCount / 8)
            let length = min(found, end - calm, slots - slot)
            calm += length
            slot += length
            if found < 8, length == found { return }
        }
    }

    /// Drops the oldest ghosts, of which there are so many.
    @inline(never)
    mutating func drop(_ ghosts: Int) {
        var (rest, slot) = (ghosts, slot(firstGhost))
        ghostCount -= ghosts
        while true {
            let length = min(8, slots - slot)
            let bytes = marks(from: slot) & (.max >> UInt64(64 - 8 * length))
            let live = ((bytes & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F | bytes) & 0x8080_8080_8080_8080
            if live.nonzeroBitCount >= rest {
                // In each byte how many there are up to it, and then whether they are enough.
                let counts = (live >> 7) &* 0x0101_0101_0101_0101
                let enough = (counts | 0x8080_8080_8080_8080) &- UInt64(rest) &* 0x0101_0101_0101_0101
                return clear(slot, UInt32((enough & 0x8080_8080_8080_8080).trailingZeroBitCount / 8) + 1)
            }
            rest -= live.nonzeroBitCount
            clear(slot, length)
            slot = slot + length == slots ? 0 : slot + length
        }
    }

    /// Gives up to eight slots from the first ghost on back.
    @inline(__always)
    private mutating func clear(_ slot: UInt32, _ length: UInt32) {
        let kept = marks(from: slot) & ~(.max >> UInt64(64 - 8 * length))
        let cleared = (0x0101_0101_0101_0101 * UInt64(threshold)) & (.max >> UInt64(64 - 8 * length))
        UnsafeMutableRawPointer(marks.base + Int(slot)).storeBytes(of: (kept | cleared).littleEndian, as: UInt64.self)
        firstGhost += length
    }

    /// The marks of eight slots, the first in the lowest byte. Those after the last slot mean nothing.
    @inline(__always)
    private func marks(from slot: UInt32) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(marks.base + Int(slot)).loadUnaligned(as: UInt64.self))
    }
}

extension UInt8 {
    /// How many hits are left to be promoted after another one, if it counts.
    @inline(__always)
    fileprivate func counted(_ counts: Bool) -> UInt8 {
        let rest = UInt32(self)
        return UInt8(truncatingIfNeeded: rest &- (rest != 0 && counts ? 1 : 0))
    }
}
