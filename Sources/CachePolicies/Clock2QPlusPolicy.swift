public import CacheCore

/// S3-FIFO with a correlation window: hits soon after an object entered the small queue do not count.
///
/// Zhai et al., "Clock2Q+: a simple and efficient replacement algorithm for metadata cache in VMware vSAN", arXiv
/// 2511.21958, VLDB 2026. Newcomers enter the small queue, or main if their ghost is remembered. An object of the small
/// queue counts only the hits that come after `window` of that queue's share has entered behind it. The small queue
/// gives way while it has its share, main otherwise; its oldest object moves to main if it counted `threshold` hits and
/// leaves a ghost otherwise, and main is a CLOCK with one reference bit, which holds no more than the rest of the
/// capacity. A hit is O(1), an eviction amortised O(1); 4 bytes an object of the trace, 16 a resident object or ghost
/// (24 in bytes). The small queue's share is at least 1; below capacity 20 of the default's objects the window has one
/// object, the newest, and the rest works alike from capacity 1 on, which is a FIFO. In bytes the window is a weight;
/// an object larger than the capacity is never admitted. An object keeps the size that it was admitted with.
///
/// Dialect `libcachesim` (0.3.5): while nothing was evicted yet, newcomers enter main once the small queue is full; the
/// small queue gives way whenever main is within its share, and a promotion evicts nothing from main; an object larger
/// than the small queue's share is refused, and so is one of just that size after room was made for it, unless its
/// ghost is remembered (below 20 objects nothing is ever admitted). In bytes it holds the number of objects that
/// entered against a window of bytes, which hardly an object leaves: there the small queue promotes nothing.
public struct Clock2QPlusPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    private static var small: UInt32 { 0 }
    private static var main: UInt32 { 1 }
    private static var ghosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }
    /// The bit of a mark that says that the object is in the window; the bits below count its hits.
    private static var inWindow: UInt32 { 1 << 8 }

    private var table: SegmentTable<Sizes>
    private let rules: Rules
    private let smallLimit: Int
    private let ghostLimit: Int
    private let threshold: UInt32
    private let window: Double
    /// The oldest object in the window, and what the objects in the window add up to.
    private var boundary: UInt32 = .max
    private var windowFill = 0
    private var entersMain = false
    private var hasEvicted = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The shares of the queues and of the window, the threshold, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "clock2q-plus", aliases: ["clock2q+", "clock2qplus"], family: "segmented",
            summary: "S3-FIFO in which hits soon after an object entered the small queue do not count.",
            citation: "Zhai et al., VLDB 2026",
            parameters: [
                ParameterSpecification(
                    "small", .number(default: 0.1, 0...1), "The small queue's share of the capacity, at least 1."),
                ParameterSpecification(
                    "ghost", .number(default: 0.9, 0...7), "The weight of the ghosts as a share of the capacity."),
                ParameterSpecification(
                    "window", .number(default: 0.5, 0...1), "The correlation window's share of the small queue."),
                ParameterSpecification(
                    "threshold", .integer(default: 1, 1...255), "The hits in the small queue that promote to main."),
                Rules.parameter,
            ], memory: MemoryCost(perObject: 4, perResident: 16, perGhost: 16, ghosts: 0.9))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let limit = max(1, configuration.share("small"))
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        smallLimit = limit
        ghostLimit = configuration.share("ghost")
        threshold = UInt32(configuration.parameters.integer("threshold"))
        window = Double(limit) * configuration.parameters.number("window")
        table = SegmentTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit + configuration.objectLimit(of: ghostLimit), resident: 2, ghosts: 1)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.residentCount }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.residentWeight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Sets the reference bit in main; counts the hit in the small queue unless the object is in the window.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        let count = table.mark(at: slot)
        // In the window the mark is above any threshold.
        if count < (table.segment(at: slot) == Self.small ? threshold : 1) { table.setMark(count + 1, at: slot) }
        return true
    }

    /// Takes the ghost, which decides where the object enters; in libCacheSim's dialect refuses what is too large.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        let ghost = table.slot(of: request.id)
        entersMain = ghost != Self.none
        if entersMain { table.release(ghost) }
        guard rules == .libcachesim, weight >= smallLimit, !(entersMain && weight == smallLimit) else { return true }
        while weight == smallLimit, residentWeight + weight > capacity { evictOne(into: &sink) }
        return false
    }

    /// Gives up an object of the queue that is over its share.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        hasEvicted = true
        if evictsFromSmall {
            evictFromSmall(into: &sink)
        } else {
            table.evictSecondChance(of: Self.main, into: &sink)
        }
    }

    /// Puts the object into main if its ghost was remembered, into the small queue otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if rules == .libcachesim, !hasEvicted, table.weight(of: Self.small) >= smallLimit { entersMain = true }
        guard !entersMain else {
            table.add(request.id, weight: weight, toHeadOf: Self.main)
            return
        }
        let slot = table.add(request.id, weight: weight, toHeadOf: Self.small)
        table.setMark(Self.inWindow, at: slot)
        if boundary == Self.none { boundary = slot }
        windowFill += length(of: slot)
        while boundary != Self.none, Double(windowFill - length(of: boundary)) >= window {
            table.setMark(0, at: boundary)
            leaveWindow(boundary)
        }
    }

    /// Takes the object out of its queue and of the window.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if table.mark(at: slot) == Self.inWindow { leaveWindow(slot) }
        table.release(slot)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot.
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }

    private var evictsFromSmall: Bool {
        guard rules == .paper else {
            return table.weight(of: Self.main) <= capacity - smallLimit && !table.isEmpty(Self.small)
        }
        return table.weight(of: Self.small) >= smallLimit && !table.isEmpty(Self.small) || table.isEmpty(Self.main)
    }

    /// Walks the small queue until one object leaves it for good.
    private mutating func evictFromSmall<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while true {
            let tail = table.tail(of: Self.small)
            if tail == Self.none { return }
            let mark = table.mark(at: tail)
            if mark == Self.inWindow { leaveWindow(tail) }
            guard mark != Self.inWindow, mark >= threshold else {
                return table.evict(tail, toGhosts: Self.ghosts, limit: ghostLimit, into: &sink)
            }
            table.move(tail, toHeadOf: Self.main)
            if rules == .paper, table.weight(of: Self.main) > capacity - smallLimit {
                table.evictSecondChance(of: Self.main, into: &sink)
            }
        }
    }

    /// What an object that enters behind others moves them along.
    private func length(of slot: UInt32) -> Int { rules == .libcachesim ? 1 : table.weight(at: slot) }

    private mutating func leaveWindow(_ slot: UInt32) {
        windowFill -= length(of: slot)
        if slot == boundary { boundary = table.previous(of: slot) }
    }
}
