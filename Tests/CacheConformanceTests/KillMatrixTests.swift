import CacheConformance
import CacheCore
import Foundation
import Testing

/// The check of the checks: each one must catch a store that is wrong in the way it is about.
@Suite("Kill matrix")
struct KillMatrixTests {
    @Test(arguments: Bug.allCases)
    func `each bug is caught by its check with a short reproducer`(bug: Bug) throws {
        let check = try #require(ConformanceSuite.storage.check(bug.killer))
        let result = try AsOrdinaryUser.run(if: bug == .tornWhenReadOnly) {
            check.run(on: Mutants.subject(bug), seed: 1)
        }
        guard case .fail(let failure) = result.outcome else {
            Issue.record("\(check.id) says \(result.outcome) of \(bug)")
            return
        }
        if let program = failure.program {
            #expect(program.operations.count <= 6, "\(program)")
        } else {
            #expect(!failure.steps.isEmpty)
        }
    }

    @Test func `half of all reproducers have four operations or fewer`() throws {
        let lengths = Bug.allCases.filter { $0 != .tornWhenReadOnly }.compactMap { bug -> Int? in
            let check = ConformanceSuite.storage.check(bug.killer)!
            guard case .fail(let failure) = check.run(on: Mutants.subject(bug), seed: 3).outcome else { return nil }
            return failure.program?.operations.count
        }.sorted()
        try #require(lengths.count > 50)
        #expect(lengths[lengths.count / 2] <= 4)
    }

    @Test func `a reproducer fails again when it is run from its JSON`() throws {
        let check = try #require(ConformanceSuite.storage.check("BAS-3"))
        let result = check.run(on: Mutants.subject(.keepsFirst), seed: 1)
        let copy = try JSONDecoder().decode(CheckResult.self, from: JSONEncoder().encode(result))
        #expect(copy == result)
        guard case .fail(let failure) = copy.outcome, let program = failure.program else {
            Issue.record("no reproducer in \(copy)")
            return
        }
        #expect(program.operations.count == 3)
        #expect(program.swiftSource.hasPrefix("var store = try open()\ntry store.put("))
    }
}
