public import CacheCore

/// A small LRU window for newcomers, and a segmented LRU that what leaves the window enters only if it is asked for
/// more often than the victim there.
///
/// Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage
/// 13(4), 2017. Frequencies come from a sketch of every request that halves itself every `sample` times the capacity. A
/// hit is O(1), a miss amortised O(1); 4 bytes an object of the trace, 16 a resident object (24 in bytes), and 8 to 16
/// a resident object for the sketch. The window holds at least 1: at capacity 1 it is the whole cache, at 2 and 3 it is
/// 1 beside a main of 1 and 2. In bytes the candidate challenges one victim after another until it fits or loses; an
/// object larger than the capacity is never admitted.
///
/// Dialect `caffeine`: the sketch's sample is ten times its table, whose length is the next power of two; additions
/// that change no counter are not counted; a candidate with frequency 6 or more that loses is let in with probability
/// 1/128. Its hash of the original keys and Java's generator cannot be reproduced from dense ids, so that its hit
/// ratios are met within one percentage point (0.01 on average over 38 cells), not to the request.
public struct WTinyLFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine }
    private static var window: UInt32 { 0 }
    private static var probation: UInt32 { 1 }
    private static var protected: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    private var sketch: FrequencySketch
    private var generator: SeededGenerator
    private let rules: Rules
    private let capacity: Int
    private let windowLimit: Int
    private let protectedLimit: Int

    /// The shares of the window and of the protected segment, the sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "w-tinylfu", aliases: ["wtinylfu"], family: "sketch",
            summary: "What leaves a small window enters the main cache only if it is more frequent than the victim.",
            citation: "Einziger et al., ACM Transactions on Storage 13(4), 2017",
            parameters: [
                ParameterSpecification("window", .number(default: 0.01, 0...1), "The window's share of the capacity."),
                ParameterSpecification(
                    "protected", .number(default: 0.8, 0...1), "The protected segment's share of the main cache."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                Rules.parameter,
            ], isDeterministic: false)
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let limit = configuration.residentLimit
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        let main = Int(Double(capacity) * (1 - parameters.number("window")))
        windowLimit = max(1, capacity - main)
        protectedLimit = Int(Double(main) * parameters.number("protected"))
        generator = SeededGenerator(seed: configuration.seed)
        let sampled = rules == .caffeine ? FrequencySketch.words(for: limit) : limit
        sketch = FrequencySketch(
            objects: limit, sampleSize: sampled * parameters.integer("sample"), countsChangesOnly: rules == .caffeine)
        table = SegmentTable(objects: configuration.objects.count, slots: limit + 1, resident: 3)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.residentCount }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.residentWeight }

    /// Counts the request, and moves the object forward in its segment or from probation to protected.
    public mutating func touch(_ request: Request) -> Bool {
        sketch.add(request.id)
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        guard table.segment(at: slot) == Self.probation, table.weight(at: slot) <= protectedLimit else {
            table.moveToHead(slot)
            return true
        }
        table.move(slot, toHeadOf: Self.protected)
        while table.weight(of: Self.protected) > protectedLimit {
            table.move(table.tail(of: Self.protected), toHeadOf: Self.probation)
        }
        return true
    }

    /// Puts the object into the window and lets what overflows challenge the main cache.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity else {
            sink.forgotten(request.id)
            return false
        }
        table.add(request.id, weight: weight, toHeadOf: Self.window)
        while table.weight(of: Self.window) > windowLimit {
            let candidate = table.tail(of: Self.window)
            table.move(candidate, toHeadOf: Self.probation)
            if table.residentWeight > capacity { challenge(candidate, into: &sink) }
        }
        // In bytes the main cache may have grown into a window that was not full: it gives back what it borrowed.
        while table.residentWeight > capacity { table.evict(mainTail, into: &sink) }
        return table.contains(request.id)
    }

    /// Takes the object out of its segment.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }

    /// Evicts victims that are less frequent than the candidate until all fits, or the candidate at the first that is
    /// not.
    private mutating func challenge<Sink: EvictionSink & ~Copyable>(_ candidate: UInt32, into sink: inout Sink) {
        let frequency = sketch.estimate(table.id(at: candidate))
        while table.residentWeight > capacity {
            var victim = mainTail
            if victim == candidate, !table.isEmpty(Self.protected) { victim = table.tail(of: Self.protected) }
            guard victim != candidate, admits(frequency, over: sketch.estimate(table.id(at: victim))) else {
                return table.evict(candidate, into: &sink)
            }
            table.evict(victim, into: &sink)
        }
    }

    /// The least recent object of probation, or of protected if probation is empty.
    private var mainTail: UInt32 {
        let tail = table.tail(of: Self.probation)
        return tail == Self.none ? table.tail(of: Self.protected) : tail
    }

    private mutating func admits(_ candidate: Int, over victim: Int) -> Bool {
        if candidate > victim { return true }
        return rules == .caffeine && candidate >= 6 && generator.next() >> 57 == 0
    }
}
