public import CacheCore
internal import PolicySupport

/// Evicts the largest object; among equals the one that was asked for longest ago.
///
/// SIZE: Williams, Abrams, Standridge, Abdulla and Fox, "Removal policies in network caches for World-Wide Web
/// documents", ACM SIGCOMM 1996, which found that it serves the most requests and the fewest bytes. Every operation is
/// O(log n); 4 bytes an object of the trace and 32 a resident object. In objects all weigh the same and it is an LRU, which
/// is how they are kept: every operation is O(1), 25 bytes a resident object. Any capacity from 1 on works alike; an
/// object larger than that is never admitted, and a size holds until its object leaves.
///
/// Dialect `libcachesim`: equals leave in the order of a binary heap in which nothing passes its equals, so that in
/// objects the first resident leaves and from then on, at capacities above 2, the second newest. A hit with another size
/// changes the object's place in the order, though not what it weighs. In objects a hit changes nothing, and a miss only which
/// two slots are first and last: replays serve blocks.
public struct SizePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }

    /// What the queue does not hold.
    private var table: PriorityTable<Priority, Sizes>
    /// Equals in the order of their last use: all objects by the paper's rules where each weighs 1. Either has room for nothing
    /// while the other is used.
    private var queue: RecencyQueue<UnitSizes>
    private let rules: Rules
    /// The most weight that may be resident.
    public let capacity: Int

    /// The dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "size", aliases: ["largest-first"], family: "size-aware", summary: "Evicts the largest object.",
            citation: "Williams et al., ACM SIGCOMM 1996", parameters: [Rules.parameter],
            stackOrders: ["dialect=paper": .leastRecentlyUsedAmongEqualSizes],
            memory: MemoryCost(perObject: 4, perResident: 25, fixed: 5760, perResidentInBytes: 32))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        // Locals first: see the implementers' notes of `EvictionPolicy`.
        let chosen = Rules(configuration)
        let areEquals = Sizes.isUnit && chosen == .paper
        var other = configuration
        if areEquals { other.objects.count = 0 }
        capacity = configuration.capacity.amount
        rules = chosen
        table = PriorityTable(other, filler: Priority(0, at: 0))
        queue = RecencyQueue(
            objects: areEquals ? configuration.objects.count : 0,
            residents: areEquals ? configuration.residentLimit : 0,
            slotsPerResident: configuration.logSlotsPerResident)
    }

    @inline(__always)
    private var usesQueue: Bool { Sizes.isUnit && rules == .paper }

    public var residentCount: Int { usesQueue ? queue.count : table.count }
    public var residentWeight: Int { usesQueue ? queue.count : table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Notes when the object was asked for.
    public mutating func touch(_ request: Request) -> Bool {
        if usesQueue { return queue.touch(request.id) }
        return table.update(request.id) { _, weight in
            priority(rules == .paper ? weight : Sizes.weight(of: request), request)
        }
    }

    /// Evicts the largest object.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if usesQueue { queue.evict(into: &sink) } else { table.evictMinimum(into: &sink) }
    }

    /// Puts the object where its size belongs.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if usesQueue { return queue.append(request.id, weight: 1) }
        table.add(request.id, weight: weight, key: priority(weight, request))
    }

    /// Whether the cache is full of objects that are equal to the rule.
    public var canServeBlock: Bool {
        usesQueue
            ? queue.count == capacity
            : Sizes.isUnit && rules == .libcachesim && table.count == capacity && capacity > 1
    }

    /// Serves a full cache of equals without a branch.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        usesQueue ? queue.serveBlock(block) : table.exchangeEquals(block)
    }

    /// The largest object.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        guard usesQueue else { return table.first }
        return queue.count == 0 ? nil : queue.oldest()
    }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) { if usesQueue { queue.remove(id) } else { table.remove(id) } }
    public func contains(_ id: ObjectID) -> Bool { usesQueue ? queue.contains(id) : table.contains(id) }
    public func prefetch(_ id: ObjectID) { if usesQueue { queue.prefetch(id) } else { table.prefetch(id) } }
    public func prefetchEntry(_ id: ObjectID) { if !usesQueue { table.prefetchEntry(id) } }
    public func prefetchNeighbours(_ id: ObjectID) { if !usesQueue { table.prefetchNeighbours(id) } }

    private func priority(_ weight: Int, _ request: Request) -> Priority {
        Priority(-weight, at: rules == .paper ? request.index : 0)
    }
}
