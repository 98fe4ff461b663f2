import CacheCore
import CacheReports
import Testing

@Suite("What a conformance suite found is rendered")
struct ConformanceReportTests {
    static let rows: [ConformanceFindings.Row] = [
        .init(id: "BAS-1", kind: "required", assertion: "A key misses.", outcome: "pass", detail: nil),
        .init(id: "BAS-3", kind: "required", assertion: "The new & not the old.", outcome: "fail", detail: "seen"),
        .init(id: "BAS-9", kind: "required", assertion: "Twice is once.", outcome: "crashed", detail: "signal 5"),
        .init(id: "LIN-1", kind: "claimed", assertion: "In some order.", outcome: "fail", detail: "in 3 of 12 runs"),
        .init(id: "LIN-2", kind: "claimed", assertion: "Never back.", outcome: "not claimed", detail: "concurrent"),
        .init(id: "STA-3", kind: "claimed", assertion: "All counted.", outcome: "blocked", detail: "one thread"),
    ]
    static let history = HistoryResult(
        source: "x LIN-1", verdict: .notLinearizable, reason: "seen again", operations: 3, keys: 1,
        fault: HistoryFault(
            key: "k<1>", keysAtFault: 1, timeUnit: "nanoseconds", knowsInitialState: true,
            operations: [
                HistoryLine(client: 2, text: "put 1: done", callTime: 10, returnTime: 20, isWitness: true),
                HistoryLine(client: 3, text: "get: absent", callTime: 25, returnTime: 30, isWitness: true),
            ]))

    static func findings(_ rows: [ConformanceFindings.Row] = rows) -> ConformanceFindings {
        ConformanceFindings(
            subject: "exec:a <b>", title: "a <b> 1.0", suite: "cache", profile: "core", seed: 9, assayVersion: "9.9.9",
            commandLine: ["conform", "exec:a <b>"], rows: rows,
            failures: rows.filter { $0.outcome == "fail" }.map { row in
                ConformanceFindings.Failure(
                    id: row.id, observed: "value <1>", permitted: "value 2", dueTo: "core",
                    reproducers: [
                        .init(title: "Swift", text: "put(\"a\")\nget(\"a\")"), .init(title: "JSON", text: "[]"),
                    ],
                    history: row.section == "LIN" ? history : nil)
            },
            causes: [
                .init(title: "get: a <value>", checks: ["BAS-3", "LIN-1"], blocked: ["STA-3"]),
                .init(title: "The process ends", checks: ["BAS-9"], blocked: []),
            ],
            unclaimedButPresent: ["ITR-1 passes although iterates is not claimed"],
            sectionTitles: ["BAS": "One key & no more", "LIN": "Several clients"], json: "{\"suite\":\"</script>\"}")
    }

    @Test func `the page shows the score beside what is claimed, reproducers and timelines, and loads nothing`() throws
    {
        let page = try HTMLReport.render(Self.findings().document(.init()))
        // 1 passed of 4 with a verdict; 5 of 6 are due.
        for text in [
            "a &lt;b&gt; 1.0 fails 3 checks", "profile core", "get: a &lt;value&gt;", "<strong>25.0 %</strong>",
            "of the 4 checks with a verdict passed",
            "<strong>83.3 %</strong>", "put(&quot;a&quot;)", "Observed: value &lt;1&gt;", "client 2", "k&lt;1&gt;",
            "ITR-1 passes although", "one thread", "conform &#39;exec:a &lt;b&gt;&#39;", "<dt>Score</dt>",
            "ended or did not answer in 1 check", "No: it fails BAS-3, BAS-9, LIN-1.",
            "3 checks of 4 failed; 2 failures",
            "<a href=\"#BAS-3\">BAS-3</a>", "BAS · One key &amp; no more: 3 checks",
            "5 of 6 checks due; 1 check is undecided",
        ] { #expect(page.contains(text), "\(text) is missing") }
        #expect(page.split(separator: "<rect").count - 1 == 2)
        for text in ["<h2>Traces</h2>", "<h2>Environment</h2>", "<b>", "src=", "NaN", "\"</script>"] {
            #expect(!MarkupCheck.markup(of: page).contains(text), "\(text) is there")
        }
        let body = MarkupCheck.parts(of: page, from: "<table", to: "</table>")
        #expect(body.count >= 4 && body.allSatisfy { MarkupCheck($0).problem == nil })
    }

    @Test func `each section has its own score, and one without a verdict has none`() throws {
        let page = try HTMLReport.render(Self.findings().document(.init()))
        let table = try #require(MarkupCheck.parts(of: page, from: "<table", to: "</table>").first)
        let rows = MarkupCheck.parts(of: table, from: "<tr>", to: "</tr>").dropFirst()
        #expect(rows.map { $0.contains("33.3 %") } == [true, false, false])
        #expect(rows.map { $0.contains("50.0 %") } == [false, true, false])
        #expect(rows.last?.contains("STA") == true && rows.last?.contains("–") == true)
        #expect(rows.map { $0.contains("One key") || $0.contains("Several") } == [true, true, false])
    }

    @Test func `verdicts are JUnit XML, in which what is known and what is not decided is skipped`() throws {
        var rows = Self.rows
        rows[3].known = "documented <so>"
        let xml = Self.findings(rows).junit
        #expect(MarkupCheck(xml.split(separator: "\n").dropFirst().joined(separator: "\n")).problem == nil)
        for text in [
            "<testsuites name=\"assay conform a &lt;b&gt; 1.0\" tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"3\">",
            "<testsuite name=\"BAS One key &amp; no more\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\">",
            "<failure message=\"seen\" type=\"fail\">Likely cause: get: a &lt;value&gt; (BAS-3, LIN-1, STA-3)",
            "put(&quot;a&quot;)", "<error message=\"signal 5\" type=\"crashed\">",
            "<skipped message=\"known to fail: documented &lt;so&gt;\"/>",
            "<skipped message=\"not claimed: concurrent\"/>",
            "<skipped message=\"blocked: one thread\"/>",
        ] { #expect(xml.contains(text), "\(text) is missing") }
    }

    @Test func `a subject without a failure is said to have none`() throws {
        let page = try HTMLReport.render(Self.findings([Self.rows[0], Self.rows[4]]).document(.init()))
        #expect(
            page.contains("a &lt;b&gt; 1.0 fails no check that is due") && page.contains("<strong>100.0 %</strong>"))
        #expect(!page.contains("class=\"banner") && page.contains("every check with a verdict passed"))
    }
}

extension ConformanceFindings.Row {
    fileprivate var section: String { String(id.prefix(3)) }
}
