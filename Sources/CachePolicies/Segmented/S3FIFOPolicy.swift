public import CacheCore
internal import PolicySupport

/// Three FIFO queues: a small one that filters newcomers, a main one with second chances, and ghosts of what was
/// filtered.
///
/// Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023. A newcomer enters
/// the small queue, or main if its ghost is remembered. At the end of the small queue an object that was hit
/// `threshold` times moves to main with its counter cleared, any other leaves a ghost. At the end of main an object
/// with a counter goes round again with one less. A promotion that takes main above the rest of the capacity pushes an
/// object out of it, and the walk still goes on until one leaves the small queue or that is empty, so that two or more
/// may leave for one newcomer. A hit is O(1), an eviction amortised O(1); 4 bytes an object of the trace (12 in bytes),
/// 11 a resident object and 6 a ghost. The small queue's share is at least 1, so that capacities below `1 / small`
/// work: at capacity 1 everything passes through the small queue. An object larger than the capacity is never admitted.
/// Caffeine follows the paper.
///
/// - Dialect `libcachesim` (0.3.5): while nothing was evicted yet, newcomers enter main once the small queue is full;
///   the small queue is evicted whenever main is within its share; a promotion evicts nothing from main; the ghost is
///   taken before room is made; an object larger than the small
///   queue's share is refused, and one of just that size without a ghost is refused after room was made for it (which
///   makes capacities below 20 objects with `small=0.1` useless; libCacheSim aborts below 10).
/// - Dialect `libcachesim-v0`: the same without the first rule.
public struct S3FIFOPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, FilteringPolicy {
    private enum Rules: String, Dialect {
        case paper
        case libcachesim
        case libcachesimV0 = "libcachesim-v0"
    }
    private static var largestCount: UInt32 { 3 }

    private var queue: SmallMainGhostQueues<Sizes>
    private let rules: Rules
    private var balance: S3FIFORules
    private var isRemembered = false
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
                perObject: 4, perResident: 11.25, perGhost: 6.25, ghosts: 0.9, ghostsByParameter: ["ghost": 1],
                perObjectInBytes: 12,
                perResidentInBytes: 11.25, perGhostInBytes: 6.25))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        balance = S3FIFORules(
            capacity: capacity, smallLimit: max(1, configuration.share("small")), holdsMain: rules == .paper,
            fillsMain: rules == .libcachesim)
        queue = try SmallMainGhostQueues(
            configuration, ghostLimit: configuration.share("ghost"),
            threshold: UInt32(configuration.parameters.integer("threshold")), largestCount: Self.largestCount)
    }

    /// The number of resident objects.
    public var residentCount: Int { queue.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { queue.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Raises the object's counter.
    public mutating func touch(_ request: Request) -> Bool { queue.touch(request.id) }

    /// In libCacheSim's dialects takes the ghost and refuses what fills the small queue.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
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
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        balance.evictOne(from: &queue, into: &sink)
    }

    /// Puts the object into main if its ghost is remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .paper {
            isRemembered = queue.takeGhost(of: request.id)
            queue.incoming = .max
        }
        balance.admit(request.id, weight: weight, isRemembered: isRemembered, to: &queue)
    }

    /// Takes the object out of its queue.
    public mutating func remove(_ id: ObjectID) { queue.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    /// Fetches what is known of the object.
    public func prefetch(_ id: ObjectID) { queue.prefetch(id) }
    /// Whether objects have been evicted, and weigh 1 each.
    public var canServeBlock: Bool { Sizes.isUnit && balance.canServeBlock }
    /// Serves requests without asking first whether they hit.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { serveBlockTogether(block) }

    mutating func serve(_ block: ObjectBlock, from start: Int) -> BlockRun {
        balance.serve(block, from: start, in: &queue)
    }
    mutating func settle() { queue.settle() }
}
