public import CacheCore
internal import Foundation

/// What a curve run is asked for.
public struct CurveOrder: Sendable {
    /// How points are to be found.
    public enum Method: String, Sendable, Hashable, CaseIterable {
        /// One pass where the policy allows it, replays of short traces, miniature simulations of the others.
        case auto
        /// Exact: one pass where the policy allows it, a replay a point otherwise.
        case exact
        /// SHARDS, which estimates LRU.
        case shards
        /// A miniature simulation a point.
        case miniature
    }

    /// Requests that `auto` replays at most for one policy on one trace, over all points.
    public static var replayBudget: Int { 200_000_000 }

    /// The policies.
    public var policies: [PolicySelection]
    /// The capacities; empty for points that spread over each trace's footprint.
    public var capacities: [CapacityRequest]
    /// The number of points where no capacities are given.
    public var pointCount: Int
    /// What they count.
    public var pointUnit: Capacity.Unit
    /// How points are to be found.
    public var method: Method
    /// The sample that estimates stand on.
    public var extent: SampleExtent
    /// Whether every estimate is to be held against the exact figure.
    public var measuresError: Bool
    /// The seed of policies and samples.
    public var seed: UInt64
    /// What replays make of operations and of sizes that change.
    public var rules = ReplayRules()
    /// What is counted: all of the trace, or what comes after a warm-up.
    public var measures = MeasureRequest()

    /// An order.
    public init(
        policies: [PolicySelection], capacities: [CapacityRequest], pointCount: Int, pointUnit: Capacity.Unit,
        method: Method, extent: SampleExtent, measuresError: Bool, seed: UInt64
    ) {
        self.policies = policies
        self.capacities = capacities
        self.pointCount = pointCount
        self.pointUnit = pointUnit
        self.method = method
        self.extent = extent
        self.measuresError = measuresError
        self.seed = seed
    }

    /// The points of each unit on a trace, ascending and each once.
    func points(on trace: TraceDescription) -> [(unit: Capacity.Unit, points: [CurveCapacity])] {
        guard !capacities.isEmpty else {
            let whole = pointUnit == .objects ? trace.objects : trace.footprintBytes
            let amounts = Self.spread(pointCount, over: whole)
            return [(pointUnit, amounts.map { CurveCapacity(Capacity($0, pointUnit), "\(Capacity($0, pointUnit))") })]
        }
        return Capacity.Unit.allCases.compactMap { unit in
            var seen: Set<Int> = []
            let points = capacities.filter { $0.unit == unit }.map { request in
                CurveCapacity(
                    request.resolved(footprintObjects: trace.objects, footprintBytes: trace.footprintBytes),
                    request.description)
            }.filter { seen.insert($0.capacity.amount).inserted }.sorted { $0.capacity.amount < $1.capacity.amount }
            return points.isEmpty ? nil : (unit, points)
        }
    }

    /// At most `count` capacities at equal factors from a ten-thousandth of `whole`, at least 1, up to `whole`.
    static func spread(_ count: Int, over whole: Int) -> [Int] {
        let least = max(1, whole / 10_000)
        guard count > 1, whole > least else { return [max(1, whole)] }
        let ratio = Double(whole) / Double(least)
        let amounts = (0..<count).map { (index: Int) -> Int in
            if index == count - 1 { return whole }
            let factor: Double = pow(ratio, Double(index) / Double(count - 1))
            return Int((Double(least) * factor).rounded())
        }
        return Set(amounts).sorted()
    }

    /// How the curve of a policy is to be found.
    ///
    /// - Parameter trace: The name of the trace if it states writes or deletes; nil if all requests read.
    /// - Throws: `AssayError` with code `usage` for SHARDS of a policy, or of a trace, that it does not estimate.
    func method(
        for policy: PolicySelection, unit: Capacity.Unit, requests: Int, points: Int, obeying trace: String? = nil
    ) throws(AssayError) -> CurveMethod {
        let order = policy.stackOrder
        // A pass knows reads that fill, and nothing else.
        let hasPass = trace == nil && (unit == .objects ? order != nil : order == .leastRecentlyUsed)
        switch method {
        case .exact: return hasPass ? .stack : .replay
        case .miniature:
            guard !policy.entry.descriptor.learns else {
                throw AssayError(
                    .usage,
                    "A miniature has too few requests for \(policy.text) to learn as it would from all. Use --method exact or auto.",
                    at: .init("--method"))
            }
            return .miniature
        case .shards:
            guard order == .leastRecentlyUsed else {
                throw AssayError(
                    .usage,
                    "SHARDS estimates LRU alone, and \(policy.text) is another policy. Use --method miniature or auto.",
                    at: .init("--method"))
            }
            if let trace {
                throw AssayError(
                    .usage,
                    "SHARDS knows reads alone, and \(trace) states writes or deletes. Use --method exact, "
                        + "miniature or auto.", at: .init("--method"))
            }
            return .shards
        case .auto:
            if hasPass { return .stack }
            return policy.entry.descriptor.learns || requests * points <= Self.replayBudget ? .replay : .miniature
        }
    }
}

/// A capacity of a curve with the text that asked for it.
struct CurveCapacity: Sendable {
    var capacity: Capacity
    var requested: String

    init(_ capacity: Capacity, _ requested: String) {
        self.capacity = capacity
        self.requested = requested
    }
}

extension PolicySelection {
    /// The order that makes the policy a stack algorithm with these parameters, nil if it is none.
    var stackOrder: StackOrder? { entry.descriptor.stackOrders[parameters.description] }
}
