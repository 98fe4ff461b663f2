public import CacheCore
internal import PolicySupport

/// How replays in objects serve blocks of requests; each decides as the paper's steps would.
extension ARCPolicy where Sizes: ~Copyable {
    /// Whether the cache is full of objects that weigh 1.
    public var canServeBlock: Bool { Sizes.isUnit && lists.count == capacity && rules != .libcachesimV0 }
    /// Serves requests without asking first whether they hit, and evicts afterwards.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var (position, misses) = (0, UInt64(0))
        while position < block.count {
            let counts = GhostedCounts(
                t1: t1.count, t2: t2.count, b1: b1.count, b2: b2.count, limit: Int(target), capacity: capacity)
            let run = lists.serve(block, from: position)
            lists.settle(counts.debt(of: run))
            misses = misses << UInt64(run.requests) | run.misses
            position += run.requests
            guard run.isCut else { continue }
            prefetch(block.upcoming(position))
            misses = misses << 1 | serveAlone(block[position])
            position += 1
        }
        return misses
    }

    @inline(__always)
    private mutating func serveAlone(_ id: ObjectID) -> UInt64 {
        var sink = CountingSink()
        let request = Request(id: id, size: 1, index: 0)
        if touch(request) { return 0 }
        _ = insert(request, evicting: &sink)
        return 1
    }
}
