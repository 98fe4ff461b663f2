internal import CIntrinsics
internal import CacheCore

/// Blocks of requests, served without asking first whether they hit.
///
/// To the processor a hit is the toss of a coin, and a wrong guess costs more than the work of a hit and a miss together. So
/// a hit, which sets a bit, and a miss, which enters the log and lets its oldest object leave, take the same instructions. They
/// do as long as the oldest objects were not asked for; a request for a ghost, or a miss that must promote or renew first,
/// ends the run.
extension ClockProTable where Sizes: ~Copyable {
    /// Whether the cache is full of objects that weigh 1, and the hands are where the last miss has left them.
    var canServeBlock: Bool { Sizes.isUnit && isSettled && !followsCaffeine && residentCount == capacity }

    /// Serves requests of a full cache. Returns a bit for each, the lowest for the last, set where it missed.
    @inline(__always)
    mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var sink = CountingSink()
        var run = ClockProLog.Run()
        log.findCalm()
        while true {
            let first = log.oldest
            run = log.serve(block, run)
            if log.oldest != first { settleEvictions(from: first) }
            guard run.end < block.count else { return run.misses }
            let id = block[run.end]
            let isGhost = log.isGhost(id)
            if !isGhost {
                // Its place may still be that where it was evicted, which ends a run.
                log.words[id] = 0
                prepareEviction(into: &sink)
            }
            if isGhost || isPassDue() {
                _ = insert(id, weight: 1, into: &sink)
                run = ClockProLog.Run(end: run.end &+ 1, misses: run.misses &<< 1 | 1)
                log.findCalm()
            }
        }
    }

    /// Whether the first hot object for long was promoted, so that the hot hand moves once the newcomer is in.
    @inline(__always)
    private mutating func isPassDue() -> Bool {
        let hand = log.oldestHot()
        return hand.id != log.gap && hand.stamp > log.unpassed
    }

    /// Lets the hands do what they do at a miss before they find whom to evict.
    @inline(never)
    private mutating func prepareEviction(into sink: inout CountingSink) {
        while true {
            log.findCalm()
            if log.calm != log.oldest { return }
            if log.findOldest() {
                renew(log.ids[log.slot(log.oldest)], into: &sink)
            } else {
                _ = runHotHand(beforeGhostOrCold: nil, into: &sink)
            }
        }
    }

    /// Makes up for the ghosts of objects that have left at once.
    @inline(never)
    private mutating func settleEvictions(from first: UInt32) {
        let passed = min(max(first, log.unpassed), log.oldest)
        if adaptation == .utility { demotedWeight -= log.countDemoted(first..<passed) }
        let demoted = log.countDemoted(passed..<log.oldest)
        demotedWeight -= demoted
        ghostWeight += Int(log.oldest &- passed) &- demoted
        log.firstGhost = max(log.firstGhost, passed == first ? log.firstGhost : passed)
        guard ghostWeight > ghostLimit else { return }
        log.dropGhosts(ghostWeight &- ghostLimit)
        forget(ghosts: ghostWeight &- ghostLimit)
    }
}

extension ClockProLog {
    /// Requests of a block that were served.
    struct Run: BitwiseCopyable {
        /// The first request that was not.
        var end = 0
        /// A bit for each of them, the lowest for the last, set where it missed.
        var misses: UInt64 = 0
    }

    /// Knows as many of the next to leave as were not asked for and may leave in a run.
    @inline(__always)
    mutating func findCalm() {
        makeRoom(for: UInt32(ObjectBlock.limit))
        _ = findOldest()
        while calm &- oldest < UInt32(ObjectBlock.limit) {
            // So many at a time, because nobody can foresee how many it will be.
            let ids = ids.base + Int(slot(calm))
            var stops = UInt32.max &<< min(8, next &- calm, lapLeft(from: calm))
            for number in 0..<8 {
                stops |= (words.base[Int(ids[number])] & Self.referenced) &<< UInt32(number)
                prefetch(ids[number &+ 8])
            }
            let found = UInt32(truncatingIfNeeded: stops.trailingZeroBitCount)
            calm &+= found
            if found < 8 { break }
        }
    }

    /// Serves requests until one may ask for a ghost, or misses and it is not known whom to evict for it.
    @inline(never)
    mutating func serve(_ block: ObjectBlock, _ before: Run) -> Run {
        var (request, misses) = (before.end, Int(bitPattern: UInt(before.misses)))
        let words = words.base
        let lap = UnsafeMutableRawPointer(ids.base) - 4 * (Int(next) - Int(slot(next)))
        // Places are what they are more than that of the first ghost, times 4, but for the next one's.
        let firstGhost = Int(firstGhost) &<< 2
        var oldest = Int(oldest) &<< 2 &- firstGhost
        let room = min(clean &- next, lapLeft(from: next))
        var calm = min(Int(calm) &<< 2 &- firstGhost, oldest &+ Int(room) &<< 2)
        var next = Int(next) &<< 2
        while request != block.count {
            assay_prefetch_to_write(words + Int(block.upcoming(request)))
            let id = block[request]
            let word = Int(words[Int(id)])
            let place = word &- firstGhost
            if UInt(bitPattern: place) < UInt(bitPattern: oldest) { break }
            // All bits of a miss, which is before the first ghost.
            let missed = place &>> 63
            let oldestAfter = oldest &- missed &* 4
            if oldestAfter > calm { break }
            oldest = oldestAfter
            // What is asked for is not calm any more.
            calm = Int(bitPattern: min(UInt(bitPattern: calm), UInt(bitPattern: place & ~3)))
            lap.storeBytes(of: id, toByteOffset: next, as: ObjectID.self)
            words[Int(id)] = UInt32(truncatingIfNeeded: (word | 1) & ~missed | next & missed)
            next &-= missed &* 4
            misses = misses &+ misses &- missed
            request &+= 1
        }
        self.oldest = UInt32(truncatingIfNeeded: (oldest &+ firstGhost) &>> 2)
        self.calm = UInt32(truncatingIfNeeded: (calm &+ firstGhost) &>> 2)
        self.next = UInt32(truncatingIfNeeded: next &>> 2)
        return Run(end: request, misses: UInt64(UInt(bitPattern: misses)))
    }

    /// How many of a range of the log were demoted.
    @inline(__always)
    func countDemoted(_ range: Range<UInt32>) -> Int {
        var (place, demoted) = (range.lowerBound, 0)
        while place < range.upperBound {
            let length = stretch(from: place, before: range.upperBound)
            demoted &+= marked(Self.demoted, from: place, length).nonzeroBitCount
            place &+= length
        }
        return demoted
    }

    /// Passes places up to one, at most 64, and returns a bit for each, set where a ghost was.
    @inline(__always)
    mutating func passGhosts(before end: UInt32) -> UInt64 {
        let length = stretch(from: firstGhost, before: end)
        let ghosts = marked(Self.plain, from: firstGhost, length)
        firstGhost &+= length
        return ghosts
    }

    /// Takes so many of the oldest ghosts out. There must be as many.
    @inline(__always)
    mutating func dropGhosts(_ count: Int) {
        var rest = count
        while true {
            let length = stretch(from: firstGhost, before: oldest)
            var ghosts = marked(Self.plain, from: firstGhost, length)
            if ghosts.nonzeroBitCount >= rest {
                // Mostly there is no gap before.
                let all = UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- rest)
                if ghosts & all == all { return firstGhost &+= UInt32(truncatingIfNeeded: rest) }
                for _ in 1..<rest { ghosts &= ghosts &- 1 }
                return firstGhost &+= UInt32(truncatingIfNeeded: ghosts.trailingZeroBitCount) &+ 1
            }
            rest &-= ghosts.nonzeroBitCount
            firstGhost &+= length
        }
    }

    /// How many slots from a place on lie side by side, at most 64 and before another place.
    @inline(__always)
    private func stretch(from place: UInt32, before end: UInt32) -> UInt32 {
        min(64, end &- place, lapLeft(from: place))
    }

    /// A bit for each of so many slots from a place on, from 1 to 64, the lowest for the first, set where the mark is equal.
    @inline(__always)
    private func marked(_ mark: UInt8, from place: UInt32, _ length: UInt32) -> UInt64 {
        assay_equal_bytes(marks.base + Int(slot(place)), mark) & .max &>> UInt64(64 &- length)
    }
}
