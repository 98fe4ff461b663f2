import CacheConformance
import CacheMutants
import Testing

/// The check of the checks of policies: each must notice a policy that is wrong in the way it is about.
@Suite("Mutants of a policy")
struct PolicyMutantTests {
    @Test(arguments: PolicyMutant.allCases)
    func `each mutant is killed by the check that is named for it, with a short reproducer`(mutant: PolicyMutant) throws
    {
        let check = try #require(ConformanceSuite.policy.check(mutant.killer))
        guard case .fail(let failure) = check.run(on: mutant.subject).outcome else {
            Issue.record("\(check.id) does not fail on a policy that \(mutant.rawValue)")
            return
        }
        #expect(!failure.steps.isEmpty && failure.steps.count <= 20, "\(failure)")
    }

    @Test(arguments: ConformanceSuite.policy.checks)
    func `each check passes on the sound policy`(check: Check) {
        for seed in UInt64(0)..<5 { #expect(check.run(on: PolicyMutant.control, seed: seed).outcome == .pass) }
    }

    @Test func `half of all reproducers have four calls or fewer`() throws {
        let lengths = PolicyMutant.allCases.compactMap { mutant -> Int? in
            let outcome = ConformanceSuite.policy.check(mutant.killer)!.run(on: mutant.subject).outcome
            guard case .fail(let failure) = outcome else { return nil }
            // The first line opens the policy.
            return failure.steps.count - 1
        }.sorted()
        try #require(lengths.count == PolicyMutant.allCases.count)
        #expect(lengths[lengths.count / 2] <= 4, "\(lengths)")
    }

    @Test(arguments: PolicyMutant.allCases.filter { $0 != .rollsDice })
    func `equal seeds give equal results`(mutant: PolicyMutant) throws {
        let check = try #require(ConformanceSuite.policy.check(mutant.killer))
        #expect(check.run(on: mutant.subject, seed: 5) == check.run(on: mutant.subject, seed: 5))
    }
}
