internal import CIntrinsics
internal import CacheCore

/// Some requests of a block, of which nothing left yet.
struct CountedRun: BitwiseCopyable {
    /// How many.
    var requests = 0
    /// A bit for each, the lowest for the last, set where it missed.
    var misses: UInt64 = 0
    /// Whether the next request must be served alone.
    var isCut = false
}

/// Blocks of requests of a full cache in which every object weighs 1.
extension CountedLog {
    /// Asks the processor to fetch what is known of an object, which will be written.
    @inline(__always)
    func prefetch(_ id: ObjectID) { assay_prefetch_to_write(words.base + Int(id)) }

    /// Serves requests up to one that must be served alone, or as many as may be: each makes its object the newest and counts.
    /// The objects that missed, of which nothing was known, are in the log beside those whose place they take: the caller
    /// evicts as many.
    ///
    /// Hits and misses take the same instructions, because to the processor a hit is the toss of a coin. Who leaves meanwhile is
    /// among the first objects of the log and the first of those that were asked for once, or is a newcomer where there are
    /// few of these. A request for one of them, or for a ghost, ends the run.
    mutating func serve(_ block: ObjectBlock, from start: Int, owed: Int) -> CountedRun {
        if Int(next) + ObjectBlock.limit > Int(slots) { pack() }
        // A small cache has few objects, and the more of them may leave, the more must be served alone.
        let requests = min(block.count &- start, 1 + count >> 4)
        let victims = requests &+ owed
        log.widen(&zones.old, to: victims, before: next, MarkedLog.gap, isEqual: false)
        log.widen(&zones.rare, to: victims &+ 2, before: next, Self.once, isEqual: true)
        if zones.rare.count == 0 { return CountedRun(isCut: true) }
        let rareEnd = zones.rare.count < victims ? TimedGhosts.bit : zones.rare.end
        return run(block, from: start, requests, oldEnd: zones.old.end, rareEnd: rareEnd)
    }

    /// Serves requests until one asks for a ghost, for an object before `oldEnd`, or for one before `rareEnd` that was asked for
    /// once.
    @inline(never)
    private mutating func run(
        _ block: ObjectBlock, from start: Int, _ requests: Int, oldEnd: UInt32, rareEnd: UInt32
    ) -> CountedRun {
        var run = CountedRun()
        let (words, ids, marks) = (words.base, log.ids.base, log.marks.base)
        var next = next
        while run.requests < requests {
            assay_prefetch_to_write(words + Int(block.upcoming(start &+ run.requests)))
            let id = block[start &+ run.requests]
            let word = words[Int(id)]
            let place = UInt32(truncatingIfNeeded: word)
            // One that was asked for once is above 2^32 by its place, an object that has none is below.
            let isRare = word &- 1 &<< 32 < UInt64(rareEnd)
            if place &- 1 < oldEnd &- 1 || isRare || place > Int32.max {
                run.isCut = true
                break
            }
            let missed: UInt64 = place == 0 ? 1 : 0
            let (raised, isMost) = UInt32(truncatingIfNeeded: word &>> 32).addingReportingOverflow(1)
            let count = raised &- (isMost ? 1 : 0)
            // Before the first slot it does not matter what is a gap. All bits of `vacant` turned are `once`.
            marks[Int(place)] = MarkedLog.gap
            marks[Int(next)] = MarkedLog.vacant ^ UInt8(truncatingIfNeeded: 0 &- missed)
            ids[Int(next)] = id
            words[Int(id)] = UInt64(count) &<< 32 | UInt64(next)
            next &+= 1
            run.misses = run.misses &+ run.misses &+ missed
            run.requests &+= 1
        }
        self.next = next
        return run
    }

    /// Who leaves next by either expert, where something was asked for once.
    @inline(__always)
    mutating func candidates() -> VictimPair {
        let (oldest, rarest) = findVictims()
        return VictimPair(oldest: oldest, rarest: rarest)
    }

    /// Takes the oldest object (0) or the rarest (1) out of the log, and finds the next.
    @inline(__always)
    mutating func take(_ expert: UInt32, _ pair: inout VictimPair) -> ObjectID {
        // All bits for the rarest. Whom an expert chooses is as hard to foresee as a coin's toss.
        let mask = 0 &- expert
        let victim = pair.oldest ^ (pair.oldest ^ pair.rarest) & mask
        pair.agree = pair.oldest == pair.rarest
        log.marks[victim] = MarkedLog.gap
        pair.takenOld &+= victim < zones.old.end ? 1 : 0
        pair.takenRare &+= victim < zones.rare.end ? Int(expert) : 0
        let found = follower(of: victim, expert)
        if pair.agree {
            pair.takenRare &+= victim < zones.rare.end ? 1 &- Int(expert) : 0
            let other = follower(of: victim, 1 &- expert)
            (pair.oldest, pair.rarest) = expert == 0 ? (found, other) : (other, found)
        } else {
            pair.oldest ^= (pair.oldest ^ found) & ~mask
            pair.rarest ^= (pair.rarest ^ found) & mask
        }
        return log.ids[victim]
    }

    /// The next slot after a victim with an object (0), or with one that was asked for once (1).
    @inline(__always)
    private func follower(of victim: UInt32, _ expert: UInt32) -> UInt32 {
        let mark = MarkedLog.gap &+ UInt8(truncatingIfNeeded: expert &<< 1)
        let bits = log.lane(at: victim &+ 1, mark, true) ^ (MarkedLog.allOfLane & (expert &- 1))
        if bits != 0 { return victim &+ 1 &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount) }
        return log.follower(of: victim, mark, isEqual: expert != 0)
    }

    /// Writes down where the victims were found, and how many were taken.
    @inline(__always)
    mutating func keep(_ pair: VictimPair) {
        (oldest, rarest) = (pair.oldest, pair.rarest)
        zones.old.count &-= pair.takenOld
        zones.rare.count &-= pair.takenRare
    }
}

/// The slots of the objects that leave next, by either of two experts.
struct VictimPair: BitwiseCopyable {
    /// The least recent.
    var oldest: UInt32
    /// The least often asked for.
    var rarest: UInt32
    /// Whether the last victim was both.
    var agree = false
    /// How many were taken out of each zone.
    var takenOld = 0
    var takenRare = 0
}
