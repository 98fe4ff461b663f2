public import CacheCore

/// Evicts the largest object; among equals the one that was asked for longest ago.
///
/// SIZE: Williams, Abrams, Standridge, Abdulla and Fox, "Removal policies in network caches for World-Wide Web
/// documents", ACM SIGCOMM 1996, which found that it serves the most requests and the fewest bytes. Every operation is
/// O(log n); 4 bytes an object of the trace and 24 a resident object (32 in bytes). In objects all weigh the same and it
/// is an LRU. Any capacity from 1 on works alike; an object larger than that is never admitted, and a size holds until
/// its object leaves.
///
/// Dialect `libcachesim`: equals leave in the order of a binary heap in which nothing passes its equals, so that in
/// objects the first resident leaves and from then on, at capacities above 2, the second newest. A hit with another size
/// changes the object's place in the order, though not what it weighs. In objects a hit changes nothing, and a miss only which
/// two slots are first and last: replays serve blocks.
public struct SizePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }

    private var table: PriorityTable<Priority, Sizes>
    private let rules: Rules
    /// The most weight that may be resident.
    public let capacity: Int

    /// The dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "size", aliases: ["largest-first"], family: "size-aware", summary: "Evicts the largest object.",
            citation: "Williams et al., ACM SIGCOMM 1996", parameters: [Rules.parameter],
            stackOrders: ["dialect=paper": .leastRecentlyUsedAmongEqualSizes],
            memory: MemoryCost(perObject: 4, perResident: 24))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        table = PriorityTable(configuration, filler: Priority(0, at: 0))
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Notes when the object was asked for.
    public mutating func touch(_ request: Request) -> Bool {
        table.update(request.id) { _, weight in
            priority(rules == .paper ? weight : Sizes.weight(of: request), request)
        }
    }

    /// Evicts the largest object.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evictMinimum(into: &sink)
    }

    /// Puts the object where its size belongs.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, key: priority(weight, request))
    }

    /// Whether the cache is full of objects that are equal to the rule: by libCacheSim's rules those that weigh 1.
    public var canExchange: Bool {
        Sizes.isUnit && rules == .libcachesim && table.count == capacity && capacity > 1
    }

    /// Serves a full cache of equals without a branch.
    @inline(__always)
    public mutating func exchange(_ block: ObjectBlock) -> UInt64 { table.exchangeEquals(block) }

    /// The largest object.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { table.first }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches where the object's key is kept.
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    /// Fetches what the object's key is compared with.
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private func priority(_ weight: Int, _ request: Request) -> Priority {
        Priority(-weight, at: rules == .paper ? request.index : 0)
    }
}
