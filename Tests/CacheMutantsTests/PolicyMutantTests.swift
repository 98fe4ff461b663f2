import CacheConformance
import CacheMutants
import Testing

@Suite("The sound policy and mutants of it")
struct PolicyMutantTests {
    @Test(arguments: ConformanceSuite.policy.checks)
    func `each check passes on the sound policy`(check: Check) {
        for seed in UInt64(0)..<5 { #expect(check.run(on: PolicySubject.soundFIFO, seed: seed).outcome == .pass) }
    }

    /// All but the one that draws random numbers of the system's.
    @Test(arguments: Mutation.all.filter { $0.operator == .policy && $0.id != "PLC:rollsDice" })
    func `equal seeds give equal results`(mutation: Mutation) throws {
        let check = try #require(ConformanceSuite.policy.check(mutation.checks[0]))
        let subject = mutation.subject(policies: [])
        #expect(check.run(on: subject, seed: 5) == check.run(on: subject, seed: 5))
    }
}
