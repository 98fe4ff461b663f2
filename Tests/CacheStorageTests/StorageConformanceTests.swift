import CacheConformance
import CacheCore
import CacheStorage
import Testing

/// Every check on every configuration of the backends of this module: one test case a check and subject.
@Suite("Storage conformance")
struct StorageConformanceTests {
    static let subjects: [String] = [
        "dictionary:", "file:sync=none", "file:sync=file", "file:sync=full", "dictionary:value-bytes-max=65536",
        "slab:", "slab:shards=7,page-bytes=4096,growth-factor=2", "slab:value-bytes-max=65536",
        "log:durability=exit", "log:durability=kill", "log:durability=power",
        "log:segment-bytes=65536,amplification-max=1.1,value-bytes-max=65536", "mmap:sync=none", "mmap:sync=full",
        "mmap:grow-bytes=4096,value-bytes-max=65536",
        "tiered:lower=log", "tiered:lower=log,write=back,upper-bytes=20000",
        "tiered:lower=mmap,upper=slab,upper-bytes=1",
        "tiered:lower=slab:value-bytes-max=65536,write=back",
    ]

    static func subject(_ text: String) throws -> StorageSubject {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let entry = try #require(BuiltinStorage.all.first { $0.descriptor.name == String(parts[0]) })
        let parameters = try ParameterValues(
            parsing: parts[1], for: entry.descriptor.parameters, of: entry.descriptor.name)
        return StorageSubject(entry, parameters: parameters)
    }

    @Test(arguments: ConformanceSuite.storage.checks, subjects)
    func conforms(check: Check, subject: String) throws {
        try check.require(on: Self.subject(subject))
    }

    /// These stores check what they read, claim so, and are held to it.
    @Test(arguments: ["file:sync=none", "log:durability=kill", "mmap:sync=none", "tiered:lower=log"])
    func `damage to closed files is noticed`(subject: String) throws {
        for id in ["FLT-6", "FLT-7"] {
            let check = try #require(ConformanceSuite.cache.check(id))
            #expect(check.run(on: try Self.subject(subject)).outcome == .pass, "\(id) on \(subject)")
        }
    }

    @Test(arguments: BuiltinStorage.all.map(\.descriptor.name))
    func `every check that is due passes and none is blocked for want of a witness`(name: String) throws {
        let report = ConformanceSuite.storage.run(on: try Self.subject("\(name):"), seed: 7)
        for result in report.failures { Issue.record("\(result.id) \(result.failure?.description ?? "")") }
        #expect(report.score == 1)
        let excused = ["PER-11"] + (try Self.subject("\(name):").needsDirectory ? [] : ["LIF-4"])
        for result in report.results where !excused.contains(result.id) {
            if case .blocked(let reason) = result.outcome { Issue.record("\(result.id) is blocked: \(reason)") }
        }
    }
}
