public import CacheCore

/// Two LRU lists, objects seen once and objects seen again, whose shares adapt to hits in the ghosts of each.
///
/// Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003. `T1` and `T2` are resident, `B1`
/// and `B2` are their ghosts; the target `p` for `T1` is a real number that grows by `max(1, |B2| / |B1|)` on a hit in
/// `B1` and shrinks likewise on one in `B2`. Every operation is O(1), amortised in bytes; 4 bytes an object of the
/// trace, 16 a resident object or ghost (24 in bytes), at most twice the capacity together. Any capacity from 1 on
/// works alike; an object larger than that is never admitted. In bytes all sizes are byte sizes, and `p` moves by that
/// many times the object's weight.
///
/// - Dialect `caffeine`: `p` is a whole number and the ratio is divided as whole numbers.
/// - Dialect `libcachesim`: ghosts are dropped only while room is made, one for each victim, so that in bytes they may
///   weigh more; `p` moves by the ratio itself, not by times the weight. In objects it equals the paper.
/// - Dialect `libcachesim-v0` (`arcv0`): the same, but `B2` is trimmed fully, and each ghost list to the capacity.
public struct ARCPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect {
        case paper
        case caffeine
        case libcachesim
        case libcachesimV0 = "libcachesim-v0"
    }
    private static var t1: UInt32 { 0 }
    private static var t2: UInt32 { 1 }
    private static var b1: UInt32 { 2 }
    private static var b2: UInt32 { 3 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    private let rules: Rules
    private let followsLibCacheSim: Bool
    private let ghostLimit: Int
    /// The target weight of `T1`.
    private var target = 0.0
    /// The ghost segment that the newcomer came from, `none` for a new object.
    private var origin = SegmentTable<Sizes>.none
    private var newWeight = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// The dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "arc", family: "adaptive",
            summary: "Balances recency and frequency by hits in the ghosts of two LRU lists.",
            citation: "Megiddo and Modha, FAST 2003", parameters: [Rules.parameter],
            memory: MemoryCost(perObject: 4, perResident: 16, perGhost: 16, ghosts: 1))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        // Locals first: see the implementers' notes of `EvictionPolicy`.
        let amount = configuration.capacity.amount
        let dialect = Rules(configuration)
        let isLibCacheSim = dialect == .libcachesim || dialect == .libcachesimV0
        // libCacheSim's ghosts have no bound in bytes: any object may be remembered.
        let slots =
            isLibCacheSim && !Sizes.isUnit
            ? configuration.objects.count : configuration.objectLimit(of: amount) * 2 + 1
        capacity = amount
        rules = dialect
        followsLibCacheSim = isLibCacheSim
        ghostLimit = dialect == .libcachesimV0 ? amount : .max
        table = SegmentTable(objects: configuration.objects.count, slots: slots, resident: 2, ghosts: 2)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.residentCount }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.residentWeight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves a resident object to the front of `T2` (case I).
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        if table.segment(at: slot) == Self.t2 { table.moveToHead(slot) } else { table.move(slot, toHeadOf: Self.t2) }
        return true
    }

    /// Adapts to a hit in a ghost list (cases II and III), or bounds the ghosts for a new object (case IV).
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        newWeight = weight
        let slot = table.slot(of: request.id)
        if slot == Self.none {
            origin = Self.none
            if !followsLibCacheSim { boundGhosts(for: weight, into: &sink) }
        } else {
            origin = table.segment(at: slot)
            target = adaptedTarget(to: origin, weight)
            table.release(slot)
        }
        return true
    }

    /// The paper's REPLACE; in libCacheSim's dialect with its case IV before.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if followsLibCacheSim, origin == Self.none {
            if table.weight(of: Self.t1) + table.weight(of: Self.b1) + newWeight > capacity {
                if table.isEmpty(Self.b1) { return table.evict(table.tail(of: Self.t1), into: &sink) }
                table.forgetTail(of: Self.b1, into: &sink)
            } else {
                dropFrequentGhosts(into: &sink)
            }
        }
        if replacesInFirst(target, origin) {
            table.evict(table.tail(of: Self.t1), toGhosts: Self.b1, limit: ghostLimit, into: &sink)
        } else {
            table.evict(table.tail(of: Self.t2), toGhosts: Self.b2, limit: ghostLimit, into: &sink)
        }
    }

    /// Puts a remembered object in front of `T2`, a new one in front of `T1`.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, toHeadOf: origin == Self.none ? Self.t1 : Self.t2)
        guard !Sizes.isUnit, !followsLibCacheSim else { return }
        while total > 2 * capacity {
            table.forgetTail(of: table.isEmpty(Self.b2) ? Self.b1 : Self.b2, into: &sink)
        }
    }

    /// The tail that REPLACE would choose for the newcomer; nil in libCacheSim's dialects, which drop ghosts on their way.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        guard !followsLibCacheSim, table.residentCount > 0 else { return nil }
        let (slot, weight) = (table.slot(of: newcomer.id), Sizes.weight(of: newcomer))
        if slot == Self.none {
            // Case IV: a T1 that fills the cache leaves no ghost.
            let takesFirst = table.weight(of: Self.t1) + weight > capacity || replacesInFirst(target, Self.none)
            return table.id(at: table.tail(of: takesFirst ? Self.t1 : Self.t2))
        }
        let ghosts = table.segment(at: slot)
        let takesFirst = replacesInFirst(adaptedTarget(to: ghosts, weight), ghosts)
        return table.id(at: table.tail(of: takesFirst ? Self.t1 : Self.t2))
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot.
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    /// Fetches the neighbours of the object's slot.
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private var total: Int {
        table.residentWeight + table.weight(of: Self.b1) + table.weight(of: Self.b2)
    }

    /// Whether the victim is in `T1`.
    private func replacesInFirst(_ target: Double, _ origin: UInt32) -> Bool {
        let first = Double(table.weight(of: Self.t1))
        let isAbove = first > target || first == target && origin == Self.b2
        return isAbove && !table.isEmpty(Self.t1) || table.isEmpty(Self.t2)
    }

    /// The target moved towards the list whose ghost was hit, by the ratio of the other ghosts to these.
    private func adaptedTarget(to ghosts: UInt32, _ weight: Int) -> Double {
        let own = Double(table.weight(of: ghosts))
        let other = Double(table.weight(of: ghosts == Self.b1 ? Self.b2 : Self.b1))
        var step = own > 0 ? max(1, other / own) : 1
        if rules == .caffeine { step.round(.down) }
        if !followsLibCacheSim, !Sizes.isUnit { step *= Double(weight) }
        return ghosts == Self.b1 ? min(Double(capacity), target + step) : max(0, target - step)
    }

    /// Case IV: keeps `T1` and `B1` within the capacity, and all four lists within twice the capacity.
    private mutating func boundGhosts<Sink: EvictionSink & ~Copyable>(for weight: Int, into sink: inout Sink) {
        while table.weight(of: Self.t1) + table.weight(of: Self.b1) + weight > capacity {
            if table.isEmpty(Self.b1) {
                table.evict(table.tail(of: Self.t1), into: &sink)
            } else {
                table.forgetTail(of: Self.b1, into: &sink)
            }
        }
        while total + weight > 2 * capacity, !table.isEmpty(Self.b2) { table.forgetTail(of: Self.b2, into: &sink) }
    }

    /// Drops ghosts of `B2` while the lists weigh twice the capacity: one, or in `libcachesim-v0` all that are too
    /// many.
    private mutating func dropFrequentGhosts<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while total >= 2 * capacity, !table.isEmpty(Self.b2) {
            table.forgetTail(of: Self.b2, into: &sink)
            if rules == .libcachesim { return }
        }
    }
}
