public import CacheCore
internal import PolicySupport

/// LRU queues by the logarithm of the request count; what was not asked for in its lifetime sinks one queue at a time.
///
/// Zhou, Philbin and Li, "The multi-queue replacement algorithm for second level buffer caches", USENIX ATC 2001. An
/// object with count f lives in queue min(log2 f, queues - 1); each request ticks a clock, after its object's deadline
/// is set to the clock plus `lifetime`, and moves the oldest object of every queue down, with a new deadline, if the
/// clock is past its own; the victim is the oldest object of the lowest queue, and a ghost keeps its count until it
/// comes back. The paper has eight queues and four times as many ghosts as blocks, and sets `lifetime` to the peak of
/// the trace's temporal distances; here it is a number of requests, libCacheSim's unless it is given.
///
/// A hit or a miss is O(1) amortised, with what sinks at its tick, of each queue at most one object; 8 bytes an object of the
/// trace (16 in bytes), 45 a resident object, and 8 to 16 for it and for each ghost. While the cache is full of objects that weigh
/// 1, replays serve blocks of requests together. Capacities from 1 on work alike: at capacity 1 the only object
/// leaves at each miss, and its ghost keeps counting. An object larger than the capacity is never admitted, ticks no
/// clock, and its ghost is dropped. An object keeps the size that it was admitted with.
///
/// Dialects `libcachesim` (0.3.5) and `caffeine` are the same: the ghost is taken before room is made, where by the
/// paper's order the victim's ghost may push out the newcomer's own. For Caffeine's defaults give
/// `lifetime=75,ghost=0.5`.
public struct MQPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }

    private var queues: MultiQueue<Sizes>
    private let rules: Rules
    private var remembered: UInt32 = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// The queues, the lifetime, the ghosts, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mq", aliases: ["multiqueue"], family: "segmented",
            summary: "LRU queues by the logarithm of the request count; what is not asked for sinks queue by queue.",
            citation: "Zhou et al., USENIX ATC 2001",
            parameters: [
                ParameterSpecification("queues", .integer(default: 8, 1...24), "The number of LRU queues."),
                ParameterSpecification(
                    "lifetime", .integer(default: 10_000, 1...1_000_000_000),
                    "The requests after which an object that was not asked for sinks one queue."),
                ParameterSpecification(
                    "ghost", .number(default: 4, 0...8),
                    "The weight of the ghosts, which keep their counts, as a share of the capacity."),
                Rules.parameter,
            ],
            memory: MemoryCost(
                perObject: 8, perResident: 61, perGhost: 16, ghosts: 4, ghostsByParameter: ["ghost": 1], fixed: 6000,
                perObjectInBytes: 16,
                perResidentInBytes: 61, perGhostInBytes: 16))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        queues = MultiQueue(
            configuration, top: UInt32(parameters.integer("queues") - 1),
            lifetime: UInt32(parameters.integer("lifetime")), ghostLimit: configuration.share("ghost"))
    }

    /// The number of resident objects.
    public var residentCount: Int { queues.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { queues.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts the request and moves the object to the front of the queue of its count.
    public mutating func touch(_ request: Request) -> Bool { queues.touch(request.id) }

    /// In the dialects takes the ghost; in the paper's rules room is made first.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        if rules == .paper {
            queues.incoming = request.id
        } else {
            remembered = queues.takeGhost(of: request.id)
        }
        return true
    }

    /// Evicts the oldest object of the lowest queue that is not empty.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        queues.evictOldest(into: &sink)
    }

    /// Puts the object into the queue of its count, which goes on from its ghost's.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .paper {
            remembered = queues.takeGhost(of: request.id)
            queues.incoming = .max
        }
        queues.add(request.id, weight: weight, count: MultiQueue<Sizes>.increased(remembered))
    }

    /// Takes the object out of its queue or from among the ghosts.
    public mutating func remove(_ id: ObjectID) { queues.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { queues.contains(id) }
    /// Fetches what is known of the object.
    public func prefetch(_ id: ObjectID) { queues.prefetch(id) }

    /// While the cache is full and the lowest queue has victims, if there is another queue to rise to.
    public var canServeBlock: Bool {
        Sizes.isUnit && queues.top > 0 && queues.count == capacity
            && min(queues.lowCount, Int(queues.lifetime)) > Self.fewest
    }

    /// A run has no more requests than there are victims, or ticks in a lifetime, and each costs more than if it were served
    /// alone where they are few.
    private static var fewest: Int { 8 }

    /// Serves the requests together, but for those that ask for what may leave its queue meanwhile.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var sink = CountingSink()
        var (position, misses) = (0, UInt64(0))
        while true {
            let run = queues.serve(block, from: position, dropsFirst: rules == .paper)
            position &+= run.requests
            misses = misses << UInt64(run.requests) | run.misses
            guard position < block.count else { return misses }
            let request = Request(id: block[position], size: 1, index: 0)
            let isHit = touch(request)
            if !isHit { _ = insert(request, evicting: &sink) }
            misses = misses << 1 | (isHit ? 0 : 1)
            position &+= 1
        }
    }
}
