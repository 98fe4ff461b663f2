public import CacheCore

/// Evicts the object that entered last, before the newcomer enters.
///
/// A stack: all but the last of the objects that filled the cache stay for good. On a loop that does not fit it hits
/// those in every round, where LRU never hits; on all else it is poor. Unlike MRU it ignores hits. Folklore without a
/// paper of its own. Every operation is O(1); 4 bytes an object of the trace and 16 a resident object (24 in bytes). At
/// capacity 1 it is FIFO, at 2 and 3 one and two objects stay; an object larger than the capacity is never admitted,
/// and a size holds until its object leaves.
public struct LIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var stack: UInt32 { 0 }

    private var table: SlotTable<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// LIFO has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lifo", family: "recency", summary: "Evicts the object that entered last.",
            citation: "Folklore", stackOrders: ["": .firstEntered], memory: MemoryCost(perObject: 4, perResident: 16))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// A hit changes nothing.
    public mutating func touch(_ request: Request) -> Bool { table.contains(request.id) }

    /// Evicts the top of the stack.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evict(table.head(of: Self.stack), into: &sink)
    }

    /// Puts the object on top of the stack.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, toHeadOf: Self.stack)
    }

    /// The top of the stack.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        table.count == 0 ? nil : table.id(at: table.head(of: Self.stack))
    }

    /// Takes the object out of the stack.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
}
