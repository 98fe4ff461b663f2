import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("Fuzzed reports of conformance", .serialized)
struct ConformanceReportFuzzTests {
    @Test func `whatever a file holds is a report whose reproducers can be written, or an error`() throws {
        let suite = try ConformanceSuite.storage.limited(to: ["BAS-3", "BAS-11", "CLR-1"])
        let report = suite.run(on: ReferenceStorage.subject("M1"))
        #expect(report.failures.contains { $0.failure?.program != nil })
        let words = [
            #""bytes":9007199254740992"#, #""outcome":"crashed""#, #""amount":-1"#, #""operation":"advance""#, "null",
            "[", "{",
        ]
        try Fuzzer("conformance", samples: [Array(JSONEncoder().encode(report))], fragments: words).run { bytes in
            let report = try JSONDecoder().decode(ConformanceReport.self, from: Data(bytes))
            _ = (report.score, report.claimedFraction)
            for failure in report.failures.compactMap(\.failure) {
                for form in CheckFailure.Reproducer.allCases { _ = failure.text(reproducer: form) }
            }
        }
    }
}
