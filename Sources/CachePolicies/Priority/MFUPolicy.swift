public import CacheCore

/// Evicts the object that was asked for most often since it entered, on the thought that it has had its turn.
///
/// A textbook rule (Silberschatz, Galvin and Gagne, "Operating system concepts", page replacement by counting) that
/// serves as a foil for LFU. Counts live while an object is resident; the newcomer enters with count 1 after the victim
/// left; among equals the one that was asked for longest ago leaves. Every operation is O(1); 4 bytes an object of the
/// trace and 44 a resident object (60 in bytes). Any capacity from 1 on works alike, 1 being a cache of the last object;
/// an object larger than the capacity is never admitted; a size holds until its object leaves. Caffeine's `linked.Mfu`
/// follows these rules: it adds the newcomer first, but never chooses it, because among equals it came last.
public struct MFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var lists: CountLists<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// MFU has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mfu", family: "frequency",
            summary: "Evicts the object that was asked for most often since it entered.",
            citation: "Silberschatz et al., Operating System Concepts",
            memory: MemoryCost(perObject: 4, perResident: 44, perResidentInBytes: 60))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        lists = CountLists(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    /// The number of resident objects.
    public var residentCount: Int { lists.table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { lists.table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves the object to the list of the next count.
    public mutating func touch(_ request: Request) -> Bool { lists.touch(request.id) }

    /// Evicts the tail of the list of the highest count.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        lists.evict(lists.highest, into: &sink)
    }

    /// Puts the object into the list of count 1.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        lists.add(request.id, weight: weight)
    }

    /// The object with the highest count.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        lists.table.count == 0 ? nil : lists.table.id(at: lists.highest)
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) { lists.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { lists.table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { lists.table.prefetch(id) }
    /// Fetches the object's slot.
    public func prefetchEntry(_ id: ObjectID) { lists.table.prefetchEntry(id) }
    /// Fetches the neighbours of the object's slot.
    public func prefetchNeighbours(_ id: ObjectID) { lists.table.prefetchNeighbours(id) }
}
