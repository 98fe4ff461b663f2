internal import CacheCore

/// The clock of CLOCK-Pro and CLOCK-Pro+: hot objects, resident cold ones, and ghosts, in the order of their accesses.
///
/// The papers keep one list and send three hands round it. Only an object at its end changes place, always to the other
/// end, so that each kind forms a queue of its own: the hands stand at the tails of the queues, and an object's stamp
/// (when it last moved) tells which of two in different queues comes first. No hand ever searches. A cold object that
/// the hot hand has passed is not in its test period any more; ghosts always are. Memory: 4 bytes an object of the
/// trace, 25 a resident object or ghost (33 in bytes). A hit is O(1), a miss amortised O(1).
struct ClockProTable<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// What moves the target weight of the resident cold objects.
    enum Adaptation {
        /// Up when a test period ends with an access, down when it ends without one.
        case testPeriods
        /// Up at an access to a ghost, down at one to an object that was hot, by the ratio of their counts.
        case utility
    }

    private static var hot: UInt32 { 0 }
    private static var cold: UInt32 { 1 }
    private static var ghosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }
    private static var inTest: UInt8 { ReferencedTable<Sizes>.firstOwnBit }
    private static var wasHot: UInt8 { ReferencedTable<Sizes>.firstOwnBit << 1 }

    private var table: ReferencedTable<Sizes>
    /// When each slot last moved.
    private let stamps: FixedBuffer<UInt64>
    private var now: UInt64 = 0
    /// The first resident cold object that the hot hand has not passed, `none` if it has passed all.
    private var firstUnpassed = SegmentTable<Sizes>.none
    private let capacity: Int
    private let ghostLimit: Int
    private let coldRange: ClosedRange<Int>
    private let adaptation: Adaptation
    private let followsCaffeine: Bool
    /// The object of the last request, known only if Caffeine is followed.
    private var lastID: ObjectID = .max
    /// The target weight of the resident cold objects.
    private var coldTarget: Int
    /// The weight of the resident cold objects that were hot.
    private var demotedWeight = 0

    /// An empty clock with shares of the capacity from parameters `cold-min`, `cold-max` and `ghost`.
    ///
    /// At least one object is for cold ones. With `followsCaffeine` there are at least two such objects, of small
    /// capacities at most half; a cold object that was asked for stays cold unless the hot hand finds one older than it
    /// to demote; and a request that repeats the one before changes nothing.
    init(
        _ configuration: PolicyConfiguration, adaptation: Adaptation, followsCaffeine: Bool
    ) throws(AssayError) {
        let amount = configuration.capacity.amount
        let least = configuration.parameters.number("cold-min")
        let most = configuration.parameters.number("cold-max")
        guard least <= most else {
            throw AssayError(.usage, "cold-min=\(least) is above cold-max=\(most); give cold-min up to cold-max.")
        }
        let smallest = min(max(configuration.share("cold-min"), followsCaffeine ? 2 : 1), max(1, amount / 2))
        let largest = max(smallest, min(configuration.share("cold-max"), amount - smallest))
        let ghostWeight = configuration.share("ghost")
        let slots = configuration.residentLimit + configuration.objectLimit(of: ghostWeight) + 1
        let objects = configuration.objects.count
        capacity = amount
        ghostLimit = ghostWeight
        coldRange = smallest...largest
        coldTarget = smallest
        self.adaptation = adaptation
        self.followsCaffeine = followsCaffeine
        table = ReferencedTable(objects: objects, slots: slots, resident: 2, ghosts: 1)
        stamps = FixedBuffer(repeating: 0, count: min(objects, slots) + 3)
    }

    /// The parameters of the shares.
    static func parameters(coldMax: Double, ghost: Double) -> [ParameterSpecification] {
        [
            ParameterSpecification(
                "cold-min", .number(default: 0.01, 0...1), "The least share of resident cold objects, at least 1."),
            ParameterSpecification(
                "cold-max", .number(default: coldMax, 0...1), "The largest share of resident cold objects."),
            ParameterSpecification(
                "ghost", .number(default: ghost, 0...16), "The weight of the ghosts as a share of the capacity."),
        ]
    }

    /// The number of resident objects.
    var residentCount: Int { table.segments.residentCount }
    /// The total weight of the resident objects.
    var residentWeight: Int { table.segments.residentWeight }

    /// Sets the reference bit of a resident object; false for any other.
    ///
    /// As in Caffeine, if it is followed, a request that repeats the one before changes nothing.
    @inline(__always)
    mutating func reference(_ id: ObjectID) -> Bool {
        guard followsCaffeine else { return table.reference(id) }
        guard id != lastID else { return table.contains(id) }
        lastID = id
        return table.reference(id)
    }

    /// Whether the object is resident.
    func contains(_ id: ObjectID) -> Bool { table.contains(id) }

    /// Asks the processor to fetch an id's entry in the index.
    @inline(__always)
    func prefetch(_ id: ObjectID) { table.segments.prefetch(id) }

    /// Takes an object away, resident or ghost. The hot hand moves on at the next miss.
    mutating func remove(_ id: ObjectID) {
        let slot = table.segments.slot(of: id)
        if slot != Self.none { release(slot) }
    }

    /// Serves a miss: makes room, promotes a ghost or starts a test period, and lets the hands move on.
    mutating func insert<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, weight: Int, into sink: inout Sink) -> Bool {
        guard weight <= capacity else {
            remove(id)
            sink.forgotten(id)
            return false
        }
        table.segments.incoming = id
        var entersHot = residentWeight + weight <= capacity - coldRange.lowerBound
        if residentWeight + weight > capacity {
            while residentWeight + weight > capacity { runColdHand(into: &sink) }
            let ghost = table.segments.slot(of: id)
            entersHot = ghost != Self.none && mayPromote(ghost, id, weight, into: &sink)
        }
        let ghost = table.segments.slot(of: id)
        if ghost != Self.none { release(ghost) }
        table.segments.incoming = .max
        if entersHot {
            stamp(table.add(id, weight: weight, toHeadOf: Self.hot))
            if !followsCaffeine { demoteSurplus(into: &sink) }
        } else {
            enterCold(table.add(id, weight: weight, toHeadOf: Self.cold, ownBits: Self.inTest))
        }
        passColdObjects(into: &sink)
        return true
    }
}

// The hands.
extension ClockProTable where Sizes: ~Copyable {
    /// HAND_cold: promotes, renews or evicts the oldest resident cold object.
    private mutating func runColdHand<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let slot = table.segments.tail(of: Self.cold)
        if slot == Self.none {
            // Only in bytes, or after removals: everything that is resident is hot.
            _ = runHotHand(before: .max, into: &sink)
        } else if table.isReferenced(slot) {
            renew(slot, into: &sink)
        } else if table.has(Self.inTest, slot) {
            leaveCold(slot)
            table.evict(slot, toGhosts: Self.ghosts, into: &sink)
            while table.segments.weight(of: Self.ghosts) > ghostLimit { endOldestGhost(into: &sink) }
        } else {
            leaveCold(slot)
            table.segments.evict(slot, into: &sink)
        }
    }

    /// Makes a referenced cold object hot if it is in its test period and may be, and starts a new period otherwise.
    private mutating func renew<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let weight = table.segments.weight(at: slot)
        let id = table.segments.id(at: slot)
        table.clearReference(slot)
        let becomesHot = table.has(Self.inTest, slot) && mayPromote(slot, id, weight, into: &sink)
        if table.has(Self.wasHot, slot) { moveTarget(up: false, weight) }
        leaveCold(slot)
        table.set(Self.inTest, !becomesHot, slot)
        table.segments.move(slot, toHeadOf: becomesHot ? Self.hot : Self.cold)
        if becomesHot {
            stamp(slot)
            if !followsCaffeine { demoteSurplus(into: &sink) }
        } else {
            enterCold(slot)
        }
    }

    /// Adapts to an access in a test period; whether the object may become hot, for which the hot hand makes room.
    private mutating func mayPromote<Sink: EvictionSink & ~Copyable>(
        _ slot: UInt32, _ id: ObjectID, _ weight: Int, into sink: inout Sink
    ) -> Bool {
        let wasAccessed = stamps[slot]
        if adaptation == .testPeriods || !table.contains(id) { moveTarget(up: true, weight) }
        guard followsCaffeine else { return true }
        while table.segments.weight(of: Self.hot) + weight > capacity - coldTarget {
            // The hot hand may have passed the object and ended its period, or dropped its ghost.
            guard isInTest(id), runHotHand(before: wasAccessed, into: &sink) else { return false }
        }
        return true
    }

    private func isInTest(_ id: ObjectID) -> Bool {
        let slot = table.segments.slot(of: id)
        return slot != Self.none && (!table.contains(id) || table.has(Self.inTest, slot))
    }

    /// Lets the hot hand demote until the hot objects are within their share.
    private mutating func demoteSurplus<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while table.segments.weight(of: Self.hot) > capacity - coldTarget {
            if !runHotHand(before: .max, into: &sink) { return }
        }
    }

    /// HAND_hot: demotes the first hot object without its bit that moved before `stamp`; false if there is none.
    private mutating func runHotHand<Sink: EvictionSink & ~Copyable>(
        before limit: UInt64, into sink: inout Sink
    ) -> Bool {
        var slot = table.segments.tail(of: Self.hot)
        while slot != Self.none, stamps[slot] < limit, table.isReferenced(slot) {
            table.clearReference(slot)
            table.segments.moveToHead(slot)
            stamp(slot)
            slot = table.segments.tail(of: Self.hot)
        }
        let demotes = slot != Self.none && stamps[slot] < limit
        if demotes {
            table.segments.move(slot, toHeadOf: Self.cold)
            if adaptation == .utility {
                table.set(Self.wasHot, true, slot)
                demotedWeight += table.segments.weight(at: slot)
            }
            enterCold(slot)
        }
        passColdObjects(into: &sink)
        return demotes
    }

    /// Ends the test periods of the cold objects between the hot hand's last place and its next hot object: ghosts
    /// first, which are all older than the resident ones.
    private mutating func passColdObjects<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let hand = table.segments.tail(of: Self.hot)
        guard hand != Self.none else { return }
        let limit = stamps[hand]
        var ghost = table.segments.tail(of: Self.ghosts)
        while ghost != Self.none, stamps[ghost] < limit {
            endOldestGhost(into: &sink)
            ghost = table.segments.tail(of: Self.ghosts)
        }
        while firstUnpassed != Self.none, stamps[firstUnpassed] < limit {
            if table.has(Self.inTest, firstUnpassed) {
                table.set(Self.inTest, false, firstUnpassed)
                endPeriod(table.isReferenced(firstUnpassed), table.segments.weight(at: firstUnpassed))
            }
            firstUnpassed = table.segments.previous(of: firstUnpassed)
        }
    }

    /// HAND_test on a ghost.
    private mutating func endOldestGhost<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let weight = table.segments.weight(at: table.segments.tail(of: Self.ghosts))
        table.segments.forgetTail(of: Self.ghosts, into: &sink)
        endPeriod(false, weight)
    }
}

// The target and the queues.
extension ClockProTable where Sizes: ~Copyable {
    private mutating func endPeriod(_ wasAccessed: Bool, _ weight: Int) {
        if adaptation == .testPeriods { moveTarget(up: wasAccessed, weight) }
    }

    private mutating func moveTarget(up: Bool, _ weight: Int) {
        var step = 1
        if adaptation == .utility {
            let ghostWeight = table.segments.weight(of: Self.ghosts)
            let (own, other) = up ? (ghostWeight, demotedWeight) : (demotedWeight, ghostWeight)
            if own > 0 { step = max(1, other / own) }
        }
        if !Sizes.isUnit { step *= weight }
        coldTarget = min(max(coldTarget + (up ? step : -step), coldRange.lowerBound), coldRange.upperBound)
    }

    private mutating func stamp(_ slot: UInt32) {
        now &+= 1
        stamps[slot] = now
    }

    /// Notes that a slot has come to the head of the cold queue.
    private mutating func enterCold(_ slot: UInt32) {
        stamp(slot)
        if firstUnpassed == Self.none { firstUnpassed = slot }
    }

    /// Notes that a slot is about to leave its place in the cold queue.
    private mutating func leaveCold(_ slot: UInt32) {
        if slot == firstUnpassed { firstUnpassed = table.segments.previous(of: slot) }
        if table.has(Self.wasHot, slot) {
            table.set(Self.wasHot, false, slot)
            demotedWeight -= table.segments.weight(at: slot)
        }
    }

    private mutating func release(_ slot: UInt32) {
        if table.segments.segment(at: slot) == Self.cold { leaveCold(slot) }
        table.segments.release(slot)
    }
}
