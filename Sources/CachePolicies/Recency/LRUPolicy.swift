public import CacheCore

/// Evicts the object that was asked for longest ago.
///
/// Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970.
/// Every operation is O(1); 4 bytes an object of the trace (12 in bytes) and 25 a resident object. Any capacity from 1
/// on works alike; an object larger than that is never admitted.
public struct LRUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var queue: RecencyQueue<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// LRU has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lru", family: "recency", summary: "Evicts the object that was asked for longest ago.",
            citation: "Mattson et al., IBM Systems Journal 9(2), 1970", stackOrders: ["": .leastRecentlyUsed],
            memory: MemoryCost(
                perObject: 4, perResident: 25, fixed: 5760, perObjectInBytes: 12, perResidentInBytes: 25))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        queue = RecencyQueue(
            objects: configuration.objects.count, residents: configuration.residentLimit,
            slotsPerResident: configuration.logSlotsPerResident, renewsOnHit: true)
    }

    /// The number of resident objects.
    public var residentCount: Int { queue.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { queue.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Makes a resident object the newest.
    public mutating func touch(_ request: Request) -> Bool { queue.touch(request.id) }

    /// Evicts the object that was asked for longest ago.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) { queue.evict(into: &sink) }

    /// Makes the object the newest.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        queue.append(request.id, weight: weight)
    }

    /// Whether the cache is full of objects that weigh 1.
    public var canServeBlock: Bool { Sizes.isUnit && queue.count == capacity }
    /// Serves a full cache without a branch.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { queue.serveBlock(block) }

    /// The object that was asked for longest ago.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        queue.count == 0 ? nil : queue.oldest()
    }

    /// Takes the object out of the queue.
    public mutating func remove(_ id: ObjectID) { queue.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    /// Fetches the object's place.
    public func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
