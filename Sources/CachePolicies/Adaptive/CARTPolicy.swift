public import CacheCore
internal import PolicySupport

/// CAR with a filter: an object is of long-term utility only if it is asked for again after its first burst.
///
/// Bansal and Modha, "CAR: clock with adaptive replacement", FAST 2004, section IV. `T1` and `T2` are clocks, `B1` and
/// `B2` their ghosts; an object in `T1` is of short-term or long-term utility, one in `T2` of long-term. A hit only sets
/// the object's reference bit. A miss first lets the hand of `T2` move referenced objects to `T1`, then that of `T1`
/// spare referenced objects, which become long-term if `T1` has reached `min(p + 1, |B1|)`, and move other long-term
/// objects to `T2`; then the hand of `T1` evicts if `T1` has reached `max(1, p)`, that of `T2` otherwise. Everyone
/// enters `T1`, long-term if it was remembered. The target `p` for `T1` is a real number that grows by
/// `max(1, nS / |B1|)` on a ghost in `B1` and shrinks by `max(1, nL / |B2|)` on one in `B2`, where `nS` and `nL` are the
/// short-term and long-term objects; the target `q` for `B1` decides which ghost is dropped.
///
/// A hit is O(1), a miss amortised O(1); 4 bytes an object of the trace, 17 a resident object or ghost (25 in bytes);
/// the ghosts weigh at most the capacity. Any capacity from 1 on works alike; an object larger than that is never
/// admitted. In bytes all sizes are byte sizes, `p` and `q` move by that many times the object's weight, and ghosts are
/// dropped after the newcomer is in.
///
/// Dialect `caffeine`: `p` is a whole number, and ratios are divided as whole numbers.
public struct CARTPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine }
    private static var t1: UInt32 { 0 }
    private static var t2: UInt32 { 1 }
    private static var b1: UInt32 { 2 }
    private static var b2: UInt32 { 3 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }
    /// The filter bit: of long-term utility.
    private static var isLong: UInt8 { ReferencedTable<Sizes>.firstOwnBit }

    private var table: ReferencedTable<Sizes>
    private let capacity: Int
    private let rules: Rules
    /// The target weight of `T1`: `p`.
    private var target = 0.0
    /// The target weight of `B1`: `q`.
    private var ghostTarget = 0
    /// The weight of the objects of short-term utility: `nS`.
    private var shortWeight = 0

    /// The dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "cart", family: "adaptive",
            summary: "CAR that takes only objects asked for again after their first burst as frequent.",
            citation: "Bansal and Modha, FAST 2004", parameters: [Rules.parameter],
            memory: MemoryCost(perObject: 4, perResident: 17, perGhost: 17, ghosts: 1))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        table = ReferencedTable(
            objects: configuration.objects.count, slots: 2 * configuration.residentLimit + 2, resident: 2, ghosts: 2)
    }

    public var residentCount: Int { table.segments.residentCount }
    public var residentWeight: Int { table.segments.residentWeight }

    /// Sets the reference bit.
    public mutating func touch(_ request: Request) -> Bool { table.reference(request.id) }

    /// Makes room, moves the target if the object is remembered, and puts it at the tail of `T1`.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let id = request.id
        let weight = Sizes.weight(of: request)
        guard weight <= capacity else {
            remove(id)
            sink.forgotten(id)
            return false
        }
        while residentWeight + weight > capacity { replace(into: &sink) }
        let slot = table.segments.slot(of: id)
        if slot == Self.none {
            table.add(id, weight: weight, toHeadOf: Self.t1)
            shortWeight += weight
        } else {
            let ghosts = table.segments.segment(at: slot)
            adapt(to: ghosts, weight)
            table.segments.release(slot)
            table.add(id, weight: weight, toHeadOf: Self.t1, ownBits: Self.isLong)
            if ghosts == Self.b2 { raiseGhostTarget(by: weight) }
        }
        boundGhosts(into: &sink)
        return true
    }

    /// Takes the object out of its clock or from the ghosts.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.segments.slot(of: id)
        guard slot != Self.none else { return }
        if table.segments.segment(at: slot) == Self.t1, !table.has(Self.isLong, slot) {
            shortWeight -= table.segments.weight(at: slot)
        }
        table.segments.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.segments.prefetch(id) }

    private func weight(_ segment: UInt32) -> Int { table.segments.weight(of: segment) }

    /// The paper's `replace()`.
    private mutating func replace<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        returnReferenced()
        filter()
        let first = table.segments.tail(of: Self.t1)
        let second = table.segments.tail(of: Self.t2)
        let isFirst = first != Self.none && Double(weight(Self.t1)) >= max(1, target)
        if isFirst || second == Self.none {
            shortWeight -= table.segments.weight(at: first)
            table.evict(first, toGhosts: Self.b1, into: &sink)
        } else {
            table.evict(second, toGhosts: Self.b2, into: &sink)
        }
    }

    /// The hand of `T2` sends referenced objects back to `T1`.
    private mutating func returnReferenced() {
        var hand = table.segments.tail(of: Self.t2)
        while hand != Self.none, table.isReferenced(hand) {
            table.clearReference(hand)
            table.segments.move(hand, toHeadOf: Self.t1)
            raiseGhostTarget(by: table.segments.weight(at: hand))
            hand = table.segments.tail(of: Self.t2)
        }
    }

    /// The hand of `T1` comes to an object of short-term utility that was not asked for, if there is one.
    private mutating func filter() {
        var hand = table.segments.tail(of: Self.t1)
        while hand != Self.none {
            let isLong = table.has(Self.isLong, hand)
            if table.isReferenced(hand) {
                table.clearReference(hand)
                table.segments.moveToHead(hand)
                if !isLong, becomesLong {
                    table.set(Self.isLong, true, hand)
                    shortWeight -= table.segments.weight(at: hand)
                }
            } else if isLong {
                table.segments.move(hand, toHeadOf: Self.t2)
                ghostTarget = max(ghostTarget - table.segments.weight(at: hand), capacity - weight(Self.t1))
            } else {
                return
            }
            hand = table.segments.tail(of: Self.t1)
        }
    }

    /// Whether `T1` is large enough for an object that was asked for in it to become one of long-term utility.
    private var becomesLong: Bool { Double(weight(Self.t1)) >= min(target + 1, Double(weight(Self.b1))) }

    /// Moves the target towards the clock whose ghost was asked for.
    private mutating func adapt(to ghosts: UInt32, _ weight: Int) {
        let own = self.weight(ghosts)
        let other = ghosts == Self.b1 ? shortWeight : residentWeight - shortWeight
        var step = 1.0
        if own > 0 { step = rules == .paper ? max(1, Double(other) / Double(own)) : Double(max(1, other / own)) }
        if !Sizes.isUnit { step *= Double(weight) }
        target = ghosts == Self.b1 ? min(target + step, Double(capacity)) : max(target - step, 0)
    }

    /// Moves the target for `B1` up while the objects of long-term utility, with their ghosts, fill the capacity.
    private mutating func raiseGhostTarget(by weight: Int) {
        let first = self.weight(Self.t1)
        guard self.weight(Self.t2) + self.weight(Self.b2) + first - shortWeight >= capacity else { return }
        ghostTarget = min(ghostTarget + weight, 2 * capacity - first)
    }

    /// Drops ghosts, of `B1` while it is above its target, until they weigh no more than the capacity.
    private mutating func boundGhosts<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while weight(Self.b1) + weight(Self.b2) > capacity {
            let isFirst = weight(Self.b1) > max(0, ghostTarget) || table.segments.isEmpty(Self.b2)
            table.segments.forgetTail(of: isFirst ? Self.b1 : Self.b2, into: &sink)
        }
    }
}
