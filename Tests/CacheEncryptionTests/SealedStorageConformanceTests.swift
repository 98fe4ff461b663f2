import CacheConformance
import CacheCore
import CacheEncryption
import CacheStorage
import Testing

/// Every check on the sealed backend: one test case a check and configuration.
@Suite("Sealed storage conformance")
struct SealedStorageConformanceTests {
    static func subject(_ parameters: String) throws -> StorageSubject {
        let entry = SealedStorage.entry(over: BuiltinStorage.embedded)
        return StorageSubject(
            entry, parameters: try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: "sealed"))
    }

    @Test(
        arguments: ConformanceSuite.storage.checks,
        ["over=dictionary", "over=log:durability=kill", "over=file:sync=none+value-bytes-max=1000000"])
    func conforms(check: Check, parameters: String) throws {
        try check.require(on: Self.subject(parameters))
    }

    @Test(arguments: ["FLT-6", "FLT-7"])
    func `damage to closed files is noticed`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        #expect(check.run(on: try Self.subject("over=file:sync=none")).outcome == .pass)
    }
}
