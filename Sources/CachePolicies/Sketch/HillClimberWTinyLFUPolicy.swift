public import CacheCore
internal import PolicySupport

/// W-TinyLFU whose window grows and shrinks towards more hits.
///
/// Einziger, Eytan, Friedman and Manes, "Adaptive software cache management", Middleware 2018. Once the cache is full, a
/// climber compares the hit ratio of each sample period with the last one's and moves the bound between the window and
/// the protected segment; the window's end goes to the tail of probation, and what it wins it takes from there. A hit is
/// O(1), a miss amortised O(1), and each period moves at most the capacity; 4 bytes an object of the trace, 16 a
/// resident object and 8 to 16 for the sketch. The window starts with at least 1: capacities 1 and 2 have no protected
/// segment and nothing to move, 3 has one of 1.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator to the request for the climbers `simple`, `correlation` and
/// `trust-region-ewma`, if the trace calls its objects by numbers (see ``WTinyLFUPolicy``). The window's size is kept
/// with its fraction, and rounding errors may make it differ from the number of objects by one, as there. Where Caffeine
/// would take an object from an empty probation segment, and moves the list's sentinel instead, nothing is moved here.
public struct HillClimberWTinyLFUPolicy: ~Copyable, EvictionPolicy {
    private static var window: UInt32 { 0 }
    private static var probation: UInt32 { 1 }
    private static var protected: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<UnitSizes>.none }

    private var table: SegmentTable<UnitSizes>
    private var filter: TinyLFU
    private var climber: any WindowClimber
    private let capacity: Int
    private var windowLimit: Int
    private var protectedLimit: Int
    /// The window's size as the climber moves it, in objects and fractions of one.
    private var windowSize = 0.0
    private var period: Int
    private var requests = 0
    private var hits = 0
    private var last = ClimbSample(hitRatio: 0, previousHitRatio: 0, window: 0, previousWindow: 0, isFirst: true)

    /// The climber with its first step and sample, the first shares of the window and of protected, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "hill-climber-w-tinylfu", aliases: ["adaptive-w-tinylfu"], family: "sketch",
            summary: "W-TinyLFU whose window grows and shrinks towards more hits.",
            citation: "Einziger et al., Adaptive software cache management, Middleware 2018",
            parameters: [
                ParameterSpecification(
                    "climber", .choice(default: ClimberKind.simple.rawValue, ClimberKind.allCases.map(\.rawValue)),
                    "The rule by which the window moves."),
                ParameterSpecification(
                    "pivot", .number(default: 0, 0...1),
                    "The first step as a share of the capacity; 0 for the climber's own."),
                ParameterSpecification(
                    "period", .number(default: 0, 0...1000),
                    "The requests between two steps, in capacities; 0 for the climber's own."),
                ParameterSpecification(
                    "window", .number(default: 0.01, 0...1), "The window's first share of the capacity."),
                ParameterSpecification(
                    "protected", .number(default: 0.8, 0...1), "The protected segment's first share of the main cache."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                TinyLFU.Rules.parameter,
            ], isDeterministic: false,
            objectsOnly: "Its climbers count the window's steps in objects.",
            memory: MemoryCost(perObject: 4, perResident: 32))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let limit = configuration.residentLimit
        let shares = WindowShares(configuration)
        guard let kind = ClimberKind(rawValue: parameters.text("climber")) else {
            preconditionFailure("the parameter accepts only the climbers' names")
        }
        let climber = kind.makeClimber(
            ClimberSettings(
                capacity: configuration.capacity.amount, pivot: parameters.number("pivot"),
                sample: parameters.number("period"), seed: configuration.seed))
        capacity = configuration.capacity.amount
        windowLimit = shares.window
        protectedLimit = shares.protected
        period = climber.period
        self.climber = climber
        filter = TinyLFU(
            configuration, TinyLFU.Rules(configuration), objects: limit, sample: parameters.integer("sample"))
        table = SegmentTable(objects: configuration.objects.count, slots: limit + 1, resident: 3)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }

    /// Counts the request, moves the object forward in its segment or from probation to protected, and may climb.
    public mutating func touch(_ request: Request) -> Bool {
        filter.record(request.id)
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        if table.segment(at: slot) == Self.probation {
            table.promote(slot, to: Self.protected, limit: protectedLimit, demotingTo: Self.probation)
        } else {
            table.moveToHead(slot)
        }
        if table.residentCount >= capacity { sample(hit: true) }
        return true
    }

    /// Puts the object into the window, lets what overflows challenge the main cache, and may climb.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let wasFull = table.residentCount >= capacity
        table.add(request.id, weight: 1, toHeadOf: Self.window)
        windowSize += 1
        if windowSize > Double(windowLimit) {
            windowSize -= 1
            table.passOn(table.tail(of: Self.window), to: Self.probation, capacity: capacity, &filter, into: &sink)
        }
        // After removals the segments may be fuller than their bounds.
        while table.residentCount > capacity { evictAny(into: &sink) }
        if wasFull { sample(hit: false) }
        return table.contains(request.id)
    }

    /// Takes the object out of its segment.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if table.segment(at: slot) == Self.window { windowSize -= 1 }
        table.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) {
        table.prefetch(id)
        filter.prefetch(id)
    }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private mutating func evictAny<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        for segment in [Self.probation, Self.protected, Self.window] where !table.isEmpty(segment) {
            if segment == Self.window { windowSize -= 1 }
            return table.evict(table.tail(of: segment), into: &sink)
        }
    }
}

// Climbing.
extension HillClimberWTinyLFUPolicy {
    private mutating func sample(hit: Bool) {
        requests &+= 1
        if hit { hits &+= 1 }
        if requests >= period { climb() }
    }

    @inline(never)
    private mutating func climb() {
        let sample = ClimbSample(
            hitRatio: Double(hits) / Double(requests), previousHitRatio: last.hitRatio, window: windowSize,
            previousWindow: last.window, isFirst: last.isFirst)
        let step = climber.step(after: sample)
        period = climber.period
        last = sample
        last.isFirst = false
        requests = 0
        hits = 0
        if step > 0 { growWindow(by: step) }
        if step < 0 { shrinkWindow(by: -step) }
    }

    /// Takes room from protected and objects from the tail of probation.
    private mutating func growWindow(by step: Double) {
        let quota = min(step, Double(protectedLimit))
        // A rounding error can make one too many of it.
        let moves = min(Int(windowSize + quota) - Int(windowSize), protectedLimit)
        windowSize += quota
        for _ in 0..<max(0, moves) {
            windowLimit += 1
            protectedLimit -= 1
            if table.weight(of: Self.protected) > protectedLimit {
                table.move(table.tail(of: Self.protected), toHeadOf: Self.probation)
            }
            move(table.tail(of: Self.probation), toHeadOfWindow: true)
        }
    }

    /// Gives room to protected and the window's tail to the tail of probation.
    private mutating func shrinkWindow(by step: Double) {
        let quota = min(step, Double(windowLimit))
        let moves = min(Int(windowSize) - Int(windowSize - quota), windowLimit)
        windowSize -= quota
        for _ in 0..<max(0, moves) {
            windowLimit -= 1
            protectedLimit += 1
            move(table.tail(of: Self.window), toHeadOfWindow: false)
        }
    }

    /// Moves an object between window and probation; without one, the window's size was wrong by 1.
    private mutating func move(_ slot: UInt32, toHeadOfWindow: Bool) {
        guard slot != Self.none else {
            windowSize += toHeadOfWindow ? -1 : 1
            return
        }
        if toHeadOfWindow {
            table.move(slot, toHeadOf: Self.window)
        } else {
            table.move(slot, toTailOf: Self.probation)
        }
    }
}
