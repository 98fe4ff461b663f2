import CacheConformance
import CacheCore
import CacheStorageRocksDB
import Testing

/// Every check on the rocksdb backend: one test case a check and configuration.
@Suite("RocksDB conformance")
struct RocksDBConformanceTests {
    static let entry = BackendEntry(RocksDBStorage.self)

    static func subject(_ parameters: String) throws -> StorageSubject {
        StorageSubject(
            entry, parameters: try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: "rocksdb")
        )
    }

    @Test(
        arguments: ConformanceSuite.storage.checks,
        [
            // RocksDB sets aside room for a whole buffer at each opening: with its 64 MiB that took half of the time of the tests.
            "sync=none,write-buffer-bytes=1048576", "sync=full,write-buffer-bytes=1048576",
            "write-buffer-bytes=65536,compression=none,value-bytes-max=65536",
        ])
    func conforms(check: Check, parameters: String) throws {
        try check.require(on: Self.subject(parameters))
    }
}
