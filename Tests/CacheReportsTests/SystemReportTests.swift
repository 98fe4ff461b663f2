import CacheCore
import CacheReports
import Foundation
import Testing

@Suite("A run of systems is rendered")
struct SystemReportTests {
    static let results: SystemResults = {
        var good = SystemResult(
            system: "call-cache", workload: "app-sessions", description: "An app & <its> server.",
            settings: "requests=40;share-cache-only=5", policy: "lru", backend: "file")
        var counts = SystemCounts()
        counts.outcomes = [.hit: 20, .refreshed: 5, .miss: 10, .fallback: 3, .unanswered: 2, .write: 7]
        (counts.originRequests, counts.originRequestsWithout) = (20, 40)
        (counts.bytesAnswered, counts.bytesFromOrigin, counts.bytesWithout) = (3800, 1000, 4000)
        (counts.originSeconds, counts.originSecondsWithout) = (2.5, 10)
        (counts.outageRequests, counts.outageAnswered) = (8, 6)
        good.counts = counts
        good.callsPerSecond = 1000
        good.alternatives = [SystemAlternative("a plain call", callsPerSecond: 500)]
        let summary = LatencySummary(samples: 20, operations: 20, p50: 900, p90: 1500, p99: 4000, p999: 9000, max: 9500)
        good.latency = [
            SystemLatency(
                "hit",
                LatencyDistribution(
                    summary: summary, p9999: 9500, p99999: 9500, mean: 1000, values: [900, 9500], counts: [19, 1]))
        ]
        var memory = SystemMemory(meter: "jemalloc", entries: 12)
        (memory.allocatedBytes, memory.peakBytes, memory.residentSetBytes) = (2048, 4096, 8192)
        (memory.diskBytes, memory.diskFiles, memory.openNanoseconds, memory.entriesOpened) = (16_384, 4, 5000, 12)
        good.memory = memory
        good.figures = [
            SystemFigure("answers that were outdated", 1, of: 4), SystemFigure("a key", 1500, .nanoseconds),
            SystemFigure("calls by threads", 2_500_000, .perSecond),
            SystemFigure("storing a body", 3_145_728, .bytesPerSecond), SystemFigure("requests by one", 64, .times),
        ]
        var bad = SystemResult(
            system: "http-cache", workload: "page-loads", description: "Pages.", settings: "requests=1", policy: "lru",
            backend: "file")
        bad.failure = CellFailure(.failed, "a wrong answer: resource 3, \"new\"")
        return SystemResults(
            assayVersion: "9.9.9", startedAt: "2026-01-01T00:00:00Z", durationSeconds: 2.5,
            commandLine: ["run", "--system", "all"], seed: 3, scale: 0.5, status: .interrupted,
            environment: SmallResults.make().environment, systems: [good, bad], systemsPlanned: 5)
    }()

    @Test func `ratios are those of their definitions`() throws {
        let counts = try #require(Self.results.systems[0].counts)
        #expect(counts.calls == 47 && counts.requests == 40 && counts.hitRatio == 0.625)
        #expect(counts.originRequestsSaved == 0.5 && counts.bytesSaved == 0.75 && counts.outageAnsweredShare == 0.75)
        let nothing = SystemCounts()
        #expect(nothing.hitRatio == 0 && nothing.originRequestsSaved == 0 && nothing.outageAnsweredShare == nil)
    }

    @Test func `the CSV, to the byte`() {
        let header = """
            system,workload,policy,backend,requests,hit_ratio,origin_requests,origin_requests_without,\
            origin_requests_saved,bytes_answered,bytes_from_origin,bytes_without,bytes_saved,origin_seconds,\
            origin_seconds_without,outage_requests,outage_answered,calls_per_second,entries,allocated_bytes,peak_bytes,\
            resident_set_bytes,disk_bytes,disk_files,open_nanoseconds,entries_opened,row,name,value,unit,calls,samples,\
            p50_nanoseconds,p90_nanoseconds,p99_nanoseconds,p999_nanoseconds,max_nanoseconds,mean_nanoseconds,failure
            """
        let good = "call-cache,app-sessions,lru,file,40,0.625,20,40,0.5,3800,1000,4000,0.75,2.5,10.0,8,6,1000.0,"
        let size = "12,2048,4096,8192,16384,4,5000,12,"
        let rows = [
            header, good + size + "operation,hit,,,20,20,900,,,,9500,1000.0,",
            good + size + "figure,answers that were outdated,0.25,ratio,,,,,,,,,",
            good + size + "figure,a key,1500.0,nanoseconds,,,,,,,,,",
            good + size + "figure,calls by threads,2500000.0,per second,,,,,,,,,",
            good + size + "figure,storing a body,3145728.0,bytes per second,,,,,,,,,",
            good + size + "figure,requests by one,64.0,times,,,,,,,,,",
            good + size + "figure,calls a plain call,500.0,calls per second,,,,,,,,,",
            "http-cache,page-loads,lru,file,,,,,,,,,,,,,,,,,,,,,,,failure,,,,,,,,,,,,"
                + "\"failed: a wrong answer: resource 3, \"\"new\"\"\"",
        ]
        #expect(CSVReport.render(Self.results) == rows.map { $0 + "\r\n" }.joined())
    }

    @Test func `JSON keeps everything, and can be told from other results`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-systems-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let paths = try ReportFiles.write(Self.results, to: directory)
        #expect(paths.map { URL(filePath: $0).lastPathComponent } == SystemResults.kind.fileNames)
        guard let read = try JSONReport.read(from: paths[0]) as? SystemResults else {
            Issue.record("read as something else")
            return
        }
        #expect(read == Self.results)
        let newer = try JSONReport.render(Self.results).replacing(
            "\"schemaVersion\" : \(SystemResults.currentSchemaVersion)", with: "\"schemaVersion\" : 99")
        try newer.write(toFile: paths[0], atomically: true, encoding: .utf8)
        #expect(throws: AssayError.self) { try JSONReport.read(from: paths[0]) }
    }

    @Test func `the page has all systems, their figures and what the words mean`() throws {
        let page = try HTMLReport.render(Self.results.document())
        for words in [
            "2 systems under their workloads", "What does it save its origin?",
            "app-sessions saves its origin 50.00 % of the requests", "1 of 2 workloads failed", "62.50 %", "75.00 %",
            "An app &amp; &lt;its&gt; server.", "× 2.00",
            "Answers that were outdated", "25.00 %", "1.50 µs", "2.50 M/s", "3 MiB/s", "× 64.00", "Interrupted: 2 of 5",
            "a wrong answer: resource 3",
            "<dt>Hit ratio</dt>", "Opening again", "share-cache-only", "workloads gives the same counts",
        ] { #expect(page.contains(words), "\(words) is missing") }
        #expect(!page.contains("<h2>Traces</h2>") && !page.contains("src=") && !page.contains("<its>"))
        #expect(!MarkupCheck.markup(of: page).contains("NaN") && !page.contains("assay gate"))
    }

    @Test func `the terminal shows a row a system, and fits where it must`() throws {
        let text = try TerminalReport.render(Self.results.document())
        for words in [
            "hit ratio", "62.50 %", "failed: a wrong answer", "As fast as a plain call: × 2.00", "fallback 3 (7.5 %)",
            "Answers that were outdated: 25.00 %", "Interrupted",
        ] { #expect(text.contains(words), "\(words) is missing") }
        let narrow = try TerminalReport.render(Self.results.document(), width: 100)
        for words in ["A key: 1.50 µs", "Requests by one: × 64.00"] { #expect(narrow.contains(words), "\(narrow)") }
        #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(narrow)")
    }

    @Test func `policies and backends are named where they differ`() throws {
        var results = Self.results
        var other = results.systems[0]
        other.backend = "log"
        results.systems = [results.systems[0], other]
        #expect(try TerminalReport.render(results.document()).contains("app-sessions · log"))
    }
}
