public import CacheCore
internal import PolicySupport

/// W-TinyLFU whose window is a segmented LRU too.
///
/// The filter of Einziger, Friedman and Manes, "TinyLFU", ACM Transactions on Storage 13(4), 2017, between two segmented
/// LRUs (Karedla, Love and Wherry, Computer 27(3), 1994), as in Caffeine's simulator: a hit in a probation segment moves
/// the object to the protected one beside it, whose tail may fall back. What leaves the window's probation enters the
/// main probation and challenges its tail. A hit is O(1), a miss amortised O(1); 4 bytes an object of the trace, 16 a
/// resident object and 8 to 16 for the sketch. The window holds at least 1, and below 2 objects it protects nothing:
/// capacity 1 is the window alone, 2 and 3 are as in ``WTinyLFUPolicy``.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator to the request, if the trace calls its objects by numbers
/// (see ``WTinyLFUPolicy``). Only the sketch and the comparison differ.
public struct FullySegmentedWTinyLFUPolicy: ~Copyable, EvictionPolicy {
    private static var windowProbation: UInt32 { 0 }
    private static var windowProtected: UInt32 { 1 }
    private static var mainProbation: UInt32 { 2 }
    private static var mainProtected: UInt32 { 3 }
    private static var none: UInt32 { SegmentTable<UnitSizes>.none }

    private var table: SegmentTable<UnitSizes>
    private var filter: TinyLFU
    private let capacity: Int
    private let windowLimit: Int
    private let windowProtectedLimit: Int
    private let mainProtectedLimit: Int

    /// The shares of the window and of the two protected segments, the sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "fully-segmented-w-tinylfu", family: "sketch",
            summary: "W-TinyLFU whose window is a segmented LRU too.",
            citation: "Einziger et al., ACM Transactions on Storage 13(4), 2017",
            parameters: [
                ParameterSpecification("window", .number(default: 0.01, 0...1), "The window's share of the capacity."),
                ParameterSpecification(
                    "window-protected", .number(default: 0.8, 0...1), "The protected segment's share of the window."),
                ParameterSpecification(
                    "protected", .number(default: 0.8, 0...1), "The protected segment's share of the main cache."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                TinyLFU.Rules.parameter,
            ], objectsOnly: "Its segments are numbers of objects.", memory: MemoryCost(perObject: 4, perResident: 32))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let limit = configuration.residentLimit
        let shares = WindowShares(configuration)
        capacity = configuration.capacity.amount
        windowLimit = shares.window
        windowProtectedLimit = Int(Double(shares.window) * parameters.number("window-protected"))
        mainProtectedLimit = shares.protected
        filter = TinyLFU(
            configuration, TinyLFU.Rules(configuration), objects: limit, sample: parameters.integer("sample"))
        table = SegmentTable(objects: configuration.objects.count, slots: limit + 1, resident: 4)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }

    /// Counts the request, and moves the object forward or from a probation segment to the protected one beside it.
    public mutating func touch(_ request: Request) -> Bool {
        filter.record(request.id)
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        switch table.segment(at: slot) {
        case Self.windowProbation:
            table.promote(
                slot, to: Self.windowProtected, limit: windowProtectedLimit, demotingTo: Self.windowProbation)
        case Self.mainProbation:
            table.promote(slot, to: Self.mainProtected, limit: mainProtectedLimit, demotingTo: Self.mainProbation)
        default: table.moveToHead(slot)
        }
        return true
    }

    /// Puts the object into the window and lets what overflows challenge the main cache.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        table.add(request.id, weight: 1, toHeadOf: Self.windowProbation)
        if table.weight(of: Self.windowProbation) + table.weight(of: Self.windowProtected) > windowLimit {
            table.passOn(
                table.tail(of: Self.windowProbation), to: Self.mainProbation, capacity: capacity, &filter,
                into: &sink)
        }
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
}
