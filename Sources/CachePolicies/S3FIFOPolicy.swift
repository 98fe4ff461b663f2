public import CacheCore

/// Three FIFO queues: a small one that filters newcomers, a main one with second chances, and ghosts of what was
/// filtered.
///
/// Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023. A newcomer enters
/// the small queue, or main if its ghost is remembered. At the end of the small queue an object that was hit
/// `threshold` times moves to main with its counter cleared, any other leaves a ghost. At the end of main an object
/// with a counter goes round again with one less. A hit is O(1), an eviction amortised O(1); 4 bytes an object of the
/// trace, 16 a resident object or ghost (24 in bytes). The small queue's share is at least 1, so that capacities below
/// `1 / small` work: at capacity 1 everything passes through the small queue. An object larger than the capacity is
/// never admitted. Caffeine follows the paper.
///
/// - Dialect `libcachesim` (0.3.5): while nothing was evicted yet, newcomers enter main once the small queue is full;
///   the small queue is evicted whenever main is within its share; a promotion evicts nothing from main; the ghost is
///   taken before room is made; an object whose size reaches the small
///   queue's share is refused (which makes capacities below 20 objects with `small=0.1` useless; libCacheSim aborts
///   below 10).
/// - Dialect `libcachesim-v0`: the same without the first rule.
public struct S3FIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect {
        case paper
        case libcachesim
        case libcachesimV0 = "libcachesim-v0"
    }
    private static var small: UInt32 { 0 }
    private static var main: UInt32 { 1 }
    private static var ghosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }
    private static var largestCount: UInt32 { 3 }

    private var table: SegmentTable<Sizes>
    private let rules: Rules
    private let smallLimit: Int
    private let ghostLimit: Int
    private let threshold: UInt32
    private var hasEvicted = false
    private var entersMain = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The shares of the queues, the threshold, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "s3fifo", aliases: ["s3-fifo"], family: "segmented",
            summary: "A small FIFO filters newcomers for a main FIFO with second chances.",
            citation: "Yang et al., SOSP 2023",
            parameters: [
                ParameterSpecification(
                    "small", .number(default: 0.1, 0...1), "The small queue's share of the capacity, at least 1."),
                ParameterSpecification(
                    "ghost", .number(default: 0.9, 0...16), "The weight of the ghosts as a share of the capacity."),
                ParameterSpecification(
                    "threshold", .integer(default: 2, 1...3), "The hits in the small queue that promote to main."),
                Rules.parameter,
            ], memory: MemoryCost(perObject: 4, perResident: 16, perGhost: 16, ghosts: 0.9))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        smallLimit = max(1, configuration.share("small"))
        ghostLimit = configuration.share("ghost")
        threshold = UInt32(configuration.parameters.integer("threshold"))
        table = SegmentTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit + configuration.objectLimit(of: ghostLimit), resident: 2, ghosts: 1)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.residentCount }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.residentWeight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Raises the object's counter.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        let count = table.mark(at: slot)
        if count < Self.largestCount { table.setMark(count + 1, at: slot) }
        return true
    }

    /// In libCacheSim's dialects takes the ghost and refuses what fills the small queue.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        guard rules != .paper else {
            table.incoming = request.id
            return true
        }
        let slot = table.slot(of: request.id)
        entersMain = slot != Self.none
        if entersMain { table.release(slot) }
        return weight < smallLimit || entersMain && weight == smallLimit
    }

    /// Gives up an object of the queue that is over its share.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        hasEvicted = true
        if evictsFromSmall { evictFromSmall(into: &sink) } else { table.evictSecondChance(of: Self.main, into: &sink) }
    }

    /// Puts the object into main if its ghost is remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .paper {
            let slot = table.slot(of: request.id)
            entersMain = slot != Self.none
            if entersMain { table.release(slot) }
            table.incoming = .max
        } else if rules == .libcachesim, !hasEvicted, table.weight(of: Self.small) >= smallLimit {
            entersMain = true
        }
        table.add(request.id, weight: weight, toHeadOf: entersMain ? Self.main : Self.small)
    }

    /// Takes the object out of its queue.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot.
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }

    private var evictsFromSmall: Bool {
        guard rules == .paper else {
            return table.weight(of: Self.main) <= capacity - smallLimit && !table.isEmpty(Self.small)
        }
        return table.weight(of: Self.small) >= smallLimit && !table.isEmpty(Self.small) || table.isEmpty(Self.main)
    }

    /// Walks the small queue until one object leaves it for good.
    private mutating func evictFromSmall<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while true {
            let tail = table.tail(of: Self.small)
            if tail == Self.none { return }
            guard table.mark(at: tail) >= threshold else {
                return table.evict(tail, toGhosts: Self.ghosts, limit: ghostLimit, into: &sink)
            }
            table.move(tail, toHeadOf: Self.main)
            if rules == .paper, table.weight(of: Self.main) > capacity - smallLimit {
                table.evictSecondChance(of: Self.main, into: &sink)
            }
        }
    }
}
