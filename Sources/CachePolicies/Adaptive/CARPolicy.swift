public import CacheCore
internal import PolicySupport

/// ARC with clocks: two rings with reference bits, objects seen once and objects seen again, and ghosts that shift
/// their shares.
///
/// Bansal and Modha, "CAR: clock with adaptive replacement", FAST 2004. A hit only sets the object's reference bit. A
/// miss takes the object under the hand of `T1` while that weighs at least `max(1, p)`, otherwise the one under the hand
/// of `T2`: a referenced object goes to the tail of `T2` without its bit, the first other leaves a ghost in `B1` or
/// `B2`. Only then, as in the paper's figure 2, the directory is bounded or the real number `p` moves by
/// `max(1, |B2| / |B1|)` on a ghost in `B1`, back likewise on one in `B2`, and the object enters unreferenced. A hit is
/// O(1), a miss amortised O(1); 4 bytes an object of the trace, 17 a resident object or ghost (25 in bytes), at most
/// twice the capacity together. Any capacity from 1 on works alike; an object larger than that is never admitted. In
/// bytes all sizes are byte sizes, and `p` moves by that many times the object's weight.
///
/// - Dialect `caffeine`: `p` is a whole number and the ratio is divided as whole numbers.
/// - Dialect `libcachesim` (0.3.5): the same, `p` moves before room is made and in bytes by the ratio itself, and its
///   bugs: each victim drops a ghost of `B1` while `T1` and `B1` reach the capacity, also when the newcomer is
///   remembered (a test for neither ghost is written with "or"); the branch that drops ghosts of `B2` cannot be reached,
///   so that they have no bound; and after a remembered object that is too large, the next newcomer enters `T2` in its
///   stead. Where `T2` is empty and `T1` below `p` libCacheSim faults, and this takes from `T1`.
public struct CARPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }
    private static var t1: UInt32 { 0 }
    private static var t2: UInt32 { 1 }
    private static var b1: UInt32 { 2 }
    private static var b2: UInt32 { 3 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: ReferencedTable<Sizes>
    private let capacity: Int
    private let rules: Rules
    /// The target weight of `T1`: `p`.
    private var target = 0.0
    /// libCacheSim's flags that a ghost of `B1`, of `B2` was asked for and its object has not entered yet.
    private var isOwed = (b1: false, b2: false)

    /// The dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "car", family: "adaptive", summary: "ARC over two clocks, so that a hit only sets a bit.",
            citation: "Bansal and Modha, FAST 2004", parameters: [Rules.parameter],
            memory: MemoryCost(perObject: 4, perResident: 17, perGhost: 17, ghosts: 1),
            // libCacheSim's test that drops ghosts of B2 can never hold.
            deviations: ["dialect=libcachesim": .hasUnboundedGhosts])
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let amount = configuration.capacity.amount
        let dialect = Rules(configuration)
        let slots =
            dialect == .libcachesim ? configuration.objects.count : configuration.objectLimit(of: amount) * 2 + 1
        capacity = amount
        rules = dialect
        table = ReferencedTable(objects: configuration.objects.count, slots: slots, resident: 2, ghosts: 2)
    }

    public var residentCount: Int { table.segments.residentCount }
    public var residentWeight: Int { table.segments.residentWeight }

    /// Sets the reference bit.
    public mutating func touch(_ request: Request) -> Bool { table.reference(request.id) }

    /// Makes room, moves the target or bounds the ghosts, and puts the object at the tail of `T1` or `T2`.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let id = request.id
        let weight = Sizes.weight(of: request)
        if rules == .libcachesim { takeGhostFirst(id) }
        guard weight <= capacity else {
            remove(id)
            sink.forgotten(id)
            return false
        }
        while residentWeight + weight > capacity {
            replace(into: &sink)
            if rules == .libcachesim { dropGhostAfterVictim(into: &sink) }
        }
        let isRemembered = rules == .libcachesim ? payOwed() : takeGhost(id, weight, into: &sink)
        table.add(id, weight: weight, toHeadOf: isRemembered ? Self.t2 : Self.t1)
        if !Sizes.isUnit, rules != .libcachesim { boundTotal(into: &sink) }
        return true
    }

    /// Takes the object out of its ring or from the ghosts.
    public mutating func remove(_ id: ObjectID) { table.segments.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.segments.prefetch(id) }

    private var total: Int { residentWeight + weight(Self.b1) + weight(Self.b2) }

    private func weight(_ segment: UInt32) -> Int { table.segments.weight(of: segment) }

    /// The paper's `replace()`: moves the hands until one object is out.
    private mutating func replace<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let limit = max(1, target)
        while true {
            let isFirst = Double(weight(Self.t1)) >= limit || table.segments.isEmpty(Self.t2)
            let hand = table.segments.tail(of: isFirst ? Self.t1 : Self.t2)
            guard table.isReferenced(hand) else {
                return table.evict(hand, toGhosts: isFirst ? Self.b1 : Self.b2, into: &sink)
            }
            table.clearReference(hand)
            if isFirst {
                table.segments.move(hand, toHeadOf: Self.t2)
            } else {
                table.segments.moveToHead(hand)
            }
        }
    }

    /// Moves the target and takes the ghost of a remembered object; bounds the directory for any other.
    private mutating func takeGhost<Sink: EvictionSink & ~Copyable>(
        _ id: ObjectID, _ weight: Int, into sink: inout Sink
    ) -> Bool {
        let slot = table.segments.slot(of: id)
        guard slot == Self.none else {
            adapt(to: table.segments.segment(at: slot), Sizes.isUnit ? 1 : Double(weight))
            table.segments.release(slot)
            return true
        }
        while self.weight(Self.t1) + self.weight(Self.b1) + weight > capacity, !table.segments.isEmpty(Self.b1) {
            table.segments.forgetTail(of: Self.b1, into: &sink)
        }
        while total + weight > 2 * capacity, !table.segments.isEmpty(Self.b2) {
            table.segments.forgetTail(of: Self.b2, into: &sink)
        }
        return false
    }

    /// Moves the target towards the ring whose ghost was asked for, by the ratio of the other ghosts to these.
    private mutating func adapt(to ghosts: UInt32, _ unit: Double) {
        let own = weight(ghosts)
        let other = weight(ghosts == Self.b1 ? Self.b2 : Self.b1)
        var step = 1.0
        if own > 0 { step = rules == .paper ? max(1, Double(other) / Double(own)) : Double(max(1, other / own)) }
        step *= unit
        target = ghosts == Self.b1 ? min(target + step, Double(capacity)) : max(target - step, 0)
    }

    /// A remembered object whose size has grown may leave the lists heavier than twice the capacity.
    private mutating func boundTotal<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while total > 2 * capacity {
            table.segments.forgetTail(of: table.segments.isEmpty(Self.b2) ? Self.b1 : Self.b2, into: &sink)
        }
    }

    /// libCacheSim looks at the ghosts before it knows whether the object fits.
    private mutating func takeGhostFirst(_ id: ObjectID) {
        let slot = table.segments.slot(of: id)
        guard slot != Self.none else { return }
        let ghosts = table.segments.segment(at: slot)
        adapt(to: ghosts, 1)
        if ghosts == Self.b1 { isOwed.b1 = true } else { isOwed.b2 = true }
        table.segments.release(slot)
    }

    /// libCacheSim drops a ghost of `B1` for each victim, whether or not the newcomer is remembered.
    private mutating func dropGhostAfterVictim<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        guard !isOwed.b1 || !isOwed.b2, weight(Self.t1) + weight(Self.b1) >= capacity else { return }
        if !table.segments.isEmpty(Self.b1) { table.segments.forgetTail(of: Self.b1, into: &sink) }
    }

    /// Whether a remembered object is owed its place in `T2`, which whoever enters now takes.
    private mutating func payOwed() -> Bool {
        defer { isOwed = (false, false) }
        return isOwed.b1 || isOwed.b2
    }
}
