public import CacheCore
internal import PolicySupport

/// Two clocks, inactive and active, and ghosts that know how much has left since: the working set detection of Linux.
///
/// Weiner, "Thrash detection-based file cache sizing", Linux 3.15, 2014 (`mm/workingset.c`). An object enters the
/// inactive list; a hit there makes it active, a hit in the active list sets its bit. What the active list cannot hold
/// falls back into the inactive list, but for objects whose bit is set, which go round once more (a chance that the
/// kernel gives to executable pages alone); room in the active list is made before the object enters it. The victim is
/// the oldest of the inactive list. An age counts what was evicted and what became active, the ghost's own eviction
/// too: a missed object becomes active at once if the age has grown by no more than the active list holds since it
/// left, and then counts for the age before something is evicted for it. The kernel moves the border between the lists
/// with the size of the memory; here it is a parameter. There are as many ghosts as the active list may have objects,
/// for older ones could not become active.
///
/// Every operation is O(1), amortised; 4 bytes an object of the trace and 24 a resident object or ghost (32 in bytes).
/// The active share is rounded down and leaves the inactive list at least 1: capacity 1 has no active object and is an
/// LRU, 2 and 3 have one. In bytes all shares, ages and distances are weights, as the kernel counts the pages of large folios;
/// an object larger than the active share moves to the front of the inactive list instead, and one larger than the
/// capacity is never admitted.
///
/// Dialect `caffeine`: the age that a ghost remembers does not count its own eviction.
public struct DClockPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, caffeine }
    private static var inactive: UInt32 { 0 }
    private static var active: UInt32 { 1 }
    private static var ghosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    /// The age at which the ghost in each slot left.
    private let ages: FixedBuffer<Int>
    private let rules: Rules
    private let activeLimit: Int
    private var age = 0
    private var entersActive = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The share of the active list, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "dclock", family: "inter-reference",
            summary: "An inactive and an active clock; ghosts that come back soon enough become active at once.",
            citation: "Weiner, Linux 3.15, 2014",
            parameters: [
                ParameterSpecification(
                    "active", .number(default: 0.5, 0...1), "The most weight of the active list, as a share."),
                Rules.parameter,
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 24, perGhost: 24, ghosts: 0.5, ghostsByParameter: ["active": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let amount = configuration.capacity.amount
        let limit = min(configuration.share("active"), amount - 1)
        let objects = configuration.objects.count
        let slots = configuration.residentLimit + configuration.objectLimit(of: limit)
        capacity = amount
        rules = Rules(configuration)
        activeLimit = limit
        table = SegmentTable(objects: objects, slots: slots, resident: 2, ghosts: 1)
        ages = FixedBuffer(repeating: 0, count: min(objects, slots) + 3)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Makes an inactive object active; sets the bit of an active one.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        if table.segment(at: slot) == Self.active {
            if table.mark(at: slot) == 0 { table.setMark(1, at: slot) }
            return true
        }
        let weight = table.weight(at: slot)
        if weight > activeLimit {
            table.moveToHead(slot)
        } else {
            age &+= weight
            makeRoomForActive(weight)
            table.move(slot, toHeadOf: Self.active)
        }
        return true
    }

    /// Takes the ghost, if there is one, and sees whether little enough has left since it did.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        let slot = table.slot(of: request.id)
        entersActive =
            slot != Self.none && weight <= activeLimit && age &- ages[slot] <= table.weight(of: Self.active)
        if slot != Self.none { table.release(slot) }
        if entersActive { age &+= weight }
        return true
    }

    /// Evicts the oldest inactive object, to which an active one falls back if there is none.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if table.isEmpty(Self.inactive) { demoteOne() }
        let slot = table.tail(of: Self.inactive)
        let before = age
        age &+= table.weight(at: slot)
        ages[slot] = rules == .caffeine ? before : age
        table.evict(slot, toGhosts: Self.ghosts, limit: activeLimit, into: &sink)
    }

    /// Puts the object at the head of the list that it enters.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if entersActive { makeRoomForActive(weight) }
        table.add(request.id, weight: weight, toHeadOf: entersActive ? Self.active : Self.inactive)
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private mutating func makeRoomForActive(_ weight: Int) {
        while table.weight(of: Self.active) + weight > activeLimit { demoteOne() }
    }

    /// Lets the oldest active object whose bit is not set fall back; the bits of those before it are cleared.
    private mutating func demoteOne() {
        while true {
            let slot = table.tail(of: Self.active)
            if table.mark(at: slot) == 0 { return table.move(slot, toHeadOf: Self.inactive) }
            table.setMark(0, at: slot)
            table.moveToHead(slot)
        }
    }
}
