import CacheCore
import CacheGate
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheReports

@Suite("Fuzzed results", .serialized)
struct ResultsFuzzTests {
    /// Results with few cells, so that many inputs fit into the time.
    static func samples() throws -> [(name: String, text: String)] {
        var bench = BenchResults(
            assayVersion: "1", startedAt: SmallResults.make().startedAt, durationSeconds: 1, commandLine: ["bench"],
            seed: 1, status: .complete,
            environment: SmallResults.make().environment, traces: SmallResults.make().traces, load: BenchLoad(),
            subjects: [],
            policies: [])
        var timing = BenchTiming()
        timing.windows = [10, 20, 30]
        timing.windowSeconds = 0.5
        let times = LatencyDistribution(
            summary: LatencySummary(samples: 3, operations: 9, p50: 5, p90: 7, p99: 9, p999: 9, max: 9), p9999: 9,
            p99999: 9,
            mean: 6.5, values: [5, 7, 9], counts: [1, 1, 1])
        timing.latency = [OperationLatency(.hit, times)]
        timing.steps = [
            RateStep(
                requestsPerSecond: 10, answeredPerSecond: 9, isSaturated: false, response: times, service: times,
                lag: times)
        ]
        bench.subjects = [BenchSubject(cell: SmallResults.make().cells[2], timing: timing)]
        return [
            ("run", try JSONReport.render(SmallResults.make())), ("curve", try JSONReport.render(SmallCurves.make())),
            ("advice", try JSONReport.render(SmallAdvice.make())), ("bench", try JSONReport.render(bench)),
            ("parts", try JSONReport.render(PartReportTests.results())),
        ]
    }

    private static let words = [
        "\"hits\" : ", "\"capacity\" : ", "\"hitRatio\" : 1e19", "\"requests\" : -5", "null", "[", "]", "{", "}",
        "\"objects\"", "\"bytes\"",
        "\"complete\"", "true", "\"=1+1\"", "\\u001b[2J", "9007199254740992",
    ]

    @Test(arguments: 0..<5)
    func `whatever a file holds is rendered in every form or refused`(kind: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/r.json"
        let sample = try Self.samples()[kind]
        try Fuzzer("results-\(sample.name)", samples: [Array(sample.text.utf8)], fragments: Self.words).run { bytes in
            try Data(bytes).write(to: URL(filePath: path))
            let out = directory.path + "/out"
            let results = try JSONReport.read(from: path)
            _ = try TerminalReport.render(results.document(), width: 80, isColored: true)
            _ = try ReportFiles.write(results, to: out)
        }
    }

    @Test func `whatever a baseline holds is compared or refused`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/r.json"
        let text = try JSONReport.render(SmallResults.make())
        try Fuzzer("baseline", samples: [Array(text.utf8)], fragments: Self.words).run { bytes in
            try Data(bytes).write(to: URL(filePath: path))
            guard let baseline = try JSONReport.read(from: path) as? RunResults else { return }
            for (a, b) in [(baseline, SmallResults.make()), (SmallResults.make(), baseline)] {
                let (old, new) = (try FigureSet(a, from: "a"), try FigureSet(b, from: "b"))
                try Gate.compare(baseline: old, candidate: new).throwUnlessPassed()
            }
        }
    }
}
