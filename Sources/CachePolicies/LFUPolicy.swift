public import CacheCore

/// Evicts the object that was asked for least often since it entered; among equals the one that was asked for longest
/// ago.
///
/// Counts live while an object is resident ("in-cache LFU"); the newcomer enters with count 1 after the victim left. In
/// constant time by lists of equal counts: Shah, Mitra and Matani, "An O(1) algorithm for implementing the LFU cache
/// eviction scheme", 2010; the rule itself is Aho, Denning and Ullman, J. ACM 18(1), 1971. Every operation is O(1); 4
/// bytes an object of the trace and 44 a resident object (52 in bytes). Any capacity from 1 on works alike; an object
/// larger than that is never admitted. libCacheSim's `lfu` and `lfucpp` and Caffeine's `linked.Lfu` follow these rules.
public struct LFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var none: UInt32 { SlotTable<Sizes>.none }
    /// The end of the ring of buckets.
    private static var ends: UInt32 { 0 }

    /// The objects of one count; a bucket's number is also its list's, and a slot's state is its bucket.
    private struct Bucket: BitwiseCopyable {
        var count: UInt32 = 0
        var lower: UInt32 = 0
        var higher: UInt32 = 0
    }

    private var table: SlotTable<Sizes>
    private let buckets: FixedBuffer<Bucket>
    private var freeBucket: UInt32
    /// The most weight that may be resident.
    public let capacity: Int

    /// LFU has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lfu", family: "frequency",
            summary: "Evicts the object that was asked for least often since it entered.",
            citation: "Aho et al., J. ACM 18(1), 1971; Shah et al., 2010")
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        let limit = configuration.residentLimit
        // One bucket a resident object, one for a count in transit, and the ring's end.
        buckets = FixedBuffer(repeating: Bucket(), count: limit + 2)
        for bucket in 1..<UInt32(limit + 2) { buckets.update(bucket) { $0.higher = bucket + 1 } }
        buckets.update(UInt32(limit + 1)) { $0.higher = SlotTable<Sizes>.none }
        freeBucket = 1
        table = SlotTable(objects: configuration.objects.count, slots: limit, lists: limit + 2)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves the object to the list of the next count.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
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

    /// Evicts the tail of the list of the lowest count.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let lowest = buckets[Self.ends].higher
        table.evict(table.tail(of: lowest), into: &sink)
        if table.tail(of: lowest) == Self.none { drop(lowest) }
    }

    /// Puts the object into the list of count 1.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let lowest = buckets[Self.ends].higher
        let bucket = lowest != Self.ends && buckets[lowest].count == 1 ? lowest : makeBucket(1, after: Self.ends)
        table.add(request.id, weight: weight, state: bucket, toHeadOf: bucket)
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        let bucket = table.state(at: slot)
        table.release(slot)
        if table.tail(of: bucket) == Self.none { drop(bucket) }
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }

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
