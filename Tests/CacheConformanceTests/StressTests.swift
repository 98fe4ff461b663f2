import Testing

@testable import CacheConformance

@Suite("What several clients do at once")
struct StressTests {
    /// What came of a plan of one client, as on a machine on which each runs when the others are done.
    private func outcome(isOneOfMany: Bool) throws -> String {
        let check = try #require(ConformanceSuite.cache.check("LIN-1"))
        let subject = ReferenceStorage.subject()
        let context = CheckContext(
            subject: subject, claims: try subject.claims(), check: check, seed: 1,
            draws: SeedDraws(isOneOfMany: isOneOfMany))
        do throws(CheckStop) {
            try context.stress(StressPlan(clients: 1, operationsEach: 50, runs: 4), steps: [])
            return "pass"
        } catch {
            guard case .inconclusive(let reason) = error else { return "\(error)" }
            return reason
        }
    }

    @Test func `clients that never ran at once have shown nothing`() throws {
        #expect(try outcome(isOneOfMany: false).contains("too busy"))
    }

    @Test func `one run for each of many seeds need not show it every time`() throws {
        #expect(try outcome(isOneOfMany: true) == "pass")
    }
}
