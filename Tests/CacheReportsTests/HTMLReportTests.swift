import CacheCore
import Foundation
import Testing

@testable import CacheReports

@Suite("HTML report")
struct HTMLReportTests {
    static let page = try! HTMLReport.render(SampleResults.make().document())

    @Test("Charts and tables are well-formed under a strict parser")
    func wellFormed() {
        for (opening, closing) in [("<svg", "</svg>"), ("<table", "</table>")] {
            let parts = MarkupCheck.parts(of: MarkupCheck.markup(of: Self.page), from: opening, to: closing)
            #expect(parts.count > 20)
            for part in parts { #expect(MarkupCheck(part).problem == nil) }
        }
        #expect(MarkupCheck("<svg><path d=M1/></svg>").problem != nil)
    }

    @Test("Nothing is loaded from anywhere")
    func selfContained() {
        let loads = ["http:", "https:", "//cdn", "url(", "@import", "src="].filter(
            Self.page.replacing("url(#", with: "").contains)
        #expect(loads == [])
        let policy =
            "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:;"
        let hasPolicy = Self.page.contains(policy)
        #expect(hasPolicy)
    }

    /// A page once put what a busy machine does to times, in bold, above hits that are exact.
    @Test func `a warning about times stands beside the throughput, not above the answer`() throws {
        var results = SmallResults.make()
        results.warnings = ["The load average was 7.7."]
        let page = try HTMLReport.render(results.document())
        #expect(!page.contains("banner warn") && page.contains("<p class=\"caution\">The load average was 7.7.</p>"))
        #expect(try TerminalReport.render(results.document()).contains("Warning: The load average was 7.7."))
        // Without a chart of throughput nothing else would say it.
        results.cells = [SmallResults.live]
        #expect(try HTMLReport.render(results.document()).contains("banner warn"))
    }

    @Test func `terms are defined that the report has, code is code, and commands break at spaces alone`() throws {
        var results = SmallResults.make()
        results.commandLine += ["--windows", "12"]
        let live = try HTMLReport.render(results.document())
        for term in ["Latency", "Disk", "Byte hit ratio"] { #expect(live.contains("<dt>\(term)</dt>")) }
        for term in ["Window", "Warm-up", "Cost saved"] { #expect(!live.contains("<dt>\(term)</dt>")) }
        #expect(live.contains("<code>assay gate</code>") && !live.contains("`assay gate`"))
        #expect(live.contains("<span>--windows</span> 12"))
        results.cells.removeAll { $0.backend != CellResult.simulationBackend }
        let simulated = try HTMLReport.render(results.document())
        for term in ["Latency", "Disk", "Bytes an entry"] { #expect(!simulated.contains("<dt>\(term)</dt>")) }
        #expect(simulated.contains("100 objects</small>"))
    }

    @Test("No figure is broken and no template is left over")
    func noLeftovers() {
        let markup = MarkupCheck.markup(of: Self.page)
        let broken = ["NaN", "nan%", "inf%", "Infinity", "{{", "}}", "Optional(", "nil"].filter(markup.contains)
        #expect(broken == [])
    }

    @Test("Every chart has a label and a table behind it")
    func tables() {
        let figures = MarkupCheck.parts(of: Self.page, from: "<figure", to: "</figure>")
        #expect(figures.count == 4 * 3 + 2 * 2 + 4)
        let hasTables = figures.map { $0.contains("<table") }
        #expect(!hasTables.contains(false))
        let charts = MarkupCheck.parts(of: Self.page, from: "<svg class=\"chart", to: "</svg>")
        for chart in charts {
            let root = MarkupCheck(chart).elements[0]
            #expect(root.attributes["role"] == "img")
            #expect(root.attributes["aria-label"]?.isEmpty == false)
        }
    }

    @Test("Every cell is a row of a table, with its exact hits or its reason")
    func everyCell() {
        let results = SampleResults.make()
        let rows = MarkupCheck.parts(of: Self.page, from: "class=\"sortable cells\"", to: "</table>")
        #expect(
            rows.reduce(0) { $0 + $1.components(separatedBy: "><th scope=\"row\"").count - 1 } == results.cells.count
        )
        let text = rows.joined()
        for cell in results.cells {
            let expected = cell.counts.map { ">\(HumanFormat.count($0.hits))</td>" }
            let isThere = text.contains(expected ?? XMLText.escaped(cell.failure?.message ?? "?"))
            #expect(isThere, "\(cell.identity)")
        }
    }

    @Test("What does not apply is no failure and takes nobody's mean away")
    func inapplicableCells() throws {
        var results = SampleResults.make()
        results.cells.removeAll { $0.failure != nil }
        for index in results.cells.indices where results.cells[index].policy == "gdsf" {
            results.cells[index].counts = nil
            results.cells[index].failure = CellFailure(.notApplicable, "It counts objects.")
        }
        let count = results.cells.count { $0.policy == "gdsf" }
        let page = MarkupCheck.markup(of: try HTMLReport.render(results.document()))
        let (saysSo, isAlarmed) = (page.contains("\(count) more not applicable"), page.contains("Without a result”"))
        #expect(saysSo)
        #expect(!isAlarmed)
        let (isGrey, isRed) = (page.contains("absent\">not applicable"), page.contains("bad\">not applicable"))
        #expect(isGrey)
        #expect(!isRed)
        let standing = MarkupCheck.parts(of: page, from: ": standing over", to: "</table>")
        #expect(!standing.isEmpty)
        for table in standing {
            let row = try #require(MarkupCheck.parts(of: table, from: "arc", to: "</tr>").first)
            #expect(row.contains("%"), "no mean: \(row)")
        }
        results.cells[0].failure = CellFailure(.crashed, "broken")
        let broken = MarkupCheck.markup(of: try HTMLReport.render(results.document()))
        let hasAlarm = broken.contains("1 of \(HumanFormat.counted(results.cells.count, "cell", "cells")) failed")
        #expect(hasAlarm)
    }

    @Test("The capacities stand where their logarithms say")
    func numericAxis() throws {
        let chart = try #require(MarkupCheck.parts(of: Self.page, from: "<svg class=\"chart lines", to: "</svg>").first)
        let minors = MarkupCheck(chart).named("line").filter { $0.attributes["class"] == "minor" }
            .compactMap { $0.attributes["x1"].flatMap(Double.init) }
        #expect(minors.count == SampleResults.shares.count)
        let ratios = zip(minors, SampleResults.shares).map { ($0 - minors[0]) / log2(max($1, 0.2) / 0.1) }.dropFirst()
        for ratio in ratios { #expect(abs(ratio - ratios.last!) < 0.5) }
    }

    @Test("Hostile names and parameters are text, in markup, attributes and the embedded data")
    func escaping() throws {
        var results = SmallResults.make()
        let hostile = "<script>alert(1)</script>\"\u{301} onload='x' & </script>"
        results.cells[0].policy = hostile
        results.cells[1].parameters = hostile
        results.cells[2].backend = hostile
        results.cells[3].failure = CellFailure(.failed, hostile)
        results.traces[0].argument = hostile
        results.commandLine.append(hostile)
        let page = try HTMLReport.render(results.document())
        let escaped = ["<script>alert", "\"\u{301} onload", " onload='x'"].filter(MarkupCheck.markup(of: page).contains)
        #expect(escaped == [])
        #expect(page.components(separatedBy: "</script>").count == Self.page.components(separatedBy: "</script>").count)
        for part in MarkupCheck.parts(of: page, from: "<svg", to: "</svg>") {
            #expect(MarkupCheck(part).problem == nil)
        }
        for part in MarkupCheck.parts(of: page, from: "<table", to: "</table>") {
            #expect(MarkupCheck(part).problem == nil)
        }
    }

    @Test("The files for download are those that are written")
    func downloads() throws {
        let start = try #require(Self.page.range(of: "id=\"files\">"))
        let end = try #require(Self.page[start.upperBound...].range(of: "</script>"))
        let packed = try #require(Data(base64Encoded: String(Self.page[start.upperBound..<end.lowerBound])))
        let files = try JSONDecoder().decode([String: String].self, from: Self.unpacked(packed))
        #expect(files["results.csv"] == CSVReport.render(SampleResults.make()))
        let json = try #require(files["results.json"])
        #expect(try JSONReport.decode(Data(json.utf8), from: "page") as? RunResults == SampleResults.make())
    }

    /// What gzip itself makes of it.
    private static func unpacked(_ packed: Data) throws -> Data {
        let (file, output) = (FileManager.default.temporaryDirectory.appending(path: UUID().uuidString), Pipe())
        defer { try? FileManager.default.removeItem(at: file) }
        try packed.write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc"]
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return data
    }

    @Test(
        "Runs of every shape are rendered: one capacity, live only, nothing finished",
        arguments: ["one", "live", "none", "failed"])
    func shapes(_ shape: String) throws {
        var results = SampleResults.make()
        switch shape {
        case "one": results.cells = results.cells.filter { $0.capacityRequested == "1%" && $0.trace == "oltp" }
        case "live": results.cells = results.cells.filter { $0.backend != CellResult.simulationBackend }
        case "none":
            results.cells = []
            results.status = .interrupted
        default:
            for index in results.cells.indices {
                results.cells[index].counts = nil
                results.cells[index].failure = CellFailure(.failed, "broken")
            }
        }
        let page = try HTMLReport.render(results.document())
        let (isWhole, isInterrupted) = (page.hasSuffix("</html>\n"), page.contains("Interrupted: 0 of 425"))
        #expect(isWhole)
        #expect(isInterrupted == (shape == "none"))
        for part in MarkupCheck.parts(of: page, from: "<svg", to: "</svg>") {
            #expect(MarkupCheck(part).problem == nil)
        }
    }
}
