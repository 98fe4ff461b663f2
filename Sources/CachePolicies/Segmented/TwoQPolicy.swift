public import CacheCore
internal import PolicySupport

/// A FIFO queue for newcomers, an LRU list for objects that came back after they had left it, and ghosts between them.
///
/// Johnson and Shasha, "2Q: a low overhead high performance buffer management replacement algorithm", VLDB 1994: the
/// full version. A hit in `A1in` changes nothing; an object that leaves `A1in` is remembered in `A1out`; a miss that is
/// remembered there enters `Am`. `A1in` gives way while it is above its share, `Am` otherwise. Every operation is O(1),
/// and while the cache is full of objects that weigh 1, replays serve blocks if there are ghosts;
/// 4 bytes an object of the trace, 16 a resident object or ghost (24 in bytes). Shares are rounded down: below capacity
/// 4 `A1in` has none, and below 2 there are no ghosts, which makes capacity 1 a FIFO. An object larger than the
/// capacity is never admitted. Caffeine follows the paper.
///
/// Dialect `libcachesim`: objects larger than the share of `A1in` are refused, so that capacities below 4 objects never
/// hit; `Am` never holds more than the rest of the capacity, which differs only in bytes or with an `in` of nearly 1; and
/// a remembered object larger than that rest is refused, but only after room was made for it.
public struct TwoQPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    private static var a1in: UInt32 { 0 }
    private static var am: UInt32 { 1 }
    private static var a1out: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    private let rules: Rules
    private let inLimit: Int
    private let outLimit: Int
    private var entersAm = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The shares of the queues, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "2q", aliases: ["twoq"], family: "segmented",
            summary: "A FIFO queue filters newcomers for an LRU list, by the ghosts of what left it.",
            citation: "Johnson and Shasha, VLDB 1994",
            parameters: [
                ParameterSpecification(
                    "in", .number(default: 0.25, 0...1), "The share of A1in, the queue of newcomers."),
                ParameterSpecification(
                    "out", .number(default: 0.5, 0...16), "The weight of A1out, the ghosts, as a share of the capacity."
                ),
                Rules.parameter,
            ],
            memory: MemoryCost(perObject: 4, perResident: 16, perGhost: 16, ghosts: 0.5, ghostsByParameter: ["out": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        inLimit = configuration.share("in")
        outLimit = configuration.share("out")
        table = SegmentTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit + configuration.objectLimit(of: outLimit), resident: 2, ghosts: 1)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves an object of `Am` to its front.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        if table.segment(at: slot) == Self.am { table.moveToHead(slot) }
        return true
    }

    /// Takes the ghost, if there is one. What is remembered and too large for `Am` pushes others out for nothing.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        let slot = table.slot(of: request.id)
        entersAm = slot != Self.none
        if entersAm { table.release(slot) }
        guard rules == .libcachesim else { return true }
        guard weight <= inLimit else { return false }
        guard entersAm, weight > capacity - inLimit else { return true }
        while residentWeight + weight > capacity { evictOne(into: &sink) }
        return false
    }

    /// Gives up the tail of `A1in` while that is above its share, the tail of `Am` otherwise.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if evictsNewcomers {
            table.evict(table.tail(of: Self.a1in), toGhosts: Self.a1out, limit: outLimit, into: &sink)
        } else {
            table.evict(table.tail(of: Self.am), into: &sink)
        }
    }

    /// The tail of the queue that has to give up an object.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        table.residentCount == 0 ? nil : table.id(at: table.tail(of: evictsNewcomers ? Self.a1in : Self.am))
    }

    private var evictsNewcomers: Bool { table.weight(of: Self.a1in) > inLimit || table.isEmpty(Self.am) }

    /// Puts the object into `Am` if it was remembered, into `A1in` otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        guard entersAm else {
            table.add(request.id, weight: weight, toHeadOf: Self.a1in)
            return
        }
        while rules == .libcachesim, table.weight(of: Self.am) + weight > capacity - inLimit {
            table.evict(table.tail(of: Self.am), into: &sink)
        }
        table.add(request.id, weight: weight, toHeadOf: Self.am)
    }

    /// Whether the cache is full of objects that weigh 1, the victims of `A1in` leave ghosts, and nobody is refused, as what is
    /// remembered is by libCacheSim's rules if `Am` has no share.
    public var canServeBlock: Bool {
        Sizes.isUnit && outLimit > 0 && (rules == .paper || inLimit < capacity) && table.residentCount == capacity
    }

    /// Serves a full cache, in which most victims are of `A1in` and most newcomers take the slot of a ghost.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var sink = CountingSink()
        var misses: UInt64 = 0
        for request in 0..<block.count {
            table.prefetch(block.distant(request))
            table.prefetchEntry(block.upcoming(request))
            table.prefetchNeighbours(block.approaching(request))
            let id = block[request]
            let slot = table.slot(of: id)
            misses &<<= 1
            if slot != Self.none, table.isResident(slot) {
                if table.segment(at: slot) == Self.am { table.moveToHead(slot) }
                continue
            }
            misses |= 1
            if !exchange(id, ghost: slot) { _ = insert(Request(id: id, size: 1, index: 0), evicting: &sink) }
        }
        return misses
    }

    /// Lets in an object for the tail of `A1in`, if that gives way and leaves no more ghosts than there were: the slot is that of
    /// its own ghost or of the oldest one.
    @inline(__always)
    private mutating func exchange(_ id: ObjectID, ghost: UInt32) -> Bool {
        guard table.weight(of: Self.a1in) > inLimit else { return false }
        let victim = table.tail(of: Self.a1in)
        guard ghost == Self.none else {
            // What `A1in` has too much `Am` has too little, so that there is room by either rules.
            table.move(victim, toHeadOf: Self.a1out)
            table.move(ghost, toHeadOf: Self.am)
            return true
        }
        guard table.weight(of: Self.a1out) == outLimit else { return false }
        table.pass(victim, from: Self.a1in, to: Self.a1out, exchanging: table.tail(of: Self.a1out), for: id)
        return true
    }

    /// Takes the object out of its queue.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
