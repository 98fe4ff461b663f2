import CacheCore
import Foundation
import Testing

@testable import CacheReports

@Suite("Bench reports: only what was measured")
struct BenchReportTests {
    /// A cache of which two hits were timed and no miss.
    private static func results(requestsPerSecond rates: [(median: Double, range: ThroughputRange?)] = [(1000, nil)])
        -> BenchResults
    {
        let run = SmallResults.make()
        let two = LatencyDistribution(
            summary: LatencySummary(samples: 2, operations: 900, p50: 100, p90: 200, p99: 200, p999: 200, max: 200),
            p9999: 200, p99999: 200, mean: 150, values: [100, 200], counts: [1, 1])
        let none = LatencyDistribution(
            summary: LatencySummary(samples: 0, operations: 100, p50: 0, p90: 0, p99: 0, p999: 0, max: 0), p9999: 0,
            p99999: 0, mean: 0, values: [], counts: [])
        let subjects = rates.enumerated().map { index, rate in
            var cell = SmallResults.simulated("lru", hits: 250)
            cell.backend = "store\(index)"
            cell.requestsPerSecond = rate.median
            cell.throughputRange = rate.range
            var timing = BenchTiming()
            timing.latency = [OperationLatency(.hit, two), OperationLatency(.miss, none)]
            return BenchSubject(cell: cell, timing: timing)
        }
        return BenchResults(
            assayVersion: "1", startedAt: run.startedAt, durationSeconds: 1, commandLine: ["bench"], seed: 1,
            status: .complete, environment: run.environment, warnings: ["The machine was busy."], traces: run.traces,
            load: BenchLoad(), subjects: subjects, policies: [])
    }

    @Test func `what too few samples carry is not measured in the table, CSV, JSON, histograms and the page`() throws {
        let results = Self.results()
        let table = try TerminalReport.render(results.document())
        #expect(table.contains("not measured: a percentile needs 10 timed calls") && !table.contains("0 ns "))
        let rows = CSVReport.render(results).split(whereSeparator: \.isNewline)
        #expect(rows[1].hasSuffix("hit,900,2,,,,,,,200,150.0,,,,,"))
        #expect(rows[2].hasSuffix("miss,100,0,,,,,,,,,,,,,"))
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory + "/histograms", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: directory + "/histograms/9-of-an-earlier-bench.hgrm"))
        try ReportFiles.write(results, to: directory)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory + "/histograms") == [
                "1-web-lru-store0-hit.hgrm"
            ])
        let histogram = try String(contentsOfFile: directory + "/histograms/1-web-lru-store0-hit.hgrm", encoding: .utf8)
        #expect(!histogram.contains(" 0.5") && histogram.contains("1.000000000000"))
        let json = try String(contentsOfFile: directory + "/bench.json", encoding: .utf8)
        #expect(!json.contains("p50Nanoseconds") && !json.contains("p99999Nanoseconds"))
        #expect(try HTMLReport.render(results.document()).contains("The machine was busy."))
    }

    /// What a harness takes of a figure is part of the figure.
    @Test func `beside a throughput and a median stands what a subject of nothing takes`() throws {
        var results = Self.results()
        results.load.threads = 2
        results.subjects[0].cell.requestsPerSecond = 10_000_000
        let times = LatencyDistribution(
            summary: LatencySummary(
                samples: 900, operations: 900, p50: 80, p90: 90, p99: 100, p999: nil, max: 200),
            p9999: nil, p99999: nil, mean: 85, values: [80], counts: [900])
        results.subjects[0].timing!.latency = [OperationLatency(.hit, times)]
        results.subjects[0].timing!.costs.emptyRequestNanoseconds = 50
        results.subjects[0].timing!.costs.emptyHitNanoseconds = 20
        let row = CSVReport.render(results).split(whereSeparator: \.isNewline)[1].split(
            separator: ",", omittingEmptySubsequences: false)
        // Two threads have 200 ns for a request of 10 million a second.
        #expect(row.suffix(4).prefix(2) == ["0.25", "0.25"])
        let page = try HTMLReport.render(results.document())
        #expect(page.contains("Of it the harness") && page.contains("Of p50 the harness") && page.contains("25.00 %"))
    }

    @Test func `an older file is read, and says no more than its samples carry`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = try ReportFiles.write(Self.results(), to: directory)[0]
        let old = try String(contentsOfFile: path, encoding: .utf8)
            .replacing("\"schemaVersion\" : 2", with: "\"schemaVersion\" : 1")
            .replacing("\"samples\" : 2", with: "\"p50Nanoseconds\" : 100, \"p999Nanoseconds\" : 200, \"samples\" : 2")
            .replacing("\"counts\" : [", with: "\"p99999Nanoseconds\" : 200, \"counts\" : [")
        #expect(old.contains("p99999Nanoseconds") && old.contains("p50Nanoseconds"))
        try old.write(toFile: path, atomically: true, encoding: .utf8)
        guard let read = try JSONReport.read(from: path) as? BenchResults else {
            Issue.record("read as something else")
            return
        }
        let hit = try #require(read.subjects[0].timing?.latency.first).distribution
        #expect(hit.summary.p50Nanoseconds == nil && hit.summary.p999Nanoseconds == nil && hit.p99999Nanoseconds == nil)
        #expect(hit.summary.maxNanoseconds == 200 && hit.summary.samples == 2)
    }

    @Test(arguments: [
        (
            ThroughputRange(least: 900, most: 1100, passes: 3),
            "lru · store0, lru · store1 serve up to 1 k/s and are not told apart."
        ),
        (
            ThroughputRange(least: 1900, most: 2100, passes: 3),
            "lru · store1 serves 2 k/s, 2.00 times as many as lru · store0."
        ),
    ])
    func `the fastest is named only if its passes do not overlap with another's`(
        _ range: ThroughputRange, _ words: String
    ) throws {
        let results = Self.results(requestsPerSecond: [
            (1000, ThroughputRange(least: 950, most: 1050, passes: 3)), ((range.least + range.most) / 2, range),
        ])
        let document = try results.document(.init())
        let answer = try #require(document.answer)
        #expect(answer.question == "Which cache serves most requests a second?" && answer.sentence == words)
        #expect(answer.certainty.contains("3 passes each"))
        let table = try #require(document.sections[0].tables.first)
        #expect(table.best == (range.least > 1050 ? [1] : []))
        let once = try #require(
            try Self.results(requestsPerSecond: [(1000, nil), (9000, nil)]).document(.init()).answer)
        #expect(once.sentence.contains("not told apart") && once.certainty.contains("single pass"))
    }

    @Test func `the spread of the passes is in the table, on the chart and on a terminal`() throws {
        let results = Self.results(requestsPerSecond: [(1000, ThroughputRange(least: 900, most: 1100, passes: 3))])
        let page = try HTMLReport.render(results.document())
        for words in ["1 k/s ±10 %", "Slowest pass", "900/s", "1.10 k/s", "class=\"whisker\""] {
            #expect(page.contains(words), "\(words) is missing")
        }
        #expect(try TerminalReport.render(results.document()).contains("1 k/s ±10 %"))
        #expect(!(try HTMLReport.render(Self.results().document())).contains("Slowest pass"))
    }

    /// Rates with their 99th percentiles, of which the last is saturated.
    private static func underLoad(_ knees: [Double?], samples: Int = 1000) -> BenchResults {
        var results = Self.results(requestsPerSecond: knees.map { _ in (1000, nil) })
        for (index, knee) in knees.enumerated() {
            results.subjects[index].timing?.kneeRequestsPerSecond = knee
            results.subjects[index].timing?.steps = [(500.0, 2_000), (1000, 5_000), (2000, 900_000)].map { rate, p99 in
                let response = LatencyDistribution(
                    summary: LatencySummary(
                        samples: samples, operations: samples, p50: 1000, p90: 1500, p99: p99, p999: p99, max: p99),
                    p9999: nil, p99999: nil, mean: 1, values: [1000, p99], counts: [samples * 9 / 10, samples / 10])
                return RateStep(
                    requestsPerSecond: rate, answeredPerSecond: min(rate, 1500), isSaturated: rate == 2000,
                    response: response, service: response, lag: response)
            }
        }
        return results
    }

    @Test func `with an open loop the answer is the load that each takes, and the knee has a ring`() throws {
        var results = Self.underLoad([1000, 500])
        results.load.kneeTarget = .init(percentile: 99, nanoseconds: 100_000)
        let document = try results.document(.init())
        #expect(document.answer?.question == "How much load can each take?")
        #expect(document.answer?.sentence == "lru · store0 takes 1 k/s, 2.00 times as many as lru · store1.")
        #expect(document.answer?.figureName == "requests a second with p99 ≤ 100 µs")
        let chart = try #require(document.sections[0].charts.first { $0.title == "Load and response" })
        let rings = MarkupCheck(chart.chart.svg()).elements.filter { $0.attributes["class"] == "ring" }
        #expect(rings.count == 2 && chart.table?.rows.count == 6)
        #expect(
            chart.table?.rows.map { $0[4].text } == ["kept up", "knee", "saturated", "knee", "kept up", "saturated"])
        #expect(try TerminalReport.render(results.document()).contains("lru · store1: p99 ≤ 100 µs holds up to 500/s"))
        results = Self.underLoad([nil, nil])
        let answer = try #require(try results.document(.init()).answer)
        #expect(answer.sentence == "lru · store0, lru · store1 take up to 1 k/s and are not told apart.")
        #expect(answer.certainty.contains("may take more"))
    }

    @Test func `percentiles stand on a scale of nines, and only those that were measured`() throws {
        let charts = try Self.underLoad([nil], samples: 1000).document(.init()).sections[0].charts
        let chart = try #require(charts.first { $0.title == "Response at 1 k/s due" })
        #expect(chart.table?.columns.map(\.title) == ["Cache", "p50", "p90", "p99", "Timed"])
        let marks = MarkupCheck(chart.chart.svg()).elements.compactMap { $0.attributes["data-tip"] }
        #expect(marks == ["1 µs at p50", "1.50 µs at p90", "5 µs at p99"].map { "lru · store0\n\($0)" })
        // Two hits were timed, which carry no percentile.
        #expect(!charts.contains { $0.title == "Latency: hit" })
        let few = try Self.underLoad([nil], samples: 999).document(.init()).sections[0].charts
        let load = try #require(few.first { $0.title == "Load and response" })
        #expect(load.chart.title.contains("p90 of the response"))
    }

    @Test func `a subject that failed has its reason below and beside its row, and a word above`() throws {
        var results = Self.results(requestsPerSecond: [(1000, nil), (900, nil)])
        results.subjects[1] = BenchSubject(cell: SmallResults.failed, timing: nil)
        let document = try results.document(.init())
        #expect(document.notices.map(\.text).contains("1 of 2 caches failed; the reasons are listed."))
        #expect(document.sections.firstIndex { $0.id == "failures" } == 1)
        #expect(try TerminalReport.render(results.document()).contains("crashed: It said \"no\", then ended."))
        let error = #expect(throws: AssayError.self) { try results.document(.init(baselinePolicy: "lru")) }
        #expect(error?.code == .usage)
    }

    @Test func `the throughput table has a heading for each of its figures`() throws {
        let lines = try TerminalReport.render(Self.results().document()).split(separator: "\n")
        let heading = lines.first { $0.hasPrefix("cache ") } ?? ""
        for name in ["hit ratio", "requests a second", "steady"] { #expect(heading.contains(name), "\(heading)") }
        #expect(!heading.contains("leak") && !heading.contains("slowest"), "what nothing measured has no column")
    }
}

extension ReportDocument.Section {
    /// Its tables, outside of charts.
    var tables: [DataTable] { blocks.compactMap { if case .table(let block) = $0 { block.table } else { nil } } }
    /// Its charts.
    var charts: [ReportDocument.ChartBlock] {
        blocks.compactMap { if case .chart(let chart) = $0 { chart } else { nil } }
    }
}
