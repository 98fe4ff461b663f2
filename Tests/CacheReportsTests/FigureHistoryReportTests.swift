import CacheGate
import CacheReports
import Foundation
import Testing

@Suite("Figures over commits are rendered")
struct FigureHistoryReportTests {
    static let history = FigureHistory(
        commits: (0..<4).map {
            .init(
                digest: "\($0)" + String(repeating: "a", count: 39), time: 1_764_150_000 + $0 * 86_400,
                title: "<b>change \($0)")
        },
        series: [
            .init(
                subject: "s3fifo", place: ["trace": "=1+1", "trace-digest": "0123"], name: "hits", unit: "",
                kind: .exact,
                better: .more, machine: "",
                points: [503_012, 503_012, 483_100, 483_100].enumerated().map {
                    .init(commit: $0, parameters: $0 < 2 ? "small=0.1" : "small=0.2", value: .count($1))
                }, changes: [.init(point: 2, before: .count(503_012), after: .count(483_100), unrecordedCommits: 3)]),
            .init(
                subject: "s3fifo", place: ["trace": "t"], name: "p99", unit: "ns", kind: .timed, better: .less,
                machine: "here",
                points: [900, 910, 950, 1800].enumerated().map { .init(commit: $0, parameters: "", value: .real($1)) },
                changes: [.init(point: 3, before: .real(910), after: .real(1800), chance: 0.004)]),
        ], notes: ["A note."])

    @Test func `changes name the commit, both values, the size, the verdict and what is not known`() {
        let text = FigureHistoryText.changes(Self.history, width: nil, isColored: false)
        for part in [
            "2aaaaaaaaa <b>change 2: hits of s3fifo went from 503,012 to 483,100.", "3 commits just before it",
            "503,012", "483,100", "−3.96 %", "worse",
            "small=0.1 → small=0.2", "or one of 3 commits before it without results", "≤ 0.4 %",
            "advisory, never a gate",
            "A note.", "2025-11-28",
        ] { #expect(text.contains(part), "\(part) is missing in \(text)") }
        #expect(!text.contains("0123"))
        let quiet = FigureHistoryText.changes(
            FigureHistory(commits: Self.history.commits, series: [], notes: []), width: 80, isColored: false)
        #expect(quiet == "4 commits, 0 figures: no change.\n")
        var same = Self.history
        same.series[0].changes = []
        let none = FigureHistoryText.changes(same, width: nil, isColored: false)
        #expect(none.contains("None: no exact figure is worse than it was.") && !none.contains("Exact figures"))
    }

    @Test func `a title cannot steer a terminal`() {
        var history = Self.history
        history.commits[2].title = "\u{1B}]0;owned\u{7}"
        #expect(!FigureHistoryText.changes(history, width: 80, isColored: true).contains("\u{1B}]"))
    }

    @Test func `CSV has a row a value, and no formula`() {
        let rows = FigureHistoryText.csv(Self.history).split(separator: "\r\n").map(String.init)
        #expect(rows.count == 9 && rows[0].hasPrefix("commit,time,title,figure"))
        #expect(rows[3].contains(",483100,1,503012,483100,") && rows[2].contains(",503012,0,,,"))
        #expect(rows[3].contains("2025-11-28T09:40:00Z") && !rows.contains { $0.contains(",=") })
    }

    @Test func `the page has a chart with its changes marked, escapes every text and loads nothing`() throws {
        let report = FigureHistoryReport(
            Self.history, assayVersion: "9.9.9", commandLine: ["history", "report", "--html", "a b.html"])
        let page = try HTMLReport.render(report.document(.init()))
        let charts = MarkupCheck.parts(of: page, from: "<svg class=\"chart lines", to: "</svg>").map { MarkupCheck($0) }
        #expect(charts.count == 2 && charts.allSatisfy { $0.problem == nil })
        for chart in charts {
            #expect(chart.named("line").count { $0.attributes["class"] == "floor" } == 1)
            #expect(chart.named("path").count { $0.attributes["class"] == "mark pt" } == 4)
        }
        // The third of four commits stands at two thirds of the axis.
        let marker = charts[0].named("line").first { $0.attributes["class"] == "floor" }?.attributes["x1"].flatMap(
            Double.init)
        let wanted: Double = 62 + 526 * 2 / 3
        let place = try #require(marker)
        #expect(abs(place - wanted) < 0.1)
        #expect(page.contains("&lt;b&gt;change 2") && !page.contains("<b>change"))
        #expect(page.contains("2aaaaaa") && page.contains("&#39;a b.html&#39;") && page.contains("Exact figure</dt>"))
        #expect(!page.contains("src=") && !page.contains("<h2>Traces</h2>") && !page.contains("<h2>Environment</h2>"))
        #expect(!MarkupCheck.markup(of: page).contains("NaN"))
        #expect(page.contains("<p class=\"says\">2aaaaaaaaa &lt;b&gt;change 2: hits of s3fifo went from"))
    }
}
