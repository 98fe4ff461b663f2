import CacheCore

/// Evicts the object that was admitted last.
struct LIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private var table: SlotTable<Sizes>
    private let capacity: Int
    private(set) var residentCount = 0
    private(set) var residentWeight = 0

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lifo", family: "recency", summary: "Evicts the object that was admitted last.", citation: "")
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    mutating func touch(_ request: Request) -> Bool { contains(request.id) }

    mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity else {
            sink.forgotten(request.id)
            return false
        }
        while residentWeight + weight > capacity {
            let id = table.id(at: table.head(of: 0))
            remove(id)
            sink.evicted(id)
            sink.forgotten(id)
        }
        _ = table.add(request.id, weight: weight, toHeadOf: 0)
        residentCount += 1
        residentWeight += weight
        return true
    }

    mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != SlotTable<Sizes>.none else { return }
        residentWeight -= table.weight(at: slot)
        residentCount -= 1
        table.release(slot)
    }

    func contains(_ id: ObjectID) -> Bool { table.slot(of: id) != SlotTable<Sizes>.none }
}
