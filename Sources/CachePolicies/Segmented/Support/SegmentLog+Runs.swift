internal import CIntrinsics
internal import CacheCore
internal import PolicySupport

/// Segmented LRU, served without branches and with what falls or leaves put off.
///
/// To the processor a hit is the toss of a coin, and a wrong guess costs more than the work of a hit and a miss together. So
/// both take the same instructions, and the oldest residents of the segments stay where they are until the requests are
/// served: how many fall and leave follows from the requests, and which they are from who leaves next. A request can tell
/// the difference only if it asks for one of these, of which as many are known as the requests can move.
extension SegmentLog {
    /// Requests that were served, up to one that must be served alone.
    struct Run: BitwiseCopyable {
        var requests = 0
        /// A bit for each of them, the lowest for the last, set where it missed.
        var misses: UInt64 = 0
        /// The same, set where an object was lifted into the next segment, from which another falls if that is full.
        var falls: UInt64 = 0
        /// The same, set where the object was lifted out of the lowest segment.
        var lowest: UInt64 = 0
    }

    /// The number of objects that left unreported.
    var unreported: Int { Int(departed.count) }

    /// Serves requests of a block from one on, at most so many, without letting anything leave the lowest segment.
    ///
    /// A segment that may lose objects meanwhile must hold as many as `wanted`: those that requests let fall or leave, and
    /// more. `loses` says which may. Objects fall from full segments only, as their limits tell.
    @inline(never)
    mutating func serve(
        _ block: ObjectBlock, from start: Int, atMost limit: Int, wanted: Int, limits: UnsafePointer<Int>, loses: UInt32
    ) -> Run {
        if slots &- (next &- base) < 2 * UInt32(ObjectBlock.limit) + 1 { pack() }
        for segment in 0..<segments {
            prepareFront(segment, loses &>> segment & 1 == 1 ? wanted : 0)
        }
        let first = next
        var run = lift(block, start, min(block.count, start &+ limit))
        settle(&run, from: first, limits)
        for segment in 1..<max(1, segments) { settleEdge(segment) }
        return run
    }

    @inline(__always)
    private mutating func lift(_ block: ObjectBlock, _ start: Int, _ end: Int) -> Run {
        let (marks, edges) = (marks.base, edges.base)
        let (ids, tags) = (ids.base - Int(base), tags.base - Int(base))
        var (next, misses, falls, request) = (Int(next), UInt64(0), UInt64(0), start)
        while request < end {
            assay_prefetch_to_write(marks + Int(block.upcoming(request)))
            let id = block[request]
            let mark = marks[Int(id)]
            let edge = edges + Int(mark & 15)
            let oldest = edge.pointee.oldest
            if mark &- oldest < edge.pointee.front { break }
            let missed = (UInt64(mark) &- UInt64(oldest)) &>> 63
            let kept = missed &- 1
            let lift = edge.pointee.lift & UInt32(truncatingIfNeeded: kept)
            // What missed is nowhere, and the slot that it takes is written after this.
            tags[next ^ (next ^ Int(mark >> 4)) & Int(bitPattern: UInt(kept))] = Self.gap
            ids[next] = id
            marks[Int(id)] = UInt32(truncatingIfNeeded: next) << 4 | lift & 15
            tags[next] = UInt8(truncatingIfNeeded: lift)
            // The object that falls enters here, once it is known.
            tags[next &+ 1] = UInt8(truncatingIfNeeded: lift >> 8)
            next &+= 1 &+ Int(lift >> 16)
            misses = misses &+ misses &+ missed
            falls = falls &+ falls &+ UInt64(lift >> 16)
            request &+= 1
        }
        tags[next] = Self.gap
        self.next = UInt32(truncatingIfNeeded: next)
        return Run(requests: request &- start, misses: misses, falls: falls)
    }

    /// Lets objects fall into the places that a run has left for them, in the order of the requests.
    @inline(__always)
    private func settle(_ run: inout Run, from first: UInt32, _ limits: UnsafePointer<Int>) {
        guard run.falls != 0 else { return }
        let (marks, ids, tags) = (marks.base, ids.base - Int(base), tags.base - Int(base))
        let (fronts, leaving, edges, line) = (fronts.base, leaving.base, edges.base, Int(line))
        var falls = run.falls &<< UInt64(64 &- run.requests)
        var (place, lowest, served) = (Int(first), UInt64(0), 0)
        while falls != 0 {
            let skipped = falls.leadingZeroBitCount
            place &+= skipped &+ 1
            let segment = Int(tags[place])
            if Int(edges[segment &+ 1].residents) < limits[segment &+ 1] {
                // There is room for the one that was lifted.
                tags[place] = Self.gap
                edges[segment &+ 1].residents &+= 1
                edges[segment].residents &-= 1
            } else {
                let front = fronts + segment + 1
                let id = ids[Int(leaving[(segment &+ 1) &* line &+ Int(front.pointee.first)])]
                front.pointee.first &+= 1
                ids[place] = id
                marks[Int(id)] = UInt32(truncatingIfNeeded: place << 4 | segment)
            }
            place &+= 1
            falls = (falls &<< UInt64(skipped)) &<< 1
            lowest = (lowest &<< UInt64(skipped)) &<< 1 | (segment == 0 ? 1 : 0)
            served &+= skipped &+ 1
        }
        run.lowest = lowest &<< UInt64(run.requests &- served)
    }
}
