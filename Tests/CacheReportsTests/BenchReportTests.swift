import CacheCore
import CacheReports
import Foundation
import Testing

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
        let table = BenchTable.render(results)
        #expect(table.contains("not measured: a percentile needs 10 timed calls") && !table.contains("0 ns "))
        let rows = CSVReport.render(results).split(whereSeparator: \.isNewline)
        #expect(rows[1].hasSuffix("hit,900,2,,,,,,,200,150.0,,,"))
        #expect(rows[2].hasSuffix("miss,100,0,,,,,,,,,,,"))
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory + "/histograms", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: directory + "/histograms/9-of-an-earlier-bench.hgrm"))
        try BenchReports.write(results, to: directory)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory + "/histograms") == [
                "1-web-lru-store0-hit.hgrm"
            ])
        let histogram = try String(contentsOfFile: directory + "/histograms/1-web-lru-store0-hit.hgrm", encoding: .utf8)
        #expect(!histogram.contains(" 0.5") && histogram.contains("1.000000000000"))
        let json = try String(contentsOfFile: directory + "/bench.json", encoding: .utf8)
        #expect(!json.contains("p50Nanoseconds") && !json.contains("p99999Nanoseconds"))
        #expect(try HTMLReport.render(results).contains("The machine was busy."))
    }

    @Test func `an older file is read, and says no more than its samples carry`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = try BenchReports.write(Self.results(), to: directory)[0]
        let old = try String(contentsOfFile: path, encoding: .utf8)
            .replacing("\"schemaVersion\" : 2", with: "\"schemaVersion\" : 1")
            .replacing("\"samples\" : 2", with: "\"p50Nanoseconds\" : 100, \"p999Nanoseconds\" : 200, \"samples\" : 2")
            .replacing("\"counts\" : [", with: "\"p99999Nanoseconds\" : 200, \"counts\" : [")
        #expect(old.contains("p99999Nanoseconds") && old.contains("p50Nanoseconds"))
        try old.write(toFile: path, atomically: true, encoding: .utf8)
        guard case .bench(let read) = try JSONReport.readAny(from: path) else {
            Issue.record("read as something else")
            return
        }
        let hit = try #require(read.subjects[0].timing?.latency.first).distribution
        #expect(hit.summary.p50Nanoseconds == nil && hit.summary.p999Nanoseconds == nil && hit.p99999Nanoseconds == nil)
        #expect(hit.summary.maxNanoseconds == 200 && hit.summary.samples == 2)
    }

    @Test(arguments: [
        (ThroughputRange(least: 900, most: 1100, passes: 3), "not told apart"),
        (ThroughputRange(least: 1900, most: 2100, passes: 3), "2 k/s"),
    ])
    func `the fastest is named only if its passes do not overlap with another's`(
        _ range: ThroughputRange, _ words: String
    ) throws {
        let results = Self.results(requestsPerSecond: [
            (1000, ThroughputRange(least: 950, most: 1050, passes: 3)), ((range.least + range.most) / 2, range),
        ])
        let page = try HTMLReport.render(results)
        let tile = try #require(page.firstRange(of: "<h2>Fastest</h2>"))
        #expect(page[tile.upperBound...].prefix(60).contains(words))
        #expect(try HTMLReport.render(Self.results()).contains("<h2>Fastest</h2>") == false)
    }

    @Test func `the throughput table has a heading for each of its figures`() {
        let lines = BenchTable.render(Self.results()).split(separator: "\n")
        let heading = lines.first { $0.hasPrefix("cache ") } ?? ""
        let row = lines.first { $0.hasPrefix("lru ") } ?? ""
        #expect(heading.hasSuffix("instructions") && heading.count == row.count, "\(heading)\n\(row)")
    }
}
