public import CacheCore

/// Evicts the object whose K-th last request is oldest; objects with fewer than K known requests go first.
///
/// O'Neil, O'Neil and Weikum, "The LRU-K page replacement algorithm for database disk buffering", SIGMOD 1993. Requests
/// within the correlated period `crp` of an object's last one count as one, and the object is no candidate until that
/// period is over (when every resident object is within it, the least recently used leaves). Objects that left keep
/// their history: the paper drops it after a period, here the `history` times the capacity that left last keep it.
/// Among objects with fewer than K known requests the least recently used goes first, the paper's suggestion.
///
/// A hit is O(1), a miss O(log n) amortised, below K requests O(1); 4 bytes an object of the trace and 52 + 8K a resident
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

    /// The number of resident objects.
    public var residentCount: Int { table.residentCount }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.residentWeight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Adds the request to the object's history, unless it is correlated with the last one.
    public mutating func touch(_ request: Request) -> Bool {
        clock &+= 1
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        guard correlatedPeriod > 0 else {
            remember(at: slot, from: slot * depth, shiftedBy: 0)
            place(slot)
            return true
        }
        let last = lastUses[slot]
        lastUses[slot] = clock
        if clock - last > correlatedPeriod {
            // The time between the first and the last of the correlated requests must not count.
            remember(at: slot, from: slot * depth, shiftedBy: last - times[slot * depth])
        }
        if table.segment(at: slot) == Self.ranked { heap.remove(slot) }
        table.move(slot, toHeadOf: Self.correlated)
        return true
    }

    /// Takes the newcomer's history out of its ghost, before room is made at the expense of ghosts.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
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
        remember(at: slot, from: newcomer, shiftedBy: 0)
        if isWaiting {
            lastUses[slot] = clock
        } else if isKnown(slot) {
            rank(slot)
        }
    }

    /// Takes the object away with its history, resident or ghost.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if table.segment(at: slot) == Self.ranked { heap.remove(slot) }
        table.release(slot)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot and its key.
    public func prefetchEntry(_ id: ObjectID) {
        table.prefetchEntry(id)
        heap.prefetch(table.slot(of: id))
    }

    /// Puts this request before the times that begin at `source`; times that are known move on by `shift`.
    private func remember(at slot: UInt32, from source: UInt32, shiftedBy shift: Int) {
        let start = slot * depth
        for index in stride(from: depth - 1, to: 0, by: -1) {
            let earlier = times[source + index - 1]
            times[start + index] = earlier == 0 ? 0 : earlier + shift
        }
        times[start] = clock
    }

    private func isKnown(_ slot: UInt32) -> Bool { times[slot * depth + depth - 1] != 0 }

    /// Puts an object that was just asked for where its history belongs.
    private mutating func place(_ slot: UInt32) {
        if table.segment(at: slot) == Self.ranked {
            heap.update(slot, key(of: slot))
        } else if isKnown(slot) {
            rank(slot)
        } else if rules == .paper {
            table.moveToHead(slot)
        }
    }

    private mutating func rank(_ slot: UInt32) {
        table.move(slot, toHeadOf: Self.ranked)
        heap.insert(slot, key(of: slot))
    }

    /// The K-th last request; where shifted times of several objects meet, the last use decides.
    private func key(of slot: UInt32) -> Priority {
        Priority(
            times[slot * depth + depth - 1], at: correlatedPeriod > 0 ? lastUses[slot] : times[slot * depth])
    }

    /// Makes candidates of the objects whose correlated period is over: in order of their last uses.
    private mutating func endCorrelatedPeriods() {
        guard correlatedPeriod > 0 else { return }
        while true {
            let slot = table.tail(of: Self.correlated)
            guard slot != Self.none, clock - lastUses[slot] > correlatedPeriod else { return }
            if isKnown(slot) { rank(slot) } else { table.move(slot, toHeadOf: Self.few) }
        }
    }
}
