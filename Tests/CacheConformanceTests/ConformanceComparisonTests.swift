import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("Reports of two runs are told apart, and a report says what was asked")
struct ConformanceComparisonTests {
    private static func report(_ outcomes: KeyValuePairs<String, CheckOutcome>, revisions: [String: Int] = [:])
        -> ConformanceReport
    {
        let results = outcomes.map { id, outcome in
            CheckResult(
                Check(.init(id, revision: revisions[id] ?? 1), "It holds.", explanation: "") { _ in }, outcome)
        }
        return ConformanceReport(suite: "cache", subject: "x", seed: 1, results: results, unclaimedButPresent: [])
    }

    @Test func `a change of the subject is told from one of the suite`() {
        let old = Self.report([
            "BAS-1": .pass, "BAS-2": .pass, "TTL-5": .pass, "OLD-1": .pass, "LIN-1": .pass, "LIN-2": .pass,
        ])
        let new = Self.report(
            [
                "BAS-1": .pass, "BAS-2": .crashed("signal"), "TTL-5": .hung("late"), "NEW-1": .pass,
                "LIN-2": .inconclusive("the time limit"),
            ],
            revisions: ["TTL-5": 2])
        let comparison = ConformanceComparison(from: old, to: new) { $0 != "OLD-1" }
        #expect(comparison.subject.map(\.description) == ["BAS-2: pass → crashed"])
        #expect(
            comparison.suite.map(\.description) == [
                "TTL-5: pass (revision 1) → hung (revision 2)", "NEW-1: not asked → pass",
                "OLD-1: pass → no such check any more",
            ])
        #expect(comparison.remarks == ["Without an answer now, and not compared: 1 of 5."])
    }

    @Test func `a failure that another explains now is no change of the subject`() throws {
        let failure = CheckFailure(
            seed: 1, dueTo: "core", observed: "1", permitted: "0", program: nil, steps: [])
        let old = Self.report(["STA-2": .fail(failure), "STA-3": .fail(failure)], revisions: ["STA-2": 2, "STA-3": 2])
        let new = try ConformanceSuite.cache.limited(to: ["STA-2", "STA-3"]).run(
            onSubjectNamed: "y", seed: 2, progress: { _ in }, ask: { CheckAnswer($0, endedWith: .fail(failure)) })
        #expect(new.results[1].blockedBy == "STA-2")
        let comparison = ConformanceComparison(from: old, to: new) { _ in true }
        #expect(comparison.subject.isEmpty && comparison.suite.isEmpty && comparison.remarks.count == 2)
    }

    @Test func `a report is read as it was written and is what its schema says, and an old one has revision 1`() throws
    {
        let suite = try ConformanceSuite.storage.limited(to: ["BAS-1", "BAS-3", "BAS-9", "CLR-1"])
        let failure = try #require(suite.checks[1].run(on: ReferenceStorage.subject("M1")).failure)
        var report = suite.run(onSubjectNamed: "x", seed: 1, progress: { _ in }) { check in
            CheckAnswer(check, endedWith: ["BAS-3", "BAS-9"].contains(check.id) ? .fail(failure) : .pass)
        }
        (report.profile, report.title) = (.core, "a cache")
        report.results[1].known = "a reason"
        #expect(report.failures.map(\.id) == ["BAS-3"] && report.results.contains { $0.blockedBy == "BAS-3" })
        #expect(report.suiteVersion == ConformanceSuite.version && report.calledName == "a cache")
        let data = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(ConformanceReport.self, from: data) == report)
        #expect(try SchemaCheck("conformance").problems(in: String(decoding: data, as: UTF8.self)).isEmpty)
        // As the first versions of the suite wrote it.
        var old = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        old["suiteVersion"] = nil
        old["results"] = (old["results"] as? [[String: Any]])?.map { line in line.filter { $0.key != "revision" } }
        let read = try JSONDecoder().decode(ConformanceReport.self, from: JSONSerialization.data(withJSONObject: old))
        #expect(read.results.allSatisfy { $0.revision == 1 } && read.suiteVersion == nil)
    }
}
