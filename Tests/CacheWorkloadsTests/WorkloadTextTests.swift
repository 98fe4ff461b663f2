import CacheCore
import CacheTraces
import Testing
import _CacheTestSupport

@testable import CacheWorkloads

@Suite struct WorkloadTextTests {
    private static let model = ReuseModel(
        distances: Array(1...400).map { $0 * $0 }, reuses: Array(0..<400), objects: [90, 10], requests: [90, 900])

    private static let specifications: [WorkloadSpecification] = [
        WorkloadSpecification(pattern: .uniform, requests: 10, objects: 10),
        WorkloadSpecification(
            pattern: .zipf(exponent: 0.1 + 0.2), requests: 1_000_000, objects: 10, seed: 9,
            sizes: .logNormal(median: 4096.5, sigma: 1e-9, minimum: 1, maximum: 5), timesToLive: .fixed(60),
            requestsPerSecond: 0.25),
        WorkloadSpecification(
            pattern: .scan(hotObjects: 5, exponent: 1, hotRequests: 6, scanLength: 7), requests: 10, objects: 10,
            sizes: .uniform(minimum: 3, maximum: 4), arrivals: .poisson),
        WorkloadSpecification(
            pattern: .hotspot(hotObjects: 5, hotShare: 0.5), requests: 10, objects: 10,
            sizes: .pareto(shape: 1.5, minimum: 3, maximum: 400), arrivals: .constant),
        WorkloadSpecification(
            pattern: .shifting(exponent: 1, period: 5, shift: 6), requests: 10, objects: 10,
            sizes: .generalizedPareto(location: -1, scale: 214.476, shape: 0.348238, minimum: 1, maximum: 1_000_000),
            arrivals: .bursts(periodSeconds: 60, share: 0.1, factor: 10)),
        WorkloadSpecification(
            pattern: .latest(exponent: 0.99), requests: 10, objects: 10,
            timesToLive: .classes([ValueClass(0, 0, share: 3), ValueClass(10, 20, share: 1)]),
            operations: OperationMix(inserts: 0.05, scans: 0.1, scanLengthMax: 7),
            arrivals: .diurnal(periodSeconds: 3600, amplitude: 0.5)),
        WorkloadSpecification(pattern: .reuse(model), requests: 1000, objects: 100),
        WorkloadSpecification(
            pattern: .tenants([
                TenantWorkload(
                    name: "a: \"b\" # c", share: 0.5, objects: 10, pattern: .reuse(model), sizes: .fixed(5),
                    operations: OperationMix(writes: 0.5, deletes: 0.25, readModifyWrites: 0.125)),
                TenantWorkload(name: "- x", share: 2, objects: 7, pattern: .loop, timesToLive: .fixed(5)),
            ]), requests: 10, objects: 17, sizes: .fixed(9)),
    ]

    @Test(arguments: specifications)
    func `what is written reads back the same`(specification: WorkloadSpecification) throws {
        let workload = Workload(
            name: "w", description: "it's \"a\" \\ test: # no\ncomment", origin: "- here", licence: "*none",
            specification: specification)
        let text = try #require(workload.text)
        let read = try WorkloadFile.workload(named: "w", text, path: "w.yaml", folder: "")
        #expect(read.source == .generated(specification))
        #expect(read.description == "it's \"a\" \\ test: # no comment")
        #expect((read.origin, read.licence) == ("- here", "*none"))
        #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 121 })
    }

    @Test func `every bundled workload reads back the same`() throws {
        for workload in try BundledWorkloadsTests.catalog.all() {
            guard let text = workload.text else { continue }
            let read = try WorkloadFile.workload(named: "w", text, path: "w.yaml", folder: "")
            #expect(read.source == workload.source, "\(workload.name)")
        }
    }

    @Test func `a workload that is not generated has no text`() throws {
        #expect(try BundledWorkloadsTests.catalog.workload(named: "build-files").text == nil)
    }
}
