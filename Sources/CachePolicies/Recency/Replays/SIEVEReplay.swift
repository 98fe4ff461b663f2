import CacheCore

/// SIEVE over a ``ClockHandQueue``, which serves blocks of requests without a branch.
struct SIEVEReplay: ~Copyable, VictimPolicy, ReplayForm {
    private var queue: ClockHandQueue
    let capacity: Int

    static var descriptor: PolicyDescriptor { SIEVEPolicy<UnitSizes>.descriptor }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        queue = ClockHandQueue(objects: configuration.objects.count, residents: configuration.residentLimit)
    }

    var residentCount: Int { queue.count }
    var residentWeight: Int { queue.count }
    static func weight(of request: Request) -> Int { 1 }

    mutating func touch(_ request: Request) -> Bool { queue.touch(request.id) }

    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) { queue.evict(into: &sink) }

    mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        queue.append(request.id)
    }

    var canServeBlock: Bool { queue.count == capacity }
    @inline(__always)
    mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { queue.serveBlock(block) }

    mutating func remove(_ id: ObjectID) { queue.remove(id) }
    func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
