public import CacheCore
internal import PolicySupport

/// Evicts the object with the lowest priority, its frequency times what it costs a byte, on a clock that ages the rest.
///
/// Cherkasova, "Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching policy", HP Labs HPL-98-69R1,
/// 1998. The priority is `clock + frequency × cost / size`, set at each request; frequencies start at 1 and live while an
/// object is resident. When the newcomer does not fit, the smallest set of lowest priorities that makes room is found,
/// the newcomer among them: if it is in that set it is refused and nothing leaves, otherwise the set leaves and the clock
/// goes to its highest priority. Among equal priorities, of which the paper says nothing, the one asked for longest ago
/// is lower. Costs are those of the requests, 1 where the trace has none; in objects every size is 1. Priorities are
/// doubles, and rounding decides which are equal: the computation is `frequency × (cost / size)`, as in the reference.
///
/// A hit is O(1), O(log n) amortised if it costs less than the one before, a miss O(log n) amortised for each object that is
/// weighed up, and mostly O(1) in objects, where newcomers leave in the order in which they came; 4 bytes an object of the
/// trace, 8 in Caffeine's dialect, and 69 a resident object (77 in bytes). Any capacity from 1 on works alike: at 1 the
/// newcomer wins only with a priority that is at least the resident's. An object larger than the capacity is never
/// admitted, a size holds until its object leaves, and a size of 0 counts as 1 in the priority.
///
/// - Dialect `caffeine` (`greedy-dual.Gdsf`): of equal priorities the smaller key is the lower, as a signed number.
///   Caffeine counts a refusal as an eviction.
/// - Dialect `libcachesim` (`gdsf`): costs are ignored, the priority is `clock + (frequency × 1e6) / size`; the
///   newcomer enters first, and then the lowest leave one by one, the newcomer too if it comes to that, each setting
///   the clock.
public struct GDSFPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }

    /// Room for what was found too low so far, should it have to go back.
    struct Candidate: BitwiseCopyable {
        var slot: UInt32 = 0
        var frequency: UInt32 = 0
        var priority = Priority(0, at: 0)
    }

    private var slots: ResidentSlots<Sizes>
    /// The residents by their priorities; the tallies are their frequencies.
    private var order: LazyPriorityQueue
    private let candidates: FixedBuffer<Candidate>
    /// In Caffeine's dialect the place of each object's key among all keys; otherwise empty.
    private let keyRanks: FixedBuffer<UInt32>
    private var clock = 0.0
    /// Requests so far.
    private var time = 0
    private let rules: Rules
    private let capacity: Int

    /// Only the dialect can be chosen.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "gdsf", family: "size-aware",
            summary: "Evicts the object with the lowest product of frequency and cost a byte, with aging.",
            citation: "Cherkasova, HP Labs HPL-98-69R1, 1998",
            parameters: [Rules.parameter], memory: MemoryCost(perObject: 4, perResident: 69, fixed: 1100))
    }

    /// True: it weighs what a miss costs.
    public static var needsCost: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        candidates = FixedBuffer(repeating: Candidate(), count: configuration.residentLimit)
        keyRanks = rules == .caffeine ? Self.keyRanks(configuration) : FixedBuffer(repeating: 0, count: 0)
        slots = ResidentSlots(configuration)
        order = LazyPriorityQueue(slots: configuration.residentLimit)
    }

    public var residentCount: Int { slots.count }
    public var residentWeight: Int { slots.weight }

    /// Raises the object's frequency and with it its priority.
    public mutating func touch(_ request: Request) -> Bool {
        time &+= 1
        let slot = slots.slot(of: request.id)
        guard slot != ResidentSlots<Sizes>.none else { return false }
        let frequency = min(order.tally(of: slot), LazyPriorityQueue.largestTally - 1) + 1
        let priority = priority(request, frequency, slots.weight(at: slot))
        order.update(slot, priority, tally: frequency)
        return true
    }

    /// Weighs the newcomer against what would have to leave for it.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        let priority = priority(request, 1, weight)
        guard weight <= capacity, makeRoom(for: priority, of: request.id, weight, into: &sink) else {
            sink.forgotten(request.id)
            return false
        }
        let slot = slots.add(request.id, weight: weight)
        if comesInOrder { order.append(slot, priority, tally: 1) } else { order.insert(slot, priority, tally: 1) }
        return true
    }

    /// Whether the cache is full of objects that weigh 1, and has so many newcomers that in a block none can be refused.
    public var canServeBlock: Bool {
        Sizes.isUnit && rules == .libcachesim && slots.count == capacity && order.hasFresh(ObjectBlock.limit + 1)
    }
    /// Serves a full cache without a branch for each request.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var rule = ClockedCountRule(clock: clock)
        defer { clock = rule.clock }
        return order.serveBlock(block, slots, &rule, time: &time)
    }

    /// The object with the lowest priority. The newcomer's own may be below: then it is refused, or in libCacheSim's dialect
    /// is itself the victim.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        guard slots.count > 0 else { return nil }
        if rules == .libcachesim, priority(newcomer, 1, Sizes.weight(of: newcomer)) < order.smallestPriority() {
            return newcomer.id
        }
        return slots.id(at: order.minimum())
    }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) {
        let slot = slots.slot(of: id)
        guard slot != ResidentSlots<Sizes>.none else { return }
        order.remove(slot)
        slots.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { slots.contains(id) }
    public func prefetch(_ id: ObjectID) { slots.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { order.prefetch(slots.slot(of: id)) }

    /// The place of each object's key among all keys, as signed numbers; without keys the objects' own numbers.
    private static func keyRanks(_ configuration: PolicyConfiguration) -> FixedBuffer<UInt32> {
        let ranks = FixedBuffer<UInt32>(repeating: 0, count: configuration.objects.count)
        var order = Array(0..<ObjectID(configuration.objects.count))
        if let keys = configuration.keys {
            order.sort { Int(bitPattern: UInt(keys[$0])) < Int(bitPattern: UInt(keys[$1])) }
        }
        for (rank, id) in order.enumerated() { ranks[id] = UInt32(rank) }
        return ranks
    }

    /// Whether newcomers mostly have higher priorities than those before them: the clock does not go back.
    private var comesInOrder: Bool { Sizes.isUnit && rules != .caffeine }

    /// The priority, computed in the reference's order of operations.
    private func priority(_ request: Request, _ frequency: UInt32, _ weight: Int) -> Priority {
        let size = Double(max(1, weight))
        switch rules {
        case .paper:
            return Priority(cost: clock + Double(frequency) * (request.cost / size), at: time)
        case .caffeine:
            let rank = Int(keyRanks[request.id])
            return Priority(cost: clock + Double(frequency) * (request.cost / size), at: rank)
        case .libcachesim:
            return Priority(cost: clock + Double(frequency) * 1e6 / size, at: time)
        }
    }

    /// Evicts the lowest priorities until there is room; where the newcomer's is one, changes nothing and returns false.
    private mutating func makeRoom<Sink: EvictionSink & ~Copyable>(
        for newcomer: Priority, of id: ObjectID, _ weight: Int, into sink: inout Sink
    ) -> Bool {
        guard rules != .libcachesim else { return makeRoomOneByOne(for: newcomer, of: id, weight, into: &sink) }
        var excess = slots.weight + weight - capacity
        guard excess > 0 else { return true }
        var count: UInt32 = 0
        while excess > 0 {
            let lowest = order.smallestPriority()
            guard lowest < newcomer else {
                for index in 0..<count {
                    let candidate = candidates[index]
                    order.insert(candidate.slot, candidate.priority, tally: candidate.frequency)
                }
                return false
            }
            let slot = order.removeMinimum()
            candidates[count] = Candidate(slot: slot, frequency: order.tally(of: slot), priority: lowest)
            count += 1
            excess -= slots.weight(at: slot)
        }
        clock = max(clock, candidates[count - 1].priority.cost)
        for index in 0..<count { slots.evict(candidates[index].slot, into: &sink) }
        return true
    }

    /// Evicts the lowest priorities one by one until there is room. Where the newcomer's is the lowest, it leaves as a
    /// resident would, and false is returned.
    private mutating func makeRoomOneByOne<Sink: EvictionSink & ~Copyable>(
        for newcomer: Priority, of id: ObjectID, _ weight: Int, into sink: inout Sink
    ) -> Bool {
        while slots.weight + weight > capacity {
            let lowest = slots.count > 0 ? order.smallestPriority() : newcomer
            guard lowest < newcomer else {
                clock = newcomer.cost
                sink.evicted(id)
                return false
            }
            clock = lowest.cost
            slots.evict(order.removeMinimum(), into: &sink)
        }
        return true
    }
}

/// libCacheSim's rule where every object weighs 1.
private struct ClockedCountRule: RisingRule {
    static var looksAhead: Bool { false }
    var clock: Double

    @inline(__always)
    mutating func word(after word: UInt128, missed: UInt64, first: UInt128, at time: UInt32) -> UInt128 {
        let most = UInt64(LazyPriorityQueue.largestTally)
        let frequency = min((UInt64(truncatingIfNeeded: word) & most & ~missed) &+ 1, most)
        let priority = clock + Double(Int64(frequency)) * 1e6
        // A newcomer was weighed before its victim set the clock.
        clock = Double(bitPattern: clock.bitPattern ^ (clock.bitPattern ^ value(word)) & missed)
        return ordinal(priority.bitPattern, time) | UInt128(frequency)
    }
}
