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

/// A policy over a ``SmallMainGhostQueues``, whose misses mostly push the oldest object of the small queue out.
protocol FilteringPolicy: VictimPolicy, ~Copyable {
    /// Serves requests up to a miss that must be served alone: ``SmallMainGhostQueues/serve(_:from:lacking:)``.
    mutating func serve(_ block: ObjectBlock, from start: Int) -> BlockRun
    /// Drops the ghosts that are too many after requests were served: ``SmallMainGhostQueues/settle()``.
    mutating func settle()
}

extension FilteringPolicy where Self: ~Copyable {
    /// Serves a block of requests, alone the misses by which more changes than the log.
    @inline(__always)
    mutating func serveBlockTogether(_ block: ObjectBlock) -> UInt64 {
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

extension SmallMainGhostQueues where Sizes: ~Copyable {
    /// Serves requests of a queue in which every object weighs 1, up to a miss by which more changes than the log. ``settle()``
    /// is due afterwards.
    ///
    /// Whether a request hits, and in which queue, is close to a coin's toss for the processor, and guessing wrong costs it more
    /// than doing the work of all, so all take the same instructions. That is possible while a miss without a ghost enters the small
    /// queue and, once the `lacking` objects have come, evicts its oldest, unless that is due to be promoted. It moves nothing
    /// but the ends of the log and of the window. With `lacking` nil, hits are served wherever they are.
    @inline(__always)
    mutating func serve(_ block: ObjectBlock, from start: Int, lacking: Int?) -> BlockRun {
        settleWindow()
        var served = BlockRun()
        if let lacking, isWindowSteady {
            let most = log.count &+ lacking
            if lacking > 0 { served = log.fill(block, from: start, upTo: most) }
            if log.count == most { served.append(log.serveBlock(block, from: start &+ served.requests)) }
        }
        served.append(log.hits(block, from: start &+ served.requests))
        return served
    }

    /// Drops the oldest of the ghosts that are too many after ``serve(_:from:lacking:)``.
    @inline(__always)
    mutating func settle() {
        if log.ghostCount > ghostLimit { log.drop(log.ghostCount &- ghostLimit) }
    }
}

extension FilterLog {
    /// Serves requests, of which each that misses evicts the oldest object, until one asks for a ghost or a miss would promote.
    /// The window must stay as long after each.
    @inline(never)
    mutating func serveBlock(_ block: ObjectBlock, from start: Int) -> BlockRun {
        window == .max
            ? run(block, from: start, lacking: 0, evicts: true, hasWindow: false)
            : run(block, from: start, lacking: 0, evicts: true, hasWindow: true)
    }

    /// Serves requests, of which none evicts anything, until one asks for a ghost or the small queue has `most` objects. The
    /// window must stay as long after each.
    @inline(never)
    mutating func fill(_ block: ObjectBlock, from start: Int, upTo most: Int) -> BlockRun {
        let lacking = UInt32(truncatingIfNeeded: most &- count) &* Self.step
        return window == .max
            ? run(block, from: start, lacking: lacking, evicts: false, hasWindow: false)
            : run(block, from: start, lacking: lacking, evicts: false, hasWindow: true)
    }

    @inline(__always)
    private mutating func run(
        _ block: ObjectBlock, from start: Int, lacking: UInt32, evicts: Bool, hasWindow: Bool
    ) -> BlockRun {
        let room = room(for: block.count &- start)
        let (places, firstGhost, oldest) = (places.base, firstGhost, oldest)
        let (full, uncounted) = (next &+ lacking, next &- window)
        let length = full &- oldest
        var newcomer = next &+ self.newcomer
        // Slots are as far from each other as positions, in bytes.
        let ids = UnsafeMutableRawPointer(ids.base) + (Int(slot(next) &* Self.step) &- Int(newcomer))
        // From the place of what is due to be promoted to the next position when it is the oldest.
        let delay = Int(length) &- Int(Self.step &- 1)
        let stop = Int(next &+ min(room, lacking))
        var end = Int(full) &+ Int(evicts ? min(room, calm &- oldest) : calm &- oldest)
        var (left, misses) = (start &- block.count, UInt64(0))
        while left < 0, Int(newcomer) < (evicts ? end : stop) {
            assay_prefetch_to_write(places + Int(block.upcoming(block.count &+ left)))
            let id = block[block.count &+ left]
            let place = places[Int(id)]
            let age = Int(place) &- Int(firstGhost)
            let ghosts = evicts ? newcomer &- (length &+ firstGhost) : oldest &- firstGhost
            if UInt(bitPattern: age) < UInt(ghosts) { break }
            // Written over by the next that misses, if this one hits.
            ids.storeBytes(of: id, toByteOffset: Int(newcomer), as: ObjectID.self)
            let counts = !hasWindow || place &+ uncounted &- newcomer >= uncounted
            var hit = place &+ (counts ? 1 : 0)
            hit = hit % Self.step == 0 ? place : hit
            // All bits for what is unknown, none for what is resident.
            let missed = age >> 63
            hit ^= (hit ^ newcomer) & UInt32(truncatingIfNeeded: missed)
            places[Int(id)] = hit
            // Once it is the oldest, the next miss promotes it. What is in main never is, and what has just come is the last.
            let due = isDue(hit) ? Int(hit) &+ delay : end
            end = due < end ? due : end
            newcomer &+= UInt32(truncatingIfNeeded: missed) & Self.step
            misses = misses &+ misses &- UInt64(bitPattern: Int64(missed))
            left &+= 1
        }
        let entering = newcomer &- self.newcomer &- next
        next &+= entering
        calm = min(calm, (oldest &+ UInt32(truncatingIfNeeded: end) &- full) & ~(Self.step &- 1))
        // As many leave the window as enter it, and the full queue.
        if hasWindow { window &+= entering }
        if evicts {
            self.oldest &+= entering
            ghostCount &+= Int(entering / Self.step)
        } else {
            count &+= Int(entering / Self.step)
        }
        return BlockRun(requests: block.count &+ left &- start, misses: misses)
    }

    /// Serves requests until one asks for what is not resident. The window must be settled.
    @inline(never)
    mutating func hits(_ block: ObjectBlock, from start: Int) -> BlockRun {
        let (places, oldest, firstOfMain, window) = (places.base, oldest, firstOfMain, window)
        var (position, calm) = (start, calm)
        while position < block.count {
            assay_prefetch_to_write(places + Int(block.upcoming(position)))
            let id = block[position]
            let place = places[Int(id)]
            if place < oldest { break }
            position &+= 1
            let hit = place >= window && place < firstOfMain ? place : raised(place)
            places[Int(id)] = hit
            calm = isDue(hit) ? min(calm, hit & ~(Self.step &- 1)) : calm
        }
        self.calm = calm
        return BlockRun(requests: position &- start)
    }

    /// For how many positions objects may enter before the log must be looked at. For as many requests it looks for what is to be
    /// promoted.
    @inline(__always)
    private mutating func room(for requests: Int) -> UInt32 {
        if next &- base == lap { beginLap() }
        if calm < oldest || calm &- oldest < UInt32(truncatingIfNeeded: requests) &* Self.step { findCalm() }
        return min(lap &- slot(next) &* Self.step, firstGhost &+ lap &- next)
    }

    /// Looks for what is to be promoted, or is gone, among the next objects.
    @inline(never)
    private mutating func findCalm() {
        calm = max(calm, oldest)
        let end = min(next, oldest &+ 64 &* Self.step)
        while calm < end {
            let id = ids[slot(calm)]
            guard id != Self.gap, !isDue(places[id]) else { return }
            calm &+= Self.step
        }
    }

    /// Drops the oldest ghosts, of which there are so many.
    @inline(never)
    mutating func drop(_ ghosts: Int) {
        var (rest, slot) = (ghosts, slot(firstGhost))
        let slots = lap / Self.step
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
        let cleared: UInt64 = 0x0101_0101_0101_0101 & (.max >> UInt64(64 - 8 * length))
        UnsafeMutableRawPointer(marks.base + Int(slot)).storeBytes(of: (kept | cleared).littleEndian, as: UInt64.self)
        firstGhost += length * Self.step
    }

    /// The marks of eight slots, the first in the lowest byte. Those after the last slot mean nothing.
    @inline(__always)
    private func marks(from slot: UInt32) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(marks.base + Int(slot)).loadUnaligned(as: UInt64.self))
    }
}
