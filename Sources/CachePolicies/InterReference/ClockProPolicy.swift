public import CacheCore
internal import PolicySupport

/// LIRS over a clock: objects that come back soon become hot, and only cold ones are evicted.
///
/// Jiang, Chen and Zhang, "CLOCK-Pro: an effective improvement of the CLOCK replacement", USENIX ATC 2005. A hit only
/// sets the object's reference bit. A newcomer is cold and begins a test period, which lasts until it is older than
/// every hot object; an access in that time, also to the ghost that it leaves, makes it hot, and the hot hand then
/// demotes hot objects without their bits until these are within their share. The target weight of the resident cold
/// objects begins at its least, grows by 1 at each access in a test period and shrinks by 1 at each period that ends
/// without one. As in LIRS the first objects are hot until only the least share for cold ones is free. The list is kept
/// in the order of accesses, so that a resident cold object that the hot hand passes keeps its turn.
///
/// A hit is O(1), a miss amortised O(1); 4 bytes an object of the trace (12 in bytes), 16 a resident object, 6 a ghost.
/// Replays of full caches in objects serve blocks: see `docs/decisions/0030-clock-pro-in-a-log.md`.
/// At least one object may be cold: capacity 1 holds whatever came last, 2 one hot object and one cold, 3 one of each
/// kind and one that the target decides. An object larger than the capacity is never admitted. In bytes all sizes are
/// byte sizes, and the target moves by the object's weight.
///
/// - Dialect `caffeine`: the hot hand makes room before a promotion, and refuses it if it finds no hot object without
///   its bit that is older than the candidate; at least two objects may be cold; a request that repeats the one before
///   is a hit that changes nothing. Its default is `ghost=2`, and its simulator needs capacity 4.
/// - Dialect `libcachesim` (0.3.5) is a cache that is frozen once it is full: it tests whether a newcomer fits beside
///   the cold objects before anything is evicted, its default lets all be cold, and so its hands never move. An object
///   is admitted if it fits into what is free, and stays for ever.
public struct ClockProPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }

    private var clock: ClockProTable<Sizes>
    private let capacity: Int
    /// Whether a full cache evicts nothing.
    private let staysFull: Bool

    /// The shares of cold objects and of ghosts, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "clock-pro", aliases: ["clockpro"], family: "inter-reference",
            summary: "LIRS over a clock: objects that come back soon become hot, and only cold ones are evicted.",
            citation: "Jiang, Chen and Zhang, USENIX ATC 2005",
            parameters: ClockProTable<Sizes>.parameters(coldMax: 0.99, ghost: 1) + [Rules.parameter],
            stackOrders: ["cold-min=0.01;cold-max=0.99;ghost=1.0;dialect=libcachesim": .frozen],
            memory: MemoryCost(
                perObject: 4, perResident: 16.25, perGhost: 6.25, ghosts: 1, ghostsByParameter: ["ghost": 1],
                fixed: 2000, perObjectInBytes: 12,
                perResidentInBytes: 16.25, perGhostInBytes: 6.25))
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for a `cold-min` above `cold-max`.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let rules = Rules(configuration)
        clock = try ClockProTable(
            configuration, adaptation: .testPeriods, followsCaffeine: rules == .caffeine)
        capacity = configuration.capacity.amount
        staysFull = rules == .libcachesim
    }

    public var residentCount: Int { clock.residentCount }
    public var residentWeight: Int { clock.residentWeight }

    /// Whether it is full of objects that stay for ever.
    public var isFrozen: Bool { Sizes.isUnit && staysFull && clock.residentCount == capacity }

    /// Sets the reference bit.
    public mutating func touch(_ request: Request) -> Bool { clock.reference(request.id) }

    /// Runs the cold hand for room and the hot hand for a promotion.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        if staysFull, clock.residentWeight + weight > capacity {
            sink.forgotten(request.id)
            return false
        }
        return clock.insert(request.id, weight: weight, into: &sink)
    }

    /// Whether the cache is full of objects that weigh 1, but in the dialects.
    public var canServeBlock: Bool { !staysFull && clock.canServeBlock }
    /// Serves a full cache, hits and most misses without a branch.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { clock.serveBlock(block) }

    /// Takes the object out of the clock.
    public mutating func remove(_ id: ObjectID) { clock.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { clock.contains(id) }
    public func prefetch(_ id: ObjectID) { clock.prefetch(id) }
}
