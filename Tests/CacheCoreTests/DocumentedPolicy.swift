import CacheCore

/// Evicts the object that was admitted last.
struct LIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var table: SlotTable<Sizes>
    let capacity: Int

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mine", family: "recency", summary: "Evicts the object that was admitted last.", citation: "Folklore")
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    var residentCount: Int { table.count }
    var residentWeight: Int { table.weight }
    static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
    func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    mutating func touch(_ request: Request) -> Bool { table.contains(request.id) }
    mutating func remove(_ id: ObjectID) { table.remove(id) }

    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evict(table.head(of: 0), into: &sink)
    }

    mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        _ = table.add(request.id, weight: weight, toHeadOf: 0)
    }
}
