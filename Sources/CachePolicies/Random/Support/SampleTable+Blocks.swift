internal import CacheCore
internal import PolicySupport

/// Replays of caches that are full of objects that weigh 1, by blocks of requests, while ``canServeBlock``.
extension SampleTable where Sizes: ~Copyable {
    /// Serves requests that change nothing where they hit, and each of which that misses pushes out whatever is drawn first, as
    /// ``insert(_:stamp:evictingAny:)`` does. Returns a bit for each, the lowest for the last, set where it missed.
    ///
    /// To the processor a hit is the toss of a coin, and guessing wrong costs it more than the work of both: so hits and misses
    /// take the same instructions.
    @inline(__always)
    mutating func serveBlockAny(_ block: ObjectBlock, stamp: Stamp) -> UInt64 {
        var misses: UInt64 = 0
        for request in 0..<block.count {
            places.prefetch(block.upcoming(request))
            let id = block[request]
            let place = places[id]
            let missed: UInt32 = place == Self.none ? .max : 0
            var draws = generator
            let victim = UInt32(draws.next(below: count))
            generator = missed != 0 ? draws : generator
            // A hit writes down again what is known of who would be the next to leave.
            let leaver = ids[victim]
            places[leaver] = victim | missed
            ids[victim] = id & missed | leaver & ~missed
            let kept = victim & missed | place & ~missed
            setStamp(stamp, at: kept)
            places[id] = kept
            misses = misses &<< 1 | UInt64(missed & 1)
        }
        return misses
    }

    /// Serves requests each of which that misses pushes out a resident that is chosen among samples. Returns a bit for each,
    /// the lowest for the last, set where it missed.
    ///
    /// `touch` is what a hit does to the stamp; `choose` finds the place of the victim, and `stamp` makes that of the newcomer,
    /// at a request of the block.
    @inline(__always)
    mutating func serveBlockChosen(
        _ block: ObjectBlock, touch: (inout Stamp) -> Void, choose: (inout Self, Int) -> UInt32, stamp: (Int) -> Stamp
    ) -> UInt64 {
        var misses: UInt64 = 0
        for request in 0..<block.count {
            places.prefetch(block.upcoming(request))
            prefetchEntry(block.approaching(request))
            let id = block[request]
            let place = places[id]
            misses &<<= 1
            if place != Self.none {
                stamps.update(place, touch)
            } else {
                misses |= 1
                let victim = choose(&self, request)
                places[ids[victim]] = Self.none
                ids[victim] = id
                stamps[victim] = stamp(request)
                places[id] = victim
            }
        }
        return misses
    }

    /// Of as many residents as are to be drawn the place with the lowest rank, among equals the one drawn first, and how many
    /// were ranked at all: most are sorted out by `isLow`, which is 1 for all with ranks below `certain`, else 0.
    ///
    /// The result does not depend on `isLow`: if that finds nothing, or nothing below `certain`, the same samples are drawn
    /// again and all are ranked.
    @inline(__always)
    mutating func lowest<Rank: Comparable>(
        isLow: (Stamp) -> Int, certain: Rank, _ rank: (UInt32) -> Rank
    ) -> (place: UInt32, ranked: Int) {
        let before = generator
        let found = drawLow(isLow)
        if found > 0 {
            let low = low.base
            var victim = low[0]
            var lowest = rank(victim)
            for sample in 1..<found {
                let place = low[sample]
                let found = rank(place)
                let isLower = found < lowest
                victim = isLower ? place : victim
                lowest = isLower ? found : lowest
            }
            if lowest < certain { return (victim, found) }
        }
        generator = before
        return (lowest(of: count + 1, sparing: UInt32(count), rank), found)
    }

    /// Draws samples, notes the places of those that are low, and returns how many these are.
    ///
    /// A function of its own, so that its loop has the registers to itself. What is noted of a sample that is not low is
    /// overwritten by the next: there is no branch.
    @inline(never)
    private mutating func drawLow(_ isLow: (Stamp) -> Int) -> Int {
        let (low, stamps, residents) = (low.base, stamps.base, UInt32(truncatingIfNeeded: count))
        var draws = generator
        var found = 0
        // Not one by one: the processor cannot foresee what is low.
        for _ in 0..<samples / 2 {
            let pair = draws.nextPair(below: residents)
            low[found] = pair.0
            found &+= isLow(stamps[Int(pair.0)])
            low[found] = pair.1
            found &+= isLow(stamps[Int(pair.1)])
        }
        if samples % 2 == 1 {
            let last = draws.nextPair(below: residents).0
            low[found] = last
            found &+= isLow(stamps[Int(last)])
        }
        generator = draws
        return found
    }
}
