public import CacheCore
internal import PolicySupport

/// Evicts the object whose K-th last request is oldest; objects with fewer than K known requests go first.
///
/// O'Neil, O'Neil and Weikum, "The LRU-K page replacement algorithm for database disk buffering", SIGMOD 1993. Requests
/// within the correlated period `crp` of an object's last one count as one, and the object is no candidate until that
/// period is over (when every resident object is within it, the least recently used leaves). Objects that left keep
/// their history: the paper drops it after a period, here the `history` times the capacity that left last keep it.
/// Among objects with fewer than K known requests the least recently used goes first, the paper's suggestion.
///
/// A hit is O(1), a miss O(log n) amortised, below K requests O(1); while the cache is full of objects that weigh 1, replays serve
/// blocks unless there is a `crp` or K is 1. 4 bytes an object of the trace and 52 + 8K a resident
/// object or ghost (60 + 8K in bytes; 8 more with `crp`). Any capacity from 1 on works alike, 1 being a cache of the last
/// object; an object larger than the capacity is never admitted and loses its history; a size holds until its object
/// leaves, and ghosts weigh what they weighed.
///
/// Dialect `libcachesim`: no history, no correlated period, and the objects with fewer than K requests leave in the
/// order in which they entered, whatever their hits.
public struct LRUKPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    /// Objects within their correlated period, in order of their last requests.
    private static var correlated: UInt32 { 0 }
    /// Objects with fewer than K known requests, in the order in which they leave.
    private static var few: UInt32 { 1 }
    /// Objects in the heap; their order here means nothing.
    private static var ranked: UInt32 { 2 }
    private static var ghosts: UInt32 { 3 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    /// For each slot the times of its last K requests, the last first, 0 for unknown ones; then those of a newcomer.
    private let times: FixedBuffer<Int>
    /// When each slot was asked for last, correlated or not; empty without a correlated period.
    private let lastUses: FixedBuffer<Int>
    private var heap: RisingHeap
    /// Requests so far.
    private var clock = 0
    private let depth: UInt32
    private let newcomer: UInt32
    private let correlatedPeriod: Int
    private let ghostLimit: Int
    private let rules: Rules
    /// The most weight that may be resident.
    public let capacity: Int

    /// K, the correlated period, the history, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lru-k", aliases: ["lruk"], family: "frequency",
            summary: "Evicts the object whose K-th last request is oldest.",
            citation: "O'Neil et al., SIGMOD 1993",
            parameters: [
                ParameterSpecification("k", .integer(default: 2, 1...8), "Which of the last requests counts."),
                ParameterSpecification(
                    "crp", .integer(default: 0, 0...1_000_000_000),
                    "The correlated period: requests this close to an object's last one count as one with it."),
                ParameterSpecification(
                    "history", .number(default: 1, 0...8),
                    "How many departed objects keep their history, relative to the capacity."),
                Rules.parameter,
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 68, perGhost: 68, ghosts: 1, ghostsByParameter: ["history": 1]))
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for what libCacheSim does not have, and for more history than 2^32 times.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let rules = Rules(configuration)
        if rules == .libcachesim, parameters.isGiven("crp") || parameters.isGiven("history") {
            throw AssayError(.usage, "lru-k: dialect=libcachesim has neither crp nor history. Leave them out.")
        }
        let limit = rules == .libcachesim ? 0 : configuration.share("history")
        let ghosts = limit == 0 ? 0 : configuration.objectLimit(of: limit)
        let slots = min(configuration.objects.count, configuration.residentLimit + ghosts) + 4
        let depth = parameters.integer("k")
        guard (slots + 1) * depth <= Int(UInt32.max) else {
            throw AssayError(.usage, "lru-k: k=\(depth) times \(slots) objects is more than 2^32. Take a smaller k.")
        }
        self.rules = rules
        self.depth = UInt32(depth)
        newcomer = UInt32(slots * depth)
        correlatedPeriod = parameters.integer("crp")
        ghostLimit = limit
        capacity = configuration.capacity.amount
        times = FixedBuffer(repeating: 0, count: (slots + 1) * depth)
        lastUses = FixedBuffer(repeating: 0, count: correlatedPeriod > 0 ? slots : 0)
        heap = RisingHeap(slots: slots)
        table = SegmentTable(objects: configuration.objects.count, slots: slots - 4, resident: 3, ghosts: 1)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Adds the request to the object's history, unless it is correlated with the last one.
    public mutating func touch(_ request: Request) -> Bool {
        clock &+= 1
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        guard correlatedPeriod > 0 else {
            place(slot, remember(at: slot, from: slot * depth))
            return true
        }
        let last = lastUses[slot]
        lastUses[slot] = clock
        if clock - last > correlatedPeriod {
            // The time between the first and the last of the correlated requests must not count.
            _ = remember(at: slot, from: slot * depth, shiftedBy: last - times[slot * depth])
        }
        if table.segment(at: slot) == Self.ranked { heap.remove(slot) }
        table.move(slot, toHeadOf: Self.correlated)
        return true
    }

    /// Takes the newcomer's history out of its ghost, before room is made at the expense of ghosts.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        guard ghostLimit > 0 else { return true }
        let ghost = table.slot(of: request.id)
        for index in 0..<depth { times[newcomer + index] = ghost == Self.none ? 0 : times[ghost * depth + index] }
        if ghost != Self.none { table.release(ghost) }
        return true
    }

    /// Evicts an object with fewer than K known requests if there is one, otherwise the minimum of the heap.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        endCorrelatedPeriods()
        var victim = table.tail(of: Self.few)
        if victim == Self.none {
            victim = heap.count > 0 ? heap.removeMinimum() : table.tail(of: Self.correlated)
        }
        if ghostLimit > 0 {
            table.evict(victim, toGhosts: Self.ghosts, limit: ghostLimit, into: &sink)
        } else {
            table.evict(victim, into: &sink)
        }
    }

    /// Gives the object the history of its ghost and this request.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let isWaiting = correlatedPeriod > 0
        let slot = table.add(request.id, weight: weight, toHeadOf: isWaiting ? Self.correlated : Self.few)
        let kth = remember(at: slot, from: newcomer)
        if isWaiting {
            lastUses[slot] = clock
        } else if kth != 0 {
            rank(slot, Priority(kth, at: clock))
        }
    }

    /// Takes the object away with its history, resident or ghost.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if table.segment(at: slot) == Self.ranked { heap.remove(slot) }
        table.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) {
        table.prefetchEntry(id)
        heap.prefetch(table.slot(of: id))
    }

    /// Whether the cache is full of objects that weigh 1, without a correlated period. With K = 1 nobody has fewer requests.
    public var canServeBlock: Bool {
        Sizes.isUnit && correlatedPeriod == 0 && depth > 1 && table.residentCount == capacity
    }

    /// Serves a full cache, in which most victims are objects with fewer than K known requests.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var sink = CountingSink()
        var misses: UInt64 = 0
        for request in 0..<block.count {
            table.prefetch(block.upcoming(request))
            prefetchEntry(block.approaching(request))
            let id = block[request]
            clock &+= 1
            misses &<<= 1
            let slot = table.slot(of: id)
            if slot != Self.none, table.isResident(slot) {
                place(slot, remember(at: slot, from: slot &* depth))
                continue
            }
            misses |= 1
            if !exchange(id, ghost: slot) { _ = insert(Request(id: id, size: 1, index: 0), evicting: &sink) }
        }
        return misses
    }

    /// Lets in an object for the next victim, if that has fewer than K known requests and leaves no more ghosts than there were:
    /// the slot is that of its own ghost, of the oldest one, or of the victim.
    @inline(__always)
    private mutating func exchange(_ id: ObjectID, ghost: UInt32) -> Bool {
        let victim = table.tail(of: Self.few)
        guard victim != Self.none else { return false }
        if ghost != Self.none {
            table.move(victim, toHeadOf: Self.ghosts)
            table.move(ghost, toHeadOf: Self.few)
            place(ghost, remember(at: ghost, from: ghost &* depth))
            return true
        }
        var slot = victim
        if ghostLimit == 0 {
            table.exchange(victim, of: Self.few, for: id)
        } else {
            guard table.weight(of: Self.ghosts) == ghostLimit else { return false }
            slot = table.tail(of: Self.ghosts)
            table.pass(victim, from: Self.few, to: Self.ghosts, exchanging: slot, for: id)
        }
        for index in 1..<depth { times[slot &* depth &+ index] = 0 }
        times[slot &* depth] = clock
        return true
    }

    /// Puts this request before the times that begin at `source`; times that are known move on by `shift`. Returns the K-th last.
    @inline(__always)
    private func remember(at slot: UInt32, from source: UInt32, shiftedBy shift: Int = 0) -> Int {
        let start = slot &* depth
        let kth: Int
        // The usual depth needs no loop, which would become a call.
        if depth == 2 {
            let earlier = times[source]
            kth = earlier == 0 ? 0 : earlier &+ shift
            times[start &+ 1] = kth
        } else {
            for index in stride(from: depth - 1, to: 0, by: -1) {
                let earlier = times[source + index - 1]
                times[start + index] = earlier == 0 ? 0 : earlier + shift
            }
            kth = depth == 1 ? clock : times[start + depth - 1]
        }
        times[start] = clock
        return kth
    }

    /// Puts an object that was just asked for, its K-th last request being `kth`, where its history belongs.
    @inline(__always)
    private mutating func place(_ slot: UInt32, _ kth: Int) {
        if table.segment(at: slot) == Self.ranked {
            heap.update(slot, Priority(kth, at: clock))
        } else if kth != 0 {
            rank(slot, Priority(kth, at: clock))
        } else if rules == .paper {
            table.moveToHead(slot)
        }
    }

    /// Makes an object a candidate by its K-th last request; where shifted times of several objects meet, the last use decides.
    private mutating func rank(_ slot: UInt32, _ priority: Priority) {
        table.move(slot, toHeadOf: Self.ranked)
        heap.insert(slot, priority)
    }

    /// Makes candidates of the objects whose correlated period is over: in order of their last uses.
    private mutating func endCorrelatedPeriods() {
        guard correlatedPeriod > 0 else { return }
        while true {
            let slot = table.tail(of: Self.correlated)
            guard slot != Self.none, clock - lastUses[slot] > correlatedPeriod else { return }
            let kth = times[slot * depth + depth - 1]
            if kth != 0 {
                rank(slot, Priority(kth, at: lastUses[slot]))
            } else {
                table.move(slot, toHeadOf: Self.few)
            }
        }
    }
}
