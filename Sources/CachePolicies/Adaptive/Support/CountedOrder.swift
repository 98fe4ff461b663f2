internal import CacheCore

/// Residents in the order of how often they were asked for, and among equals of when they came to that count: what an
/// LFU expert needs beside the lists of a `SlotTable`, over the same slots.
///
/// A ring of buckets, one for each count that occurs, holds lists of slots (Shah, Mitra and Matani, 2010). To raise, to
/// remove and to find either end is O(1); to insert is O(1) for a count of 1 and otherwise O(lower counts that occur),
/// which happens when a ghost returns with its count. Memory: 16 bytes a slot, and 28 a resident object.
struct CountedOrder: ~Copyable {
    /// The end of the ring of buckets.
    private static var ends: UInt32 { 0 }

    /// A slot's place. Not private, or Swift 6.3.1 makes a broken module of the policies that hold an order.
    struct Node: BitwiseCopyable {
        var newer: UInt32 = 0
        var older: UInt32 = 0
        var bucket: UInt32 = 0
        var count: UInt32 = 0
    }

    /// A count and its neighbours in the ring.
    struct Bucket: BitwiseCopyable {
        var count: UInt32 = 0
        var lower: UInt32 = 0
        var higher: UInt32 = 0
    }

    /// The slots, then a sentinel for each bucket: its `older` is the newest of the list, its `newer` the oldest.
    private let nodes: FixedBuffer<Node>
    private let buckets: FixedBuffer<Bucket>
    private let firstSentinel: UInt32
    private var freeBucket: UInt32 = 1

    /// An order for slots below `slots`, at most `residents` of them in it together.
    init(slots: Int, residents: Int) {
        // One bucket a resident object, one for a count in transit, and the ring's end.
        let count = residents + 2
        nodes = FixedBuffer(repeating: Node(), count: slots + count)
        buckets = FixedBuffer(repeating: Bucket(), count: count)
        firstSentinel = UInt32(slots)
        for bucket in 1..<UInt32(count) { buckets.update(bucket) { $0.higher = bucket + 1 } }
        for bucket in 0..<UInt32(count) {
            let sentinel = firstSentinel + bucket
            nodes.update(sentinel) {
                $0.newer = sentinel
                $0.older = sentinel
            }
        }
    }

    /// Asks the processor to fetch a slot's place, `.max` for no slot.
    func prefetch(_ slot: UInt32) { nodes.prefetchIfFar(slot) }

    /// Asks the processor to fetch the neighbours of a slot, which has been fetched; `.max` for no slot.
    func prefetchNeighbours(_ slot: UInt32) {
        guard nodes.isFar else { return }
        let node = nodes[slot == .max ? 0 : slot]
        nodes.prefetchIfFar(node.newer)
        nodes.prefetchIfFar(node.older)
    }

    /// How often the object of a slot was asked for. Stays when the slot is taken out of the order.
    func count(of slot: UInt32) -> UInt32 { nodes[slot].count }

    /// The slot that came last to the lowest count. Something must be in the order.
    var newestOfLowest: UInt32 { nodes[firstSentinel + buckets[Self.ends].higher].older }

    /// The slot that came first to the lowest count. Something must be in the order.
    var oldestOfLowest: UInt32 { nodes[firstSentinel + buckets[Self.ends].higher].newer }

    /// Puts a slot in, as the newest of its count.
    mutating func insert(_ slot: UInt32, count: UInt32) {
        var lower = Self.ends
        var higher = buckets[Self.ends].higher
        while higher != Self.ends, buckets[higher].count < count {
            lower = higher
            higher = buckets[higher].higher
        }
        let isThere = higher != Self.ends && buckets[higher].count == count
        link(slot, count, into: isThere ? higher : makeBucket(count, after: lower))
    }

    /// Adds one to a slot's count and makes it the newest of those that have it.
    mutating func raise(_ slot: UInt32) {
        let node = nodes[slot]
        // A count stops at its largest value.
        let count = node.count == .max ? node.count : node.count + 1
        let higher = buckets[node.bucket].higher
        let isAlone = node.newer == node.older
        if isAlone, higher == Self.ends || buckets[higher].count > count {
            buckets.update(node.bucket) { $0.count = count }
            nodes.update(slot) { $0.count = count }
            return
        }
        unlink(node)
        if count == node.count {
            link(slot, count, into: node.bucket)
        } else if higher != Self.ends, buckets[higher].count == count {
            link(slot, count, into: higher)
            if isAlone { drop(node.bucket) }
        } else {
            link(slot, count, into: makeBucket(count, after: node.bucket))
        }
    }

    /// Takes a slot out.
    mutating func remove(_ slot: UInt32) {
        let node = nodes[slot]
        unlink(node)
        if node.newer == node.older { drop(node.bucket) }
    }

    private func link(_ slot: UInt32, _ count: UInt32, into bucket: UInt32) {
        let sentinel = firstSentinel + bucket
        let newest = nodes[sentinel].older
        nodes[slot] = Node(newer: sentinel, older: newest, bucket: bucket, count: count)
        nodes.update(newest) { $0.newer = slot }
        nodes.update(sentinel) { $0.older = slot }
    }

    private func unlink(_ node: Node) {
        nodes.update(node.newer) { $0.older = node.older }
        nodes.update(node.older) { $0.newer = node.newer }
    }

    private mutating func makeBucket(_ count: UInt32, after lower: UInt32) -> UInt32 {
        let bucket = freeBucket
        freeBucket = buckets[bucket].higher
        let higher = buckets[lower].higher
        buckets[bucket] = Bucket(count: count, lower: lower, higher: higher)
        buckets.update(lower) { $0.higher = bucket }
        buckets.update(higher) { $0.lower = bucket }
        return bucket
    }

    private mutating func drop(_ bucket: UInt32) {
        let dropped = buckets[bucket]
        buckets.update(dropped.lower) { $0.higher = dropped.higher }
        buckets.update(dropped.higher) { $0.lower = dropped.lower }
        buckets.update(bucket) { $0.higher = freeBucket }
        freeBucket = bucket
    }
}
