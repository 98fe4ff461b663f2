import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Curve: what a miniature cannot stand for")
struct MiniatureHindranceTests {
    private static func selection(_ name: String) -> PolicySelection {
        let entry = BuiltinPolicies.all.first { $0.descriptor.name == name }!
        return PolicySelection(entry, ParameterValues(defaults: entry.descriptor.parameters))
    }

    private static func curve(
        _ policy: String, _ capacities: [String], rate: Double, measuresError: Bool = false, trace: MemoryTrace
    ) async throws -> CurveResult {
        let order = CurveOrder(
            policies: [selection(policy)],
            capacities: try capacities.map { text throws(AssayError) in try CapacityRequest(parsing: text) },
            pointCount: 9, pointUnit: .objects, method: .miniature, extent: .rate(rate), measuresError: measuresError,
            seed: 1)
        let run = try CurveRun(order, traces: [trace.sweepTrace], workers: 2, monitor: ReplayMonitor())
        return try #require(await run.run().first)
    }

    private static let trace = MemoryTrace.skewed(requests: 20_000, objects: 2000, keepingSizes: true)

    @Test func `a miniature of a few objects is not asked, and neither is a sample of a few`() throws {
        let sample = try #require(MiniatureTrace(Self.trace.columns, extent: .rate(0.5), seed: 1))
        #expect(sample.hindrance(at: .objects(198)) == .small && sample.hindrance(at: .objects(200)) == nil)
        #expect(sample.hindrance(at: .bytes(8000)) == .small && sample.hindrance(at: .bytes(12_000)) == nil)
        let few = try #require(MiniatureTrace(Self.trace.columns, extent: .rate(0.02), seed: 1))
        #expect(few.hindrance(at: .objects(1_000_000)) == .small)
        let whole = try #require(MiniatureTrace(Self.trace.columns, extent: .rate(1), seed: 1))
        #expect(whole.hindrance(at: .objects(1)) == nil)
    }

    @Test func `objects that fit into the cache and not into the miniature stand in its way`() throws {
        let ids = (0..<6000).map { ObjectID(mix64(UInt64($0)) % 2000) }
        let trace = MemoryTrace(ids: ids, sizes: ids.map { $0 % 20 == 0 ? 900 : 1 })
        let sample = try #require(MiniatureTrace(trace.columns, extent: .rate(0.1), seed: 1))
        #expect(sample.hindrance(at: .bytes(50_000)) == .small)
        #expect(sample.hindrance(at: .bytes(95_000)) == nil)
        let coarse = MemoryTrace(ids: ids, sizes: ids.map { $0 % 20 == 0 ? 900 : 8 })
        let small = try #require(MiniatureTrace(coarse.columns, extent: .rate(0.5), seed: 1))
        #expect(small.hindrance(at: .bytes(20_000)) == nil || small.hindrance(at: .bytes(20_000)) == .small)
        let narrow = MemoryTrace(ids: ids, sizes: ids.map { $0 % 50 == 0 ? 400 : 1 })
        let wide = try #require(MiniatureTrace(narrow.columns, extent: .rate(0.25), seed: 1))
        #expect(wide.hindrance(at: .bytes(1500)) == .narrow)
    }

    @Test func `a point that the sample cannot stand for is replayed whole, and the reason is said`() async throws {
        for policy in ["lru", "sieve"] {
            let curve = try await Self.curve(policy, ["20", "100", "400"], rate: 0.5, trace: Self.trace)
            #expect(curve.points.map(\.method) == [.replay, .replay, .miniature])
            let entry = Self.selection(policy)
            for point in curve.points.prefix(2) {
                let counts = try entry.entry.simulate(
                    Self.trace.columns,
                    PolicyConfiguration(
                        capacity: .objects(point.capacity), objects: Self.trace.columns.objects,
                        parameters: entry.parameters))
                #expect(point.hitRatio == counts?.hitRatio && point.exactHitRatio == nil)
            }
            let note = try #require(curve.notes?.first)
            #expect(note.hasPrefix("2 points (") && note.contains("found with the whole trace"))
            #expect(curve.failure == nil)
        }
    }

    @Test func `the errors of a curve are those of its estimates alone`() async throws {
        let curve = try await Self.curve(
            "sieve", ["20", "400", "800"], rate: 0.5, measuresError: true, trace: Self.trace)
        #expect(curve.points.map { $0.method.isExact } == [true, false, false])
        #expect(curve.points[0].error == 0)
        let errors = curve.points.dropFirst().compactMap(\.error)
        #expect(errors.count == 2 && curve.meanAbsoluteError == (errors[0] + errors[1]) / 2)
    }
}
