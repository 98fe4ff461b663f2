internal import CIntrinsics
internal import CacheCore

/// Requests of a block that were served, while nothing left yet.
struct GhostedRun: BitwiseCopyable {
    /// How many.
    var requests = 0
    /// A bit for each, the lowest for the last, set where it missed.
    var misses: UInt64 = 0
    /// A bit for each, set where it hit an object of the first list.
    var promotions: UInt64 = 0
    /// Whether the next request must be served alone.
    var isCut = false
}

/// What is to leave two lists: how many of the oldest objects of each become ghosts, and how many of the oldest ghosts are
/// forgotten.
struct GhostedDebt: BitwiseCopyable {
    var firstObjects = 0
    var secondObjects = 0
    var firstGhosts = 0
    var secondGhosts = 0
}

/// Blocks of requests of a full cache in which every object weighs 1.
extension GhostedLists where Sizes: ~Copyable {
    /// Serves requests up to one that must be served alone, or as many as may be: a hit makes its object the newest of the
    /// second list, a miss of an object of which nothing is known makes that the newest of the first. Nothing leaves; the caller
    /// says afterwards what does.
    ///
    /// Hits and misses take the same instructions, because to the processor a hit is the toss of a coin. What leaves meanwhile is
    /// among the first objects of each list, or is a newcomer where there are few. A request for one of them, or for a ghost,
    /// ends the run.
    func serve(_ block: ObjectBlock, from start: Int) -> GhostedRun {
        // A small cache has few objects, and the more of them may leave, the more must be served alone.
        let requests = min(block.count &- start, 1 + count >> 4)
        let (firstEnd, secondEnd) = (zoneEnd(of: Self.first, requests), zoneEnd(of: Self.second, requests))
        // Few objects are asked for seldom.
        let isFirstSmall = firstEnd == lists[Self.first].end || lists[Self.first].objects.count < count >> 7
        let run =
            isFirstSmall
            ? runOfSecond(block, from: start, requests, secondEnd)
            : runOfBoth(block, from: start, requests, firstEnd, secondEnd)
        let (misses, promotions) = (run.misses.nonzeroBitCount, run.promotions.nonzeroBitCount)
        lists.update(Self.first) { $0.enter(misses, misses &- promotions) }
        lists.update(Self.second) { $0.enter(run.requests &- misses, promotions) }
        return run
    }

    /// The slot up to which objects of a list may leave while so many requests are served, for which there is room at its end then.
    @inline(__always)
    private func zoneEnd(of list: UInt32, _ requests: Int) -> UInt32 {
        if lists[list].end &- lists[list].next < ObjectBlock.limit { pack(list) }
        return lists.update(list) {
            if $0.zone.end < $0.oldest { $0.zone = LogZone(end: $0.oldest) }
            log.widen(&$0.zone, to: requests, before: $0.next)
            return $0.zone.count < requests ? $0.end : $0.zone.end
        }
    }

    /// Serves requests, where one for any object of the first list ends the run.
    @inline(never)
    private func runOfSecond(
        _ block: ObjectBlock, from start: Int, _ requests: Int, _ secondEnd: UInt32
    ) -> GhostedRun {
        let last = secondEnd &- 1
        return run(block, from: start, requests) {
            $0 &- 1 < last
        } isFirst: { _ in
            false
        }
    }

    /// Serves requests, where one for an object before either end ends the run.
    @inline(never)
    private func runOfBoth(
        _ block: ObjectBlock, from start: Int, _ requests: Int, _ firstEnd: UInt32, _ secondEnd: UInt32
    ) -> GhostedRun {
        let (middle, last, length) = (startOfSecond, firstEnd &- 1, secondEnd &- startOfSecond)
        return run(block, from: start, requests) {
            $0 &- 1 < last || $0 &- middle < length
        } isFirst: {
            $0 &- 1 < middle &- 1
        }
    }

    @inline(__always)
    private func run(
        _ block: ObjectBlock, from start: Int, _ requests: Int, isCut: (UInt32) -> Bool, isFirst: (UInt32) -> Bool
    ) -> GhostedRun {
        var run = GhostedRun()
        let (places, ids, marks) = (places.base, log.ids.base, log.marks.base)
        var next = Int(lists[Self.first].next)
        // As much as the two logs grow together, as there are requests.
        let sum = next &+ Int(lists[Self.second].next)
        while run.requests < requests {
            assay_prefetch_to_write(places + Int(block.upcoming(start &+ run.requests)))
            let id = block[start &+ run.requests]
            let place = places[Int(id)]
            if isCut(place) {
                run.isCut = true
                break
            }
            let missed = place == 0 ? 1 : 0
            // Before the first slot it does not matter what is a gap.
            marks[Int(place)] = MarkedLog.gap
            let other = sum &+ run.requests &- next
            let target = missed == 0 ? other : next
            ids[target] = id
            places[Int(id)] = UInt32(truncatingIfNeeded: target)
            next &+= missed
            run.misses = run.misses &+ run.misses &+ UInt64(truncatingIfNeeded: missed)
            run.promotions = run.promotions &+ run.promotions &+ (isFirst(place) ? 1 : 0)
            run.requests &+= 1
        }
        return run
    }

    /// Lets go what is to leave after a run.
    @inline(__always)
    func settle(_ debt: GhostedDebt) {
        leave(Self.first, debt.firstObjects, debt.firstGhosts)
        leave(Self.second, debt.secondObjects, debt.secondGhosts)
    }

    @inline(__always)
    private func leave(_ list: UInt32, _ objects: Int, _ ghosts: Int) {
        guard objects | ghosts != 0 else { return }
        lists.update(list) {
            $0.oldest = log.passed(objects, from: $0.oldest)
            $0.zone.count &-= objects
            $0.objects.change(by: 0 &- objects, 1)
            $0.ghosts.change(by: objects &- ghosts, 1)
            $0.firstGhost = log.forEach(ghosts, from: $0.firstGhost) {
                places[$0] = 0
            } announce: {
                prefetch($0)
            }
        }
    }
}
