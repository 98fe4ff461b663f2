public import CacheCore

/// Evicts the object whose miss cost least; among equals the one that was asked for longest ago.
///
/// GreedyDual (Young, "The k-server dual and loose competitiveness for paging", Algorithmica 11(6), 1994) without its
/// aging: costly objects stay for good, so it is a yardstick rather than a rule for use. The cost is that of the miss
/// that let the object in, 1 where the trace states none, which makes it an LRU. Every operation is O(log n); 4 bytes an
/// object of the trace and 24 a resident object (32 in bytes). Any capacity from 1 on works alike; an object larger than
/// that is never admitted, and a size holds until its object leaves.
public struct CheapestFirstPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var table: PriorityTable<Priority, Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// It has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "cheapest-first", family: "size-aware", summary: "Evicts the object whose miss cost least.",
            citation: "Young, Algorithmica 11(6), 1994, without its aging",
            memory: MemoryCost(perObject: 4, perResident: 24))
    }

    /// True: it orders by cost.
    public static var needsCost: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = PriorityTable(configuration, filler: Priority(0, at: 0))
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Notes when the object was asked for.
    public mutating func touch(_ request: Request) -> Bool {
        table.update(request.id) { priority, _ in priority.at(request.index) }
    }

    /// Evicts the cheapest object.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evictMinimum(into: &sink)
    }

    /// Puts the object where its cost belongs.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, key: Priority(cost: request.cost, at: request.index))
    }

    /// The cheapest object.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { table.first }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
