public import CacheCore
internal import PolicySupport

/// CLOCK-Pro over three queues, hot, cold and ghosts, in which the epoch of an object's last move tells its test period.
///
/// Park and Manes, Caffeine's simulator, `irr.ClockProSimple`, whose rules these are; ``ClockProPolicy`` is the paper's.
/// An object is in its test period while its epoch is later than that of the oldest hot object. The first objects are
/// hot until only the least share for cold ones is free; then a newcomer is cold, and enters before room is made, so
/// that it is itself the victim when all others are hot. A ghost or a referenced cold object in its test period becomes
/// hot if hot objects no newer than it can be demoted until they are within their share. The target for cold objects
/// grows by 1 at each such access and shrinks by 1 at each ghost that is dropped. A hot object that is spared takes the
/// next epoch after the candidate's, not after the clock's, so that two objects may share one.
///
/// A hit is O(1), a miss amortised O(1); 4 bytes an object of the trace, 25 a resident object or ghost (33 in bytes);
/// ghosts weigh at most the capacity. From 1 % of the capacity to the rest may be cold, so that below capacity 100 all
/// may be hot; capacities 1, 2 and 3 work alike. An object larger than the capacity is never admitted. In bytes all
/// sizes are byte sizes, and the target moves by the object's weight.
public struct ClockProSimplePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private static var hot: UInt32 { 0 }
    private static var cold: UInt32 { 1 }
    private static var ghosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: ReferencedTable<Sizes>
    private let epochs: FixedBuffer<Int>
    private var epoch = 0
    private let capacity: Int
    private var coldTarget = 0

    /// CLOCK-Pro Simple has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "clock-pro-simple", family: "inter-reference",
            summary: "CLOCK-Pro over three queues, with epochs for the test periods.",
            citation: "Park and Manes, Caffeine's simulator",
            memory: MemoryCost(perObject: 4, perResident: 25, perGhost: 25, ghosts: 1))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let objects = configuration.objects.count
        let slots = 2 * configuration.residentLimit + 2
        capacity = configuration.capacity.amount
        table = ReferencedTable(objects: objects, slots: slots, resident: 2, ghosts: 1)
        epochs = FixedBuffer(repeating: 0, count: min(objects, slots) + 3)
    }

    public var residentCount: Int { table.segments.residentCount }
    public var residentWeight: Int { table.segments.residentWeight }

    /// Sets the reference bit.
    public mutating func touch(_ request: Request) -> Bool { table.reference(request.id) }

    /// Puts the object among the hot ones if its ghost may be promoted, among the cold ones otherwise, and makes room.
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
        var becomesHot = false
        let ghost = table.segments.slot(of: id)
        if ghost == Self.none {
            epoch += 1
            becomesHot = residentWeight + weight <= capacity - capacity / 100
        } else {
            let itsEpoch = epochs[ghost]
            table.segments.release(ghost)
            becomesHot = mayPromote(itsEpoch, weight)
        }
        epochs[table.add(id, weight: weight, toHeadOf: becomesHot ? Self.hot : Self.cold)] = epoch
        while residentWeight > capacity {
            if table.segments.isEmpty(Self.cold) { demoteAny() } else { judgeOldestCold(into: &sink) }
        }
        dropGhostsPastTheirTest(into: &sink)
        return table.contains(id)
    }

    /// Takes the object out of its queue.
    public mutating func remove(_ id: ObjectID) { table.segments.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.segments.prefetch(id) }

    private func isInTest(_ itsEpoch: Int) -> Bool {
        let oldest = table.segments.tail(of: Self.hot)
        return oldest == Self.none || itsEpoch > epochs[oldest]
    }

    /// Raises the target for an access in a test period; whether hot objects that are no newer can make way.
    private mutating func mayPromote(_ itsEpoch: Int, _ weight: Int) -> Bool {
        guard isInTest(itsEpoch) else { return false }
        moveTarget(by: weight)
        while !table.segments.isEmpty(Self.hot), table.segments.weight(of: Self.hot) + weight > capacity - coldTarget {
            guard demote(notAfter: itsEpoch) else { return false }
        }
        return isInTest(itsEpoch)
    }

    /// Promotes, renews or evicts the oldest cold object.
    private mutating func judgeOldestCold<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let slot = table.segments.tail(of: Self.cold)
        if table.isReferenced(slot) {
            table.clearReference(slot)
            let becomesHot = mayPromote(epochs[slot], table.segments.weight(at: slot))
            table.segments.move(slot, toHeadOf: becomesHot ? Self.hot : Self.cold)
            epoch += 1
            epochs[slot] = epoch
        } else if isInTest(epochs[slot]) {
            table.evict(slot, toGhosts: Self.ghosts, into: &sink)
            while table.segments.weight(of: Self.ghosts) > capacity { dropOldestGhost(into: &sink) }
        } else {
            table.segments.evict(slot, into: &sink)
        }
    }

    /// Makes the oldest hot object without its bit cold, if its epoch is not after `limit`; spares those with it.
    private mutating func demote(notAfter limit: Int) -> Bool {
        var limit = limit
        var slot = table.segments.tail(of: Self.hot)
        while slot != Self.none, epochs[slot] <= limit {
            guard table.isReferenced(slot) else {
                table.segments.move(slot, toHeadOf: Self.cold)
                return true
            }
            table.clearReference(slot)
            table.segments.moveToHead(slot)
            limit += 1
            epochs[slot] = limit
            slot = table.segments.tail(of: Self.hot)
        }
        return false
    }

    /// Makes a hot object cold when all are hot, the oldest if need be.
    private mutating func demoteAny() {
        if !demote(notAfter: epoch) { table.segments.move(table.segments.tail(of: Self.hot), toHeadOf: Self.cold) }
    }

    private mutating func dropGhostsPastTheirTest<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var ghost = table.segments.tail(of: Self.ghosts)
        while ghost != Self.none, !isInTest(epochs[ghost]) {
            dropOldestGhost(into: &sink)
            ghost = table.segments.tail(of: Self.ghosts)
        }
    }

    private mutating func dropOldestGhost<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let weight = table.segments.weight(at: table.segments.tail(of: Self.ghosts))
        table.segments.forgetTail(of: Self.ghosts, into: &sink)
        moveTarget(by: -weight)
    }

    private mutating func moveTarget(by step: Int) {
        coldTarget = min(max(coldTarget + step, capacity / 100), capacity - capacity / 100)
    }
}
