import CacheConformance
import CacheCore
import CacheEngineSubjects
import CachePolicies
import CacheStorage
import Foundation
import Testing
import _CacheTestSupport

@Suite("Every configuration of the engine keeps what it claims")
struct EngineSubjectTests {
    static let subjects = BuiltinEngines.all(policies: BuiltinPolicies.all, backends: BuiltinStorage.embedded)

    @Test func `each configuration is made, under a name of its own`() {
        #expect(Self.subjects.count == 17)
        #expect(Set(Self.subjects.map(\.name)).count == 17)
    }

    private static func isAsked(_ variable: String) -> Bool { ProcessInfo.processInfo.environment[variable] == "1" }
    /// Three in a debug build, where each takes a minute; each kind, option and way of writing once where `ASSAY_ALL_CELLS=1` asks
    /// for it, as `scripts/test` does; and for a release all, which are the same code over another policy or backend.
    private static let triesKinds = isAsked("ASSAY_ALL_CELLS")
    private static let tried =
        isAsked("ASSAY_ALL_SUBJECTS")
        ? subjects.map(\.name)
        : ["cache:lru+relaxed", "cache:s3fifo+relaxed", "tiers:dictionary+back"]
            + (triesKinds ? ["cache:w-tinylfu", "cache:lru+negative", "tiers:file", "stored:log", "bounded:file"] : [])

    @Test(arguments: tried)
    func `passes every check that is due`(_ name: String) async throws {
        let subject = try #require(Self.subjects.first { $0.name == name })
        let report = await onThread { ConformanceSuite.cache.run(on: subject) }
        for result in report.failures { Issue.record("\(name): \(result.id) \(result.failure?.description ?? "")") }
        // What is over a backend claims fewer features.
        #expect(report.count(of: "pass") >= (name.contains("tiers:") || name.contains("cache:") ? 70 : 55))
    }

    @Test(
        .disabled(if: triesKinds, "they are tried whole, or what is like them"),
        arguments: ["stored:dictionary", "bounded:dictionary", "stored:log"])
    func `what is over a backend keeps its room, its time and what it holds`(_ name: String) async throws {
        let subject = try #require(Self.subjects.first { $0.name == name })
        let suite = try ConformanceSuite.cache.limited(
            to: ["CLR", "ITR", "PER", "LIF", "CON", "TTL", "CAP", "POL", "STA"])
        let report = await onThread { suite.run(on: subject) }
        for result in report.failures { Issue.record("\(name): \(result.id) \(result.failure?.description ?? "")") }
        #expect(report.count(of: "pass") >= 25)
    }
}
