public import CacheCore

/// Evicts the object that was asked for longest ago.
///
/// Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970.
/// Every operation is O(1); 4 bytes an object of the trace and 16 a resident object.
public struct LRUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private static var recency: UInt32 { 0 }

    private var table: SlotTable<Sizes>
    private let capacity: Int
    /// The number of resident objects.
    public private(set) var residentCount = 0
    /// The total weight of the resident objects.
    public private(set) var residentWeight = 0

    /// LRU has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lru", family: "recency", summary: "Evicts the object that was asked for longest ago.",
            citation: "Mattson et al., IBM Systems Journal 9(2), 1970")
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    /// Moves a resident object to the front.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != SlotTable<Sizes>.none else { return false }
        table.move(slot, toHeadOf: Self.recency)
        return true
    }

    /// Makes room at the back and puts the object in front.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity else {
            sink.forgotten(request.id)
            return false
        }
        while residentWeight + weight > capacity {
            let victim = table.tail(of: Self.recency)
            let id = table.id(at: victim)
            release(victim)
            sink.evicted(id)
            sink.forgotten(id)
        }
        _ = table.add(request.id, weight: weight, toHeadOf: Self.recency)
        residentCount += 1
        residentWeight += weight
        return true
    }

    /// Takes the object out of the list.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        if slot != SlotTable<Sizes>.none { release(slot) }
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.slot(of: id) != SlotTable<Sizes>.none }

    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }

    private mutating func release(_ slot: UInt32) {
        residentWeight -= table.weight(at: slot)
        residentCount -= 1
        table.release(slot)
    }
}
