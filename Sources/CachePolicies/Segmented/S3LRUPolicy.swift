public import CacheCore
internal import PolicySupport

/// S3-FIFO with an LRU as main queue, into which a hit lifts an object of the small queue at once.
///
/// Yang, in libCacheSim (`s3lru`, never published), after Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for
/// cache eviction", SOSP 2023. Newcomers enter the small queue, a FIFO; those whose ghost is remembered enter main. The
/// `threshold`-th hit moves an object from the small queue to main. Main gives up its oldest object while it is over its
/// share or the small queue is empty; otherwise the oldest of the small queue leaves, and a ghost stays, in a list of
/// its own. Every operation is O(1); 4 bytes an object of the trace, 16 a resident object and 16 a ghost (24 each in bytes).
/// Both shares are rounded down and main has the rest of the capacity; the small queue's is at least 1, so that
/// capacities below 10 work too, where libCacheSim aborts. In bytes an object larger than the small queue's share is
/// refused even if its ghost is remembered, and one larger than the ghosts' share leaves none. An object keeps the
/// size that it was admitted with.
public struct S3LRUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var small: UInt32 { 0 }
    private static var main: UInt32 { 1 }
    private static var ghosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    private var isRemembered = false
    private let smallLimit: Int
    private let mainLimit: Int
    private let ghostLimit: Int
    private let threshold: UInt32
    /// The most weight that may be resident.
    public let capacity: Int

    /// The shares of the small queue and of the ghosts, and the hits that lift an object.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "s3lru", aliases: ["s3-lru"], family: "segmented",
            summary: "S3-FIFO with an LRU as main queue, into which a hit lifts an object at once.",
            citation: "Yang, libCacheSim; after Yang et al., SOSP 2023",
            parameters: [
                ParameterSpecification("small", .number(default: 0.1, 0...1), "The share of the small queue."),
                ParameterSpecification(
                    "ghost", .number(default: 0.9, 0...8), "The ghosts that are kept, as a share of the capacity."),
                ParameterSpecification(
                    "threshold", .integer(default: 1, 1...1000), "The hits that lift an object into main."),
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 16, perGhost: 16, ghosts: 0.9, ghostsByParameter: ["ghost": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let small = max(1, configuration.share("small"))
        let ghosts = configuration.share("ghost")
        capacity = configuration.capacity.amount
        smallLimit = small
        mainLimit = configuration.capacity.amount - small
        ghostLimit = ghosts
        threshold = UInt32(configuration.parameters.integer("threshold"))
        table = SegmentTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit + (ghosts == 0 ? 0 : configuration.objectLimit(of: ghosts)), resident: 2,
            ghosts: 1)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Makes an object of main the newest; counts the hits of a small queue's object and lifts it at the last of them.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        if table.segment(at: slot) == Self.main {
            table.moveToHead(slot)
        } else if table.mark(at: slot) + 1 >= threshold {
            table.move(slot, toHeadOf: Self.main)
        } else {
            table.setMark(table.mark(at: slot) + 1, at: slot)
        }
        return true
    }

    /// Takes the ghost, which decides where the object enters, and refuses what the small queue could not hold.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        let ghost = table.slot(of: request.id)
        isRemembered = ghost != Self.none
        if isRemembered { table.release(ghost) }
        return weight <= smallLimit
    }

    /// Evicts the oldest object of main if that is over its share or all there is, otherwise of the small queue.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if table.weight(of: Self.main) > mainLimit || table.isEmpty(Self.small) {
            table.evict(table.tail(of: Self.main), into: &sink)
        } else {
            table.evict(table.tail(of: Self.small), toGhosts: Self.ghosts, limit: ghostLimit, into: &sink)
        }
    }

    /// Puts the object into main if its ghost was remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, toHeadOf: isRemembered ? Self.main : Self.small)
    }

    /// Takes the object or its ghost out of its list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
