import CacheCore

/// Evicts the object that was admitted last.
struct LIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var list: ObjectLists<Sizes>
    let capacity: Int

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mine", family: "recency", summary: "Evicts the object that was admitted last.", citation: "Folklore")
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        list = ObjectLists(objects: configuration.objects.count)
    }

    var residentCount: Int { list.count() }
    var residentWeight: Int { list.weight() }
    static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
    func contains(_ id: ObjectID) -> Bool { list.contains(id) }
    mutating func touch(_ request: Request) -> Bool { list.contains(request.id) }
    mutating func remove(_ id: ObjectID) { list.remove(id) }

    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        list.evict(list.front()!, into: &sink)
    }

    mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        list.addToFront(request.id, weight: weight)
    }
}
