import CacheCore
import CacheReports
import Foundation
import Testing

@Suite("Verdicts on histories are rendered")
struct HistoryReportTests {
    static let results = HistoryResults(
        assayVersion: "9.9.9", commandLine: ["check-history", "a b.txt"], semantics: "evicting",
        histories: [
            HistoryResult(
                source: "good.txt", verdict: .linearizable, reason: nil, operations: 7, keys: 2, keysByZones: 2),
            HistoryResult(
                source: "bad<script>.txt", verdict: .notLinearizable, reason: "seen again", operations: 3, keys: 1,
                fault: HistoryFault(
                    key: "k&1", keysAtFault: 2, timeUnit: "events", knowsInitialState: true,
                    operations: [
                        HistoryLine(client: 4, text: "put 1: done", callTime: 10, returnTime: 20, isWitness: true),
                        HistoryLine(
                            client: 7, text: "put 2: no answer", callTime: 12, returnTime: nil, isWitness: false),
                        HistoryLine(client: 4, text: "get: absent", callTime: 25, returnTime: 25, isWitness: true),
                    ])),
            HistoryResult(source: "long.txt", verdict: .unknown, reason: "the limit of 1 s"),
        ])

    @Test func `the page shows verdicts, a lane a client and a bar an operation, and loads nothing`() throws {
        let page = try HTMLReport.render(Self.results.document(.init()))
        #expect(page.contains("<h2>Verdicts</h2>") && page.contains("&#39;a b.txt&#39;"))
        for text in [
            "client 4", "client 7", "k&amp;1", "10 to 20", "12 to no return", "Linearizable</dt>",
            "contradict each other",
            "1 of 3", "1 history ended at a limit", "<a href=\"#history-2\">bad&lt;script&gt;.txt</a>",
        ] {
            #expect(page.contains(text), "\(text) is missing")
        }
        #expect(page.split(separator: "<rect").count - 1 == 3)
        #expect(!page.contains("<script>.txt") && !page.contains("src=") && !page.contains("<h2>Traces</h2>"))
        #expect(!page.contains("<h2>Environment</h2>") && !MarkupCheck.markup(of: page).contains("NaN"))
    }

    @Test func `bars lie where their times are`() throws {
        let page = try HTMLReport.render(Self.results.document(.init()))
        let widths = page.matches(of: /x="([0-9.]+)%" y="[0-9.]+" width="([0-9.]+)%"/).map {
            (Double($0.output.1)!, Double($0.output.2)!)
        }
        try #require(widths.count == 3)
        // Drawn last are the witnesses: 10 to 20 of 10 to 25 is two thirds, and a moment has a bar that can be seen.
        #expect(abs(widths[1].0 - 9) < 0.01 && abs(widths[1].1 - 88 * 2 / 3) < 0.01)
        #expect(abs(widths[2].0 - 97) < 0.01 && widths[2].1 > 0.2)
        // What has no return reaches to the edge.
        #expect(abs(widths[0].0 + widths[0].1 - 100) < 0.01)
    }

    @Test func `JSON keeps everything`() throws {
        let text = try JSONReport.render(Self.results)
        #expect(try JSONDecoder().decode(HistoryResults.self, from: Data(text.utf8)) == Self.results)
        #expect(text.contains("\"schemaVersion\" : 1") && text.contains("not linearizable"))
    }
}
