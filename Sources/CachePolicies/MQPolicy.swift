public import CacheCore

/// LRU queues by the logarithm of the request count; what was not asked for in its lifetime sinks one queue at a time.
///
/// Zhou, Philbin and Li, "The multi-queue replacement algorithm for second level buffer caches", USENIX ATC 2001. An
/// object with count f lives in queue min(log2 f, queues - 1); each request ticks a clock and moves the oldest object
/// of every queue down if its lifetime is over; the victim is the oldest object of the lowest queue, and a ghost keeps
/// its count until it comes back. The paper has eight queues and four times as many ghosts as blocks, and sets
/// `lifetime` to the peak of the trace's temporal distances; here it is a number of requests, libCacheSim's unless it
/// is given.
///
/// A hit is O(1) while nothing expires and O(queues) otherwise, a miss the same; 4 bytes an object of the trace, 20 a
/// resident object or ghost (28 in bytes). Capacities from 1 on work alike: at capacity 1 the only object
/// leaves at each miss, and its ghost keeps counting. An object larger than the capacity is never admitted, ticks no
/// clock, and its ghost is dropped. An object keeps the size that it was admitted with.
///
/// Dialects `libcachesim` (0.3.5) and `caffeine` are the same: the ghost is taken before room is made, where by the
/// paper's order the victim's ghost may push out the newcomer's own. For Caffeine's defaults give
/// `lifetime=75,ghost=0.5`.
public struct MQPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    /// Queues from the lowest up, then the ghosts; an object's mark is its request count.
    private var table: SegmentTable<Sizes>
    /// When the object of a slot may sink. The clock wraps around: only differences count.
    private let expiries: FixedBuffer<UInt32>
    private let rules: Rules
    private let top: UInt32
    private let ghosts: UInt32
    private let ghostLimit: Int
    private let lifetime: UInt32
    private var now: UInt32 = 0
    /// No object can sink before the clock is past this: the earliest of `queueExpiries`.
    private var nextExpiry: UInt32
    /// No object of a queue can sink before the clock is past this; side by side, so that looking at the oldest objects
    /// themselves can wait until one of them is due.
    private let queueExpiries: FixedBuffer<UInt32>
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
            ], memory: MemoryCost(perObject: 4, perResident: 20, perGhost: 20, ghosts: 4))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let queues = configuration.parameters.integer("queues")
        let limit = configuration.share("ghost")
        let slots = min(configuration.objects.count, configuration.residentLimit + configuration.objectLimit(of: limit))
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        top = UInt32(queues - 1)
        ghosts = UInt32(queues)
        ghostLimit = limit
        lifetime = UInt32(configuration.parameters.integer("lifetime"))
        nextExpiry = lifetime
        queueExpiries = FixedBuffer(repeating: lifetime, count: queues)
        expiries = FixedBuffer(repeating: 0, count: slots + queues + 1)
        table = SegmentTable(objects: configuration.objects.count, slots: slots, resident: queues, ghosts: 1)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.residentCount }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.residentWeight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts the request and moves the object to the front of the queue of its count.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        let count = min(table.mark(at: slot) + 1, SegmentTable<Sizes>.largestMark)
        table.move(slot, toHeadOf: queue(of: count), mark: count)
        renew(slot)
        return true
    }

    /// In the dialects takes the ghost; in the paper's rules room is made first.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        if rules == .paper {
            table.incoming = request.id
        } else {
            remembered = takeGhost(of: request.id)
        }
        return true
    }

    /// Evicts the oldest object of the lowest queue that is not empty.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var queue: UInt32 = 0
        while table.isEmpty(queue) { queue += 1 }
        let victim = table.tail(of: queue)
        let count = table.mark(at: victim)
        table.evict(victim, toGhosts: ghosts, limit: ghostLimit, mark: count, into: &sink)
    }

    /// Puts the object into the queue of its count, which goes on from its ghost's.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .paper {
            remembered = takeGhost(of: request.id)
            table.incoming = .max
        }
        let count = min(remembered + 1, SegmentTable<Sizes>.largestMark)
        let slot = table.add(request.id, weight: weight, toHeadOf: queue(of: count))
        table.setMark(count, at: slot)
        renew(slot)
    }

    /// Takes the object out of its queue or from among the ghosts.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot and its expiry.
    public func prefetchEntry(_ id: ObjectID) {
        table.prefetchEntry(id)
        expiries.prefetchIfFar(table.slot(of: id))
    }
    /// Fetches the neighbours of the object's slot.
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private func queue(of count: UInt32) -> UInt32 { min(31 - UInt32(count.leadingZeroBitCount), top) }

    /// Drops the object's ghost and returns its count, 0 if there is none.
    private mutating func takeGhost(of id: ObjectID) -> UInt32 {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return 0 }
        let count = table.mark(at: slot)
        table.release(slot)
        return count
    }

    /// Gives the object a new lifetime, ticks the clock, and lets what has expired sink.
    private mutating func renew(_ slot: UInt32) {
        expiries[slot] = now &+ lifetime
        now &+= 1
        if isPast(nextExpiry) { sinkExpired() }
    }

    private func isPast(_ time: UInt32) -> Bool { Int32(bitPattern: now &- time) > 0 }

    /// Moves the oldest object of each queue down if it has expired.
    ///
    /// Within a queue expiries rise from the oldest object to the newest, and a new one is a whole lifetime away: before
    /// the expiry of the oldest that is seen here nothing of the queue can expire, and it need not be looked at.
    private mutating func sinkExpired() {
        nextExpiry = now &+ lifetime
        var queue: UInt32 = 1
        while queue <= top {
            var due = queueExpiries[queue]
            if isPast(due) {
                due = sinkOldest(of: queue)
                queueExpiries[queue] = due
            }
            if Int32(bitPattern: due &- nextExpiry) < 0 { nextExpiry = due }
            queue += 1
        }
    }

    /// Moves the oldest object of a queue down if it has expired; returns when the next one may.
    private mutating func sinkOldest(of queue: UInt32) -> UInt32 {
        let oldest = table.tail(of: queue)
        if oldest != Self.none, isPast(expiries[oldest]) {
            table.move(oldest, toHeadOf: queue - 1, mark: table.mark(at: oldest))
            expiries[oldest] = now &+ lifetime
        }
        let next = table.tail(of: queue)
        return next == Self.none ? now &+ lifetime : expiries[next]
    }
}
