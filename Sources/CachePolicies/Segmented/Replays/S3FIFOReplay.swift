import CacheCore
import PolicySupport

/// S3-FIFO over ``SmallMainGhostQueues``, which serve blocks of requests without asking first whether they hit.
struct S3FIFOReplay: ~Copyable, FilteringPolicy, ReplayForm {
    private typealias Rules = S3FIFOPolicy<UnitSizes>.Rules
    private static var largestCount: UInt32 { 3 }

    private var queue: SmallMainGhostQueues<UnitSizes>
    private let rules: Rules
    private var balance: S3FIFORules
    private var isRemembered = false
    let capacity: Int

    static var descriptor: PolicyDescriptor { S3FIFOPolicy<UnitSizes>.descriptor }

    /// The log can tell so many objects and ghosts apart.
    static func serves(_ configuration: PolicyConfiguration) -> Bool {
        let entries = configuration.residentLimit + configuration.objectLimit(of: configuration.share("ghost"))
        return min(configuration.objects.count, entries) <= FilterLog.mostEntries
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        balance = S3FIFORules(
            capacity: capacity, smallLimit: max(1, configuration.share("small")), holdsMain: rules == .paper,
            fillsMain: rules == .libcachesim)
        queue = try SmallMainGhostQueues(
            configuration, ghostLimit: configuration.share("ghost"),
            threshold: UInt32(configuration.parameters.integer("threshold")), largestCount: Self.largestCount)
    }

    var residentCount: Int { queue.count }
    var residentWeight: Int { queue.weight }
    static func weight(of request: Request) -> Int { 1 }

    mutating func touch(_ request: Request) -> Bool { queue.touch(request.id) }

    /// In libCacheSim's dialects takes the ghost and refuses what fills the small queue.
    mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        guard rules != .paper else {
            queue.incoming = request.id
            return true
        }
        isRemembered = queue.takeGhost(of: request.id)
        return balance.admits(weight, isRemembered: isRemembered, to: &queue, into: &sink)
    }

    /// Gives up an object of the queue that is over its share.
    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        balance.evictOne(from: &queue, into: &sink)
    }

    /// Puts the object into main if its ghost is remembered, into the small queue otherwise.
    mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .paper {
            isRemembered = queue.takeGhost(of: request.id)
            queue.incoming = .max
        }
        balance.admit(request.id, weight: weight, isRemembered: isRemembered, to: &queue)
    }

    mutating func remove(_ id: ObjectID) { queue.remove(id) }
    func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    func prefetch(_ id: ObjectID) { queue.prefetch(id) }
    /// Whether objects have been evicted, and weigh 1 each.
    var canServeBlock: Bool { balance.canServeBlock }
    /// Serves requests without asking first whether they hit.
    mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { serveBlockTogether(block) }

    mutating func serve(_ block: ObjectBlock, from start: Int) -> BlockRun {
        balance.serve(block, from: start, in: &queue)
    }
    mutating func settle() { queue.settle() }
}
