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
        // One object of 5000 bytes is asked for at every tenth request, 1999 of a byte at the others.
        for large in ObjectID(0)..<20 {
            let ids = (0..<6000).map { $0 % 10 == 0 ? large : ObjectID(mix64(UInt64($0)) % 2000) }
            let trace = MemoryTrace(ids: ids, sizes: ids.map { $0 == large ? 5000 : 1 })
            let sample = try #require(MiniatureTrace(trace.columns, extent: .rate(0.5), seed: 1))
            let sizes = try #require(sample.columns.sizes)
            guard sample.columns.ids.indices.contains(where: { sizes.size(at: $0) == 5000 }) else { continue }
            #expect(sample.hindrance(at: .bytes(6000)) == .narrow)
            #expect(sample.hindrance(at: .bytes(4000)) == nil, "it fits into neither")
            #expect(sample.hindrance(at: .bytes(12_000)) == nil, "it fits into both")
            return
        }
        Issue.record("no sample has the large object")
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
