public import CacheCore
internal import PolicySupport

/// An LRU behind TinyLFU's filter that counts newcomers several times while it finds that it refuses too many.
///
/// Manes, in Caffeine's simulator (never published), on the filter of Einziger, Friedman and Manes, "TinyLFU", ACM
/// Transactions on Storage 13(4), 2017. An object that is refused and comes back at once shows that recency matters: it
/// is let in, and newcomers are counted once more than before, up to `gain` times; periods without such objects take
/// that back. A hit is O(1), a miss O(gain); 4 bytes an object of the trace, 16 a resident object, 8 to 16 for the
/// sketch and up to 1 KiB for the refused. At capacity 1 newcomer and resident compete for the place, at 2 and 3
/// newcomer and least recent.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator to the request, if the trace calls its objects by numbers
/// (see ``WTinyLFUPolicy``); at capacity 1 it divides by 0. Only the sketch and the comparison differ.
public struct FeedbackTinyLFUPolicy: ~Copyable, EvictionPolicy {
    private static var none: UInt32 { SlotTable<UnitSizes>.none }

    private var table: SlotTable<UnitSizes>
    private var filter: TinyLFU
    private var feedback: Feedback
    private var gain = 0
    private let largestGain: Int
    private let capacity: Int

    /// The largest gain, the longest period, the sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "feedback-tinylfu", family: "sketch",
            summary: "An LRU behind TinyLFU's filter that counts newcomers more while it refuses too many.",
            citation: "Manes, Caffeine's simulator; Einziger et al., ACM Transactions on Storage 13(4), 2017",
            parameters: [
                ParameterSpecification(
                    "gain", .integer(default: 5, 0...15), "The most that a newcomer is counted beyond its request."),
                ParameterSpecification(
                    "period", .integer(default: 256, 2...1_000_000),
                    "Requests between two adjustments, if the capacity is not smaller."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                TinyLFU.Rules.parameter,
            ], objectsOnly: "One victim a newcomer makes room for one object.",
            memory: MemoryCost(perObject: 4, perResident: 32))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let limit = configuration.residentLimit
        capacity = configuration.capacity.amount
        largestGain = parameters.integer("gain")
        feedback = Feedback(capacity: configuration.capacity.amount, longest: parameters.integer("period"))
        filter = TinyLFU(
            configuration, TinyLFU.Rules(configuration), objects: limit, sample: parameters.integer("sample"))
        table = SlotTable(objects: configuration.objects.count, slots: limit + 1)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.count }

    /// Counts the request, and makes the object the most recent.
    public mutating func touch(_ request: Request) -> Bool {
        feedback.count()
        filter.record(request.id)
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        table.move(slot, toHeadOf: 0)
        return true
    }

    /// Counts the newcomer some times more and lets it challenge the least recent object.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        for _ in 0..<gain { filter.record(request.id) }
        let candidate = table.add(request.id, weight: 1, toHeadOf: 0)
        guard table.count > capacity else { return true }
        let victim = table.tail(of: 0)
        if filter.admits(request.id, over: table.id(at: victim)) || adapts(to: request.id) {
            table.evict(victim, into: &sink)
            return true
        }
        feedback.refuse(filter.key(request.id))
        table.evict(candidate, into: &sink)
        return false
    }

    /// Takes the object out of the list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) {
        table.prefetch(id)
        filter.prefetch(id)
    }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// Learns from a candidate that lost; whether it is let in all the same.
    private mutating func adapts(to candidate: ObjectID) -> Bool {
        if feedback.isSettled { return false }
        if feedback.wasRefused(filter.key(candidate)) {
            if gain < largestGain, feedback.periods >= feedback.adjusted + gain {
                feedback.settle()
                gain += 1
            }
            return true
        }
        if gain > 0, feedback.periods > feedback.adjusted + gain + 1 {
            feedback.settle()
            gain -= 1
        }
        return false
    }
}
