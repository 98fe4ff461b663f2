public import CacheCore

/// Evicts the object that was asked for last, before the newcomer enters: the cure for loops longer than the cache.
///
/// Chou and DeWitt, "An evaluation of buffer management strategies for relational database systems", VLDB 1985. Every
/// operation is O(1); 4 bytes an object of the trace and 16 a resident object (24 in bytes). Any capacity from 1 on
/// works alike; an object larger than that is never admitted.
public struct MRUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var recency: UInt32 { 0 }

    private var table: SlotTable<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// MRU has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mru", family: "recency",
            summary: "Evicts the object that was asked for last, before the newcomer enters.",
            citation: "Chou and DeWitt, VLDB 1985", stackOrders: ["": .mostRecentlyUsed],
            memory: MemoryCost(perObject: 4, perResident: 16))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves a resident object to the front.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != SlotTable<Sizes>.none else { return false }
        table.move(slot, toHeadOf: Self.recency)
        return true
    }

    /// Evicts the object in front.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evict(table.head(of: Self.recency), into: &sink)
    }

    /// Puts the object in front.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, toHeadOf: Self.recency)
    }

    /// The object in front.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        table.count == 0 ? nil : table.id(at: table.head(of: Self.recency))
    }

    /// Takes the object out of the list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
