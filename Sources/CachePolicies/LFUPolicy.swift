public import CacheCore

/// Evicts the object that was asked for least often, by default since it entered.
///
/// Aho, Denning and Ullman, "Principles of optimal page replacement", J. ACM 18(1), 1971. Counts live while an object is
/// resident ("in-cache LFU"); the newcomer enters with count 1 after the victim left. With `ties=lru`, the default, all
/// is in constant time (Shah, Mitra and Matani, 2010): 4 bytes an object of the trace and 44 a resident object (60 in
/// bytes). Any other choice keeps a heap: O(log n); 4 bytes an object of the trace and 44 a resident object (52 in
/// bytes). Any capacity from 1 on works alike, 1 being a cache of the last object; an object larger than the capacity is
/// never admitted; a size holds until its object leaves. libCacheSim's `lfu` and `lfucpp` and Caffeine's `linked.Lfu`
/// follow the default rules.
///
/// - `ties`: which of equals leaves: the one asked for longest ago (`lru`) or last (`mru`), the one that entered first
///   (`fifo`) or last (`lifo`).
/// - `history=perfect`: counts survive eviction ("perfect LFU", the LFU of most papers). Nothing is ever forgotten but
///   what is removed and what is refused, so that the number of ghosts has no bound: 4 more bytes an object of the
///   trace, and a live cache cannot recycle ids.
public struct LFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var lists: CountLists<Sizes>
    private var ranks: CountRanks<Sizes>
    /// Whether the heap is in use, otherwise the lists. The other one is empty.
    private let isRanked: Bool
    /// The most weight that may be resident.
    public let capacity: Int

    /// The rule for ties and what is counted.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lfu", family: "frequency",
            summary: "Evicts the object that was asked for least often since it entered.",
            citation: "Aho et al., J. ACM 18(1), 1971; Shah et al., 2010",
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
            ], memory: MemoryCost(perObject: 4, perResident: 44, perResidentInBytes: 60),
            // By definition it then remembers every object that it ever saw.
            deviations: ["history=perfect": .hasUnboundedGhosts])
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        let ties = CountTies(rawValue: configuration.parameters.text("ties")) ?? .lru
        let isPerfect = configuration.parameters.text("history") == "perfect"
        let ranked = ties != .lru || isPerfect
        let (objects, limit) = (configuration.objects.count, configuration.residentLimit)
        isRanked = ranked
        lists = CountLists(objects: ranked ? 0 : objects, slots: ranked ? 0 : limit)
        ranks = CountRanks(
            objects: ranked ? objects : 0, slots: ranked ? limit : 0, ties: ties, keepsHistory: isPerfect)
    }

    /// The number of resident objects.
    public var residentCount: Int { isRanked ? ranks.table.count : lists.table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { isRanked ? ranks.table.weight : lists.table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts the request.
    public mutating func touch(_ request: Request) -> Bool {
        isRanked ? ranks.touch(request.id) : lists.touch(request.id)
    }

    /// Evicts the object with the lowest count.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if isRanked { ranks.evictLowest(into: &sink) } else { lists.evict(lists.lowest, into: &sink) }
    }

    /// Lets the object in with the count that is known of it, and this request.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if isRanked { ranks.add(request.id, weight: weight) } else { lists.add(request.id, weight: weight) }
    }

    /// The object with the lowest count.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        if isRanked { return ranks.lowest }
        return lists.table.count == 0 ? nil : lists.table.id(at: lists.lowest)
    }

    /// Forgets the object and its count.
    public mutating func remove(_ id: ObjectID) {
        if isRanked { ranks.remove(id) } else { lists.remove(id) }
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { isRanked ? ranks.table.contains(id) : lists.table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { if isRanked { ranks.table.prefetch(id) } else { lists.table.prefetch(id) } }
    /// Fetches the object's slot.
    public func prefetchEntry(_ id: ObjectID) {
        if isRanked { ranks.table.prefetchEntry(id) } else { lists.table.prefetchEntry(id) }
    }
    /// Fetches the neighbours of the object's slot.
    public func prefetchNeighbours(_ id: ObjectID) { if !isRanked { lists.table.prefetchNeighbours(id) } }
}

/// Which of equally frequent objects leaves.
private enum CountTies: String, CaseIterable {
    case lru, mru, fifo, lifo

    /// Whether a request changes an object's place among its equals.
    var isByUse: Bool { self == .lru || self == .mru }
    /// Whether the later one leaves.
    var isLastFirst: Bool { self == .mru || self == .lifo }
}

/// Resident objects in a heap by count, then by the rule for ties. Every operation is O(log n).
private struct CountRanks<Sizes: SizeStore & ~Copyable>: ~Copyable {
    private static var unordered: UInt32 { 0 }

    private(set) var table: SlotTable<Sizes>
    private var heap: IndexedHeap<Rank<Int>>
    /// The counts of objects that left, where those are kept.
    private let past: FixedBuffer<UInt32>
    private let keepsHistory: Bool
    private let ties: CountTies
    private var clock = 0

    init(objects: Int, slots: Int, ties: CountTies, keepsHistory: Bool) {
        table = SlotTable(objects: objects, slots: slots)
        // The table's sentinel takes a number too.
        heap = IndexedHeap(slots: slots + 1, filler: Rank(value: 0, order: 0))
        past = FixedBuffer(repeating: 0, count: keepsHistory ? objects : 0)
        self.keepsHistory = keepsHistory
        self.ties = ties
    }

    /// The object that leaves first, nil if nothing is resident.
    var lowest: ObjectID? { table.count == 0 ? nil : table.id(at: heap.minimum) }

    mutating func touch(_ id: ObjectID) -> Bool {
        let slot = table.slot(of: id)
        guard slot != SlotTable<Sizes>.none else { return false }
        let old = heap.key(of: slot)
        heap.update(slot, key: Rank(value: old.value + 1, order: ties.isByUse ? nextOrder() : old.order))
        return true
    }

    mutating func add(_ id: ObjectID, weight: Int) {
        let count = 1 + (keepsHistory ? Int(past[id]) : 0)
        let slot = table.add(id, weight: weight, toHeadOf: Self.unordered)
        heap.insert(slot, key: Rank(value: count, order: nextOrder()))
    }

    mutating func evictLowest<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let count = heap.smallestKey.value
        let slot = heap.removeMinimum()
        guard keepsHistory else { return table.evict(slot, into: &sink) }
        let id = table.id(at: slot)
        past[id] = UInt32(clamping: count)
        table.release(slot)
        sink.evicted(id)
    }

    mutating func remove(_ id: ObjectID) {
        if keepsHistory { past[id] = 0 }
        let slot = table.slot(of: id)
        guard slot != SlotTable<Sizes>.none else { return }
        heap.remove(slot)
        table.release(slot)
    }

    private mutating func nextOrder() -> Int {
        clock += 1
        return ties.isLastFirst ? -clock : clock
    }
}
