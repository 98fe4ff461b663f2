public import CacheCore

/// Evicts the object that entered longest ago, whatever was asked for since.
///
/// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966. Every
/// operation is O(1); 4 bytes an object of the trace and 16 a resident object (24 in bytes). Any capacity from 1 on
/// works alike; an object larger than that is never admitted.
public struct FIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var queue: UInt32 { 0 }

    private var table: SlotTable<Sizes>
    /// The most weight that may be resident.
    public let capacity: Int

    /// FIFO has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "fifo", family: "recency", summary: "Evicts the object that entered longest ago.",
            citation: "Belady, IBM Systems Journal 5(2), 1966")
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// A hit changes nothing.
    public mutating func touch(_ request: Request) -> Bool { table.contains(request.id) }

    /// Evicts the tail of the queue.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evict(table.tail(of: Self.queue), into: &sink)
    }

    /// Puts the object at the head of the queue.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, toHeadOf: Self.queue)
    }

    /// Takes the object out of the queue.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
}
