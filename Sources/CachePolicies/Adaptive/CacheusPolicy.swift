public import CacheCore
internal import PolicySupport

/// Lets a scan-resistant LRU and a churn-resistant LFU choose victims, each as often as its past victims deserve.
///
/// Rodriguez et al., "Learning cache replacement with CACHEUS", FAST 2021. SR-LRU keeps new objects in `SR` and those
/// that were asked for again in `R`, whose oldest are demoted to `SR` when its share is used up; its victim is the LRU of
/// `SR`. CR-LFU's victim has the lowest count, and is the most recent of those. If the experts differ, one is drawn by
/// weight, and the victim enters its history of half the capacity; a miss found there takes weight from the expert by
/// `exp(-learning rate)` and enters `R` with its count. A hit on a demoted object gives `R` more of the capacity, a
/// miss found new in SR-LRU's history gives `SR` more, by the ratio of demoted objects to remembered new ones. The
/// learning rate adapts after each capacity's worth of requests. Where the paper is silent, the authors' program is
/// followed: the first share of `SR` is a hundredth, and no weight falls below a hundredth.
///
/// A hit and a miss are O(1), but for a return from history, O(counts lower than its own that occur); 4 bytes an object
/// of the trace, 32 a resident object or ghost, and 28 more a resident object; at most as many ghosts as the capacity. A
/// capacity of 1 has no `R` and no history; from 2 on any works alike.
///
/// Dialect `caffeine` is Caffeine's `adaptive.Cacheus`, which ports the authors' program, with its generator and seed:
/// `R` fills before `SR` does; `R` is cut to one less than its share at every miss; an object that was hit still counts as
/// new; an object returns with the count that it left with, although the program computes the next one; the rate starts
/// at `sqrt(2 ln 2 / capacity)`, is compared in thousandths, is nudged at random when the hit ratio falls and resets to
/// where it started. It fails at capacity 1, for which these rules do what the paper's do.
public struct CacheusPolicy: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect {
        case paper
        case caffeine
    }

    /// The segment `R` of objects that were asked for again.
    private static var reused: UInt32 { 0 }
    /// The segment `SR` of new and demoted objects.
    private static var scanned: UInt32 { 1 }
    private static var recencyGhosts: UInt32 { 2 }
    private static var frequencyGhosts: UInt32 { 3 }
    private static var none: UInt32 { SegmentTable<UnitSizes>.none }
    /// Marks: entered new, and not asked for since; demoted from `R`.
    private static var new: UInt32 { 1 }
    private static var demoted: UInt32 { 2 }

    private var table: SegmentTable<UnitSizes>
    private var order: CountedOrder
    private var weights: ExpertWeights
    private var rate: LearningRate
    private var generator: SeededGenerator
    private var javaRandom: JavaRandom
    private let followsCaffeine: Bool
    private let historyLimit: Int
    /// The most objects in `R`; the rest of the capacity is the share of `SR`.
    private var reusedLimit: Int
    /// Demoted objects in `SR`.
    private var demotedCount = 0
    /// New objects in SR-LRU's history.
    private var newGhostCount = 0
    /// Where the newcomer was remembered, `none` for a new object, and with what count.
    private var origin = SegmentTable<UnitSizes>.none
    private var returningCount: UInt32 = 0
    private var hadRoom = true
    /// The most objects that may be resident.
    public let capacity: Int

    /// The first share of `SR`, the least weight, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "cacheus", family: "adaptive",
            summary: "Learns how often to follow a scan-resistant LRU and a churn-resistant LFU.",
            citation: "Rodriguez et al., FAST 2021",
            parameters: [
                ParameterSpecification(
                    "sr", .number(default: 0.01, 0...1), "The first share of the list of new and demoted objects."),
                ParameterSpecification(
                    "least", .number(default: 0.01, 0.0001...0.5), "The weight that no expert falls below."),
                Rules.parameter,
            ], isDeterministic: false,
            objectsOnly: "Its lists, histories and windows are counted in objects of one size.",
            memory: MemoryCost(perObject: 4, perResident: 60, perGhost: 32, ghosts: 1))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        // Locals first: see the implementers' notes of `EvictionPolicy`.
        let amount = configuration.capacity.amount
        let isCaffeine = Rules(configuration) == .caffeine
        let limit = configuration.residentLimit
        let history = amount / 2
        let slots = min(configuration.objects.count, limit + 2 * min(history, configuration.objects.count))
        let scanned = Int((Double(amount) * configuration.parameters.number("sr") + 0.5).rounded(.down))
        var random = SeededGenerator(seed: configuration.seed)
        let first = isCaffeine ? LearningRate.initial(window: amount) : LearningRate.random(&random)
        capacity = amount
        followsCaffeine = isCaffeine
        historyLimit = history
        // At least one of each, but capacity 1 has no room for `R`.
        reusedLimit = amount == 1 ? 0 : max(1, amount - max(1, scanned))
        generator = random
        javaRandom = JavaRandom(seed: JavaRandom.caffeineSeed)
        rate = LearningRate(first, window: amount)
        weights = ExpertWeights(first: 0.5, least: configuration.parameters.number("least"))
        order = CountedOrder(slots: slots + 4, residents: limit)
        table = SegmentTable(objects: configuration.objects.count, slots: slots, resident: 2, ghosts: 2)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentCount }
    /// 1.
    public static func weight(of request: Request) -> Int { 1 }

    /// Moves the object to the front of `R`.
    public mutating func touch(_ request: Request) -> Bool {
        if rate.countRequest() {
            if followsCaffeine { rate.adaptAsCaffeine(&javaRandom) } else { rate.adapt(&generator) }
        }
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        rate.countHit()
        order.raise(slot)
        if table.segment(at: slot) == Self.reused { table.moveToHead(slot) } else { promote(slot) }
        return true
    }

    /// Blames the expert in whose history the object is, and forgets it there.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        hadRoom = table.residentCount < capacity
        let slot = table.slot(of: request.id)
        guard slot != Self.none else {
            origin = Self.none
            return true
        }
        origin = table.segment(at: slot)
        returningCount = order.count(of: slot)
        let wasNew = table.mark(at: slot) & Self.new != 0
        table.release(slot)
        guard origin == Self.recencyGhosts else {
            weights.blameSecond(rate.value)
            return true
        }
        if wasNew {
            newGhostCount -= 1
            growScanned()
        }
        weights.blameFirst(rate.value)
        return true
    }

    /// Evicts what the experts agree on, or the choice of the one that is drawn.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let oldest = table.tail(of: Self.scanned)
        let rarest = order.newestOfLowest
        // Drawn even if the experts agree, as the authors' program does.
        let draw = followsCaffeine ? javaRandom.nextDouble() : generator.nextUnit()
        let victim = draw < weights.first ? oldest : rarest
        if table.mark(at: victim) & Self.demoted != 0 {
            demotedCount -= 1
            table.setMark(table.mark(at: victim) & Self.new, at: victim)
        }
        order.remove(victim)
        if oldest == rarest || historyLimit == 0 {
            table.evict(victim, into: &sink)
        } else {
            remember(victim, in: draw < weights.first ? Self.recencyGhosts : Self.frequencyGhosts, into: &sink)
        }
    }

    /// Puts an object that was remembered into `R`, a new one into `SR`.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if origin != Self.none {
            let slot = table.add(request.id, weight: 1, toHeadOf: Self.reused)
            order.insert(slot, count: followsCaffeine ? returningCount : returningCount &+ 1)
            limitReused()
        } else if followsCaffeine, hadRoom, scannedCount == 0, table.weight(of: Self.reused) < reusedLimit {
            order.insert(table.add(request.id, weight: 1, toHeadOf: Self.reused), count: 1)
        } else {
            let slot = table.add(request.id, weight: 1, toHeadOf: Self.scanned)
            order.insert(slot, count: 1)
            if followsCaffeine, hadRoom, scannedCount <= capacity - reusedLimit { return }
            table.setMark(Self.new, at: slot)
            limitReused()
        }
    }

    /// Takes the object out of its lists.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if table.isResident(slot) {
            order.remove(slot)
            if table.mark(at: slot) & Self.demoted != 0 { demotedCount -= 1 }
        } else if table.segment(at: slot) == Self.recencyGhosts, table.mark(at: slot) & Self.new != 0 {
            newGhostCount -= 1
        }
        table.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) {
        table.prefetchEntry(id)
        order.prefetch(table.slot(of: id))
    }
    public func prefetchNeighbours(_ id: ObjectID) {
        table.prefetchNeighbours(id)
        order.prefetchNeighbours(table.slot(of: id))
    }

    private var scannedCount: Int { table.weight(of: Self.scanned) }

    /// Moves an object that was hit in `SR` to `R`.
    private mutating func promote(_ slot: UInt32) {
        let mark = table.mark(at: slot)
        if mark & Self.demoted != 0 {
            growReused()
            demotedCount -= 1
        }
        let kept = followsCaffeine ? mark & Self.new : 0
        guard reusedLimit > 0 else {
            table.setMark(kept, at: slot)
            return table.moveToHead(slot)
        }
        if table.weight(of: Self.reused) >= reusedLimit { demoteOne() }
        table.move(slot, toHeadOf: Self.reused, mark: kept)
    }

    private mutating func demoteOne() {
        let slot = table.tail(of: Self.reused)
        table.move(slot, toHeadOf: Self.scanned, mark: table.mark(at: slot) | Self.demoted)
        demotedCount += 1
    }

    private mutating func limitReused() {
        let limit = followsCaffeine ? reusedLimit - 1 : reusedLimit
        while table.weight(of: Self.reused) > max(0, limit) { demoteOne() }
    }

    /// A demoted object was asked for: `R` was too small.
    private mutating func growReused() {
        reusedLimit = min(capacity - 1, reusedLimit + Self.ratio(newGhostCount, demotedCount))
    }

    /// A new object that was evicted was asked for: `SR` was too small.
    private mutating func growScanned() {
        reusedLimit = max(1, reusedLimit - Self.ratio(demotedCount, newGhostCount))
    }

    /// The whole number nearest to the ratio of two counts, at least 1.
    private static func ratio(_ above: Int, _ below: Int) -> Int {
        let below = max(1, below)
        return max(1, (2 * above + below) / (2 * below))
    }

    private mutating func remember<Sink: EvictionSink & ~Copyable>(
        _ slot: UInt32, in ghosts: UInt32, into sink: inout Sink
    ) {
        sink.evicted(table.id(at: slot))
        let countsNew = ghosts == Self.recencyGhosts
        if table.weight(of: ghosts) == historyLimit {
            if countsNew, table.mark(at: table.tail(of: ghosts)) & Self.new != 0 { newGhostCount -= 1 }
            table.forgetTail(of: ghosts, into: &sink)
        }
        let mark = table.mark(at: slot)
        if countsNew, mark & Self.new != 0 { newGhostCount += 1 }
        table.move(slot, toHeadOf: ghosts, mark: mark)
    }
}
