public import CacheCore

/// Evicts the object that entered longest ago, whatever was asked for since.
///
/// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966.
/// A miss is `VictimPolicy.insert`: `evictOne` until there is room, `admit`.
///
/// Every operation is O(1). Memory: 9 bytes an object of the trace, 17 where the capacity is in bytes. Replays in objects run
/// `FIFOReplay`, which counts the same (4 bytes an object). Any capacity from 1 on works alike; an
/// object larger than that is never admitted.
public struct FIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    /// The residents, in front the one that entered last.
    private var queue: ObjectLists<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// FIFO has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "fifo", family: "recency", summary: "Evicts the object that entered longest ago.",
            citation: "Belady, IBM Systems Journal 5(2), 1966",
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

    /// A hit changes nothing.
    public mutating func touch(_ request: Request) -> Bool { queue.contains(request.id) }

    /// Evicts the object at the back.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        queue.evict(queue.back()!, into: &sink)
    }

    /// Puts the object in front.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        queue.addToFront(request.id, weight: weight)
    }

    /// The object at the back.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { queue.back() }

    /// The object at the back.
    public var likelyVictim: ObjectID? { queue.back() }

    /// Takes the object out of the queue.
    public mutating func remove(_ id: ObjectID) { queue.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    public func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
