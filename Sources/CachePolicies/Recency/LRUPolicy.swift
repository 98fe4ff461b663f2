public import CacheCore

/// Evicts the object that was asked for longest ago.
///
/// Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970.
/// A miss is `VictimPolicy.insert`: `evictOne` until there is room, `admit`.
///
/// Every operation is O(1). Memory: 9 bytes an object of the trace, 17 where the capacity is in bytes. Replays in objects run
/// `LRUReplay`, which decides the same (4 bytes an object and 25 a resident object). Any capacity from 1 on works alike; an
/// object larger than that is never admitted.
public struct LRUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    /// The residents, in front the one that was asked for last.
    private var queue: ObjectLists<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// LRU has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lru", family: "recency", summary: "Evicts the object that was asked for longest ago.",
            citation: "Mattson et al., IBM Systems Journal 9(2), 1970", stackOrders: ["": .leastRecentlyUsed],
            memory: MemoryCost(perObject: 9, perResident: 0, perObjectInBytes: 17, perResidentInBytes: 0))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        queue = ObjectLists(objects: configuration.objects.count)
    }

    public var residentCount: Int { queue.count() }
    public var residentWeight: Int { queue.weight() }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves the object to the front.
    public mutating func touch(_ request: Request) -> Bool {
        guard queue.contains(request.id) else { return false }
        queue.moveToFront(request.id)
        return true
    }

    /// Evicts the object at the back.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        queue.evict(queue.back()!, into: &sink)
    }

    /// Puts the object in front.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        queue.addToFront(request.id, weight: weight)
    }

    /// The object at the back, with which an admission policy compares the newcomer.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { queue.back() }

    /// The object at the back, which a live cache may fetch ahead.
    public var likelyVictim: ObjectID? { queue.back() }

    /// Takes the object out of the queue.
    public mutating func remove(_ id: ObjectID) { queue.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    public func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
