import CacheCore
import CacheGate
import CacheReports
import Foundation
import Testing
import _CacheTestSupport

@Suite("The outputs of a gate")
struct GateOutputTests {
    private static let golden = SharedFolder.packageRoot.appending(path: "Tests/golden/gate")

    @Test(arguments: GateOutput.all.map(\.name))
    func `every output is as its golden file`(_ name: String) throws {
        let text = GateOutput.named(name).render(SampleOutcomes.mixed)
        let file = Self.golden.appending(path: name)
        let golden = try? String(contentsOf: file, encoding: .utf8)
        if golden != text, ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(golden == text, "Tests/golden/gate/\(name) says something else; ASSAY_UPDATE_GOLDEN=1 writes it anew")
    }

    @Test func `nothing compared is said, and what is undecided is no pass`() {
        var outcome = GateOutcome(baseline: "a", candidate: "b", lines: [], comparedFigures: 0, comparedCells: 0)
        #expect(GateOutput.named("text").render(outcome).hasSuffix("PASS: nothing was compared\n"))
        #expect(MarkupCheck(GateOutput.named("junit").render(outcome)).named("skipped").count == 1)
        outcome.comparedFigures = 1
        outcome.comparedCells = 1
        let passes = GateOutput.named("text").render(outcome)
        #expect(passes.hasSuffix("PASS: nothing differs; 1 figure of 1 cell compared\n"))
        outcome.toleratedFigures = 1
        let moved = GateOutput.named("text").render(outcome)
        #expect(moved.contains("PASS: nothing differs by more than it may (1 figure moved);"))
        outcome.lines = [GateLine(subject: "a", place: [:], figure: "p99", verdict: .undecided, fails: false)]
        #expect(
            GateOutput.named("markdown").render(outcome).hasPrefix("### Assay gate: UNDECIDED: 1 figure undecided;"))
    }

    @Test func `values are shown with the digits that tell them apart, whatever they are`() {
        let values: [(ResultFigure.Value?, ResultFigure.Value?, String)] = [
            (.real(0.123456), .real(0.123457), "0.123456   0.123457  +1e-06 (+0.001 %)"),
            (.count(.min), .count(.max), "+1.8446744073709552e+19 (+200.00 %)"), (.count(0), .count(3), " +3"),
            (.real(1e300), .real(-.infinity), "1e+300"), (.real(.nan), .count(1), "nan"),
            (.word("passed"), .word("failed"), "passed     failed"), (nil, .count(1), "–"),
        ]
        for (before, after, expected) in values {
            let outcome = GateOutcome(
                baseline: "a", candidate: "b",
                lines: [
                    GateLine(
                        subject: "lru", place: [:], figure: "f", baseline: before, candidate: after,
                        ratioInterval: [1e300, .nan], verdict: .worse, fails: true)
                ], comparedFigures: 1, comparedCells: 1)
            let text = GateOutput.named("text").render(outcome)
            #expect(text.contains(expected), "\(text)")
            for output in GateOutput.all { #expect(output.render(outcome).hasSuffix("\n")) }
        }
    }

    @Test func `JUnit's totals add up, and a failing line is a failure`() throws {
        let xml = MarkupCheck(GateOutput.named("junit").render(SampleOutcomes.mixed))
        #expect(xml.problem == nil)
        let totals = try #require(xml.named("testsuites").first).attributes
        for (total, element) in [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")] {
            #expect(totals[total] == "\(xml.named(element).count)")
            let suites = xml.named("testsuite").compactMap { Int($0.attributes[total] ?? "") }
            #expect(suites.reduce(0, +) == xml.named(element).count)
        }
        #expect(xml.named("failure").count == SampleOutcomes.mixed.lines.count(where: \.fails))
    }

    @Test(arguments: [1, 10, 11, 500])
    func `GitHub is told of at most ten failures, the last of which sums up`(_ count: Int) {
        let lines = GateOutput.named("github").render(SampleOutcomes.failing(count)).split(separator: "\n")
        let errors = lines.filter { $0.hasPrefix("::error ") }
        #expect(errors.count == min(count, 10))
        #expect(lines.count == errors.count + 1)
        #expect((errors.last?.contains("\(count - 9) more failing cells: see") ?? false) == (count > 10))
    }

    @Test func `Markdown stays below its limit, the worst first, and says what was left out`() throws {
        for text in ["", String(repeating: "`|<\u{1F600}", count: 100)] {
            var outcome = SampleOutcomes.failing(500, text: text)
            outcome.notes = Array(repeating: "a note of many" + text, count: 500)
            outcome.lines.insert(
                GateLine(subject: "fine", place: [:], figure: "hits", verdict: .better, fails: false), at: 0)
            for (name, limit) in [("markdown", 65_536), ("summary", 1 << 20)] {
                let markdown = GateOutput.named(name).render(outcome)
                #expect(markdown.utf8.count < limit)
                #expect(markdown.hasPrefix("### Assay gate: FAIL: 500 figures worse, 1 figure better;"))
                let rows = markdown.split(separator: "\n").filter { $0.hasPrefix("| **worse**") }
                #expect(rows.count > 2)
                #expect(try #require(rows.first).contains("lru:n=0"))
                if rows.count < 500 {
                    #expect(markdown.contains("\n\(501 - rows.count) of 501 lines are left out"))
                }
            }
        }
    }

    @Test func `the JSON is what its schema says, and the check of it finds what is not`() throws {
        let schema = try SchemaCheck("gate")
        for outcome in [SampleOutcomes.mixed] + NastyNames.all.map({ SampleOutcomes.failing(2, named: $0, text: $0) }) {
            #expect(try schema.problems(in: GateOutput.named("json").render(outcome)) == [])
        }
        let good = GateOutput.named("json").render(SampleOutcomes.mixed)
        for (word, other) in [
            ("\"lines\"", "\"rows\""), ("\"worse\"", "\"bad\""), (": 2,", ": 3,"), (": 96,", ": -1,"),
            (": true", ": 1"), ("\"zipf-1.0\"", "5"), ("\"passed\"", "null"), ("0.98,", "0.98, 1,"),
        ] {
            #expect(good.contains(word))
            #expect(try schema.problems(in: good.replacing(word, with: other)) != [], "\(word) as \(other)")
        }
    }
}
