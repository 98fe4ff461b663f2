public import CacheCore

/// Evicts the object that was asked for most often since it entered, on the thought that it has had its turn.
///
/// A textbook rule (Silberschatz, Galvin and Gagne, "Operating system concepts", page replacement by counting) that
/// serves as a foil for LFU. Counts live while an object is resident; the newcomer enters with count 1 after the victim
/// left; among equals the one that was asked for longest ago leaves. Every operation is O(log n); 4 bytes an object of the
/// trace and 24 a resident object (32 in bytes). Any capacity from 1 on works alike, 1 being a cache of the last object;
/// an object larger than the capacity is never admitted; a size holds until its object leaves. Caffeine's `linked.Mfu`
/// follows these rules: it adds the newcomer first, but never chooses it, because among equals it came last.
public struct MFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    /// The lowest value leaves first: the count below 0.
    private var table: PriorityTable<Priority, Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// MFU has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mfu", family: "frequency",
            summary: "Evicts the object that was asked for most often since it entered.",
            citation: "Silberschatz et al., Operating System Concepts",
            memory: MemoryCost(perObject: 4, perResident: 24))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = PriorityTable(configuration, filler: Priority(0, at: 0))
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts the request.
    public mutating func touch(_ request: Request) -> Bool {
        table.update(request.id) { key, _ in Priority(key.value - 1, at: request.index) }
    }

    /// Evicts the object with the highest count.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evictMinimum(into: &sink)
    }

    /// Gives the newcomer the count 1.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, key: Priority(-1, at: request.index))
    }

    /// The object with the highest count.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { table.first }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
