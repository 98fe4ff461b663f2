import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Curve: a run finds every point by the method it names")
struct CurveRunTests {
    private static func selection(_ name: String) -> PolicySelection {
        let entry = BuiltinPolicies.all.first { $0.descriptor.name == name }!
        return PolicySelection(entry, ParameterValues(defaults: entry.descriptor.parameters))
    }

    private static func order(
        _ policies: [String], _ capacities: [String] = [], method: CurveOrder.Method = .auto,
        unit: Capacity.Unit = .objects, extent: SampleExtent = .rate(0.5), measuresError: Bool = false
    ) throws -> CurveOrder {
        CurveOrder(
            policies: policies.map(selection),
            capacities: try capacities.map { text throws(AssayError) in try CapacityRequest(parsing: text) },
            pointCount: 9, pointUnit: unit, method: method, extent: extent, measuresError: measuresError, seed: 1)
    }

    private func run(_ order: CurveOrder, monitor: ReplayMonitor = ReplayMonitor()) async throws -> [CurveResult] {
        let traces = [
            MemoryTrace.skewed(), MemoryTrace(name: "loop", ids: (0..<3000).map { ObjectID($0 % 50) }),
        ].map(\.sweepTrace)
        return try await CurveRun(order, traces: traces, workers: 2, monitor: monitor).run()
    }

    @Test func `passes and replays agree, and each curve says which it was`() async throws {
        let exact = try await run(Self.order(["lru", "mru", "fifo"], ["1", "5", "20", "49", "50"]))
        #expect(exact.map(\.method) == [.stack, .stack, .replay, .stack, .stack, .replay])
        #expect(exact.allSatisfy { $0.points.map(\.capacity) == [1, 5, 20, 49, 50] && $0.failure == nil })
        #expect(exact[0].requestsPerSecond != nil && exact[2].requestsPerSecond == nil)
        let loop = exact.filter { $0.trace == "loop" && $0.policy == "lru" }.flatMap(\.points)
        #expect(loop.map(\.hitRatio) == [0, 0, 0, 0, 2950.0 / 3000])
    }

    @Test func `in bytes, points that a pass cannot settle are replayed`() async throws {
        // Sizes change from request to request, so that no point of the pass is exact.
        let curves = try await run(Self.order(["lru"], ["200B", "1000B"]))
        let skewed = try #require(curves.first)
        #expect(skewed.method == .stack && skewed.points.map(\.method) == [.replay, .replay])
        let columns = MemoryTrace.skewed().columns
        let lru = Self.selection("lru")
        for point in skewed.points {
            let counts = try #require(
                try lru.entry.simulate(
                    columns,
                    PolicyConfiguration(
                        capacity: .bytes(point.capacity), objects: columns.objects, parameters: lru.parameters)))
            #expect(point.hitRatio == counts.hitRatio && point.byteHitRatio == counts.byteHitRatio)
        }
    }

    @Test func `estimates carry their sample, and errors only when measured`() async throws {
        let large = MemoryTrace.skewed(requests: 20_000, objects: 2000)
        for method in [CurveOrder.Method.shards, .miniature] {
            func run(_ order: CurveOrder) async throws -> [CurveResult] {
                try await CurveRun(order, traces: [large.sweepTrace], workers: 2, monitor: ReplayMonitor()).run()
            }
            let plain = try await run(Self.order(["lru"], ["400", "900"], method: method))
            #expect(plain.allSatisfy { $0.sample?.rate == 0.5 && $0.meanAbsoluteError == nil })
            let measured = try await run(Self.order(["lru"], ["400", "900"], method: method, measuresError: true))
            #expect(measured.map { $0.points.map(\.hitRatio) } == plain.map { $0.points.map(\.hitRatio) })
            #expect(measured.allSatisfy { $0.meanAbsoluteError != nil })
        }
        let whole = try await run(
            Self.order(["lru", "fifo", "mru"], method: .miniature, extent: .rate(1), measuresError: true))
        #expect(whole.allSatisfy { ($0.largestError ?? 1) < 1e-12 && $0.points.count > 3 })
    }

    @Test func `SHARDS says nothing of a capacity that stands for few sampled objects`() async throws {
        let large = MemoryTrace.skewed(requests: 20_000, objects: 2000)
        let order = try Self.order(["lru"], ["20", "900", "2000"], method: .shards, extent: .rate(0.2))
        let exact = try Self.order(["lru"], ["20", "900", "2000"], method: .exact)
        func run(_ order: CurveOrder) async throws -> CurveResult {
            try #require(
                await CurveRun(order, traces: [large.sweepTrace], workers: 2, monitor: ReplayMonitor()).run().first)
        }
        let (estimate, whole) = (try await run(order), try await run(exact))
        #expect(estimate.points.map(\.method) == [.replay, .shards, .shards])
        #expect(estimate.points.first?.hitRatio == whole.points.first?.hitRatio)
        #expect(estimate.notes?.first?.contains("found with the whole trace; fewer than 100 sampled objects") == true)
    }

    @Test func `an estimate that is off has the error that it has`() {
        var curve = CurveResult(trace: "t", policy: "lru", parameters: "", capacityUnit: .objects, method: .shards)
        for (capacity, estimate) in [(1, 0.25), (2, 0.5), (3, 0.75)] {
            curve.points.append(
                CurvePoint(
                    capacity: capacity, capacityRequested: "\(capacity)", method: .shards, hitRatio: estimate,
                    byteHitRatio: 0, exactHitRatio: 0.5))
        }
        #expect(curve.largestError == 0.25)
        #expect(curve.meanAbsoluteError.map { abs($0 - 0.5 / 3) < 1e-12 } == true)
    }

    @Test func `SHARDS of another policy is refused, and short traces are replayed rather than sampled`() throws {
        let order = try Self.order(["lru", "fifo"], method: .shards)
        let trace = MemoryTrace.skewed().sweepTrace
        let error = #expect(throws: AssayError.self) {
            try CurveRun(order, traces: [trace], workers: 1, monitor: ReplayMonitor())
        }
        #expect(error?.code == .usage)
        let auto = try Self.order(["fifo"])
        let fifo = Self.selection("fifo")
        #expect(try auto.method(for: fifo, unit: .objects, requests: 5_000_000, points: 40) == .replay)
        #expect(try auto.method(for: fifo, unit: .objects, requests: 5_000_001, points: 40) == .miniature)
    }

    @Test func `points spread at equal factors over the footprint`() {
        #expect(CurveOrder.spread(3, over: 1_000_000) == [100, 10_000, 1_000_000])
        #expect(CurveOrder.spread(100, over: 5) == [1, 2, 3, 4, 5])
        #expect(CurveOrder.spread(1, over: 700) == [700])
        #expect(CurveOrder.spread(5, over: 0) == [1])
    }

    @Test func `a run that is stopped has no points that it did not find`() async throws {
        let monitor = ReplayMonitor()
        monitor.stop()
        let curves = try await run(Self.order(["lru", "fifo"], ["10"]), monitor: monitor)
        #expect(curves.count == 4)
        #expect(curves.allSatisfy { $0.points.isEmpty })
    }
}
