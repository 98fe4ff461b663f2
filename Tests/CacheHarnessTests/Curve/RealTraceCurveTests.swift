import CacheCore
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheHarness

@Suite("Curve: one pass counts what replays count on recorded traces")
struct RealTraceCurveTests {
    @Test(
        .enabled(if: SharedFolder.exists, "\(SharedFolder.skippedText)"),
        arguments: PolicyChoice.all.filter { $0.stackOrder != nil }, ["lirs-2_pools", "lirs-cpp"])
    func `at capacities from a few objects to all`(_ policy: PolicyChoice, _ trace: String) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let columns = try TraceStore(directory: directory)
            .open(path: SharedFolder.trace("\(trace).trace.gz"), format: "lirs").columnsWithFuture()
        let order = try #require(policy.stackOrder)
        let curve = try #require(StackPass.curve(order, columns))
        let objects = columns.objects.count
        for capacity in [2, 10, objects / 50, objects / 10, objects / 3, objects] {
            let configuration = PolicyConfiguration(
                capacity: .objects(capacity), objects: columns.objects, parameters: policy.parameters)
            let counts = try policy.entry.simulate(columns, configuration)
            #expect(curve.hits(at: capacity).hits == counts?.hits, "at \(capacity)")
        }
    }
}
