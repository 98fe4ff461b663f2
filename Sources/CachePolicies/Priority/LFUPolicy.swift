public import CacheCore

/// Evicts the object that was asked for least often, by default since it entered.
///
/// Aho, Denning and Ullman, "Principles of optimal page replacement", J. ACM 18(1), 1971. Counts live while an object is
/// resident ("in-cache LFU"); the newcomer enters with count 1 after the victim left. A hit is O(1), a miss O(log n)
/// amortised and nearly always O(1), since newcomers leave in the order in which they came; 4 bytes an object of the trace
/// and 45 a resident object (53 in bytes). Any capacity from 1 on works alike, 1 being a cache of the last object; an
/// object larger than the capacity is never admitted; a size holds until its object leaves. libCacheSim's `lfu` and
/// `lfucpp` and Caffeine's `linked.Lfu` follow the default rules. After 2^32 requests only the order of equals is
/// affected.
///
/// - `ties`: which of equals leaves: the one asked for longest ago (`lru`) or last (`mru`), the one that entered first
///   (`fifo`) or last (`lifo`). With `mru` and `lifo` newcomers do not leave in their order, and a miss is O(log n).
/// - `history=perfect`: counts survive eviction ("perfect LFU", the LFU of most papers). Nothing is ever forgotten but
///   what is removed and what is refused, so that the number of ghosts has no bound: 4 more bytes an object of the
///   trace, and a live cache cannot recycle ids.
public struct LFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var slots: ResidentSlots<Sizes>
    /// The residents by their counts, and among equals by the rule for ties.
    private var order: LazyPriorityQueue
    /// The counts of objects that left, where those are kept.
    private let past: FixedBuffer<UInt32>
    private let keepsHistory: Bool
    private let ties: CountTies
    /// Requests so far.
    private var time = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// The rule for ties and what is counted.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lfu", family: "frequency",
            summary: "Evicts the object that was asked for least often since it entered.",
            citation: "Aho et al., J. ACM 18(1), 1971",
            parameters: [
                ParameterSpecification(
                    "ties", .choice(default: "lru", CountTies.allCases.map(\.rawValue)),
                    "Which of equally frequent objects leaves: by last use (lru, mru) or by entry (fifo, lifo)."),
                ParameterSpecification(
                    "history", .choice(default: "resident", ["resident", "perfect"]),
                    "Whether counts are forgotten with eviction or kept for ever."),
            ],
            stackOrders: [
                "ties=lru;history=perfect": .mostFrequentThenLatest,
                "ties=mru;history=perfect": .mostFrequentThenEarliest,
            ], memory: MemoryCost(perObject: 4, perResident: 45, fixed: 1100),
            // By definition it then remembers every object that it ever saw.
            deviations: ["history=perfect": .hasUnboundedGhosts])
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        ties = CountTies(rawValue: configuration.parameters.text("ties")) ?? .lru
        keepsHistory = configuration.parameters.text("history") == "perfect"
        let isPerfect = configuration.parameters.text("history") == "perfect"
        past = FixedBuffer(repeating: 0, count: isPerfect ? configuration.objects.count : 0)
        slots = ResidentSlots(configuration)
        order = LazyPriorityQueue(slots: configuration.residentLimit)
    }

    public var residentCount: Int { slots.count }
    public var residentWeight: Int { slots.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts the request.
    public mutating func touch(_ request: Request) -> Bool {
        time &+= 1
        let slot = slots.slot(of: request.id)
        guard slot != ResidentSlots<Sizes>.none else { return false }
        let raised = order.priority(of: slot).raised
        order.update(slot, ties.isByUse ? raised.at(moment) : raised)
        return true
    }

    /// Evicts the object with the lowest count.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let slot = order.removeMinimum()
        guard keepsHistory else { return slots.evict(slot, into: &sink) }
        let id = slots.id(at: slot)
        past[id] = UInt32(clamping: order.priority(of: slot).value)
        slots.release(slot)
        sink.evicted(id)
    }

    /// Lets the object in with the count that is known of it, and this request.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let count = 1 + (keepsHistory ? Int(past[request.id]) : 0)
        let slot = slots.add(request.id, weight: weight)
        if count == 1, !ties.isLastFirst {
            order.append(slot, Priority(1, at: moment))
        } else {
            order.insert(slot, Priority(count, at: moment))
        }
    }

    /// Whether the cache is full of objects that weigh 1, and newcomers leave in their order.
    public var canServeBlock: Bool { Sizes.isUnit && ties == .lru && !keepsHistory && slots.count == capacity }
    /// Serves a full cache without a branch.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var rule = CountRule()
        return order.serveBlock(block, slots, &rule, time: &time)
    }

    /// The object with the lowest count.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        slots.count == 0 ? nil : slots.id(at: order.minimum())
    }

    /// Forgets the object and its count.
    public mutating func remove(_ id: ObjectID) {
        if keepsHistory { past[id] = 0 }
        let slot = slots.slot(of: id)
        guard slot != ResidentSlots<Sizes>.none else { return }
        order.remove(slot)
        slots.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { slots.contains(id) }
    public func prefetch(_ id: ObjectID) { slots.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { order.prefetch(slots.slot(of: id)) }

    /// The request's place among those of equal count.
    private var moment: Int { ties.isLastFirst ? -time : time }
}

/// Which of equally frequent objects leaves.
private enum CountTies: String, CaseIterable {
    case lru, mru, fifo, lifo

    /// Whether a request changes an object's place among its equals.
    var isByUse: Bool { self == .lru || self == .mru }
    /// Whether the later one leaves.
    var isLastFirst: Bool { self == .mru || self == .lifo }
}

/// A hit counts one more, a newcomer begins with one.
private struct CountRule: RisingRule {
    static var looksAhead: Bool { false }

    @inline(__always)
    mutating func word(after word: UInt128, missed: UInt64, first: UInt128, at time: UInt32) -> UInt128 {
        ordinal((value(word) & ~missed) &+ 1, time)
    }
}
