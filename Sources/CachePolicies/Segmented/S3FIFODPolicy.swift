public import CacheCore
internal import PolicySupport

/// S3-FIFO whose small queue grows and shrinks with what it and main lose too early.
///
/// Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023, where the static
/// queues are held against this dynamic variant (S3-FIFO-D). The newest ghosts of the small queue and of main are
/// watched, `watch` of the capacity each. Once more than 100 of them were asked for, and one side's are more than twice
/// the other's, a thousandth of the smaller queue's share, at least 1, goes from the other side to this one at each
/// request, and the counts decay by a fifth; neither share falls below a hundredth of the capacity. Otherwise the rules
/// are S3-FIFO's, except that one hit promotes, that a ghost is looked up before room is made, and that the small queue
/// has as many ghosts as the first share of main, growing and shrinking with the small queue.
///
/// A hit is O(1), an eviction amortised O(1); 4 bytes an object of the trace, 16 a resident object or ghost (24 in
/// bytes). The first share of the small queue is at least 1, so that capacity 1 is a FIFO, and capacities 2 and 3 have
/// main queues of 1 and 2 and as many ghosts; below 10 nothing is watched and nothing adapts. An object larger than the
/// capacity is never admitted, and one keeps the size that it was admitted with.
///
/// Dialect `libcachesim` (0.3.5, `s3fifod`): the small queue gives way whenever it holds anything; a remembered
/// newcomer makes room there and then in main, whose victim is not watched; an object larger than the small queue's
/// share, which may fall to 0, is refused, and so is one that main could not hold, on which libCacheSim faults, or
/// aborts below 10. libCacheSim reads the hits of an object that it has freed; its allocator leaves the value intact,
/// so that its counts are those of this rule.
public struct S3FIFODPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    private static var small: UInt32 { 0 }
    private static var main: UInt32 { 1 }
    /// The newest ghosts of the small queue, those before them, and the newest of main.
    private static var recent: UInt32 { 2 }
    private static var older: UInt32 { 3 }
    private static var fromMain: UInt32 { 4 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }
    private static var largestCount: UInt32 { 3 }
    /// The mark of a ghost that is too large to be watched.
    private static var unwatched: UInt32 { 1 }

    private var table: SegmentTable<Sizes>
    private let rules: Rules
    private let threshold: UInt32
    private let watchLimit: Int
    private var smallLimit: Int
    private var ghostLimit: Int
    private var watchedWeight = 0
    private var smallRegrets = 0
    private var mainRegrets = 0
    private var entersMain = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The first share of the small queue, the threshold, what is watched, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "s3fifo-d", aliases: ["s3-fifo-d", "s3fifod"], family: "segmented",
            summary: "S3-FIFO whose small queue grows and shrinks with what it and main lose too early.",
            citation: "Yang et al., SOSP 2023",
            parameters: [
                ParameterSpecification(
                    "small", .number(default: 0.1, 0...1),
                    "The small queue's first share of the capacity, at least 1."),
                ParameterSpecification(
                    "threshold", .integer(default: 1, 1...3), "The hits in the small queue that promote to main."),
                ParameterSpecification(
                    "watch", .number(default: 0.1, 0...1),
                    "The newest ghosts of each queue whose return moves the split, as a share of the capacity."),
                Rules.parameter,
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 16, perGhost: 16, ghosts: 1.9, ghostsByParameter: ["small": -2, "watch": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let amount = configuration.capacity.amount
        let first = max(1, configuration.share("small"))
        capacity = amount
        rules = Rules(configuration)
        threshold = UInt32(configuration.parameters.integer("threshold"))
        watchLimit = configuration.share("watch")
        smallLimit = first
        ghostLimit = amount - first
        // The ghosts of the small queue may grow with it, by all that main has at first.
        table = SegmentTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit + configuration.objectLimit(of: 2 * (amount - first))
                + configuration.objectLimit(of: watchLimit), resident: 2, ghosts: 3)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
    private var mainLimit: Int { capacity - smallLimit }

    /// Moves the split if it is time, then raises the object's counter.
    public mutating func touch(_ request: Request) -> Bool {
        adapt()
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        let count = table.mark(at: slot)
        if count < Self.largestCount { table.setMark(count + 1, at: slot) }
        return true
    }

    /// Takes the ghost, which counts where it is watched and decides where the object enters.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        let ghost = table.slot(of: request.id)
        entersMain = false
        if ghost != Self.none {
            entersMain = table.segment(at: ghost) != Self.fromMain
            if table.segment(at: ghost) == Self.fromMain {
                mainRegrets += 1
            } else if isWatched(ghost) {
                smallRegrets += 1
            }
            remove(request.id)
        }
        guard rules == .libcachesim else { return true }
        return weight <= smallLimit && !(entersMain && weight > mainLimit)
    }

    /// Gives up an object of the queue that is over its share.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var tail = table.tail(of: Self.small)
        let fromSmall = rules == .libcachesim || table.weight(of: Self.small) >= smallLimit || table.isEmpty(Self.main)
        guard tail != Self.none, fromSmall else { return evictFromMain(into: &sink) }
        while tail != Self.none, passOn(tail, into: &sink), rules == .paper { tail = table.tail(of: Self.small) }
    }

    /// Puts the object into main if its ghost was remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .libcachesim, entersMain {
            while table.weight(of: Self.main) + weight > mainLimit {
                table.evictSecondChance(of: Self.main, into: &sink)
            }
        }
        table.add(request.id, weight: weight, toHeadOf: entersMain ? Self.main : Self.small)
    }

    /// Takes the object out of its queue or from among the ghosts.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if isWatched(slot) { watchedWeight -= table.weight(at: slot) }
        table.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }

    private func isWatched(_ slot: UInt32) -> Bool {
        table.segment(at: slot) == Self.recent && table.mark(at: slot) != Self.unwatched
    }

    /// Moves a step of the capacity to the queue whose ghosts come back more than twice as often.
    private mutating func adapt() {
        guard smallRegrets + mainRegrets > 0 else { return }
        guard !table.isEmpty(Self.fromMain) else {
            (smallRegrets, mainRegrets) = (0, 0)
            return
        }
        guard smallRegrets + mainRegrets > 100 else { return }
        let step = max(1, min(smallLimit, mainLimit) / 1000)
        let leastSmall = rules == .paper ? max(1, capacity / 100) : capacity / 100
        if smallRegrets > 2 * mainRegrets, mainLimit > capacity / 100 {
            smallLimit += step
            ghostLimit += step
        } else if mainRegrets > 2 * smallRegrets, smallLimit > leastSmall {
            smallLimit -= step
            ghostLimit -= step
        }
        smallRegrets = smallRegrets * 4 / 5
        mainRegrets = mainRegrets * 4 / 5
    }

    /// Moves the oldest object of the small queue to main and returns true, or lets it leave.
    private mutating func passOn<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) -> Bool {
        guard table.mark(at: slot) >= threshold else {
            evictFromSmall(slot, into: &sink)
            return false
        }
        table.move(slot, toHeadOf: Self.main)
        while table.weight(of: Self.main) > mainLimit { evictFromMain(into: &sink) }
        return true
    }

    /// Leaves a ghost that is watched while it is among the newest.
    private mutating func evictFromSmall<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let weight = table.weight(at: slot)
        guard weight <= ghostLimit else { return table.evict(slot, into: &sink) }
        sink.evicted(table.id(at: slot))
        while table.weight(of: Self.recent) + table.weight(of: Self.older) + weight > ghostLimit {
            forgetOldest(into: &sink)
        }
        guard weight <= watchLimit else { return table.move(slot, toHeadOf: Self.recent, mark: Self.unwatched) }
        while watchedWeight + weight > watchLimit {
            let oldest = table.tail(of: Self.recent)
            if isWatched(oldest) { watchedWeight -= table.weight(at: oldest) }
            table.move(oldest, toHeadOf: Self.older)
        }
        watchedWeight += weight
        table.move(slot, toHeadOf: Self.recent)
    }

    private mutating func forgetOldest<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        guard table.isEmpty(Self.older) else { return table.forgetTail(of: Self.older, into: &sink) }
        let oldest = table.tail(of: Self.recent)
        if isWatched(oldest) { watchedWeight -= table.weight(at: oldest) }
        table.forgetTail(of: Self.recent, into: &sink)
    }

    private mutating func evictFromMain<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let victim = table.secondChanceVictim(of: Self.main)
        table.evict(victim, toGhosts: Self.fromMain, limit: watchLimit, into: &sink)
    }
}
