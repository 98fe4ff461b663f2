public import CacheCore
internal import PolicySupport

/// Quick demotion and lazy promotion: a small FIFO drops what is not asked for soon, a CLOCK holds the rest.
///
/// Yang, Qiu, Zhang, Yue and Rashmi, "FIFO can be better than LRU: the power of lazy promotion and quick demotion",
/// HotOS 2023 (QD-LP-FIFO). Newcomers enter the small queue, a tenth of the capacity. Its oldest object moves to main,
/// a CLOCK with 2-bit counters, if it was hit `threshold` times, and leaves a ghost otherwise; a miss whose ghost is
/// remembered enters main. Main never has more than the rest of the capacity; until it has that, the small queue may
/// use the room. Room is made where the newcomer enters. A hit is O(1), an eviction amortised O(1); 4 bytes an object
/// of the trace, 16 a resident object or ghost (24 in bytes). The small queue's share is at least 1 and others are
/// rounded down: capacity 1 is a FIFO without ghosts, and capacities 2 and 3 have main queues of 1 and 2 and as many
/// ghosts. In bytes an object that main cannot hold only passes through the small queue, one heavier than the ghosts'
/// limit leaves no ghost while the others stay, and one larger than the capacity is never admitted. An object keeps the
/// size that it was admitted with.
///
/// Dialect `libcachesim` (0.3.5): room is always made in the small queue first, so that a remembered newcomer may push
/// out one object of each queue; an object larger than the small queue's share is refused, and so is one of just that
/// size after room was made for it, unless its ghost is remembered (which makes capacities below 20 objects useless;
/// libCacheSim aborts below 10); what main cannot hold leaves without a ghost.
public struct QDLPPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    private static var small: UInt32 { 0 }
    private static var main: UInt32 { 1 }
    private static var ghosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    /// An object's mark counts its hits since it entered its queue.
    private var table: SegmentTable<Sizes>
    private let rules: Rules
    private let smallLimit: Int
    private let ghostLimit: Int
    private let threshold: UInt32
    private let largestCount: UInt32
    private var entersMain = false
    private var incomingWeight = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// The shares of the queues, the threshold, the counters of main, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "qdlp", aliases: ["qd-lp-fifo"], family: "segmented",
            summary: "A small FIFO drops what is not asked for soon; the rest goes round a CLOCK.",
            citation: "Yang et al., HotOS 2023",
            parameters: [
                ParameterSpecification(
                    "small", .number(default: 0.1, 0...1), "The small queue's share of the capacity, at least 1."),
                ParameterSpecification(
                    "ghost", .number(default: 0.9, 0...7), "The weight of the ghosts as a share of the capacity."),
                ParameterSpecification(
                    "threshold", .integer(default: 1, 1...255), "The hits in the small queue that promote to main."),
                ParameterSpecification("bits", .integer(default: 2, 1...16), "The width of a counter of main."),
                Rules.parameter,
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 16, perGhost: 16, ghosts: 0.9, ghostsByParameter: ["ghost": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        smallLimit = max(1, configuration.share("small"))
        ghostLimit = configuration.share("ghost")
        threshold = UInt32(configuration.parameters.integer("threshold"))
        largestCount = 1 << UInt32(configuration.parameters.integer("bits")) - 1
        table = SegmentTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit + configuration.objectLimit(of: ghostLimit), resident: 2, ghosts: 1)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
    private var mainLimit: Int { capacity - smallLimit }

    /// Raises the object's counter.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        let count = table.mark(at: slot)
        if count < (table.segment(at: slot) == Self.small ? threshold : largestCount) {
            table.setMark(count + 1, at: slot)
        }
        return true
    }

    /// Takes the ghost, which decides where the object enters; in libCacheSim's dialect refuses what is too large.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        let ghost = table.slot(of: request.id)
        if ghost != Self.none { table.release(ghost) }
        entersMain = ghost != Self.none && weight <= mainLimit
        incomingWeight = weight
        guard rules == .libcachesim, !(entersMain && weight <= smallLimit), weight >= smallLimit else { return true }
        if weight == smallLimit, ghost == Self.none {
            while residentWeight + weight > capacity { evictOne(into: &sink) }
        }
        return false
    }

    /// Makes room in main if the newcomer needs it there, in the small queue otherwise.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let tail = table.tail(of: Self.small)
        if tail == Self.none || rules == .paper && entersMain && isMainFull(for: incomingWeight) {
            table.evictSecondChance(of: Self.main, into: &sink)
        } else {
            passOn(tail, into: &sink)
        }
    }

    /// Puts the object into main if its ghost was remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if entersMain { makeRoomInMain(for: weight, into: &sink) }
        table.add(request.id, weight: weight, toHeadOf: entersMain ? Self.main : Self.small)
    }

    /// Takes the object out of its queue.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }

    private func isMainFull(for weight: Int) -> Bool { table.weight(of: Self.main) + weight > mainLimit }

    private mutating func makeRoomInMain<Sink: EvictionSink & ~Copyable>(for weight: Int, into sink: inout Sink) {
        while isMainFull(for: weight) { table.evictSecondChance(of: Self.main, into: &sink) }
    }

    /// Moves the oldest object of the small queue to main or lets it leave.
    private mutating func passOn<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let weight = table.weight(at: slot)
        if table.mark(at: slot) >= threshold {
            if weight <= mainLimit {
                makeRoomInMain(for: weight, into: &sink)
                return table.move(slot, toHeadOf: Self.main)
            }
            if rules == .libcachesim { return table.evict(slot, into: &sink) }
        }
        table.evict(slot, toGhosts: Self.ghosts, limit: ghostLimit, into: &sink)
    }
}
