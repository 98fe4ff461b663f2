public import CacheCore
internal import PolicySupport

/// Evicts the object with the lowest sum of its cost a byte, rounded, and the lowest priority there was when it was
/// asked for: Greedy-Dual-Size in a few LRU lists.
///
/// Ghandeharizadeh, Irani, Lam and Yap, "CAMP: a cost adaptive multi-queue eviction policy for key-value stores",
/// Middleware 2014. The ratio is cost over size, times the largest size seen, cut to a whole number and then to its
/// `precision` leading bits. Objects of one ratio form an LRU list, which a heap orders by the priority of its oldest
/// object, its ratio plus `L` when it was last asked for; `L` is the lowest priority left after an eviction. Each request
/// computes the ratio anew, with its own cost (1 where the trace has none) and in objects with size 1. Among lists of
/// equal priority the one with the smaller ratio gives up its oldest object, a rule that the paper leaves open. A ratio is
/// at most 2^31 - 1; a size of 0 counts as 1. A hit that is not on a list's oldest object is O(1), everything else
/// O(log lists); 4 bytes an object of the trace and 24 a resident object (32 in bytes), 52 (60) for each of
/// 2^precision + (31 - precision) × 2^(precision - 1) lists. Any capacity from 1 on works alike, 1 being a cache of the
/// last object; an object larger than the capacity is never admitted, but its size counts as seen; a size holds until
/// its object leaves. With equal costs and sizes it is an LRU. Caffeine's `greedy-dual.Camp` follows these rules, but
/// keeps the cost of an object's admission and counts what is larger than the capacity as evicted.
public struct CAMPPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var none: UInt32 { SlotTable<Sizes>.none }
    private static var largestRatio: Double { 2_147_483_647 }

    /// A rounded ratio and the number of its list.
    private struct Ratio: BitwiseCopyable {
        var value: Int
        var list: UInt32
    }

    /// Lists in order of last use; a slot's state is its list.
    private var table: SlotTable<Sizes>
    /// The lists that are not empty, by the priority of the object at the tail, then by number,
    /// which is the order of the ratios.
    private var heap: IndexedHeap<Rank<Int>>
    /// The priority of each slot.
    private let priorities: FixedBuffer<Int>
    private let precision: Int
    private var lowest = 0
    private var largestSize = 1
    /// The most weight that may be resident.
    public let capacity: Int

    /// The precision of the ratios.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "camp", family: "size-aware",
            summary: "Evicts by cost a byte, rounded so that a few LRU lists are enough, with aging.",
            citation: "Ghandeharizadeh et al., Middleware 2014",
            parameters: [
                ParameterSpecification(
                    "precision", .integer(default: 5, 1...12), "How many leading bits of a ratio are kept.")
            ], memory: MemoryCost(perObject: 4, perResident: 24, fixed: 27_000))
    }

    /// True: it weighs what a miss costs.
    public static var needsCost: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let precision = configuration.parameters.integer("precision")
        let lists = 1 << precision + (31 - precision) << (precision - 1)
        let slots = min(configuration.objects.count, configuration.residentLimit)
        self.precision = precision
        capacity = configuration.capacity.amount
        heap = IndexedHeap(slots: lists, filler: Rank(value: 0, order: 0))
        priorities = FixedBuffer(repeating: 0, count: slots + lists)
        table = SlotTable(objects: configuration.objects.count, slots: slots, lists: lists)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Gives the object its ratio and priority anew.
    public mutating func touch(_ request: Request) -> Bool {
        largestSize = max(largestSize, Sizes.weight(of: request))
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        let list = table.state(at: slot)
        let wasOldest = table.tail(of: list) == slot
        let ratio = ratio(request.cost, weight: table.weight(at: slot))
        priorities[slot] = lowest + ratio.value
        let wasEmpty = table.tail(of: ratio.list) == Self.none
        table.move(slot, toHeadOf: ratio.list)
        table.setState(ratio.list, at: slot)
        if wasOldest { reorder(list) }
        if wasEmpty { heap.insert(ratio.list, key: rank(slot, in: ratio.list)) }
        return true
    }

    /// Evicts the oldest object of the list with the lowest priority.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let list = heap.minimum
        table.evict(table.tail(of: list), into: &sink)
        reorder(list)
        if heap.count > 0 { lowest = heap.smallestKey.value }
    }

    /// Puts the object into the list of its ratio.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let ratio = ratio(request.cost, weight: weight)
        let wasEmpty = table.tail(of: ratio.list) == Self.none
        let slot = table.add(request.id, weight: weight, state: ratio.list, toHeadOf: ratio.list)
        priorities[slot] = lowest + ratio.value
        if wasEmpty { heap.insert(ratio.list, key: rank(slot, in: ratio.list)) }
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        let list = table.state(at: slot)
        let wasOldest = table.tail(of: list) == slot
        table.release(slot)
        if wasOldest { reorder(list) }
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// Puts a list where its new oldest object belongs, out of the heap if it has none.
    private mutating func reorder(_ list: UInt32) {
        let oldest = table.tail(of: list)
        if oldest == Self.none { heap.remove(list) } else { heap.update(list, key: rank(oldest, in: list)) }
    }

    private func rank(_ slot: UInt32, in list: UInt32) -> Rank<Int> {
        Rank(value: priorities[slot], order: Int(list))
    }

    /// The rounded ratio. Those that differ only in bits that are cut off share a list.
    private func ratio(_ cost: Double, weight: Int) -> Ratio {
        let exact = Int(min(Double(largestSize) / Double(max(1, weight)) * cost, Self.largestRatio))
        let excess = Int.bitWidth - exact.leadingZeroBitCount - precision
        guard excess > 0 else { return Ratio(value: exact, list: UInt32(exact)) }
        // The leading bits, of which the first is 1, and the number of bits cut off name the list.
        let leading = exact >> excess
        let list = leading + excess << (precision - 1)
        return Ratio(value: leading << excess, list: UInt32(list))
    }
}
