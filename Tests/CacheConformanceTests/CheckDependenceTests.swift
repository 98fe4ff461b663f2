import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("One fault is one failure")
struct CheckDependenceTests {
    private static let catalogue = CheckCatalogue.everyBuiltin
    private static let a = Array("a".utf8)

    private static func failure(
        _ program: [CacheOperation]?, _ observed: String = "1", _ permitted: String = "0"
    )
        -> CheckFailure
    {
        CheckFailure(
            seed: 1, dueTo: "core", observed: observed, permitted: permitted, program: program.map { Program($0) },
            steps: [])
    }

    /// What a suite of these checks reports of a subject with these answers; what has none passes.
    private static func report(
        _ answers: [String: CheckFailure], limitedTo names: [String]? = nil, crashed: Set<String> = [],
        asked: (String) -> Void = { _ in }
    ) throws -> ConformanceReport {
        let suite = try names.map { try ConformanceSuite.cache.limited(to: $0) } ?? .cache
        return suite.run(onSubjectNamed: "x", seed: 1, progress: { asked($0.id) }) { check in
            if crashed.contains(check.id) { return CheckAnswer(check, endedWith: .crashed("signal 6")) }
            return CheckAnswer(check, endedWith: answers[check.id].map { .fail($0) } ?? .pass)
        }
    }

    @Test func `what a check builds on exists, and no check builds on itself in a circle`() throws {
        var done: Set<String> = []
        func visit(_ id: String, _ way: [String]) throws {
            guard !way.contains(id) else { return #expect(Bool(false), "\(way) → \(id)") }
            guard done.insert(id).inserted else { return }
            let check = try #require(Self.catalogue.check(id), "\(way) names \(id)")
            for other in Self.catalogue.explanations(of: check) { try visit(other, way + [id]) }
        }
        for check in Self.catalogue.checks { try visit(check.id, []) }
        let order = Self.catalogue.inOrderOfDependence.map(\.id)
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        for check in Self.catalogue.checks {
            for other in Self.catalogue.explanations(of: check) { #expect(places[other]! < places[check.id]!) }
        }
    }

    @Test func `a counter that is wrong fails one check, and blocks those that meet the same`() throws {
        var asked: [String] = []
        let looks = Self.failure([.contains(Self.a), .statistics], "1 misses", "0 misses")
        let bulk = Self.failure([.getMany([Self.a]), .statistics], "0 misses", "1 misses")
        let report = try Self.report(
            ["STA-2": looks, "STA-8": looks, "STA-5": bulk, "CAP-1": looks], asked: { asked.append($0) })
        #expect(report.failures.map(\.id) == ["STA-2", "STA-5"], "that a bulk read is not counted is another fault")
        #expect(report.results.filter { $0.blockedBy == "STA-2" }.map(\.id) == ["CAP-1", "STA-8"])
        #expect(report.results.map(\.id) == ConformanceSuite.cache.checks.map(\.id), "in the order of the catalogue")
        #expect(asked.firstIndex(of: "STA-2")! < asked.firstIndex(of: "CAP-1")!)
        let blocked = try #require(report.results.first { $0.id == "STA-8" })
        #expect(blocked.outcome.name == "blocked" && blocked.outcome.detail?.hasPrefix("by STA-2") == true)
        #expect(blocked.failure == looks, "how it failed is kept")
        #expect(
            report.likelyCauses.map(\.checks) == [["STA-2"], ["STA-5"]]
                && report.likelyCauses[0].blocked == ["CAP-1", "STA-8"])
    }

    @Test func `what was limited away blocks nothing, and neither does what shows in another way`() throws {
        let looks = Self.failure([.contains(Self.a), .statistics])
        #expect(
            try Self.report(["STA-2": looks, "STA-8": looks], limitedTo: ["STA-8"]).failures.map(\.id) == ["STA-8"])
        let crash = try Self.report(["STA-2": looks], crashed: ["STA-8"])
        #expect(crash.failures.map(\.id) == ["STA-2", "STA-8"], "a wrong number explains no crash")
        let thrown = Self.failure([.contains(Self.a), .statistics], "threw inputOutput: division by zero")
        #expect(try Self.report(["STA-2": looks, "STA-8": thrown]).failures.count == 2)
    }

    @Test func `of a chain the failure at its beginning is named`() throws {
        let stays = Self.failure([.put(Self.a, value(1)), .removeAll, .remove(Self.a)], "true", "false")
        let report = try Self.report(["BAS-5": stays, "BAS-13": stays, "BAS-11": stays])
        #expect(report.failures.map(\.id) == ["BAS-5"])
        #expect(report.results.compactMap(\.blockedBy) == ["BAS-5", "BAS-5"])
    }

    /// The recorded failures of public caches, and how many faults `Reports/conformance/README.md` tells behind them.
    @Test(
        arguments: [
            ("cacheout-lru", ["TTL-9", "TTL-10", "EVT-3", "STA-2", "STA-5"], 8),
            ("cashews-memory", ["TTL-2", "TTL-13"], 8), ("django-locmem", ["TTL-2", "CAP-5"], 6),
            ("ccache", ["TTL-10", "LDR-11"], 5), ("dogpile-memory", ["LDR-11"], 5),
            ("expiring-dict", ["TTL-2"], 5), ("hyperoslo-memory", ["TTL-1", "CAP-11", "CAP-13"], 5),
            ("cachetools-lru", [], 0),
        ] as [(String, [String], Int)])
    func `the failures of a public cache are as many as its faults`(name: String, faults: [String], failures: Int)
        throws
    {
        let file = SharedFolder.packageRoot.appending(path: "Reports/conformance/\(name).json")
        let recorded = try JSONDecoder().decode(ConformanceReport.self, from: Data(contentsOf: file))
        let all = recorded.results.filter {
            ConformanceSuite.cache.check($0.id) != nil && ($0.failure != nil || $0.outcome.isNegative)
        }
        let answers = Dictionary(uniqueKeysWithValues: recorded.results.map { ($0.id, $0) })
        let report = ConformanceSuite.cache.run(onSubjectNamed: name, seed: 1, progress: { _ in }) { check in
            guard let result = answers[check.id] else { return CheckAnswer(check, endedWith: .pass) }
            // As it had failed before the report said what explains it.
            if result.blockedBy != nil, let failure = result.failure {
                return CheckAnswer(check, endedWith: .fail(failure))
            }
            return CheckAnswer(result)
        }
        #expect(report.failures.map(\.id) == faults)
        #expect(all.count >= failures && report.results.count { $0.blockedBy != nil } == all.count - faults.count)
    }

    /// SQL that a key ends stood behind keys with NUL (requests-cache): both are errors of one code.
    @Test func `an error in other words is a failure and a cause of its own`() throws {
        let nul = Self.failure([.get([0])], "threw inputOutput: ProgrammingError: the query contains a null character")
        let quote = Self.failure([.get([0x27])], "threw inputOutput: OperationalError: unrecognized token: 'x'")
        let both = try Self.report(["PER-1": nul, "KEY-3": quote])
        #expect(Set(both.failures.map(\.id)) == ["PER-1", "KEY-3"])
        #expect(both.likelyCauses.count == 2)
        #expect(try Self.report(["PER-1": nul, "KEY-3": nul]).failures.map(\.id) == ["PER-1"])
    }

    @Test func `causes without a program have the words that were seen`() throws {
        let report = try Self.report(["CAP-24": Self.failure(nil, "in 3 of 8 runs: 9 found", "at most 8")])
        #expect(report.likelyCauses.map(\.title) == ["In 3 of 8 runs: 9 found"])
    }

    @Test func `failures that ask the same and see the same stand together, with the shortest program first`() throws {
        let dead = CacheOperation.put(Self.a, value(1), terms: PutTerms(timeToLiveNanoseconds: 0))
        let short = Self.failure([dead, .get(Self.a)], "value 1 (32 bytes)", "nil")
        let long = Self.failure([dead, .pin(Self.a), .get(Self.a)], "value 7 (4 bytes)", "nil")
        let other = Self.failure([.remove(Self.a), .get(Self.a)], "value 1 (32 bytes)", "nil")
        let report = try Self.report(["CAP-12": long, "TTL-9": short, "GRP-5": other])
        #expect(report.likelyCauses.map(\.checks) == [["TTL-9", "CAP-12"], ["GRP-5"]])
        #expect(report.likelyCauses[0].title == "get after end, put, timeToLive: a value instead of nothing")
        let hung = try Self.report([:], crashed: ["LIN-2", "LIN-4", "EVT-10"])
        #expect(hung.likelyCauses.map(\.checks) == [["EVT-10", "LIN-2", "LIN-4"]])
    }
}
