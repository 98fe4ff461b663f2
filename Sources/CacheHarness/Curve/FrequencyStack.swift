internal import CacheCore

/// The objects in the order in which perfect LFU would keep them, counts surviving eviction.
///
/// A cache of C objects always holds the C - 1 that were asked for most often and one more. With capacities in ascending order
/// that extra object stays the same until it is among the most frequent itself, and then it is another; those that are it at
/// some capacity are the *spare* ones. A request changes which they are in a simple way: all whose rank lies between the
/// object's new and old rank are spare from now on, those above are not, and those below stay as they were. So the spare
/// ranks are a few ranges, kept as a stack with the highest rank on top, and each request pushes one.
///
/// An object that is not spare hits from one place more than its rank on, a spare one from one place more than the rank
/// of the spare object before it. `docs/decisions/0005` has the proof. The rank among all
/// counts comes from a bitmap with one bit for each request: how often each object is asked for in the end says how
/// many requests are an object's first, its second and so on, so that each has its place in the order of count and time
/// from the beginning. O(log n) a request; 16 bytes an object and 1.5 bits a request.
struct FrequencyStack: ~Copyable, PriorityStack {
    private let counts: FixedBuffer<UInt32>
    /// The bit of each object.
    private let bits: FixedBuffer<UInt32>
    /// The bit for the next object that reaches each count.
    private let nextBits: FixedBuffer<UInt32>
    private let ranked: RankedBits
    private var spare: RankRanges
    private var objects = 0
    /// Whether the one asked for last is the first of equals.
    private let isLatestFirst: Bool

    /// An empty stack for a trace, whose requests must follow in order.
    init(_ ids: UnsafeBufferPointer<ObjectID>, objects: Int, isLatestFirst: Bool) {
        counts = FixedBuffer(repeating: 0, count: objects)
        bits = FixedBuffer(repeating: 0, count: objects)
        spare = RankRanges(ranks: objects)
        ranked = RankedBits(count: ids.count)
        self.isLatestFirst = isLatestFirst
        for id in ids { counts.update(id) { $0 += 1 } }
        var most: UInt32 = 0
        for id in 0..<UInt32(objects) { most = max(most, counts[id]) }
        nextBits = FixedBuffer(repeating: 0, count: Int(most) + 1)
        for id in 0..<UInt32(objects) {
            nextBits.update(counts[id]) { $0 += 1 }
            counts[id] = 0
        }
        // From the number of objects with each count to where the bits of each count begin, or end; rare counts first.
        var reaching: UInt32 = 0
        for count in stride(from: most, to: 0, by: -1) {
            reaching += nextBits[count]
            nextBits[count] = reaching
        }
        var start: UInt32 = 0
        for count in stride(from: UInt32(1), through: most, by: 1) {
            let length = nextBits[count]
            nextBits[count] = isLatestFirst ? start : start + length - 1
            start += length
        }
    }

    mutating func request(_ id: ObjectID, size: Int) -> Int {
        let count = counts[id] &+ 1
        var (oldRank, distance) = (objects + 1, -1)
        if count == 1 {
            objects += 1
        } else {
            oldRank = objects - ranked.countBefore(bits[id])
            distance = 1 + (spare.spare(before: oldRank) ?? oldRank)
            ranked.clear(bits[id])
        }
        counts[id] = count
        bits[id] = nextBits[count]
        nextBits.update(count) { $0 = isLatestFirst ? $0 &+ 1 : $0 &- 1 }
        ranked.set(bits[id])
        spare.replace(upTo: oldRank, from: objects - ranked.countBefore(bits[id]))
        return distance
    }

    @inline(__always) func prefetch(_ id: ObjectID) { bits.prefetch(id) }
    @inline(__always) func prefetchCounts(_ id: ObjectID) { ranked.prefetch(bits[id]) }
}

/// Ranges of ranks, none overlapping, the highest rank (the smallest number) on top of a stack.
private struct RankRanges: ~Copyable {
    private let firsts: FixedBuffer<UInt32>
    private let lasts: FixedBuffer<UInt32>
    private var top = 0

    init(ranks: Int) {
        firsts = FixedBuffer(repeating: 0, count: ranks + 2)
        lasts = FixedBuffer(repeating: 0, count: ranks + 2)
    }

    /// The rank in a range that comes before `rank`, 0 if none does; nil if `rank` is in no range. Forgets all ranges that
    /// end before it.
    mutating func spare(before rank: Int) -> Int? {
        var previous = 0
        while top > 0, Int(lasts[UInt32(top)]) < rank {
            previous = Int(lasts[UInt32(top)])
            top -= 1
        }
        guard top > 0, Int(firsts[UInt32(top)]) <= rank else { return nil }
        return Int(firsts[UInt32(top)]) < rank ? rank - 1 : previous
    }

    /// Makes all ranks from `first` to `last` one range, and forgets what comes before it.
    mutating func replace(upTo last: Int, from first: Int) {
        while top > 0, Int(lasts[UInt32(top)]) <= last { top -= 1 }
        if top > 0, Int(firsts[UInt32(top)]) <= last + 1 {
            firsts[UInt32(top)] = UInt32(first)
        } else {
            top += 1
            firsts[UInt32(top)] = UInt32(first)
            lasts[UInt32(top)] = UInt32(last)
        }
    }
}
