import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheReports

/// A small document with one block of each kind, and names that every format must escape.
enum SampleDocument {
    static let names = [
        "|", "<script>alert(1)</script>", "[x](y)", "50 % & #1_a^b~{c}\\d", "`code` $5$ @all", "zipf-1.0",
    ]

    static var table: DataTable {
        DataTable(
            caption: "Hits by trace",
            columns: [.init("Trace", isNumeric: false, terminal: 0), .init("Hits", terminal: 0), .init("Share")],
            rows: names.enumerated().map { index, name in
                [.init(name), .figure(index * 1000), .figure(Double(index) / 8) { HumanFormat.percent($0) }]
            }, best: [5])
    }

    static var chart: BarChart {
        BarChart(
            title: "Hits",
            bars: [
                .init(
                    label: "a<b", seriesID: "s0", colourClass: "k1", parts: [3, 1], range: 3...5, text: "3",
                    tip: "three")
            ])
    }

    static func make() -> ReportDocument {
        ReportDocument(
            title: "Hits of <lru> & others", subtitle: "took 1 s · 2 processors", assayVersion: "0.1.0",
            answer: .init(
                question: "Which is best?", sentence: "zipf-1.0 has 62.50 %.", figure: "62.50 %",
                figureName: "share of hits",
                certainty: "Sure: hits are counted."),
            notices: [.init(tone: .warning, text: "1 trace failed: see *below*.")],
            highlights: [.init(tone: .good, name: "Hits", figure: "5,000", detail: "of 8,000")],
            sections: [
                .init(
                    id: "hits", title: "Hits", lead: "More is better.",
                    blocks: [
                        .table(.init(table: table)), .heading("By chart"),
                        .chart(
                            .init(
                                title: "Hits by trace", note: "of one second", chart: chart,
                                key: [
                                    .init(colourClass: "kget", text: "lookups"),
                                    .init(colourClass: "", text: "−: none"),
                                ],
                                table: table)),
                        .chart(.init(title: "Hits by trace", chart: chart)),
                        .text("1. Sentences may begin with a number."),
                        .code(.init(title: "Program", isOpen: false, text: "let a = \"```\"\nprint(a)")),
                        .pairs([.init(name: "Seed", value: "1"), .init(name: "Processor", value: "A_B 2 × 3")]),
                        .heat(
                            .init(
                                title: "Ranks", rowTitle: "Policy", rows: ["lru", "s3fifo"], columns: ["web", "oltp"],
                                views: [("1 %", [[0.25, nil], [0.5, 1]])])),
                        .costs(
                            .init(
                                title: "Costs", requests: 10_000,
                                rows: [(label: "lru at 1 %", series: nil, bytes: 65536, misses: 1234)])),
                    ])
            ], definitions: [.init("Hit ratio", "Hits over requests, as `hits / requests` has it.")],
            command: ["run", "--trace", "it's | here"], commandNote: "The same figures again.")
    }
}

@Suite("Documents as Markdown, LaTeX, JSON and pictures")
struct DocumentRenderingTests {
    private static let golden = SharedFolder.packageRoot.appending(path: "Tests/golden/report")

    @Test(arguments: ["markdown", "latex", "json"])
    func `a document is as its golden file`(_ name: String) throws {
        let document = SampleDocument.make()
        let text =
            switch name {
            case "markdown": MarkdownReport.render(document)
            case "latex": LaTeXReport.render(document)
            default: try JSONDocument.render(document)
            }
        let file = Self.golden.appending(path: name)
        let golden = try? String(contentsOf: file, encoding: .utf8)
        if golden != text, ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(golden == text, "Tests/golden/report/\(name) says something else; ASSAY_UPDATE_GOLDEN=1 writes it anew")
    }

    @Test func `Markdown finds nothing to read in a name`() {
        let escaped = SampleDocument.names.map(MarkdownReport.escaped)
        #expect(
            escaped.prefix(3) == ["\\|", "&lt;script&gt;alert(1)&lt;/script&gt;", "\\[x\\](y)"], "\(escaped)")
        #expect(MarkdownReport.escaped("- a") == "\\- a")
        #expect(MarkdownReport.escaped("1. a") == "1\\. a")
        #expect(MarkdownReport.escaped("see http://a.b and www.a.b") == "see http&#58;//a.b and www&#46;a.b")
        #expect(MarkdownReport.escaped("a\n# b") == "a \\# b")
        let rows = MarkdownReport.render(SampleDocument.make()).split(separator: "\n").filter { $0.hasPrefix("| ") }
        for row in rows {
            let cells = row.replacing("\\|", with: "").count { $0 == "|" } - 1
            #expect([2, 3].contains(cells), "\(row)")
        }
    }

    @Test func `LaTeX finds nothing to do in a name, whatever its characters are`() {
        #expect(
            LaTeXReport.escaped("50 % & #1_a^b~{c}\\d")
                == "50 \\% \\& \\#1\\_a\\textasciicircum{}b\\textasciitilde{}\\{c\\}\\textbackslash{}d")
        #expect(LaTeXReport.escaped("日本é\u{1F600}") == "[U+65E5][U+672C]é[U+1F600]")
        #expect(LaTeXReport.escaped("[x]*--") == "{[}x{]}{*}-{}-")
        for scalar in 0x20...0x7E {
            guard let scalar = Unicode.Scalar(UInt8(scalar)) as Unicode.Scalar? else { continue }
            let text = LaTeXReport.escaped(String(scalar))
            #expect(!"{}$&#_^~%".contains(text), "\(scalar) is \(text)")
        }
    }

    @Test func `JSON has every table with exact values, and nothing that is not a number`() throws {
        var document = SampleDocument.make()
        document.sections[0].blocks = [
            .table(
                .init(
                    table: .init(
                        caption: "", columns: [.init("A")],
                        rows: [[.init("nan", sort: .nan)], [.init("1 k", sort: 1000.5)]])))
        ]
        let object = try JSONSerialization.jsonObject(with: Data(JSONDocument.render(document).utf8))
        let sections = try #require((object as? [String: Any])?["sections"] as? [[String: Any]])
        let blocks = try #require(sections[0]["blocks"] as? [[String: Any]])
        let rows = try #require(blocks[0]["rows"] as? [[[String: Any]]])
        #expect(rows[0][0]["value"] == nil && rows[1][0]["value"] as? Double == 1000.5)
    }

    @Test func `charts are files that stand alone, each with a name of its own`() {
        let charts = SVGCharts.render(SampleDocument.make())
        #expect(charts.map(\.name) == ["hits-hits-by-trace.svg", "hits-hits-by-trace-2.svg"])
        for chart in charts {
            let markup = MarkupCheck(chart.text)
            #expect(markup.problem == nil)
            #expect(markup.named("svg").first?.attributes["xmlns"] == "http://www.w3.org/2000/svg")
            #expect(
                markup.named("svg").allSatisfy {
                    $0.attributes["viewBox"] != nil && !($0.attributes["width"] ?? "").contains("%")
                })
            for word in ["var(", "light-dark", "data-tip", "color-mix"] { #expect(!chart.text.contains(word)) }
        }
        #expect(charts[0].text.contains("lookups"))
    }

    @Test func `every class of curves has a colour in pictures too`() {
        let classes = (0...9).map { "k\($0)" } + ["kl", "kf", "kb", "kget", "kput"]
        for name in classes { #expect(SVGCharts.colours[name]?.hasPrefix("#") == true, "\(name)") }
    }
}
