public import CacheCore
internal import PolicySupport

/// Three FIFO queues: a small one that filters newcomers, a main one with second chances, and ghosts of what was
/// filtered.
///
/// Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023. A newcomer enters
/// the small queue, or main if its ghost is remembered. At the end of the small queue an object that was hit
/// `threshold` times moves to main with its counter cleared, any other leaves a ghost. At the end of main an object
/// with a counter goes round again with one less. As in the paper's EVICTS, a promotion that takes main above the rest of the capacity pushes an
/// object out of it, and the walk still goes on until one leaves the small queue or that is empty, so that two or more
/// may leave for one newcomer. A miss is `VictimPolicy.insert`: `willAdmit`, `evictOne` until
/// there is room, `admit`. A hit is O(1), an eviction amortised O(1). Memory: 10 bytes an object of the trace, 18 where the capacity is
/// in bytes. Replays in objects run `S3FIFOReplay`, which decides the same (4 bytes an object, 11 a resident object and 6 a ghost). The small queue's share is at least 1, so that capacities below `1 / small`
/// work: at capacity 1 everything passes through the small queue. An object larger than the capacity is never admitted.
/// Caffeine follows the paper.
///
/// - Dialect `libcachesim` (0.3.5): while nothing was evicted yet, newcomers enter main once the small queue is full;
///   the small queue is evicted whenever main is within its share; a promotion evicts nothing from main; the ghost is
///   taken before room is made; an object larger than the small
///   queue's share is refused, and one of just that size without a ghost is refused after room was made for it (which
///   makes capacities below 20 objects with `small=0.1` useless; libCacheSim aborts below 10).
/// - Dialect `libcachesim-v0`: the same without the first rule.
public struct S3FIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    enum Rules: String, Dialect {
        case paper
        case libcachesim
        case libcachesimV0 = "libcachesim-v0"
    }
    private static var small: UInt8 { 0 }
    private static var main: UInt8 { 1 }
    private static var ghosts: UInt8 { 2 }

    /// What a counter of hits holds at most.
    private static var hitsMax: UInt8 { 3 }

    /// The three queues, the newest in front.
    private var queues: ObjectLists<Sizes>
    /// The hits of each object: cleared when it moves to main, one less for each round there.
    private let hits: FixedBuffer<UInt8>
    private let rules: Rules
    private let smallLimit: Int
    private let ghostLimit: Int
    private let threshold: UInt8
    /// Whether anything was evicted yet, on which libCacheSim's filling of main depends.
    private var hasEvicted = false
    /// Whether the newcomer's ghost was there.
    private var isRemembered = false
    /// The newcomer, whose ghost may be dropped while room is made for it; nil once it has entered.
    private var newcomer: ObjectID?
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
            ],
            memory: MemoryCost(
                perObject: 10, perResident: 0, ghosts: 0.9, ghostsByParameter: ["ghost": 1], perObjectInBytes: 18,
                perResidentInBytes: 0))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        smallLimit = max(1, configuration.share("small"))
        ghostLimit = configuration.share("ghost")
        threshold = UInt8(configuration.parameters.integer("threshold"))
        queues = ObjectLists(objects: configuration.objects.count, lists: 3)
        hits = FixedBuffer(repeating: 0, count: configuration.objects.count)
    }

    public var residentCount: Int { queues.count(in: Self.small) + queues.count(in: Self.main) }
    public var residentWeight: Int { queues.weight(in: Self.small) + queues.weight(in: Self.main) }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
    private var mainLimit: Int { capacity - smallLimit }

    /// Raises the object's counter.
    public mutating func touch(_ request: Request) -> Bool {
        guard contains(request.id) else { return false }
        hits.update(request.id) { $0 = min($0 + 1, Self.hitsMax) }
        return true
    }

    /// In libCacheSim's dialects takes the ghost and refuses what fills the small queue.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        guard rules != .paper else {
            newcomer = request.id
            return true
        }
        takeGhost(of: request.id)
        if weight > smallLimit { return false }
        if weight < smallLimit || isRemembered { return true }
        while residentWeight + weight > capacity { evictOne(into: &sink) }
        return false
    }

    /// The paper's EVICT: from the small queue if it has its share, from main otherwise.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        hasEvicted = true
        if givesWayInSmall { evictFromSmall(into: &sink) } else { evictFromMain(into: &sink) }
    }

    private var givesWayInSmall: Bool {
        guard queues.count(in: Self.small) > 0 else { return false }
        guard rules == .paper else { return queues.weight(in: Self.main) <= mainLimit }
        // Main is empty beside a small queue below its share in bytes only.
        return queues.weight(in: Self.small) >= smallLimit || queues.count(in: Self.main) == 0
    }

    /// EVICTS: promotes what was hit often enough until an object leaves the small queue for good, or that is empty.
    private mutating func evictFromSmall<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while let oldest = queues.back(of: Self.small) {
            guard hits[oldest] >= threshold else { return evictLeavingGhost(oldest, into: &sink) }
            hits[oldest] = 0
            queues.moveToFront(oldest, of: Self.main)
            if rules == .paper, queues.weight(in: Self.main) > mainLimit { evictFromMain(into: &sink) }
        }
    }

    /// EVICTM: lets objects with hits go round again, with one less, until one without leaves.
    private mutating func evictFromMain<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while let oldest = queues.back(of: Self.main) {
            guard hits[oldest] > 0 else { return queues.evict(oldest, into: &sink) }
            hits[oldest] -= 1
            queues.moveToFront(oldest, of: Self.main)
        }
    }

    /// Evicts an object of the small queue, whose ghost pushes out the oldest ones.
    private mutating func evictLeavingGhost<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, into sink: inout Sink) {
        let weight = queues.weight(of: id)
        guard weight <= ghostLimit else { return queues.evict(id, into: &sink) }
        sink.evicted(id)
        while queues.weight(in: Self.ghosts) + weight > ghostLimit, let oldest = queues.back(of: Self.ghosts) {
            queues.remove(oldest)
            if oldest != newcomer { sink.forgotten(oldest) }
        }
        queues.moveToFront(id, of: Self.ghosts)
    }

    /// Puts the object into main if its ghost is remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .paper { takeGhost(of: request.id) }
        newcomer = nil
        hits[request.id] = 0
        let fillsMain = rules == .libcachesim && !hasEvicted && queues.weight(in: Self.small) >= smallLimit
        queues.addToFront(request.id, weight: weight, of: isRemembered || fillsMain ? Self.main : Self.small)
    }

    private mutating func takeGhost(of id: ObjectID) {
        isRemembered = queues.contains(id, in: Self.ghosts)
        if isRemembered { queues.remove(id) }
    }

    /// Takes the object out of its queue.
    public mutating func remove(_ id: ObjectID) { queues.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { queues.contains(id) && !queues.contains(id, in: Self.ghosts) }
    public func prefetch(_ id: ObjectID) { queues.prefetch(id) }
}
