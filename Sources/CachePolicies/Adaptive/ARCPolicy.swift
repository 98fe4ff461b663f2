public import CacheCore
internal import PolicySupport

/// Two LRU lists, objects seen once and objects seen again, whose shares adapt to hits in the ghosts of each.
///
/// Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003. `T1` and `T2` are resident, `B1`
/// and `B2` are their ghosts; the target `p` for `T1` is a real number that grows by `max(1, |B2| / |B1|)` on a hit in
/// `B1` and shrinks likewise on one in `B2`. Every operation is O(1) amortised; 4 bytes an object of the trace (12 in
/// bytes), 35 a resident object (13 in bytes) and 10 a ghost, at most twice the capacity together. Any capacity from 1 on
/// works alike; an object larger than that is never admitted. In bytes all sizes are byte sizes, and `p` moves by that
/// many times the object's weight. A miss is `VictimPolicy.insert`: `willAdmit` (cases II to IV), `evictOne` (REPLACE) until there is
/// room, `admit`. Full caches in objects are replayed in blocks (`ARCPolicy+Blocks.swift`), which decide the same.
///
/// - Dialect `caffeine`: `p` is a whole number and the ratio is divided as whole numbers.
/// - Dialect `libcachesim`: ghosts are dropped only while room is made, one for each victim, so that in bytes they may
///   weigh more; `p` moves by the ratio itself, not by times the weight. In objects it equals the paper.
/// - Dialect `libcachesim-v0` (`arcv0`): the same, but `B2` is trimmed fully, and each ghost list to the capacity.
public struct ARCPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    enum Rules: String, Dialect {
        case paper
        case caffeine
        case libcachesim
        case libcachesimV0 = "libcachesim-v0"
    }
    private static var first: UInt32 { GhostedLists<Sizes>.first }
    private static var second: UInt32 { GhostedLists<Sizes>.second }
    /// The list of a new object: none.
    private static var nowhere: UInt32 { 2 }

    /// `T1` with `B1`, and `T2` with `B2`: two LRU lists, each with the ghosts of what left it.
    var lists: GhostedLists<Sizes>
    let rules: Rules
    private let followsLibCacheSim: Bool
    private let ghostLimit: Int
    /// The target weight of `T1`: p in the paper.
    private(set) var target = 0.0
    /// The list whose ghost the newcomer was, `nowhere` for a new object.
    private var origin = Self.nowhere
    private var newWeight = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// The dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "arc", family: "adaptive",
            summary: "Balances recency and frequency by hits in the ghosts of two LRU lists.",
            citation: "Megiddo and Modha, FAST 2003", parameters: [Rules.parameter],
            memory: MemoryCost(
                perObject: 4, perResident: 35, perGhost: 10, ghosts: 1, fixed: 3000, perObjectInBytes: 12,
                perResidentInBytes: 12.5, perGhostInBytes: 10))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        // Locals first: see the implementers' notes of `EvictionPolicy`.
        let amount = configuration.capacity.amount
        let dialect = Rules(configuration)
        let isLibCacheSim = dialect == .libcachesim || dialect == .libcachesimV0
        let limit = configuration.objectLimit(of: amount)
        // libCacheSim's ghosts have no bound in bytes: any object may be remembered.
        let isUnbounded = isLibCacheSim && !Sizes.isUnit
        capacity = amount
        rules = dialect
        followsLibCacheSim = isLibCacheSim
        ghostLimit = dialect == .libcachesimV0 ? amount : .max
        lists = GhostedLists(
            configuration, first: isUnbounded ? .max : (isLibCacheSim ? 2 : 1) * limit + 1,
            second: isUnbounded ? .max : 2 * limit + 1)
    }

    public var residentCount: Int { lists.count }
    public var residentWeight: Int { lists.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves a resident object to the front of `T2` (case I).
    public mutating func touch(_ request: Request) -> Bool { lists.touch(request.id) }

    /// Adapts to a hit in a ghost list (cases II and III), or bounds the lists for a new object (case IV).
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        newWeight = weight
        origin = origin(of: request.id)
        if origin != Self.nowhere {
            target = adaptedTarget(to: origin, weight)
            lists.remove(request.id)
        } else if !followsLibCacheSim {
            boundLists(for: weight, into: &sink)
        }
        return true
    }

    /// The paper's REPLACE.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if followsLibCacheSim, origin == Self.nowhere, evictsByLibCacheSimCaseIV(into: &sink) { return }
        let list = replacesInFirst(target, origin) ? Self.first : Self.second
        lists.evict(from: list, leavingGhostsUpTo: ghostLimit, into: &sink)
    }

    /// Puts a remembered object in front of `T2`, a new one in front of `T1`.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        lists.add(request.id, weight: weight, to: origin == Self.nowhere ? Self.first : Self.second)
        guard !Sizes.isUnit, !followsLibCacheSim else { return }
        while total > 2 * capacity { lists.dropGhost(of: b2.count > 0 ? Self.second : Self.first, into: &sink) }
    }

    /// The tail that REPLACE would choose for the newcomer; nil in libCacheSim's dialects, which drop ghosts on their way.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        let (origin, weight) = (origin(of: newcomer.id), Sizes.weight(of: newcomer))
        guard !followsLibCacheSim, lists.count > 0, weight <= capacity else { return nil }
        let takesFirst =
            origin == Self.nowhere
            // Case IV: a T1 that fills the cache leaves no ghost.
            ? t1.weight + weight > capacity || replacesInFirst(target, origin)
            : replacesInFirst(adaptedTarget(to: origin, weight), origin)
        return lists.oldest(of: takesFirst ? Self.first : Self.second)
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) { lists.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { lists.contains(id) }
    public func prefetch(_ id: ObjectID) { lists.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { lists.prefetchMark(id) }

    var t1: GhostedList.Fill { lists.lists[Self.first].objects }
    var t2: GhostedList.Fill { lists.lists[Self.second].objects }
    var b1: GhostedList.Fill { lists.lists[Self.first].ghosts }
    var b2: GhostedList.Fill { lists.lists[Self.second].ghosts }
    private var total: Int { t1.weight + t2.weight + b1.weight + b2.weight }

    private func origin(of id: ObjectID) -> UInt32 {
        lists.isKnown(id) ? lists.list(of: id) : Self.nowhere
    }

    /// Whether the victim is in `T1`: also where `T2` is empty, which sizes in bytes and removals bring about.
    private func replacesInFirst(_ target: Double, _ origin: UInt32) -> Bool {
        let first = Double(t1.weight)
        let isAbove = first > target || first == target && origin == Self.second
        return isAbove && t1.count > 0 || t2.count == 0
    }

    /// The target moved towards the list whose ghost was hit, by the ratio of the other ghosts to these.
    private func adaptedTarget(to origin: UInt32, _ weight: Int) -> Double {
        let isFirst = origin == Self.first
        let (own, other) = isFirst ? (b1.weight, b2.weight) : (b2.weight, b1.weight)
        var step = own > 0 ? max(1, Double(other) / Double(own)) : 1
        if rules == .caffeine { step.round(.down) }
        if !followsLibCacheSim, !Sizes.isUnit { step *= Double(weight) }
        return isFirst ? min(Double(capacity), target + step) : max(0, target - step)
    }

    /// Case IV. A: `T1` and `B1` fill the capacity: a ghost of `B1` goes or, if there is none, the oldest of `T1`, without a ghost, which
    /// makes the room, so that there is no REPLACE. B: all four fill twice the capacity: a ghost of `B2` goes.
    private mutating func boundLists<Sink: EvictionSink & ~Copyable>(for weight: Int, into sink: inout Sink) {
        while t1.weight + b1.weight + weight > capacity {
            if b1.count == 0 {
                lists.evict(from: Self.first, into: &sink)
            } else {
                lists.dropGhost(of: Self.first, into: &sink)
            }
        }
        while total + weight > 2 * capacity, b2.count > 0 { lists.dropGhost(of: Self.second, into: &sink) }
    }

    /// libCacheSim's case IV, before each REPLACE; true if the oldest of `T1` left instead.
    private mutating func evictsByLibCacheSimCaseIV<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) -> Bool {
        if t1.weight + b1.weight + newWeight <= capacity {
            dropFrequentGhosts(into: &sink)
        } else if b1.count == 0 {
            lists.evict(from: Self.first, into: &sink)
            return true
        } else {
            lists.dropGhost(of: Self.first, into: &sink)
        }
        return false
    }

    /// Drops ghosts of `B2` while the lists weigh twice the capacity: one, or in `libcachesim-v0` all that are too
    /// many.
    private mutating func dropFrequentGhosts<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while total >= 2 * capacity, b2.count > 0 {
            lists.dropGhost(of: Self.second, into: &sink)
            if rules == .libcachesim { return }
        }
    }
}
