internal import CacheCore

extension SegmentTable where Sizes: ~Copyable {
    /// Turns a FIFO segment, whose objects go round again while their mark is above 0, one less at each pass, until one
    /// with mark 0 is the oldest, and returns that.
    ///
    /// The main queue of the FIFO family. The segment must not be empty. Amortised O(1).
    @inline(__always)
    func secondChanceVictim(of segment: UInt32) -> UInt32 {
        var tail = tail(of: segment)
        while true {
            let count = mark(at: tail)
            if count == 0 { return tail }
            setMark(count - 1, at: tail)
            moveToHead(tail)
            tail = self.tail(of: segment)
        }
    }

    /// Evicts the object that has used up its chances, without a ghost.
    @inline(__always)
    mutating func evictSecondChance<Sink: EvictionSink & ~Copyable>(of segment: UInt32, into sink: inout Sink) {
        evict(secondChanceVictim(of: segment), into: &sink)
    }
}
