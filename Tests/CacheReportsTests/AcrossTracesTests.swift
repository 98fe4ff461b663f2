import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheReports

/// Miss ratios that the authors of S3-FIFO published with their paper (Yang et al., SOSP 2023): the traces of MSR Cambridge at 10 % of the
/// objects, to the four digits of their files.
enum PublishedMissRatios {
    static let policies = ["fifo", "s3fifo", "w-tinylfu", "lirs", "arc", "lru", "b-lru"]
    static let rows: [(trace: String, ratios: [Double])] = [
        ("hm_0", [0.334, 0.2891, 0.2914, 0.2894, 0.2891, 0.3188, 0.3184]),
        ("prn_0", [0.2403, 0.214, 0.2197, 0.2153, 0.2136, 0.231, 0.2726]),
        ("prn_1", [0.4577, 0.3873, 0.3712, 0.4027, 0.4138, 0.4341, 0.4387]),
        ("proj_0", [0.2632, 0.2216, 0.2539, 0.2286, 0.2241, 0.2375, 0.247]),
        ("proj_1", [0.7226, 0.6859, 0.7535, 0.7168, 0.6793, 0.7215, 0.7105]),
        ("proj_2", [0.8565, 0.8208, 0.9004, 0.8508, 0.8174, 0.8548, 0.8681]),
        ("proj_4", [0.802, 0.7295, 0.7358, 0.7231, 0.7187, 0.814, 0.7804]),
        ("prxy_0", [0.0581, 0.0465, 0.0428, 0.0465, 0.0464, 0.0476, 0.0536]),
        ("prxy_1", [0.007, 0.0027, 0.003, 0.0027, 0.0026, 0.0037, 0.003]),
        ("src1_0", [0.9151, 0.7984, 0.7775, 0.7814, 0.7792, 0.9132, 0.9114]),
        ("src1_1", [0.8147, 0.8059, 0.8408, 0.9151, 0.8312, 0.8129, 0.8268]),
        ("usr_1", [0.409, 0.3662, 0.3761, 0.3567, 0.3511, 0.4007, 0.3796]),
        ("usr_2", [0.7538, 0.7409, 0.736, 0.722, 0.7206, 0.7533, 0.7519]),
        ("web_2", [0.9929, 0.9925, 0.8777, 0.8707, 0.9786, 0.9929, 0.9957]),
    ]

    /// The mean and the percentiles 10, 25, 50, 75 and 90 of the reductions over FIFO, as NumPy 2.4 calculates them from these by the
    /// rules of the authors' plotting program.
    static let expected: [String: [Double]] = [
        "s3fifo": [0.1295, 0.0127, 0.0440, 0.1070, 0.1490, 0.1872],
        "w-tinylfu": [0.1146, -0.0380, 0.0265, 0.0841, 0.1447, 0.2410],
        "lirs": [0.1247, 0.0071, 0.0562, 0.1216, 0.1330, 0.1836],
        "arc": [0.1327, 0.0233, 0.0492, 0.1075, 0.1468, 0.1855],
        "lru": [0.0643, 0.0002, 0.0016, 0.0113, 0.0500, 0.1558],
        "b-lru": [0.0551, -0.0143, -0.0015, 0.0218, 0.0578, 0.0758],
    ]

    static func cell(_ trace: String, _ policy: String, _ ratio: Double, at capacity: String = "10%", seed: UInt64 = 1)
        -> CellResult
    {
        var cell = CellResult(
            trace: trace, policy: policy, parameters: "", capacity: .objects(1000), capacityRequested: capacity,
            seed: seed)
        var counts = ReplayCounts()
        counts.requests = 10_000
        counts.hits = 10_000 - Int((ratio * 10_000).rounded())
        cell.counts = counts
        return cell
    }

    static func description(_ trace: String, in folder: String, objects: Int) -> TraceDescription {
        TraceDescription(
            name: trace, argument: "\(folder)\(trace).csv", format: "csv", digest: "xxh128:00", requests: 10_000,
            objects: objects, bytesRequested: 10_000, footprintBytes: objects, hasSizes: false)
    }

    static func results() -> RunResults {
        var results = SmallResults.make()
        results.policies = nil
        results.traces = rows.enumerated().map { index, row in
            description(row.trace, in: index < 7 ? "msr/" : "/data/other/", objects: 1000 + 700 * index)
        }
        results.cells = rows.flatMap { row in zip(policies, row.ratios).map { cell(row.trace, $0, $1) } }
        return results
    }
}

@Suite("Policies across traces")
struct AcrossTracesTests {
    private static let golden = SharedFolder.packageRoot.appending(path: "Tests/golden/report")

    private func comparison(_ results: RunResults, baseline: String? = nil) throws -> TraceComparison {
        try TraceComparison(
            AcrossTraces(results), baseline: baseline, described: results.policies ?? [], seed: results.seed)
    }

    /// The tables of a comparison as its files have them, by their names.
    private static func tables(_ across: AcrossTracesDocument) throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "across-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try across.writeReductions(to: folder.path)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["across-traces.csv"], "something else is left beside the table")
        let (name, text) = across.csv()
        return [name: text, names[0]: try String(contentsOfFile: path, encoding: .utf8)]
    }

    /// Of a small trace several shares are one capacity, which is replayed once: at the other shares it was missing, and not counted.
    @Test func `a trace is at every share that is a capacity at which it was replayed`() throws {
        var results = SmallResults.make()
        results.policies = nil
        results.traces = [
            PublishedMissRatios.description("large", in: "", objects: 1000),
            PublishedMissRatios.description("small", in: "", objects: 50),
        ]
        func cells(_ trace: String, at capacity: String, _ amount: Int, _ ratio: Double) -> [CellResult] {
            ["fifo", "lru"].map { policy in
                var cell = PublishedMissRatios.cell(trace, policy, policy == "lru" ? ratio : 0.8, at: capacity)
                cell.capacity = amount
                return cell
            }
        }
        results.cells =
            cells("large", at: "1%", 10, 0.6) + cells("large", at: "2%", 20, 0.4) + cells("small", at: "1%", 1, 0.8)
        let rows = Array(try comparison(results).rows.filter { $0.figure == .missRatio })
        #expect(rows.count == 4 && rows.filter { $0.trace == 1 }.map(\.own) == [0.8, 0.8])
    }

    /// Collections of several years lie in folders of one name: 2019/block and 2021/block are two corpora.
    @Test func `a corpus is named by the shortest path that tells it from others`() {
        let arguments = [
            "2019/block/a", "/data/2021/block/a", "./2019/block/b", "web/a", "s3://bucket/web/a", "deep/er/c", "alone",
        ]
        var results = PublishedMissRatios.results()
        results.traces = arguments.enumerated().map { index, argument in
            var trace = PublishedMissRatios.description("t\(index)", in: "", objects: 10)
            trace.argument = argument
            return trace
        }
        #expect(
            AcrossTraces(results).corpora == ["2019/block", "2021/block", "2019/block", "web", "bucket/web", "er", "."])
    }

    /// Figure 6 of S3-FIFO's paper is of these figures.
    @Test func `published miss ratios give the published statistics`() throws {
        let comparison = try comparison(PublishedMissRatios.results())
        let all = comparison.summaries.filter { $0.group.kind == .all }
        #expect(all.count == PublishedMissRatios.expected.count)
        #expect(all.map { comparison.data.series[$0.series].policy }.first == "arc", "not the largest mean first")
        for summary in all {
            let policy = comparison.data.series[summary.series].policy
            let expected = try #require(PublishedMissRatios.expected[policy])
            let found = [summary.spread.mean] + Spread.percents.map { summary.spread.percentile(Double($0)) }
            for (value, wanted) in zip(found, expected) {
                #expect(abs(try #require(value) - wanted) <= 0.00005 + 1e-9, "\(policy): \(found)")
            }
            let interval = try #require(summary.spread.meanInterval)
            #expect(interval.contains(try #require(summary.spread.mean)) && interval.lowerBound < interval.upperBound)
            #expect(try #require(summary.spread.medianInterval).contains(try #require(summary.spread.percentile(50))))
        }
    }

    @Test func `a reduction is of the larger ratio, so that doubling weighs as much as halving`() {
        #expect(TraceComparison.reduction(of: 0.2, from: 0.4) == 0.5)
        #expect(TraceComparison.reduction(of: 0.4, from: 0.2) == -0.5)
        #expect(TraceComparison.reduction(of: 0.3, from: 0.3) == 0)
        #expect(TraceComparison.reduction(of: 0, from: 0.3) == 1)
    }

    /// The mean of figures whose spread is known: 100 of 0 and 100 of 1 have a standard error of the mean of 0.0354.
    @Test func `intervals are as wide as the figures are spread, and the same for the same seed`() throws {
        let figures = (0..<200).map { Double($0 % 2) }
        let interval = try #require(Spread(figures, seed: 1).meanInterval)
        #expect(abs(interval.lowerBound - (0.5 - 0.0693)) < 0.01 && abs(interval.upperBound - (0.5 + 0.0693)) < 0.01)
        #expect(Spread(figures, seed: 1).meanInterval == interval && Spread(figures, seed: 2).meanInterval != nil)
        let same = Spread([0.25, 0.25, 0.25, 0.25, 0.25, 0.25], seed: 1)
        #expect(same.meanInterval == 0.25...0.25 && same.medianInterval == 0.25...0.25)
        #expect(Spread([0, 0, 0, 1, 1], seed: 1).meanInterval == nil)
        // Of seven figures the medians of samples are among them.
        let few = try #require(Spread([1, 2, 3, 4, 5, 6, 7], seed: 1).medianInterval)
        #expect(few.lowerBound == few.lowerBound.rounded() && few.lowerBound <= 3 && few.upperBound >= 5)
    }

    @Test func `what cannot be compared is counted and named`() throws {
        var results = PublishedMissRatios.results()
        results.traces += ["silent", "without", "broken"].map {
            PublishedMissRatios.description($0, in: "", objects: 10)
        }
        var failed = PublishedMissRatios.cell("broken", "arc", 0.5)
        (failed.counts, failed.failure) = (nil, CellFailure(.crashed, "It ended."))
        results.cells += [
            PublishedMissRatios.cell("silent", "fifo", 0), PublishedMissRatios.cell("silent", "arc", 0.5),
            PublishedMissRatios.cell("without", "arc", 0.5), PublishedMissRatios.cell("broken", "fifo", 0.5), failed,
        ]
        let comparison = try comparison(results)
        let arc = try #require(comparison.summaries.first { $0.group.kind == .all && $0.omitted > 0 })
        #expect(arc.omitted == 3 && arc.spread.values.count == 14)
        #expect(
            comparison.rows.filter { $0.value == nil }.map { comparison.data.traces[$0.trace].name }
                == ["silent", "without", "broken"])
        let document = try AcrossTracesDocument(AcrossTraces(results), of: results, options: ReportOptions())
        let text = TerminalReport.render(try document.document(ReportOptions()))
        for words in [
            "no result of the baseline policy: 1 combination of 1 trace (without)",
            "the baseline policy has no misses: 1 combination of 1 trace (silent)",
            "no result of the policy: 1 combination of 1 trace (broken)",
        ] { #expect(text.replacing("\n", with: " ").contains(words), "\(text)") }
    }

    @Test func `each seed is compared as part of its trace, and each warm-up with its own baseline`() throws {
        var results = PublishedMissRatios.results()
        results.cells = ["a", "b"].flatMap { trace in
            [
                PublishedMissRatios.cell(trace, "fifo", 0.5), PublishedMissRatios.cell(trace, "random", 0.2, seed: 1),
                PublishedMissRatios.cell(trace, "random", 0.3, seed: 2),
            ]
        }
        results.traces = ["a", "b"].map { PublishedMissRatios.description($0, in: "x/", objects: 10) }
        #expect(try Array(comparison(results).rows.map(\.value)) == [0.5, 0.5])
        var warm = results.cells
        for index in warm.indices {
            warm[index].warmUp = CellWarmUp(requested: "10%", requests: 1000)
            let isBaseline = warm[index].policy == "fifo"
            warm[index].counts?.hits = isBaseline ? 9000 : 9500
        }
        results.cells += warm
        let both = try Array(comparison(results).rows)
        #expect(both.count == 4 && both.allSatisfy { $0.value.map { abs($0 - 0.5) < 1e-9 } ?? false })
    }

    @Test func `a baseline that did not run, and a single trace, are refused`() throws {
        var results = PublishedMissRatios.results()
        #expect(throws: AssayError.self) { try comparison(results, baseline: "nru") }
        #expect(try Array(comparison(results, baseline: "lru").rows).count == 14 * 6)
        results.cells.removeAll { ["fifo", "lru"].contains($0.policy) }
        #expect(throws: AssayError.self) { try comparison(results) }
        results.cells = PublishedMissRatios.results().cells.filter { $0.trace == "hm_0" }
        #expect(throws: AssayError.self) {
            try AcrossTracesDocument(AcrossTraces(results), of: results, options: ReportOptions())
        }
    }

    @Test(arguments: ["across.csv", "across-traces.csv", "across.tex"])
    func `tables are as their golden files`(_ name: String) throws {
        let results = PublishedMissRatios.results()
        let across = try AcrossTracesDocument(AcrossTraces(results), of: results, options: ReportOptions())
        let document = try across.document(ReportOptions())
        let text =
            try Self.tables(across)[name]?.replacing("\r\n", with: "\n") ?? LaTeXReport.render(document)
        let file = Self.golden.appending(path: name)
        let golden = try? String(contentsOf: file, encoding: .utf8)
        if golden != text, ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(golden == text, "Tests/golden/report/\(name) says something else; ASSAY_UPDATE_GOLDEN=1 writes it anew")
        let charts = SVGCharts.render(document)
        #expect(charts.count == 2)
        for chart in charts { #expect(MarkupCheck(chart.text).problem == nil, "\(chart.name)") }
    }

    @Test func `names of traces and capacities stay text, and no figure of a stranger traps`() throws {
        var results = PublishedMissRatios.results()
        for index in results.cells.indices {
            results.cells[index].capacityRequested = ["nan%", "-1%", "1e99%", "<b>%", "inf%"][index % 5]
            results.cells[index].capacity = [0, 1, .max][index % 3]
            results.cells[index].counts?.hits = [0, .max, -5][index % 3]
        }
        for index in results.traces.indices {
            results.traces[index].objects = index % 2 == 0 ? .max : -7
            results.traces[index].argument = "<script>/=1/x"
        }
        let across = try AcrossTracesDocument(AcrossTraces(results), of: results, options: ReportOptions())
        let page = try HTMLReport.render(across.document(ReportOptions()))
        #expect(!page.contains("<script>/=1"))
        #expect(try #require(Self.tables(across)["across-traces.csv"]).contains(",'=1,"))
    }
}
