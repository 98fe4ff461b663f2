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
/// Every operation is O(queues); 4 bytes an object of the trace, 20 for each resident object and ghost (28 in bytes). Capacities
/// from 1 on work alike: at capacity 1 the only object leaves at each miss, and its ghost keeps counting. An object larger than
/// the capacity is never admitted, ticks no clock, and its ghost is dropped. An object keeps the size that it was admitted with.
///
/// Dialects `libcachesim` (0.3.5) and `caffeine` are the same: the ghost is taken before room is made, where by the
/// paper's order the victim's ghost may push out the newcomer's own. For Caffeine's defaults give
/// `lifetime=75,ghost=0.5`.
public struct MQPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }

    private static var none: UInt32 { SegmentTable<Sizes>.none }

    /// A segment for each queue, the lowest first, and one for the ghosts. A slot's mark is the count of its object.
    private var table: SegmentTable<Sizes>
    /// When the object in a slot may sink. The clock wraps around: only differences count.
    private let deadlines: FixedBuffer<UInt32>
    private var now: UInt32 = 0
    /// Until when nothing may sink from each queue, and the least of these.
    private let due: FixedBuffer<UInt32>
    private var earliest: UInt32 = 0
    private let lifetime: UInt32
    private let queues: UInt32
    private let ghostLimit: Int
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
                perObject: 4, perResident: 20, perGhost: 20, ghosts: 4, ghostsByParameter: ["ghost": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        queues = UInt32(parameters.integer("queues"))
        lifetime = UInt32(parameters.integer("lifetime"))
        ghostLimit = configuration.share("ghost")
        let objects = configuration.objects.count
        let slots = configuration.residentLimit + configuration.objectLimit(of: ghostLimit)
        // The ends of the lists have slots too.
        deadlines = FixedBuffer(repeating: 0, count: min(objects, slots) + Int(queues) + 1)
        due = FixedBuffer(repeating: 0, count: Int(queues))
        table = SegmentTable(objects: objects, slots: slots, resident: Int(queues), ghosts: 1)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts the request and moves the object to the front of the queue of its count.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        enter(slot, count: table.mark(at: slot) + 1)
        return true
    }

    /// In the dialects takes the ghost; in the paper's rules room is made first.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        if rules == .paper { table.incoming = request.id } else { takeGhost(of: request.id) }
        return true
    }

    /// Evicts the oldest object of the lowest queue that is not empty, and leaves a ghost with its count.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var queue: UInt32 = 0
        while table.isEmpty(queue) { queue += 1 }
        let victim = table.tail(of: queue)
        table.evict(victim, toGhosts: queues, limit: ghostLimit, mark: table.mark(at: victim), into: &sink)
    }

    /// Puts the object into the queue of its count, which goes on from its ghost's.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .paper {
            takeGhost(of: request.id)
            table.incoming = .max
        }
        enter(table.add(request.id, weight: weight, toHeadOf: 0), count: remembered + 1)
    }

    /// Takes the object out of its queue or from among the ghosts.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) {
        table.prefetchNeighbours(id)
        deadlines.prefetchIfFar(table.slot(of: id))
    }

    private mutating func takeGhost(of id: ObjectID) {
        let slot = table.slot(of: id)
        remembered = slot == Self.none ? 0 : table.mark(at: slot)
        if slot != Self.none { table.release(slot) }
    }

    /// Makes an object the newest of the queue of its count, and ticks the clock.
    private mutating func enter(_ slot: UInt32, count: UInt32) {
        let count = min(count, SegmentTable<Sizes>.largestMark)
        renew(slot, in: min(queues - 1, 31 - UInt32(count.leadingZeroBitCount)), count: count)
        now &+= 1
        guard Int32(bitPattern: now &- earliest) > 0 else { return }
        earliest = now &+ lifetime
        for queue in 1..<queues {
            if Int32(bitPattern: now &- due[queue]) > 0 { sinkOldest(of: queue) }
            if Int32(bitPattern: due[queue] &- earliest) < 0 { earliest = due[queue] }
        }
    }

    /// Moves the oldest object of a queue down if its deadline is past, and looks when the next may follow.
    private mutating func sinkOldest(of queue: UInt32) {
        let oldest = table.tail(of: queue)
        due[queue] = oldest == Self.none ? now &+ lifetime : deadlines[oldest]
        guard Int32(bitPattern: now &- due[queue]) > 0 else { return }
        renew(oldest, in: queue - 1, count: table.mark(at: oldest))
        let next = table.tail(of: queue)
        guard next != Self.none else { return due[queue] = now &+ lifetime }
        due[queue] = deadlines[next]
        // The one after it is next when that sinks.
        let following = table.previous(of: next)
        table.prefetchSlot(following)
        deadlines.prefetchIfFar(following)
    }

    private mutating func renew(_ slot: UInt32, in queue: UInt32, count: UInt32) {
        table.move(slot, toHeadOf: queue, mark: count)
        deadlines[slot] = now &+ lifetime
    }
}
