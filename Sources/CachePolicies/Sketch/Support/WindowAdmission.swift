internal import CacheCore

extension SegmentTable where Sizes == UnitSizes {
    /// Moves what leaves the window to the head of a segment of the main cache; if the cache is too full, either it or
    /// the segment's tail goes, which may be the same.
    mutating func passOn<Sink: EvictionSink & ~Copyable>(
        _ candidate: UInt32, to segment: UInt32, capacity: Int, _ filter: inout TinyLFU, into sink: inout Sink
    ) {
        move(candidate, toHeadOf: segment)
        guard residentWeight > capacity else { return }
        let victim = tail(of: segment)
        evict(filter.admits(id(at: candidate), over: id(at: victim)) ? victim : candidate, into: &sink)
    }

    /// Moves the slot of a hit to the head of a segment that holds at most `limit`, and what overflows to the one below.
    mutating func promote(_ slot: UInt32, to segment: UInt32, limit: Int, demotingTo below: UInt32) {
        move(slot, toHeadOf: segment)
        if weight(of: segment) > limit { move(tail(of: segment), toHeadOf: below) }
    }
}
