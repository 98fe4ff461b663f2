import CacheConformance
import CacheCore
import CacheStorageLMDB
import Testing

/// Every check on the lmdb backend: one test case a check and configuration.
@Suite("LMDB conformance")
struct LMDBConformanceTests {
    static let entry = BackendEntry(LMDBStorage.self)

    static func subject(_ parameters: String) throws -> StorageSubject {
        StorageSubject(
            entry, parameters: try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: "lmdb"))
    }

    @Test(
        arguments: ConformanceSuite.storage.checks,
        ["sync=none", "sync=full", "value-bytes-max=65536"])
    func conforms(check: Check, parameters: String) throws {
        try check.require(on: Self.subject(parameters))
    }
}
