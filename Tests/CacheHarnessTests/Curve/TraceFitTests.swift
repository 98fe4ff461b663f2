import CacheCore
import CacheHarness
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

/// A fitted workload has the hit ratios of LRU that its trace has.
@Suite struct TraceFitTests {
    private static func distanceCounts(_ columns: RequestColumns) -> [Int] {
        guard let curve = StackPass.curve(.leastRecentlyUsed, columns) else { return [] }
        return (0...curve.largestCapacity).map { $0 == 0 ? 0 : curve.hits(at: $0).hits - curve.hits(at: $0 - 1).hits }
    }

    private struct Store {
        let path = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        var store: TraceStore { TraceStore(directory: path) }
        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }

    /// The mean and the largest distance of LRU's hit ratios over forty capacities.
    private func errors(
        of trace: CompiledTrace, _ store: TraceStore, _ model: TraceFit.Model = .reuse
    ) throws -> (mean: Double, largest: Double, fitted: CompiledTrace) {
        let fit = TraceFit(model) { (columns) throws(AssayError) in Self.distanceCounts(columns) }
        let fitted = try store.open(generated: try fit.specification(of: trace.columns))
        let exact = try #require(StackPass.curve(.leastRecentlyUsed, trace.columns))
        let found = try #require(StackPass.curve(.leastRecentlyUsed, fitted.columns))
        let errors = (0..<40).map { index in
            let capacity = Int(pow(Double(trace.objects), Double(index) / 39).rounded())
            return abs(
                Double(exact.hits(at: capacity).hits) / Double(trace.requests)
                    - Double(found.hits(at: capacity).hits) / Double(fitted.requests))
        }
        return (errors.reduce(0, +) / 40, errors.max() ?? 1, fitted)
    }

    @Test(arguments: [
        AccessPattern.uniform, .zipf(exponent: 1), .zipf(exponent: 0.7), .loop,
        .scan(hotObjects: 200, exponent: 0.9, hotRequests: 500, scanLength: 400),
        .hotspot(hotObjects: 100, hotShare: 0.9),
        .shifting(exponent: 1, period: 1000, shift: 50),
    ])
    func `workloads of known generators are fitted within half a point`(pattern: AccessPattern) throws {
        let store = Store()
        defer { store.remove() }
        let trace = try store.store.open(
            generated: WorkloadSpecification(pattern: pattern, requests: 40_000, objects: 2000, seed: 3))
        let (mean, largest, fitted) = try errors(of: trace, store.store)
        #expect(mean < 0.002 && largest < 0.005, "\(mean), \(largest)")
        #expect((fitted.requests, fitted.objects) == (trace.requests, trace.objects))
    }

    @Test(
        .enabled(if: SharedFolder.exists, "skipped: the folder of real traces is not there"),
        arguments: [
            ("lirs-2_pools.trace.gz", nil), ("lirs-cpp.trace.gz", nil), ("lirs-gli.trace.gz", nil),
            ("lirs-loop.trace.gz", nil), ("lirs-multi1.trace.gz", nil), ("lirs-multi2.trace.gz", nil),
            ("lirs-ps.trace.gz", nil), ("lirs-scan.trace.gz", nil), ("lirs-sprite.trace.gz", nil),
            ("cache2k-web07.trace.xz", "cache2k"), ("cloudPhysicsIO.oracleGeneral.zst", nil),
            ("adaptsize-request.trace.xz", "adapt-size"),
        ] as [(String, String?)])
    func `real traces are fitted within half a point`(file: String, format: String?) throws {
        let store = Store()
        defer { store.remove() }
        let trace = try store.store.open(path: SharedFolder.trace(file), format: format)
        let (mean, largest, fitted) = try errors(of: trace, store.store)
        #expect(mean < 0.002 && largest < 0.006, "\(mean), \(largest)")
        #expect(fitted.requests == trace.requests)
    }

    @Test func `Zipf's exponent is found again`() throws {
        let store = Store()
        defer { store.remove() }
        for exponent in [0.6, 1.0, 1.3] {
            let trace = try store.store.open(
                generated: WorkloadSpecification(
                    pattern: .zipf(exponent: exponent), requests: 200_000, objects: 1000, seed: 4))
            #expect(abs(TraceFit.zipfExponent(trace.columns) - exponent) < 0.02)
            let (mean, _, _) = try errors(of: trace, store.store, .zipf)
            #expect(mean < 0.01)
        }
    }

    @Test func `popularity is fitted within six points`() throws {
        let store = Store()
        defer { store.remove() }
        let trace = try store.store.open(
            generated: WorkloadSpecification(pattern: .zipf(exponent: 1), requests: 100_000, objects: 5000, seed: 4))
        let (_, _, fitted) = try errors(of: trace, store.store)
        func top(_ trace: CompiledTrace, _ share: Int) -> Int {
            var counts = [Int](repeating: 0, count: trace.objects)
            for id in trace.columns.ids { counts[Int(id)] += 1 }
            return counts.sorted(by: >).prefix(trace.objects / share).reduce(0, +)
        }
        for share in [100, 10, 2] {
            #expect(abs(top(trace, share) - top(fitted, share)) < 6000, "\(top(trace, share)), \(top(fitted, share))")
        }
    }

    @Test func `sizes, times to live, operations, rate and tenants are fitted`() throws {
        let store = Store()
        defer { store.remove() }
        let source = WorkloadSpecification(
            pattern: .tenants([
                TenantWorkload(
                    name: "secret", share: 3, objects: 800, pattern: .zipf(exponent: 0.8),
                    sizes: .logNormal(median: 1000, sigma: 1, minimum: 1, maximum: 100_000),
                    operations: OperationMix(writes: 0.25)),
                TenantWorkload(
                    name: "other", share: 1, objects: 300, pattern: .loop, sizes: .fixed(77),
                    timesToLive: .uniform(minimum: 10, maximum: 20)),
            ]), requests: 40_000, objects: 1100, seed: 2, requestsPerSecond: 50, arrivals: .poisson)
        let trace = try store.store.open(generated: source)
        let (mean, _, fitted) = try errors(of: trace, store.store)
        #expect(mean < 0.02, "\(mean)")
        #expect(fitted.tenantNames == ["tenant-1", "tenant-2"])
        #expect(abs(Double(fitted.footprintBytes) / Double(trace.footprintBytes) - 1) < 0.1)
        #expect(abs(fitted.columns.operationCounts.writes - trace.columns.operationCounts.writes) < 600)
        let times = try #require(trace.columns.times)
        let fittedTimes = try #require(fitted.columns.times)
        #expect(abs(Double(fittedTimes[39_999]) / Double(times[39_999]) - 1) < 0.05)
        let lives = try #require(fitted.columns.timesToLive)
        #expect(lives.allSatisfy { $0 == 0 || (10_000_000_000...20_000_000_000).contains($0) })
        #expect(abs(lives.count { $0 > 0 } - 10_000) < 400)
    }
}
