public import CacheCore
internal import PolicySupport

/// S3-FIFO with a correlation window: hits soon after an object entered the small queue do not count.
///
/// Zhai et al., "Clock2Q+: a simple and efficient replacement algorithm for metadata cache in VMware vSAN", arXiv
/// 2511.21958, VLDB 2026. Newcomers enter the small queue, or main if their ghost is remembered, which is taken before
/// room is made. An object of the small queue counts only the hits that come after `window` of that queue's share has
/// entered behind it. The small queue gives way while it has its share, main otherwise; its oldest object moves to main
/// if it counted `threshold` hits and leaves a ghost otherwise, and main is a CLOCK with one reference bit, which holds
/// no more than the rest of the capacity. After a promotion pushes an object out of main, the walk still goes on until
/// one leaves the small queue or that is empty, so that two or more may leave for one newcomer. A hit is O(1), an
/// eviction amortised O(1); 4 bytes an object of the trace (12 in bytes), 11 a resident object and 6 a ghost. The small
/// queue's share is at least 1; below capacity 20 of the default's objects the window has one object, the newest, and
/// the rest works alike from capacity 1 on, which is a FIFO. In bytes the window is a weight; an object larger than the
/// capacity is never admitted. An object keeps the size that it was admitted with.
///
/// Dialect `libcachesim` (0.3.5): while nothing was evicted yet, newcomers enter main once the small queue is full; the
/// small queue gives way whenever main is within its share, and a promotion evicts nothing from main; an object larger
/// than the small queue's share is refused, and so is one of just that size after room was made for it, unless its
/// ghost is remembered (below 20 objects nothing is ever admitted). In bytes it holds the number of objects that
/// entered against a window of bytes, which hardly an object leaves: there the small queue promotes nothing.
public struct Clock2QPlusPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, FilteringPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    private var queue: SmallMainGhostQueues<Sizes>
    private let rules: Rules
    private var balance: S3FIFORules
    private var isRemembered = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The shares of the queues and of the window, the threshold, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "clock2q-plus", aliases: ["clock2q+", "clock2qplus"], family: "segmented",
            summary: "S3-FIFO in which hits soon after an object entered the small queue do not count.",
            citation: "Zhai et al., VLDB 2026",
            parameters: [
                ParameterSpecification(
                    "small", .number(default: 0.1, 0...1), "The small queue's share of the capacity, at least 1."),
                ParameterSpecification(
                    "ghost", .number(default: 0.9, 0...7), "The weight of the ghosts as a share of the capacity."),
                ParameterSpecification(
                    "window", .number(default: 0.5, 0...1), "The correlation window's share of the small queue."),
                ParameterSpecification(
                    "threshold", .integer(default: 1, 1...3), "The hits in the small queue that promote to main."),
                Rules.parameter,
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 11.25, perGhost: 6.25, ghosts: 0.9, ghostsByParameter: ["ghost": 1],
                perObjectInBytes: 12,
                perResidentInBytes: 11.25, perGhostInBytes: 6.25))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let limit = max(1, configuration.share("small"))
        let rules = Rules(configuration)
        capacity = configuration.capacity.amount
        self.rules = rules
        balance = S3FIFORules(
            capacity: capacity, smallLimit: limit, holdsMain: rules == .paper, fillsMain: rules == .libcachesim)
        queue = try SmallMainGhostQueues(
            configuration, ghostLimit: configuration.share("ghost"),
            threshold: UInt32(configuration.parameters.integer("threshold")), largestCount: 1,
            window: Double(limit) * configuration.parameters.number("window"),
            windowCountsObjects: rules == .libcachesim)
    }

    public var residentCount: Int { queue.count }
    public var residentWeight: Int { queue.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Sets the reference bit in main; counts the hit in the small queue unless the object is in the window.
    public mutating func touch(_ request: Request) -> Bool { queue.touch(request.id) }

    /// Takes the ghost, which decides where the object enters; in libCacheSim's dialect refuses what is too large.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        isRemembered = queue.takeGhost(of: request.id)
        guard rules == .libcachesim else { return true }
        return balance.admits(weight, isRemembered: isRemembered, to: &queue, into: &sink)
    }

    /// Gives up an object of the queue that is over its share.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        balance.evictOne(from: &queue, into: &sink)
    }

    /// Puts the object into main if its ghost was remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        balance.admit(request.id, weight: weight, isRemembered: isRemembered, to: &queue)
    }

    /// Takes the object out of its queue and of the window.
    public mutating func remove(_ id: ObjectID) { queue.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
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
