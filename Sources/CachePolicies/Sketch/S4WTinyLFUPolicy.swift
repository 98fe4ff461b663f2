public import CacheCore
internal import PolicySupport

/// W-TinyLFU whose main cache is several LRU lists one above the other: a hit lifts an object by one.
///
/// The window and filter of Einziger, Friedman and Manes, "TinyLFU", ACM Transactions on Storage 13(4), 2017, in front of
/// S4LRU (Huang et al., "An analysis of Facebook photo caching", SOSP 2013), as in Caffeine's simulator. What leaves the
/// window enters the lowest list and challenges its tail; each higher list holds an equal share of the main cache,
/// rounded down, and the lowest has the rest. A hit is O(levels), a miss amortised O(1); 4 bytes an object of the
/// trace, 16 a resident object and 8 to 16 for the sketch. The window holds at least 1: capacity 1 is the window alone;
/// with main caches below the number of levels the higher lists hold nothing.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator to the request, if the trace calls its objects by numbers
/// (see ``WTinyLFUPolicy``). Only the sketch and the comparison differ.
public struct S4WTinyLFUPolicy: ~Copyable, EvictionPolicy {
    private static var none: UInt32 { SegmentTable<UnitSizes>.none }

    private var table: SegmentTable<UnitSizes>
    private var filter: TinyLFU
    private let capacity: Int
    private let windowLimit: Int
    private let levelLimit: Int
    /// The highest list; the lowest is 0, the window comes after all.
    private let top: UInt32
    private var window: UInt32 { top + 1 }

    /// The number of lists, the window's share, the sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "s4-w-tinylfu", family: "sketch",
            summary: "W-TinyLFU whose main cache is several LRU lists; a hit lifts an object by one.",
            citation: "Einziger et al., ACM Transactions on Storage 13(4), 2017; Huang et al., SOSP 2013",
            parameters: [
                ParameterSpecification("levels", .integer(default: 4, 1...16), "The number of lists."),
                ParameterSpecification("window", .number(default: 0.01, 0...1), "The window's share of the capacity."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                TinyLFU.Rules.parameter,
            ], objectsOnly: "Its lists are equal numbers of objects.", memory: MemoryCost(perObject: 4, perResident: 32)
        )
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let limit = configuration.residentLimit
        let levels = configuration.parameters.integer("levels")
        let shares = WindowShares(configuration)
        capacity = configuration.capacity.amount
        windowLimit = shares.window
        levelLimit = shares.main / levels
        top = UInt32(levels - 1)
        filter = TinyLFU(
            configuration, TinyLFU.Rules(configuration), objects: limit,
            sample: configuration.parameters.integer("sample"))
        table = SegmentTable(objects: configuration.objects.count, slots: limit + 1, resident: levels + 1)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }

    /// Counts the request, and moves the object forward in the window or a list up in the main cache.
    public mutating func touch(_ request: Request) -> Bool {
        filter.record(request.id)
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        let segment = table.segment(at: slot)
        if segment >= top {
            table.moveToHead(slot)
            return true
        }
        table.move(slot, toHeadOf: segment + 1)
        var level = segment + 1
        while level > 0, table.weight(of: level) > levelLimit {
            table.move(table.tail(of: level), toHeadOf: level - 1)
            level -= 1
        }
        return true
    }

    /// Puts the object into the window and lets what overflows challenge the lowest list.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        table.add(request.id, weight: 1, toHeadOf: window)
        if table.weight(of: window) > windowLimit {
            table.passOn(table.tail(of: window), to: 0, capacity: capacity, &filter, into: &sink)
        }
        return table.contains(request.id)
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) {
        table.prefetch(id)
        filter.prefetch(id)
    }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
