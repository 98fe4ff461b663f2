internal import CIntrinsics
internal import CacheCore

/// Replays of whole traces through Bélády's MIN in objects, for ``BeladyPolicy``.
///
/// A resident is known by the position of its next request, which no other object has: so the residents are a set of
/// positions, and request `i` hits if `i` is in it. A hit adds the position of the object's next request, and whatever was
/// asked for lies behind and needs no removal. Objects that are never asked for again are merely counted, and leave first.
/// There is no table of objects at all (`docs/decisions/0024-belady-on-positions.md`).
///
/// O(1) a request; memory as of ``PositionSet``, 0.13 bytes a request.
enum BeladyReplay: WholeTraceReplay {
    /// What requests change, small enough to stay in registers.
    fileprivate struct State: BitwiseCopyable {
        /// The farthest next use of a resident but the newest, or more, if that is not past the word that is being served.
        var farthest = 0
        /// The next use of the object that missed last, which is resident but not in the set; not kept where newcomers may
        /// be refused. Once it lies behind, its object is like the others, of which there is one more.
        var newest = 0
        /// How many residents but the newest are never asked for again.
        var endless = 0
        /// How many objects have been let in so far; from when the cache is full on, only where newcomers may be refused.
        var written = 0
        var hits = 0
        var (bytesRequested, bytesHit, bytesWritten) = (0, 0, 0)
    }

    /// Replays a trace.
    static func replay(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor, parts: ReplayParts
    ) -> ReplayCounts? {
        guard let next = columns.next?.baseAddress else { return ReplayCounts() }
        let (count, capacity, sizes) = (columns.ids.count, configuration.capacity.amount, RequestSizes(columns))
        let bypasses = configuration.parameters.text("bypass") == "true"
        // A word of its own for never, after all others.
        let never = count | 63 + 1
        let uses = PositionSet(count: never + 1)
        var state = State()
        var start = 0
        while start < count {
            if monitor.isStopping { return nil }
            let stop = parts.nextEnd(before: count)
            let end = min(start + 1 << 16, stop)
            let full = fill(uses, next, start..<end, never, sizes, until: capacity, &state)
            // Once for each, so that none asks which it is.
            let rest = full..<end
            switch (bypasses, sizes.isUniform) {
            case (true, true): serve(uses, next, rest, never, sizes, bypasses: true, isUniform: true, &state)
            case (true, false): serve(uses, next, rest, never, sizes, bypasses: true, isUniform: false, &state)
            case (false, true): serve(uses, next, rest, never, sizes, bypasses: false, isUniform: true, &state)
            case (false, false): serve(uses, next, rest, never, sizes, bypasses: false, isUniform: false, &state)
            }
            monitor.advance(by: end - start)
            start = end
            if end == stop, end < count {
                parts.note(counts(state, of: end, sizes, capacity: capacity, bypasses: bypasses))
            }
        }
        return counts(state, of: count, sizes, capacity: capacity, bypasses: bypasses)
    }

    /// Serves requests while there is room, and returns the position of the first after them.
    private static func fill(
        _ uses: borrowing PositionSet, _ next: UnsafePointer<UInt32>, _ positions: Range<Int>, _ never: Int,
        _ sizes: RequestSizes, until capacity: Int, _ state: inout State
    ) -> Int {
        var position = positions.lowerBound
        while position < positions.upperBound, state.written < capacity {
            let following = min(Int(next[position]), never)
            let missed = uses.contains(position) ? 0 : -1
            state.count(sizes, position, sizes.isUniform, missed: missed)
            if missed != 0 { state.countWritten(sizes, position, sizes.isUniform) }
            if following == never { state.endless += 1 } else { uses.insert(following) }
            state.farthest = max(state.farthest, following)
            position += 1
        }
        return position
    }

    /// Serves requests while the cache is full.
    ///
    /// A miss evicts the farthest of all, which is mostly the newest, or refuses its own object if it may, which is mostly
    /// the farthest. So nine of ten requests add to the set if they hit and do nothing to it if they miss, and are served
    /// without a branch between the two.
    @inline(__always)
    private static func serve(
        _ uses: borrowing PositionSet, _ next: UnsafePointer<UInt32>, _ positions: Range<Int>, _ never: Int,
        _ sizes: RequestSizes, bypasses: Bool, isUniform: Bool, _ state: inout State
    ) {
        var now = state
        var position = positions.lowerBound
        while position < positions.upperBound {
            // The residents of this word are kept here too: what has just been written is read again slowly.
            var residents = uses.word(at: position)
            let behind = position | 63 &+ 1
            let end = min(behind, positions.upperBound)
            if !bypasses, now.newest &>> 6 == position &>> 6 { residents |= bit(now.newest) }
            // What leaves without a look at the set is then in another word.
            now.farthest = max(now.farthest, behind)
            repeat {
                let following = min(Int(next[position]), never)
                var near = following < behind ? bit(following) : 0
                let missed = Int(bitPattern: UInt(assay_all_if_zero(residents & bit(position))))
                let candidate = bypasses ? following : now.newest
                if missed & (candidate &- now.farthest) < 0 {
                    let isReplaced = now.replaceFarthest(by: candidate, uses, never: never, behind: behind)
                    residents = uses.word(at: position)
                    if bypasses {
                        if isReplaced { now.countWritten(sizes, position, isUniform) }
                        near = 0
                    }
                }
                residents |= near
                if !bypasses { now.newest ^= (now.newest ^ following) & missed }
                if uses.insertUnsummarized(following, unless: missed) {
                    now.settle(following, uses, never: never)
                }
                now.farthest = max(now.farthest, following & ~missed)
                now.count(sizes, position, isUniform, missed: missed)
                position &+= 1
            } while position < end
        }
        state = now
    }

    private static func counts(
        _ state: State, of requests: Int, _ sizes: RequestSizes, capacity: Int, bypasses: Bool
    ) -> ReplayCounts {
        var counts = ReplayCounts()
        (counts.requests, counts.hits) = (requests, state.hits)
        let written = bypasses ? state.written : counts.misses
        counts.residentObjects = min(written, capacity)
        counts.residentWeight = counts.residentObjects
        counts.evictions = written - counts.residentObjects
        if sizes.isUniform, requests > 0 {
            let size = sizes.size(at: 0)
            (counts.bytesRequested, counts.bytesHit) = (requests * size, counts.hits * size)
            counts.bytesWritten = written * size
        } else {
            (counts.bytesRequested, counts.bytesHit) = (state.bytesRequested, state.bytesHit)
            counts.bytesWritten = bypasses ? state.bytesWritten : state.bytesRequested - state.bytesHit
        }
        return counts
    }

    @inline(__always)
    private static func bit(_ position: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: position & 63) }
}

extension BeladyReplay.State {
    /// Counts a request, which missed if given all bits, or hit, if given none.
    @inline(__always)
    fileprivate mutating func count(_ sizes: RequestSizes, _ position: Int, _ isUniform: Bool, missed: Int) {
        hits &+= 1 &+ missed
        guard !isUniform else { return }
        let size = sizes.size(at: position)
        bytesRequested &+= size
        bytesHit &+= size & ~missed
    }

    /// Counts an object that is let in.
    @inline(__always)
    fileprivate mutating func countWritten(_ sizes: RequestSizes, _ position: Int, _ isUniform: Bool) {
        written += 1
        if !isUniform { bytesWritten += sizes.size(at: position) }
    }

    /// Takes note of a next use that was added to an empty word.
    @inline(__always)
    fileprivate mutating func settle(_ following: Int, _ uses: borrowing PositionSet, never: Int) {
        guard following == never else { return uses.summarize(following) }
        uses.removeUnsummarized(never)
        endless += 1
    }

    /// Puts a next use in the place of the farthest if it is nearer, and returns whether it is.
    @inline(__always)
    fileprivate mutating func replaceFarthest(
        by candidate: Int, _ uses: borrowing PositionSet, never: Int, behind: Int
    ) -> Bool {
        if farthest == behind, behind == never ? endless == 0 : !uses.contains(behind) { farthest = uses.largest() }
        let isNearer = candidate < farthest
        if isNearer {
            if farthest == never { endless -= 1 }
            if farthest != never || endless == 0 { farthest = uses.removeLargest(farthest) }
            uses.insert(candidate)
        }
        farthest = max(farthest, isNearer ? candidate : 0, behind)
        return isNearer
    }
}
