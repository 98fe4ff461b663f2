import CacheCore

/// LRU over a ``RecencyQueue``, which serves blocks of requests without a branch.
struct LRUReplay: ~Copyable, VictimPolicy, ReplayForm {
    private var queue: RecencyQueue<UnitSizes>
    let capacity: Int

    static var descriptor: PolicyDescriptor { LRUPolicy<UnitSizes>.descriptor }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        queue = RecencyQueue(objects: configuration.objects.count, residents: configuration.residentLimit)
    }

    var residentCount: Int { queue.count }
    var residentWeight: Int { queue.weight }
    static func weight(of request: Request) -> Int { 1 }

    mutating func touch(_ request: Request) -> Bool { queue.touch(request.id) }

    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) { queue.evict(into: &sink) }

    mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        queue.append(request.id, weight: weight)
    }

    var canServeBlock: Bool { queue.count == capacity }
    @inline(__always)
    mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { queue.serveBlock(block) }

    mutating func remove(_ id: ObjectID) { queue.remove(id) }
    func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
