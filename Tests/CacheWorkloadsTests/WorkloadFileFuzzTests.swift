import CacheCore
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheWorkloads

/// The readers of workload and suite files under mutations of those that come with this package.
@Suite struct WorkloadFileFuzzTests {
    private static let folder = SharedFolder.packageRoot.appending(path: "Workloads").path

    private static func files(_ folder: String) throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }.sorted()
            .map { try [UInt8](Data(contentsOf: URL(filePath: folder + "/" + $0))) }
    }

    private struct Counter: TraceSink {
        var requests = 0
        mutating func append(integer key: UInt64, _ attributes: RequestAttributes) throws(AssayError) {
            requests += 1
            // As much as shows how the numbers go together.
            if requests > 2000 { throw AssayError(.unavailable, "enough") }
        }
        mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) {}
    }

    @Test func `no workload file traps, hangs or fills memory, nor does what it generates`() throws {
        let fragments = [
            "requests-per-second: 0.001", "ttl: {distribution: fixed, value: 60}",
            "sizes: {distribution: pareto, shape: 0.1, minimum: 1}",
            "generator: reuse", "generator: tenants", "operations: {inserts: 0.5, scans: 0.5, scan-length-max: 100000}",
            "operations: {inserts: 1}", "arrivals: {process: bursts}", "arrivals: {process: diurnal, amplitude: 0.99}",
            "sizes: {distribution: classes, first: [1], last: [9], shares: [1]}", "1099511627776", ", ",
            "&a ", "*a", "[", "{", "- ", "? ", "!!binary ", "requests: 4294967294", "objects: 2147483648", "\n", ": ",
        ]
        try Fuzzer("workload", samples: Self.files(Self.folder), fragments: fragments).run { content in
            let text = String(decoding: content, as: UTF8.self)
            let workload = try WorkloadFile.workload(named: "w", text, path: "w.yaml", folder: "folder")
            guard case .generated(let specification) = workload.source else { return }
            var counter = Counter()
            try specification.generate(into: &counter)
        }
    }

    @Test func `no suite file traps, hangs or fills memory`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "suite.yaml")
        try Fuzzer(
            "suite", samples: Self.files(Self.folder + "/suites"), fragments: ["&a ", "*a", "[", "{", "- ", "runs:"]
        ).run {
            try Data($0).write(to: file)
            _ = try SuiteFile.read(file.path)
        }
    }
}
