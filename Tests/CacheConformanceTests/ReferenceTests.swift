import CacheConformance
import CacheCore
import CacheMutants
import Testing

/// No false alarms: stores that keep their promises pass, whatever the promises.
@Suite("The reference as a store")
struct ReferenceTests {
    static let seeded = ConformanceSuite.storage.checks.filter { ["BAS-11", "BAS-12", "VAL-8"].contains($0.id) }

    static let volatile = StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20)

    @Test(arguments: ConformanceSuite.storage.checks)
    func `the reference passes every check that is due`(check: Check) {
        let outcome = check.run(on: ReferenceStorage.subject(), seed: 11).outcome
        if check.kind == .survey {
            guard case .recorded = outcome else { Issue.record("\(outcome)"); return }
        } else if case .notClaimed = outcome {
            // What asks for something that stores do not claim, or for several threads: the reference cache claims it.
        } else if check.id != "PER-11" {
            #expect(outcome == .pass)
        }
    }

    @Test func `the reference reads from a read-only directory`() throws {
        let check = try #require(ConformanceSuite.storage.check("PER-11"))
        let result = try AsOrdinaryUser.run { check.run(on: ReferenceStorage.subject()) }
        #expect(result.outcome == .pass)
    }

    @Test(arguments: 0..<8)
    func `random checks raise no false alarm with 200 seeds`(part: Int) {
        for seed in UInt64(part * 25)..<UInt64(part * 25 + 25) {
            for check in Self.seeded {
                let outcome = check.run(on: ReferenceStorage.subject(claims: Self.volatile), seed: seed).outcome
                #expect(outcome == .pass, "\(check.id) with seed \(seed)")
            }
        }
    }

    @Test func `many seeds are asked until one is not passed, and of what draws nothing one alone`() throws {
        func seeds(
            _ id: String, failing failure: UInt64? = nil, undecided: Set<UInt64> = []
        ) throws -> (asked: [UInt64], outcome: CheckOutcome) {
            let check = try #require(ConformanceSuite.storage.check(id))
            var asked: [UInt64] = []
            let answer = check.answer(fromSeed: 5, count: 4) { seed in
                asked.append(seed)
                var answer = check.answer(of: ReferenceStorage.subject(seed == failure ? "M1" : nil), seed: seed)
                if undecided.contains(seed) {
                    answer = CheckAnswer(check, endedWith: .inconclusive("seed \(seed)"))
                    answer.isRandom = true
                }
                return answer
            }
            return (asked, answer.result.outcome)
        }
        #expect(try seeds("BAS-11").asked == [5, 6, 7, 8])
        #expect(try seeds("BAS-11", failing: 6).asked == [5, 6])
        #expect(try seeds("BAS-1").asked == [5])
        let undecided = try seeds("BAS-11", undecided: [6, 8])
        #expect(undecided.asked == [5, 6, 7, 8] && undecided.outcome == .inconclusive("seed 6"))
        #expect(try seeds("BAS-11", undecided: [6]).outcome == .pass)
        let failed = try seeds("BAS-11", failing: 7, undecided: [5])
        #expect(failed.asked == [5, 6, 7] && failed.outcome.name == "fail")
    }

    @Test(arguments: ["BAS-1", "BAS-4", "KEY-3", "CLR-1"])
    func `a check without its witness is blocked and not passed`(id: String) throws {
        let check = try #require(ConformanceSuite.storage.check(id))
        let outcome = check.run(on: HarmlessCache.Subject(.neverStores)).outcome
        #expect(outcome.name == "blocked")
    }

    /// What threads do differs from run to run.
    @Test(
        arguments: ConformanceSuite.storage.checks.filter {
            ["BAS", "VAL", "CLR", "ITR"].contains($0.section) && !$0.claims.contains(.concurrent)
        })
    func `equal seeds give equal results`(check: Check) {
        let mutants = ["M1", "M3", "M9", "M70", "M68"].map { ReferenceStorage.subject($0, claims: Self.volatile) }
        for subject in mutants + [ReferenceStorage.subject()] {
            #expect(check.run(on: subject, seed: 5) == check.run(on: subject, seed: 5))
        }
    }
}
