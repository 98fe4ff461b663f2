import CacheCore
import CacheReports
import Testing

@Suite("JUnit and gate reports")
struct JUnitReportTests {
    @Test("A suite a trace, a case a cell, and totals that add up")
    func structure() throws {
        let xml = MarkupCheck(JUnitReport.render(verdicts()))
        #expect(xml.problem == nil)
        #expect(xml.named("testsuite").map { $0.attributes["name"] } == ["web"])
        #expect(xml.named("testcase").count == 5)
        let totals = try #require(xml.named("testsuites").first).attributes
        #expect(totals["tests"] == "5")
        #expect(totals["failures"] == "\(xml.named("failure").count)")
        #expect(totals["errors"] == "\(xml.named("error").count)")
        #expect(totals["skipped"] == "\(xml.named("skipped").count)")
        #expect(xml.named("failure").map { $0.attributes["type"] ?? "" }.sorted() == ["missing", "regression"])
        #expect(xml.named("failure").contains { $0.attributes["message"] == "hits: 250 → 240 −10 (−4.00 %)" })
        #expect(xml.named("property").contains { $0.attributes["name"] == "tolerance.bytesPerEntry" })
    }

    @Test("Strict rules turn improvements and added cells into failures")
    func strict() {
        let xml = MarkupCheck(JUnitReport.render(verdicts(GateRules(isStrict: true))))
        #expect(xml.named("failure").count == 4)
    }

    @Test("Text that XML forbids does not break the document")
    func escaping() {
        var cell = SmallResults.failed
        cell.trace = "a<b>&\"\u{1}\u{301}"
        let gate = GateCell(cell, .regression, failure: CellFailure(.crashed, "bell \u{7} ]]> \n <x/> \u{FFFF}"))
        let xml = MarkupCheck(JUnitReport.render(results([gate])))
        #expect(xml.problem == nil)
        #expect(xml.named("testsuite").first?.attributes["name"] == "a<b>&\"\u{FFFD}\u{301}")
        #expect(xml.named("failure").first?.attributes["message"] == "crashed: bell \u{FFFD} ]]> \n <x/> \u{FFFD}")
        #expect(MarkupCheck("<a b=\"\u{7}\"/>").problem != nil)
    }

    @Test("The verdict as text: worst first, with its reasons and what it tolerated")
    func text() {
        let expected = """
            baseline   base.json (assay 0.1.0, 2026-01-01T00:00:00Z)
            candidate  new.json (assay 0.1.0, 2026-01-01T00:00:00Z)
            rules      counts equal, bytes per entry within 0.50 %, times not judged

            verdict      trace  policy      backend     capacity     figure     baseline  candidate         change
            regression   web    lru         simulation  100 objects  hits            250        240  −10 (−4.00 %)
                                                                     evictions       650        660  +10 (+1.54 %)
            missing      web    arc(p=1,5)  simulation  100 objects  not in the candidate
            improvement  web    sieve       simulation  100 objects  hits            375        376   +1 (+0.27 %)
            added        web    lru         file        100 objects  not in the baseline

            FAIL: 1 regression, 1 missing, 1 improvement, 1 added, 1 equal

            """
        #expect(GateReport.render(verdicts()) == expected)
    }

    @Test("A gate's verdict as JSON is not taken for a run")
    func json() throws {
        let text = try JSONReport.render(verdicts())
        #expect(text.contains("\"bytesPerEntryTolerance\" : 0.005"))
        #expect(text.contains("\"verdict\" : \"regression\""))
    }

    private func verdicts(_ rules: GateRules = GateRules()) -> GateResults {
        let lru = SmallResults.simulated("lru", hits: 250)
        return results(
            [
                GateCell(
                    lru, .regression,
                    differences: [
                        FigureDifference("hits", baseline: 250, candidate: 240, .worse),
                        FigureDifference("evictions", baseline: 650, candidate: 660, .worse),
                    ]),
                GateCell(SmallResults.failed, .missing),
                GateCell(
                    SmallResults.simulated("sieve", hits: 376), .improvement,
                    differences: [FigureDifference("hits", baseline: 375, candidate: 376, .better)]),
                GateCell(SmallResults.live, .added),
                GateCell(SmallResults.simulated("fifo", hits: 200), .equal),
            ], rules)
    }

    private func results(_ cells: [GateCell], _ rules: GateRules = GateRules()) -> GateResults {
        GateResults(
            baseline: GateSide(SmallResults.make(), source: "base.json"),
            candidate: GateSide(SmallResults.make(), source: "new.json"), rules: rules, incomparableTraces: [],
            cells: cells)
    }
}
