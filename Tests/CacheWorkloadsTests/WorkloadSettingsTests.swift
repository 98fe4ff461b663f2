import CacheCore
import CacheTraces
import Foundation
import Testing

@testable import CacheWorkloads

@Suite final class WorkloadSettingsTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(
            """
            kind: generated
            description: d
            origin: o
            licence: l
            generator: scan
            hot-objects: 5
            exponent: 1
            hot-requests: 6
            scan-length: 7
            requests: 10
            objects: 10
            sizes: {distribution: fixed, value: 3}

            """.utf8
        ).write(to: URL(filePath: folder + "/base.yaml"))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func made(
        from base: String? = nil, _ change: (inout WorkloadSettings) throws -> Void
    ) throws -> WorkloadSpecification? {
        var settings = WorkloadSettings()
        try change(&settings)
        let workload = try settings.workload(from: base, in: WorkloadCatalog(directories: [folder]))
        guard case .generated(let specification) = workload.source else { return nil }
        return specification
    }

    private func failure(from base: String? = nil, _ change: (inout WorkloadSettings) throws -> Void) -> AssayError? {
        #expect(throws: AssayError.self) { try made(from: base, change) }
    }

    @Test func `fields alone make a specification`() throws {
        let made = try made {
            try $0.setPattern("zipf:0.9")
            $0.set("requests", "1_000")
            $0.set("objects", "100")
            try $0.set("sizes", "distribution", "log-normal:median=4096,sigma=1,maximum=9")
            try $0.set("ttl", "distribution", "fixed:60")
            try $0.set("arrivals", "process", "bursts:factor=20")
            try $0.set("operations", fieldsIn: "writes=0.1,deletes=0.2")
        }
        #expect(
            made
                == WorkloadSpecification(
                    pattern: .zipf(exponent: 0.9), requests: 1000, objects: 100,
                    sizes: .logNormal(median: 4096, sigma: 1, minimum: 1, maximum: 9), timesToLive: .fixed(60),
                    operations: OperationMix(writes: 0.1, deletes: 0.2),
                    arrivals: .bursts(periodSeconds: 60, share: 0.1, factor: 20)))
    }

    @Test func `fields take the place of a file's, and another generator that of its fields`() throws {
        let more = try made(from: "base") { $0.set("requests", "20") }
        #expect(more?.requests == 20 && more?.objects == 10 && more?.sizes == .fixed(3))
        #expect(more?.pattern == .scan(hotObjects: 5, exponent: 1, hotRequests: 6, scanLength: 7))
        #expect(try made(from: "base") { try $0.setPattern("loop") }?.pattern == .loop)
        let tenants = try made(from: "base") { try $0.addTenant("a:share=1,objects=7,generator=zipf,exponent=2") }
        #expect(tenants?.objects == 7)
        #expect(
            tenants?.pattern
                == .tenants([TenantWorkload(name: "a", share: 1, objects: 7, pattern: .zipf(exponent: 2))]))
    }

    @Test func `what is written wrongly is a wrong use, and says what is wrong`() {
        for (pattern, message) in [
            ("zpif:1", "did you mean 'zipf'?"), ("zipf", "exponent"), ("zipf:a", "not a number"),
            ("zipf:1,2", "FIELD=VALUE"), ("zipf:exponent=1,steep=2", "Unknown field 'steep'"),
            ("zipf:exponent=1,exponent=2", "exponent is given twice"), ("", "generator"), ("zipf:-1", "from 0 to 100"),
        ] {
            let error = failure {
                try $0.setPattern(pattern)
                $0.set("requests", "10")
                $0.set("objects", "10")
            }
            #expect(
                error?.code == .usage && error?.message.contains(message) == true,
                "\(pattern): \(String(describing: error))")
        }
        #expect(failure(from: "bse") { _ in }?.message.contains("base") == true)
        #expect(failure(from: "base") { $0.set("seed", "x") }?.code == .badInput)
        #expect(
            failure {
                try $0.setPattern("loop")
                $0.set("requests", "10")
                $0.set("objects", "10")
                $0.set("operations", fields: [("writes", "0.5"), ("writes", "0.6")])
            }?.message.contains("given twice") == true)
    }
}
