public import CacheCore

/// Evicts the object with the lowest priority, its frequency times what it costs a byte, on a clock that ages the rest.
///
/// Cherkasova, "Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching policy", HP Labs HPL-98-69R1,
/// 1998. The priority is `clock + frequency × cost / size`, set at each request; frequencies start at 1 and live while an
/// object is resident. When the newcomer does not fit, the smallest set of lowest priorities that makes room is found,
/// the newcomer among them: if it is in that set it is refused and nothing leaves, otherwise the set leaves and the clock
/// goes to its highest priority. Among equal priorities, of which the paper says nothing, the one asked for longest ago
/// is lower. Costs are those of the requests, 1 where the trace has none; in objects every size is 1.
///
/// A hit is O(log n), a miss O(log n) for each object that is weighed up; 4 bytes an object of the trace and 68 a
/// resident object (76 in bytes). Any capacity from 1 on works alike: at 1 the newcomer wins only with a priority that
/// is at least the resident's. An object larger than the capacity is never admitted, a size holds until its object
/// leaves, and a size of 0 counts as 1 in the priority.
///
/// - Dialect `caffeine` (`greedy-dual.Gdsf`): of equal priorities the smaller key is the lower, as a signed number.
///   Caffeine counts a refusal as an eviction.
/// - Dialect `libcachesim` (`gdsf`): costs are ignored; the newcomer enters first, and then the lowest leave one by one,
///   the newcomer too if it comes to that, each setting the clock.
public struct GDSFPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }
    private static var unordered: UInt32 { 0 }

    /// Room for what was found too low so far and for its keys, should it have to go back.
    private struct Candidate: BitwiseCopyable {
        var slot: UInt32 = 0
        var rank = Rank(value: 0.0, order: 0)
    }

    private var table: SlotTable<Sizes>
    private var heap: IndexedHeap<Rank<Double>>
    private let candidates: FixedBuffer<Candidate>
    private let keys: ObjectKeys?
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
            parameters: [Rules.parameter], memory: MemoryCost(perObject: 4, perResident: 68))
    }

    /// True: it weighs what a miss costs.
    public static var needsCost: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        keys = configuration.keys
        // In libCacheSim's dialect the newcomer enters before the others leave.
        let slots = min(configuration.objects.count, configuration.residentLimit + 1)
        candidates = FixedBuffer(repeating: Candidate(), count: slots)
        heap = IndexedHeap(slots: slots + 1, filler: Rank(value: 0, order: 0))
        table = SlotTable(objects: configuration.objects.count, slots: slots)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }

    /// Raises the object's frequency and with it its priority.
    public mutating func touch(_ request: Request) -> Bool {
        time &+= 1
        let slot = table.slot(of: request.id)
        guard slot != SlotTable<Sizes>.none else { return false }
        let frequency = min(table.state(at: slot), .max - 1) + 1
        table.setState(frequency, at: slot)
        heap.update(slot, key: rank(request, frequency, table.weight(at: slot)))
        return true
    }

    /// Weighs the newcomer against what would have to leave for it.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        let rank = rank(request, 1, weight)
        guard weight <= capacity, rules == .libcachesim || makeRoom(for: rank, weight, into: &sink) else {
            sink.forgotten(request.id)
            return false
        }
        let slot = table.add(request.id, weight: weight, state: 1, toHeadOf: Self.unordered)
        heap.insert(slot, key: rank)
        while table.weight > capacity {
            clock = heap.smallestKey.value
            table.evict(heap.removeMinimum(), into: &sink)
        }
        return rules != .libcachesim || table.contains(request.id)
    }

    /// The object with the lowest priority. The newcomer's own may be below: then it is refused, or in libCacheSim's dialect
    /// is itself the victim.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        guard table.count > 0 else { return nil }
        if rules == .libcachesim, rank(newcomer, 1, Sizes.weight(of: newcomer)) < heap.smallestKey {
            return newcomer.id
        }
        return table.id(at: heap.minimum)
    }

    /// Takes the object out of the heap.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != SlotTable<Sizes>.none else { return }
        heap.remove(slot)
        table.release(slot)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot and where its key is kept.
    public func prefetchEntry(_ id: ObjectID) {
        table.prefetchEntry(id)
        heap.prefetchPlace(table.slot(of: id))
    }
    /// Fetches what the object's key is compared with.
    public func prefetchNeighbours(_ id: ObjectID) { heap.prefetchChildren(table.slot(of: id)) }

    /// The priority, computed in the reference's order of operations.
    private func rank(_ request: Request, _ frequency: UInt32, _ weight: Int) -> Rank<Double> {
        let size = Double(max(1, weight))
        switch rules {
        case .paper:
            return Rank(value: clock + Double(frequency) * (request.cost / size), order: time)
        case .caffeine:
            let key = keys.map { Int(bitPattern: UInt($0[request.id])) } ?? Int(request.id)
            return Rank(value: clock + Double(frequency) * (request.cost / size), order: key)
        case .libcachesim:
            return Rank(value: clock + Double(frequency) * 1e6 / size, order: time)
        }
    }

    /// Evicts the lowest priorities until there is room; changes nothing and returns false if the newcomer's is one.
    private mutating func makeRoom<Sink: EvictionSink & ~Copyable>(
        for newcomer: Rank<Double>, _ weight: Int, into sink: inout Sink
    ) -> Bool {
        var excess = table.weight + weight - capacity
        guard excess > 0 else { return true }
        var count: UInt32 = 0
        while excess > 0 {
            let lowest = heap.smallestKey
            guard lowest < newcomer else {
                for index in 0..<count { heap.insert(candidates[index].slot, key: candidates[index].rank) }
                return false
            }
            let slot = heap.removeMinimum()
            candidates[count] = Candidate(slot: slot, rank: lowest)
            count += 1
            excess -= table.weight(at: slot)
        }
        clock = max(clock, candidates[count - 1].rank.value)
        for index in 0..<count { table.evict(candidates[index].slot, into: &sink) }
        return true
    }
}
