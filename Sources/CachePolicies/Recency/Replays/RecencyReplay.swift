import CacheCore

/// The rule of LRU or FIFO over a ``RecencyQueue``, which serves blocks of requests without a branch.
struct RecencyReplay<Paper: QueueReplayed & ~Copyable>: ~Copyable, VictimPolicy, ReplayForm {
    private var queue: RecencyQueue<UnitSizes>
    let capacity: Int

    static var descriptor: PolicyDescriptor { Paper.descriptor }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        queue = RecencyQueue(
            objects: configuration.objects.count, residents: configuration.residentLimit,
            renewsOnHit: Paper.renewsOnHit)
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

/// A policy whose residents are in one queue, whose oldest leaves.
protocol QueueReplayed: EvictionPolicy, ~Copyable {
    /// Whether a hit makes its object the newest.
    static var renewsOnHit: Bool { get }
}

extension LRUPolicy: QueueReplayed where Sizes: ~Copyable { static var renewsOnHit: Bool { true } }
extension FIFOPolicy: QueueReplayed where Sizes: ~Copyable { static var renewsOnHit: Bool { false } }
