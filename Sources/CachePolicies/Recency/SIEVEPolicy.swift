public import CacheCore

/// Evicts the first object that was not asked for since the hand last passed, and leaves the others where they are.
///
/// Zhang, Yang, Yue, Vigfusson and Rashmi, "SIEVE is simpler than LRU", NSDI 2024. Newcomers enter at the head; the
/// hand walks from the tail to the head, clears the visited bits that it passes, evicts the first object without one,
/// and stays there. A hit is O(1), an eviction amortised O(1); 4 bytes an object of the trace (12 in bytes) and 25 a resident
/// object. Any capacity from 1 on works alike; an object larger than that is never admitted. libCacheSim and
/// Caffeine follow the paper.
public struct SIEVEPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var queue: ClockHandQueue<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// SIEVE has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "sieve", family: "recency",
            summary: "A hand evicts the first object that was not asked for since it last passed.",
            citation: "Zhang et al., NSDI 2024",
            memory: MemoryCost(
                perObject: 4, perResident: 25, fixed: 6600, perObjectInBytes: 12, perResidentInBytes: 25))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        queue = ClockHandQueue(
            objects: configuration.objects.count, residents: configuration.residentLimit,
            slotsPerResident: configuration.logSlotsPerResident)
    }

    /// The number of resident objects.
    public var residentCount: Int { queue.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { queue.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Sets the visited bit.
    public mutating func touch(_ request: Request) -> Bool { queue.touch(request.id) }

    /// Moves the hand to the first object without a visited bit and evicts it.
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

    /// The first object without a visited bit, to which the hand moves.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        queue.count == 0 ? nil : queue.settleHand()
    }

    /// Takes the object out of the queue.
    public mutating func remove(_ id: ObjectID) { queue.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    /// Fetches the object's place.
    public func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
