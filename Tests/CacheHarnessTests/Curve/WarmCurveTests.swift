import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Curves after a warm-up: every way of finding a point counts the same requests")
struct WarmCurveTests {
    private static let trace = PartTrace.skewed()
    private static let capacities = [1, 5, 20, 60, 120]

    private static func policy(_ text: String) throws -> PolicySelection {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == parts[0] })
        return PolicySelection(
            entry,
            try ParameterValues(
                parsing: parts.count > 1 ? parts[1] : "", for: entry.descriptor.parameters, of: parts[0]))
    }

    private static func curve(
        _ policy: String, _ method: CurveOrder.Method, unit: Capacity.Unit = .objects, rate: Double = 1,
        warmUp: String = "700", capacities: [Int] = capacities
    ) async throws -> CurveResult {
        var order = CurveOrder(
            policies: [try Self.policy(policy)], capacities: capacities.map { .absolute(Capacity($0, unit)) },
            pointCount: 1, pointUnit: unit, method: method, extent: .rate(rate), measuresError: false, seed: 1)
        (order.measures.warmUp, order.measures.warmUpText) = (TraceExtent(parsing: warmUp), warmUp)
        let run = try CurveRun(order, traces: [trace.sweepTrace], workers: 2, monitor: ReplayMonitor())
        return try #require(await run.run().first)
    }

    @Test(
        arguments: ["lru", "mru", "lifo", "belady", "belady:bypass=true", "lfu:history=perfect"],
        ["1", "700", "2999"])
    func `one pass finds what replays find`(_ policy: String, _ warmUp: String) async throws {
        let pass = try await Self.curve(policy, .exact, warmUp: warmUp)
        #expect(pass.method == .stack && pass.warmUp?.requests == Int(warmUp))
        let selection = try Self.policy(policy)
        let columns = Self.trace.sweepTrace.columns
        for point in pass.points {
            let parts = ReplayParts(warmUpRequests: try #require(Int(warmUp)))
            let whole = try #require(
                try selection.entry.simulate(
                    columns,
                    PolicyConfiguration(
                        capacity: .objects(point.capacity), objects: columns.objects, parameters: selection.parameters),
                    parts: parts))
            let counts = parts.counted(whole)
            #expect(point.hitRatio == counts.hitRatio, "\(point.capacity)")
            #expect(point.byteHitRatio == counts.byteHitRatio, "\(point.capacity)")
        }
    }

    @Test func `a naive model agrees`() async throws {
        let curve = try await Self.curve("lru", .exact)
        for point in curve.points {
            let hits = Self.trace.naiveLRU(point.capacity)[700...].count { $0 }
            #expect(point.hitRatio == Double(hits) / 2300)
        }
    }

    @Test func `in bytes the pass agrees with replays`() async throws {
        let capacities = [60, 200, 900, 3000]
        let curve = try await Self.curve("lru", .exact, unit: .bytes, capacities: capacities)
        let columns = Self.trace.sweepTrace.columns
        let selection = try Self.policy("lru")
        #expect(curve.points.map(\.method).contains(.stack))
        for point in curve.points {
            let parts = ReplayParts(warmUpRequests: 700)
            let whole = try #require(
                try selection.entry.simulate(
                    columns,
                    PolicyConfiguration(
                        capacity: .bytes(point.capacity), objects: columns.objects, parameters: selection.parameters),
                    parts: parts))
            #expect(point.hitRatio == parts.counted(whole).hitRatio)
            #expect(point.byteHitRatio == parts.counted(whole).byteHitRatio)
        }
    }

    @Test func `estimates of a sample that holds everything are exact`() async throws {
        let exact = try await Self.curve("lru", .exact)
        for method in [CurveOrder.Method.shards, .miniature] {
            let estimate = try await Self.curve("lru", method)
            #expect(estimate.points.count == exact.points.count)
            for (found, wanted) in zip(estimate.points, exact.points) {
                #expect(abs(found.hitRatio - wanted.hitRatio) < 1e-9, "\(method) at \(found.capacity)")
            }
        }
        let replayed = try await Self.curve("s3fifo", .exact)
        let miniature = try await Self.curve("s3fifo", .miniature)
        for (found, wanted) in zip(miniature.points, replayed.points) {
            #expect(abs(found.hitRatio - wanted.hitRatio) < 1e-9)
        }
    }

    @Test func `a sample whose requests all come before is none`() async throws {
        let curve = try await Self.curve("lru", .miniature, rate: 1e-9)
        #expect(curve.failure?.message.contains("the sample holds no request") == true)
        #expect(MiniatureTrace(Self.trace.sweepTrace.columns, extent: .rate(1), seed: 1, warmUp: 3000) == nil)
    }

    @Test func `a warm-up that leaves nothing is refused`() async throws {
        await #expect(throws: AssayError.self) { _ = try await Self.curve("lru", .exact, warmUp: "100%") }
    }
}
