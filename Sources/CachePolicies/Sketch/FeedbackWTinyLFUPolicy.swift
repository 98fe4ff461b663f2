public import CacheCore
internal import PolicySupport

/// W-TinyLFU whose window grows when an object that was refused comes back at once, and shrinks when none does.
///
/// Manes, in Caffeine's simulator (never published), on W-TinyLFU: Einziger, Friedman and Manes, ACM Transactions on
/// Storage 13(4), 2017. At most once a period the window takes `increment` objects from protected's share, or gives
/// `decrement` back. A hit is O(1), a miss O(increment); 4 bytes an object of the trace, 16 a resident object, 8 to 16
/// for the sketch and up to 4 KiB for the refused. The window holds at least 1: capacities 1 to 2 have no protected
/// segment and nothing to move, 3 has one of 1.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator to the request, if the trace calls its objects by numbers
/// (see ``WTinyLFUPolicy``). Only the sketch and the comparison differ.
public struct FeedbackWTinyLFUPolicy: ~Copyable, EvictionPolicy {
    private static var window: UInt32 { 0 }
    private static var probation: UInt32 { 1 }
    private static var protected: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<UnitSizes>.none }

    private var table: SegmentTable<UnitSizes>
    private var filter: TinyLFU
    private var feedback: Feedback
    private let capacity: Int
    private var windowLimit: Int
    private var protectedLimit: Int
    private var pivot = 0
    private let largestPivot: Int
    private let increment: Int
    private let decrement: Int

    /// The largest window, its steps, the longest period, the first shares, the sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "feedback-w-tinylfu", family: "sketch",
            summary: "W-TinyLFU whose window grows when an object that was refused comes back at once.",
            citation: "Manes, Caffeine's simulator; Einziger et al., ACM Transactions on Storage 13(4), 2017",
            parameters: [
                ParameterSpecification("window", .number(default: 0.01, 0...1), "The window's first share."),
                ParameterSpecification(
                    "protected", .number(default: 0.8, 0...1), "The protected segment's first share of the main cache."),
                ParameterSpecification(
                    "limit", .integer(default: 256, 1...1_000_000),
                    "The most objects in the first window, and the most by which it grows."),
                ParameterSpecification(
                    "increment", .integer(default: 8, 1...1000), "How many objects the window grows by at once."),
                ParameterSpecification(
                    "decrement", .integer(default: 4, 1...1000), "How many objects the window shrinks by at once."),
                ParameterSpecification(
                    "period", .integer(default: 1024, 2...1_000_000),
                    "Requests between two adjustments, if the capacity is not smaller."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                TinyLFU.Rules.parameter,
            ], objectsOnly: "Its window's steps are numbers of objects.",
            memory: MemoryCost(perObject: 4, perResident: 32, fixed: 4300))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let limit = configuration.residentLimit
        let shares = WindowShares(configuration)
        capacity = configuration.capacity.amount
        windowLimit = min(parameters.integer("limit"), shares.window)
        protectedLimit = shares.protected
        largestPivot = min(parameters.integer("limit"), shares.protected)
        increment = parameters.integer("increment")
        decrement = parameters.integer("decrement")
        feedback = Feedback(capacity: configuration.capacity.amount, longest: parameters.integer("period"))
        filter = TinyLFU(
            configuration, TinyLFU.Rules(configuration), objects: limit, sample: parameters.integer("sample"))
        table = SegmentTable(objects: configuration.objects.count, slots: limit + 1, resident: 3)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }

    /// Counts the request, and moves the object forward in its segment or from probation to protected.
    public mutating func touch(_ request: Request) -> Bool {
        feedback.count()
        filter.record(request.id)
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        if table.segment(at: slot) == Self.probation {
            table.promote(slot, to: Self.protected, limit: protectedLimit, demotingTo: Self.probation)
            return true
        }
        table.moveToHead(slot)
        return true
    }

    /// Puts the object into the window and lets what overflows challenge the main cache.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        table.add(request.id, weight: 1, toHeadOf: Self.window)
        if table.weight(of: Self.window) > windowLimit {
            let candidate = table.tail(of: Self.window)
            table.move(candidate, toHeadOf: Self.probation)
            if table.residentCount > capacity { challenge(candidate, into: &sink) }
        }
        // After removals the main cache may have grown into a window that grew since.
        while table.residentCount > capacity { table.evict(anyTail, into: &sink) }
        return table.contains(request.id)
    }

    /// Takes the object out of its segment.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) {
        table.prefetch(id)
        filter.prefetch(id)
    }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private mutating func challenge<Sink: EvictionSink & ~Copyable>(_ candidate: UInt32, into sink: inout Sink) {
        let id = table.id(at: candidate)
        let victim = table.tail(of: Self.probation)
        if filter.admits(id, over: table.id(at: victim)) || adapts(to: candidate) {
            table.evict(victim, into: &sink)
        } else {
            feedback.refuse(filter.key(id))
            table.evict(candidate, into: &sink)
        }
    }

    /// Learns from a candidate that lost; whether it is let in all the same.
    private mutating func adapts(to candidate: UInt32) -> Bool {
        if feedback.isSettled { return false }
        if feedback.wasRefused(filter.key(table.id(at: candidate))) {
            if pivot < largestPivot { feedback.settle() }
            growWindow(candidate)
            return true
        }
        if pivot > 0, feedback.periods > feedback.adjusted + 1 {
            feedback.settle()
            shrinkWindow()
        }
        return false
    }

    /// Takes the candidate back and more from probation: not the tail, which is the victim, but the one before it.
    private mutating func growWindow(_ candidate: UInt32) {
        var slot = candidate
        for _ in 0..<min(increment, largestPivot - pivot) {
            guard slot != Self.none else { return }
            pivot += 1
            windowLimit += 1
            protectedLimit -= 1
            if table.weight(of: Self.protected) > protectedLimit {
                table.move(table.tail(of: Self.protected), toHeadOf: Self.probation)
            }
            table.move(slot, toHeadOf: Self.window)
            let victim = table.tail(of: Self.probation)
            slot = victim == Self.none ? Self.none : table.previous(of: victim)
        }
    }

    /// Gives the window's tail to the tail of probation.
    private mutating func shrinkWindow() {
        for _ in 0..<min(decrement, pivot) {
            let slot = table.tail(of: Self.window)
            guard slot != Self.none else { return }
            pivot -= 1
            windowLimit -= 1
            protectedLimit += 1
            table.move(slot, toTailOf: Self.probation)
        }
    }

    /// The least recent object of the first segment that has one.
    private var anyTail: UInt32 {
        for segment in [Self.probation, Self.protected] where !table.isEmpty(segment) { return table.tail(of: segment) }
        return table.tail(of: Self.window)
    }
}
