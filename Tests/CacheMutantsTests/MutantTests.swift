import CacheConformance
import CacheMutants
import CachePolicies
import Foundation
import Synchronization
import Testing

/// The check of the checks of caches: each defect must be noticed by a check that may be expected to.
@Suite("Mutants of the reference cache", .serialized)
struct MutantTests {
    private static let lengths = Mutex<[String: Int]>([:])

    /// Those that need a process of their own are noticed by `assay conform`: FaultCommandTests.
    @Test(arguments: Mutation.all.filter { !$0.needsReadyProcess })
    func `each mutant is noticed by a check that is expected to, with a short reproducer`(mutation: Mutation) {
        let row = MutantRun(policies: BuiltinPolicies.all).row(mutation)
        #expect(row.isKilledAsExpected, "\(mutation.text): \(row.survived)")
        guard let count = row.operations else { return }
        #expect(count <= 10)
        Self.lengths.withLock { $0[mutation.id] = count }
    }

    @Test func `half of all reproducers have four operations or fewer`() throws {
        let lengths = Self.lengths.withLock { $0.values.sorted() }
        try #require(lengths.count > 60)
        #expect(lengths[lengths.count / 2] <= 4, "\(lengths)")
    }

    @Test func `the table names each mutant once, checks that there are, and a source for each`() {
        let ids = Mutation.all.map(\.id)
        #expect(Set(ids).count == ids.count && ids.count <= 300)
        let checks = Set((ConformanceSuite.cache.checks + ConformanceSuite.policy.checks).map(\.id))
        for mutation in Mutation.all { #expect(checks.isSuperset(of: mutation.checks), "\(mutation.id)") }
        #expect(Set(Mutation.all.map(\.operator)) == Set(Mutation.Operator.allCases))
    }

    @Test(arguments: ["M23", "M71", "N-LDR-11", "N-POL-7", "N-CON-6"])
    func `a reproducer of a feature fails again from its JSON`(id: String) throws {
        let mutation = try #require(Mutation.named(id))
        let check = try #require(ConformanceSuite.cache.check(mutation.checks[0]))
        let result = check.run(on: mutation.subject(policies: BuiltinPolicies.all))
        let copy = try JSONDecoder().decode(CheckResult.self, from: JSONEncoder().encode(result))
        #expect(copy == result)
        #expect(try #require(copy.failure).program?.swiftSource.contains("perform(") == true)
    }
}
