import CacheConformance
import CacheMutants
import CachePolicies
import Foundation
import Testing

/// The check of the checks of caches: each must notice a cache that is wrong in the way it is about.
@Suite("Mutants of the reference cache")
struct MutantTests {
    /// Those that need a process of their own are killed by `assay conform`: FaultCommandTests.
    @Test(arguments: Mutant.allCases.filter { !$0.needsReadyProcess })
    func `each mutant is killed by the check that the catalogue names, with a short reproducer`(
        mutant: Mutant
    ) throws {
        let check = try #require(ConformanceSuite.cache.check(mutant.killer))
        let subject = ReferenceSubject(mutant, policies: BuiltinPolicies.all)
        // One that gets stuck says that its process was ended, which is no failure but as bad.
        let result = check.run(on: subject, seed: 1)
        guard let failure = result.failure else {
            Issue.record("\(check.id) says \(result.outcome) of \(mutant)")
            return
        }
        #expect(failure.program.map { $0.operations.count <= 10 } ?? !failure.steps.isEmpty, "\(failure)")
    }

    @Test(arguments: ["TTL-10", "CAP-5"])
    func `no mutant ends the process over the greatest time to live or capacity`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        for mutant in Mutant.allCases {
            let outcome = check.run(on: ReferenceSubject(mutant, policies: BuiltinPolicies.all)).outcome
            #expect(["pass", "fail", "blocked"].contains(outcome.name), "\(mutant): \(outcome)")
        }
    }

    @Test func `half of all reproducers have four operations or fewer`() throws {
        let lengths = Mutant.allCases.compactMap { mutant -> Int? in
            let run = MutantRun(
                checks: ConformanceSuite.cache.checks.filter { $0.id == mutant.killer }, policies: BuiltinPolicies.all)
            return run.row(mutant).operations
        }.sorted()
        try #require(lengths.count > 60)
        #expect(lengths[lengths.count / 2] <= 4, "\(lengths)")
    }

    @Test func `a reproducer of a feature fails again from its JSON`() throws {
        for mutant in [Mutant.inheritsDeadline, .groupClearsAll, .staleLoad, .evictsNewest, .comparesNothing] {
            let check = try #require(ConformanceSuite.cache.check(mutant.killer))
            let result = check.run(on: ReferenceSubject(mutant, policies: BuiltinPolicies.all))
            let copy = try JSONDecoder().decode(CheckResult.self, from: JSONEncoder().encode(result))
            #expect(copy == result)
            guard case .fail(let failure) = copy.outcome else { continue }
            #expect(failure.program?.swiftSource.contains("perform(") == true)
        }
    }
}
