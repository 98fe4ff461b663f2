import CacheConformance
import CacheCore
import Testing

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

    @Test func `the score stands beside the claimed fraction and unclaimed strengths are told`() throws {
        let modest = StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20, retains: false, iterates: false)
        let report = ConformanceSuite.storage.run(on: Mutants.subject(nil, claims: modest))
        #expect(report.score == 1)
        #expect(report.claimedFraction < 0.6)
        #expect(report.unclaimedButPresent.contains("BAS-2 passes although retains is not claimed"))
        #expect(report.unclaimedButPresent.contains("ITR-1 passes although iterates is not claimed"))
        #expect(report.results.map(\.id) == checks.map(\.id))
    }

    @Test func `what a cache does not have at all is not called present`() throws {
        let tiers = try #require(ConformanceSuite.cache.check("TIR-10"))
        let answer = tiers.answer(of: MyCache(), seed: 1)
        #expect(answer.result.outcome.name == "not claimed" && !answer.isPresent)
    }

    @Test func `a subject that cannot be opened fails every check`() throws {
        let subject = StorageSubject(name: "shut", needsDirectory: false) { (_) throws(StorageError) in
            throw StorageError(.unavailable, "shut")
        }
        #expect(throws: ConformanceFailure.self) { try checks[0].require(on: subject) }
        #expect(checks.allSatisfy { $0.run(on: subject).outcome.name == "fail" })
    }
}
