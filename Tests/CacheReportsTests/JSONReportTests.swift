import CacheCore
import Foundation
import Testing

@testable import CacheReports

@Suite("JSON report")
struct JSONReportTests {
    @Test("What was written is read back whole")
    func roundTrip() throws {
        let results = SampleResults.make()
        let text = try JSONReport.render(results)
        #expect(try JSONReport.decode(Data(text.utf8), from: "results.json") as? RunResults == results)
        #expect(text.hasSuffix("}\n"))
    }

    @Test("Equal results give equal text with sorted keys")
    func stable() throws {
        let text = try JSONReport.render(SmallResults.make())
        #expect(try JSONReport.render(SmallResults.make()) == text)
        let keys = text.split(separator: "\n").filter { $0.hasPrefix("  \"") }.compactMap {
            $0.split(separator: "\"").dropFirst().first
        }
        #expect(keys == keys.sorted())
        #expect(keys.contains("durationSeconds"))
    }

    @Test(
        "A file of another kind, a newer one and a damaged one are bad input that names the fix",
        arguments: [
            ("hits,misses\n1,2\n", "results.json that 'assay run' wrote"),
            ("", "not JSON"),
            ("{\"schemaVersion\": 1", "not JSON"),
            ("{}", "no results"),
            ("[1, 2]", "no results"),
            ("{\"schemaVersion\": \"1\"}", "no results"),
            ("{\"schemaVersion\": 2, \"comparedCells\": 3}", "a gate's verdict"),
            ("{\"schemaVersion\": 99}", "update this one"),
            ("{\"schemaVersion\": 1, \"cells\": [{}], \"environment\": {}, \"commandLine\": []}", "damaged"),
        ])
    func badInput(_ text: String, _ expected: String) {
        let error = #expect(throws: AssayError.self) { try JSONReport.decode(Data(text.utf8), from: "x.json") }
        #expect(error?.code == .badInput)
        #expect(error?.location?.source == "x.json")
        #expect(error?.message.contains(expected) == true)
    }

    @Test("A damaged figure is named by its place")
    func place() throws {
        let text = try JSONReport.render(SmallResults.make()).replacing("\"hits\" : 375", with: "\"hits\" : \"many\"")
        let error = #expect(throws: AssayError.self) { try JSONReport.decode(Data(text.utf8), from: "x.json") }
        #expect(error?.cause?.contains("cells[1].counts.hits") == true)
    }

    @Test("A file that is not there is an input/output error")
    func missing() {
        let error = #expect(throws: AssayError.self) { try JSONReport.read(from: "/nonexistent/results.json") }
        #expect(error?.code == .inputOutput)
    }

    @Test("A figure that is not finite is refused rather than written")
    func notFinite() {
        var results = SmallResults.make()
        results.cells[0].requestsPerSecond = .infinity
        let error = #expect(throws: AssayError.self) { try JSONReport.render(results) }
        #expect(error?.code == .internalError)
        #expect(error?.cause?.contains("cells[0].requestsPerSecond") == true)
    }

    @Test("Results that were written before descriptions of policies existed are read")
    func olderFile() throws {
        var results = SampleResults.make()
        results.policies = nil
        results.cellsPlanned = nil
        let text = try JSONReport.render(results)
        #expect(!text.contains("cellsPlanned"))
        #expect(try JSONReport.decode(Data(text.utf8), from: "results.json") as? RunResults == results)
    }
}
