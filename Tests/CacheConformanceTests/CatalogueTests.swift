import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

/// The catalogue is a document that others cite: its ids and words are held to a form.
@Suite("Catalogue")
struct CatalogueTests {
    let checks = ConformanceSuite.storage.checks

    @Test func `ids are unique and in the order of their sections`() {
        #expect(Set(checks.map(\.id)).count == checks.count)
        let starts = zip([""] + checks.map(\.section), checks.map(\.section)).filter { $0 != $1 }.map(\.1)
        #expect(ConformanceSuite.storage.sections == starts, "the checks of a section stand together")
        for section in ConformanceSuite.storage.sections {
            let numbers = checks.filter { $0.section == section }.compactMap {
                Int($0.id.drop { $0 != "-" }.dropFirst())
            }
            #expect(numbers == numbers.sorted())
        }
    }

    @Test(arguments: ConformanceSuite.cache.checks + ConformanceSuite.policy.checks)
    func `each check says what it asserts and why`(check: Check) {
        #expect(check.assertion.hasSuffix("."))
        #expect(check.explanation.count > 40)
        #expect(check.explanation.hasSuffix("."))
        #expect(!check.explanation.contains("  "), "its lines are not joined")
        #expect((check.kind == .claimed) == !check.claims.isEmpty || [.survey, .optimal].contains(check.kind))
    }

    @Test func `an unknown section is a usage error with a suggestion`() throws {
        let error = #expect(throws: AssayError.self) { try ConformanceSuite.storage.limited(to: ["keys"]) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("'KEY'") == true)
        #expect(try ConformanceSuite.storage.limited(to: ["key", "BAS"]).sections == ["BAS", "KEY"])
        #expect(try ConformanceSuite.storage.limited(to: ["key-2", "KEY-1"]).checks.map(\.id) == ["KEY-1", "KEY-2"])
    }

    /// An id cited in a report of today must mean the same tomorrow, or say that it does not.
    @Test func `a check that asks something else has another revision, and the suite another version`() throws {
        let file = SharedFolder.packageRoot.appending(path: "Tests/golden/conformance/checks.txt")
        let golden = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let now = CheckCatalogue.meanings(.init(name: "all", checks: CheckCatalogue.everyBuiltin.checks))
        func parts(_ text: String) -> [String: [Substring]] {
            let lines = text.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
            return Dictionary(lines.map { (String($0[0]), $0) }) { first, _ in first }
        }
        var changed: [String] = []
        for (id, old) in parts(golden) {
            if let new = parts(now)[id], new[2] != old[2], new[1] == old[1] { changed.append(id) }
        }
        #expect(changed.isEmpty, "these ask something else and have the revision they had: raise it")
        guard golden != now else { return }
        let isRaised = golden.prefix { $0 != "\n" } != now.prefix { $0 != "\n" }
        #expect(isRaised, "the catalogue differs: raise ConformanceSuite.version")
        if changed.isEmpty, isRaised, ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] != nil {
            try Data(now.utf8).write(to: file)
        } else {
            Issue.record("\(file.lastPathComponent) is of another catalogue; ASSAY_UPDATE_GOLDEN=1 writes it anew")
        }
    }

    @Test func `the page of checks is the one that is written today`() throws {
        let file = SharedFolder.packageRoot.appending(path: "docs/checks.md")
        let page = CheckCatalogue.markdown(CheckCatalogue.everyBuiltin)
        if ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] != nil { try Data(page.utf8).write(to: file) }
        let isCurrent = try String(contentsOf: file, encoding: .utf8) == page
        #expect(isCurrent, "write it anew: assay conform --list --markdown > docs/checks.md")
    }

    @Test func `a profile contains the smaller ones, and the core is a fraction of the whole`() throws {
        let sizes = Check.Profile.allCases.map { ConformanceSuite.cache.limited(to: $0).checks.count }
        #expect(sizes == sizes.sorted() && sizes.last == ConformanceSuite.cache.checks.count)
        #expect((60...100).contains(sizes[0]), "\(sizes[0])")
        for section in ["BAS", "TTL", "CAP", "STA", "LIN"] {
            #expect(ConformanceSuite.cache.limited(to: .core).sections.contains(section))
        }
        #expect(CheckCatalogue.everyBuiltin.sections.allSatisfy { CheckCatalogue.sectionTitles[$0] != nil })
    }

    @Test func `what is skipped is not asked, and an unknown name is refused`() throws {
        let suite = ConformanceSuite.storage
        let rest = suite.without(try suite.known(["bas", "KEY-2"]))
        #expect(rest.checks.count == suite.checks.count - 14 && rest.check("KEY-2") == nil)
        let error = #expect(throws: AssayError.self) { try suite.known(["KEY-22"]) }
        #expect(error?.code == .usage && error?.message.contains("Did you mean 'KEY-2'?") == true)
    }

    @Test func `the score stands beside the claimed fraction and unclaimed strengths are told`() throws {
        let modest = StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1, retains: false, iterates: false)
        let report = ConformanceSuite.storage.run(on: ReferenceStorage.subject(claims: modest))
        #expect(report.score == 1)
        #expect(try #require(report.claimedFraction) < 0.6)
        #expect(report.unclaimedButPresent.contains("BAS-2 passes although retains is not claimed"))
        #expect(report.unclaimedButPresent.contains("ITR-1 passes although iterates is not claimed"))
        #expect(report.results.map(\.id) == checks.map(\.id))
    }

    /// A plain LRU was told that it seems to refresh, since it passed the one of four checks that a cache without refreshing keeps.
    @Test func `a claim seems to be kept where no check of it is denied`() {
        let suite = ConformanceSuite(name: "two", checks: Array(checks.prefix(2)))
        func told(_ second: Bool?, claim: String = "x") -> [String] {
            suite.run(onSubjectNamed: "plain", seed: 1, progress: { _ in }) { check in
                let isFirst = check.id == suite.checks[0].id
                return CheckAnswer(
                    CheckResult(check, .notClaimed([isFirst ? "x" : claim])), isPresent: isFirst ? true : second)
            }.unclaimedButPresent
        }
        let first = "\(suite.checks[0].id) passes although x is not claimed"
        #expect(told(false) == [] && told(nil) == [first] && told(false, claim: "y") == [first])
        #expect(told(true).count == 2)
    }

    /// "The cache seems to do it" was said of a cache that loses everything when it is closed: nothing of what had made room came back.
    @Test(arguments: [CheckOutcome.pass, .crashed("it ended")])
    func `a claim seems to be kept where what its check builds on is`(_ outcome: CheckOutcome) throws {
        let suite = try ConformanceSuite.cache.limited(to: ["CAP-1", "CAP-16"])
        let told = suite.run(onSubjectNamed: "plain", seed: 1, progress: { _ in }) { check in
            guard check.id == "CAP-16" else { return CheckAnswer(check, endedWith: outcome) }
            return CheckAnswer(CheckResult(check, .notClaimed(["expiredFirst"])), isPresent: true)
        }.unclaimedButPresent
        #expect(told.isEmpty == (outcome != .pass))
    }

    /// `--time-limit` ended a run after 40 of 104 checks, and it read "claimed fraction 100 %".
    @Test func `what was not asked counts neither as claimed nor as not claimed`() throws {
        let suite = ConformanceSuite(name: "four", checks: Array(checks.prefix(4)))
        func report(_ outcomes: [CheckOutcome]) -> ConformanceReport {
            suite.run(onSubjectNamed: "late", seed: 1, progress: { _ in }) { check in
                CheckAnswer(check, endedWith: outcomes[suite.checks.firstIndex { $0.id == check.id }!])
            }
        }
        let half = report([.pass, .notClaimed(["retains"]), .notAsked, .notAsked])
        #expect(half.claimedFraction == 0.5 && half.notAsked == 2)
        let none = report(Array(repeating: .notAsked, count: 4))
        #expect(none.claimedFraction == nil && none.notAsked == 4)
        let load = try #require(ConformanceSuite.cache.check("LDR-1"))
        #expect(load.unasked(nil) == .notAsked)
        #expect(load.unasked(Claims()).name == "not claimed")
    }

    @Test func `what a cache does not have at all is not called present`() throws {
        let tiers = try #require(ConformanceSuite.cache.check("TIR-10"))
        let answer = tiers.answer(of: MyCache(), seed: 1)
        #expect(answer.result.outcome.name == "not claimed" && answer.isPresent != true)
    }

    @Test func `a subject that cannot be opened fails every check`() throws {
        let subject = StorageSubject(name: "shut", needsDirectory: false) { (_) throws(StoreError) in
            throw StoreError(.unavailable, "shut")
        }
        #expect(throws: ConformanceFailure.self) { try checks[0].require(on: subject) }
        #expect(checks.allSatisfy { $0.run(on: subject).outcome.name == "fail" })
    }
}
