internal import CacheCore

/// Resident objects in one list for each number of requests, the last to arrive at that number at the head.
///
/// Shah, Mitra and Matani, "An O(1) algorithm for implementing the LFU cache eviction scheme", 2010. Counts start at 1
/// and live while an object is resident. Every operation is O(1); 4 bytes an id and 44 a slot (60 in bytes).
struct CountLists<Sizes: SizeStore & ~Copyable>: ~Copyable {
    private static var none: UInt32 { SlotTable<Sizes>.none }
    /// The end of the ring of buckets.
    private static var ends: UInt32 { 0 }

    /// The objects of one count; a bucket's number is also its list's, and a slot's state is its bucket.
    struct Bucket: BitwiseCopyable {
        var count: UInt32 = 0
        var lower: UInt32 = 0
        var higher: UInt32 = 0
    }

    /// The slots. Lists are the buckets'.
    private(set) var table: SlotTable<Sizes>
    private let buckets: FixedBuffer<Bucket>
    private var freeBucket: UInt32 = 1

    /// Lists for ids `0..<objects` of which `slots` are resident together.
    init(objects: Int, slots: Int) {
        // One bucket a resident object, one for a count in transit, and the ring's end.
        buckets = FixedBuffer(repeating: Bucket(), count: slots + 2)
        for bucket in 1..<UInt32(slots + 2) { buckets.update(bucket) { $0.higher = bucket + 1 } }
        buckets.update(UInt32(slots + 1)) { $0.higher = SlotTable<Sizes>.none }
        table = SlotTable(objects: objects, slots: slots, lists: slots + 2)
    }

    /// Of the objects with the fewest requests, the one that arrived there first.
    var lowest: UInt32 { table.tail(of: buckets[Self.ends].higher) }
    /// Of the objects with the most requests, the one that arrived there first.
    var highest: UInt32 { table.tail(of: buckets[Self.ends].lower) }

    /// Counts a request for an object if it is resident, and returns whether it is.
    mutating func touch(_ id: ObjectID) -> Bool {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return false }
        let bucket = table.state(at: slot)
        let count = buckets[bucket].count
        // A count stops at its largest value and the objects that have it are an LRU.
        guard count < .max else {
            table.move(slot, toHeadOf: bucket)
            return true
        }
        let higher = buckets[bucket].higher
        let isAlone = table.head(of: bucket) == table.tail(of: bucket)
        if higher != Self.ends, buckets[higher].count == count + 1 {
            transfer(slot, to: higher)
            if isAlone { drop(bucket) }
        } else if isAlone {
            buckets.update(bucket) { $0.count = count + 1 }
        } else {
            transfer(slot, to: makeBucket(count + 1, after: bucket))
        }
        return true
    }

    /// Makes an object resident, with count 1.
    mutating func add(_ id: ObjectID, weight: Int) {
        let lowest = buckets[Self.ends].higher
        let bucket = lowest != Self.ends && buckets[lowest].count == 1 ? lowest : makeBucket(1, after: Self.ends)
        table.add(id, weight: weight, state: bucket, toHeadOf: bucket)
    }

    /// Takes the slot of a resident object away and reports that the object left for space and is forgotten.
    mutating func evict<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let bucket = table.state(at: slot)
        table.evict(slot, into: &sink)
        if table.tail(of: bucket) == Self.none { drop(bucket) }
    }

    /// Takes an object out of its list, if it is resident.
    mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        let bucket = table.state(at: slot)
        table.release(slot)
        if table.tail(of: bucket) == Self.none { drop(bucket) }
    }

    private func transfer(_ slot: UInt32, to bucket: UInt32) {
        table.move(slot, toHeadOf: bucket)
        table.setState(bucket, at: slot)
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
