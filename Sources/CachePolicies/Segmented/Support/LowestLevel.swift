/// How full the lowest segment of a segmented LRU becomes in a run of requests.
///
/// A miss adds an object up to `most`, what the others leave of the capacity. Where the segment has a limit of its own, `least`,
/// a hit in it lifts an object out of it and lets another fall into it, after which all beyond the limit are pushed out.
struct LowestLevel: BitwiseCopyable {
    let least: Int
    let most: Int

    /// How many objects there are after a run of requests.
    @inline(__always)
    func residents(_ before: Int, after run: SegmentLog.Run) -> Int {
        let last = most > least ? run.lowest & (0 &- run.lowest) : 0
        let since = (run.misses & (last &- 1)).nonzeroBitCount
        return min(most, (last == 0 ? before : least) &+ since)
    }

    /// How many objects were pushed out since the last miss of a run, or in all of it.
    @inline(__always)
    func pushedOut(_ before: Int, after run: SegmentLog.Run) -> Int {
        let late = run.lowest & ((run.misses & (0 &- run.misses)) &- 1)
        guard most > least, late != 0 else { return 0 }
        var early = run
        early.lowest ^= late
        return residents(before, after: early) &- least
    }
}
