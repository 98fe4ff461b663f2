import CacheConformance
import CacheCore
import CacheStorageSQLite
import Testing

/// Every check on the sqlite backend: one test case a check and configuration.
@Suite("SQLite conformance")
struct SQLiteConformanceTests {
    static let entry = BackendEntry(SQLiteStorage.self)

    static func subject(_ parameters: String) throws -> StorageSubject {
        StorageSubject(
            entry, parameters: try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: "sqlite"))
    }

    @Test(
        arguments: ConformanceSuite.storage.checks,
        ["synchronous=off", "synchronous=normal", "synchronous=full", "value-bytes-max=65536"])
    func conforms(check: Check, parameters: String) throws {
        try check.require(on: Self.subject(parameters))
    }
}
