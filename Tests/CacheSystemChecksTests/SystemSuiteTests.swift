import CacheConformance
import CacheCore
import CachePolicies
import CacheStorage
import CacheSystemChecks
import Foundation
import Testing
import _CacheTestSupport

@Suite("Every system keeps its promises; as it was shipped it is found out")
struct SystemSuiteTests {
    static let systems = BuiltinSystems.all(policies: BuiltinPolicies.all, backends: BuiltinStorage.all)

    @Test(arguments: systems.map(\.name))
    func `the fixed version passes every check that is due`(_ name: String) async throws {
        let system = try #require(Self.systems.first { $0.name == name })
        let report = await onThread { system.suite.run(on: system.fixed) }
        for result in report.results where result.outcome.isNegative {
            Issue.record("\(result.id) \(result.assertion): \(result.outcome.detail ?? "")")
        }
        for check in system.checks {
            let result = try #require(report.results.first { $0.id == check.id })
            #expect(result.outcome == .pass, "\(check.id) \(result.outcome.detail ?? "")")
        }
        #expect(report.results.count { $0.outcome == .pass } > 50)
    }

    @Test(arguments: systems.flatMap { system in system.defects.map { [system.name, $0.summary] } })
    func `each documented defect is noticed by the check that is named for it`(_ defect: [String]) async throws {
        let system = try #require(Self.systems.first { $0.name == defect[0] })
        let named = try #require(system.defects.first { $0.summary == defect[1] }).check
        let check = try #require(system.suite.check(named))
        let outcome = await onThread { check.run(on: system.asShipped).outcome }
        guard case .fail(let failure) = outcome else {
            Issue.record("\(named) on \(system.asShipped.name): \(outcome.name) \(outcome.detail ?? "")")
            return
        }
        #expect(!failure.observed.contains("unsupported"), "the question was not put")
    }

    @Test func `each defect names a check of its system, and no two are told alike`() {
        for system in Self.systems {
            #expect(Set(system.defects.map(\.check)).isSubset(of: Set(system.suite.checks.map(\.id))))
            #expect(Set(system.defects.map(\.summary)).count == system.defects.count)
        }
    }

    @Test func `ids of checks are given once, and not taken from the shared ones`() {
        let ids = ConformanceSuite.cache.checks.map(\.id) + BuiltinSystems.checks.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func `a check of a system is blocked for a subject of another kind`() throws {
        let check = try #require(BuiltinSystems.checks.first)
        guard case .blocked = check.run(on: StorageSubject(DictionaryStorage.self)).outcome else {
            Issue.record("it was not")
            return
        }
    }
}
