import CacheCore
import Foundation
import Testing

@testable import CacheReports

@Suite("Reports of parts: warm-up, windows, tenants, costs")
struct PartReportTests {
    private static func part(_ requests: Int, _ hits: Int, _ bytes: Int, _ bytesHit: Int) -> PartCounts {
        var part = PartCounts()
        (part.requests, part.hits, part.bytesRequested, part.bytesHit) = (requests, hits, bytes, bytesHit)
        return part
    }

    /// One cell of a run with everything.
    static func results() -> RunResults {
        var results = SmallResults.make()
        var cell = SmallResults.simulated("lru", hits: 250)
        cell.warmUp = CellWarmUp(requested: "10%", requests: 100)
        cell.windows = [
            ReplayWindow(first: 100, startSeconds: 60, counts: part(400, 100, 40_000, 4000)),
            ReplayWindow(first: 500, startSeconds: 120.5, counts: part(0, 0, 0, 0)),
            ReplayWindow(first: 500, startSeconds: 180, counts: part(600, 150, 24_000, 4000)),
        ]
        cell.tenants = [
            TenantCounts(tenant: "=shop, <b>", counts: part(700, 200, 60_000, 6000)),
            TenantCounts(tenant: "", others: 12, counts: part(300, 50, 4000, 2000)),
        ]
        cell.counts?.costRequested = 200
        cell.counts?.costMissed = 50
        results.cells = [cell]
        return results
    }

    @Test func `windows and tenants have a row each`() {
        let identity = "web,lru,,always,ignored,100,objects,100,,"
        let names = "trace,policy,parameters,admission,expiry,capacity,capacity_unit,warm_up_requests,prefetch,"
        let figures = "requests,hits,misses,hit_ratio,bytes_requested,bytes_hit,byte_hit_ratio"
        #expect(
            CSVReport.windows(Self.results())
                == [
                    "\(names)window,first_request,start_seconds,\(figures)",
                    "\(identity)0,100,60.0,400,100,300,0.25,40000,4000,0.1",
                    "\(identity)1,500,120.5,0,0,0,,0,0,",
                    "\(identity)2,500,180.0,600,150,450,0.25,24000,4000,\(1.0 / 6)", "",
                ].joined(separator: "\r\n"))
        #expect(
            CSVReport.tenants(Self.results())
                == [
                    "\(names)tenant,tenants_together,\(figures)",
                    "\(identity)\"'=shop, <b>\",1,700,200,500,\(200.0 / 700),60000,6000,0.1",
                    "\(identity),12,300,50,250,\(50.0 / 300),4000,2000,0.5", "",
                ].joined(separator: "\r\n"))
        #expect(CSVReport.windows(SmallResults.make()) == nil && CSVReport.tenants(SmallResults.make()) == nil)
    }

    @Test func `the row of a cell has its warm-up and what hits saved`() throws {
        let lines = CSVReport.render(Self.results()).components(separatedBy: "\r\n")
        let fields = Dictionary(
            uniqueKeysWithValues: zip(lines[0].components(separatedBy: ","), lines[1].components(separatedBy: ",")))
        let expected = [
            "warm_up": "10%", "warm_up_requests": "100", "cost_requested": "200.0", "cost_missed": "50.0",
            "cost_hit_ratio": "0.75",
        ]
        for (name, value) in expected { #expect(fields[name] == value, "\(name)") }
        let without = CSVReport.render(SmallResults.make()).components(separatedBy: "\r\n")
        #expect(without[1].contains(",,0,,"), "no warm-up is 0 requests")
    }

    @Test func `the files come and go with the parts`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-parts-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let paths = try BuiltinReports.write(Self.results(), to: directory.path)
        #expect(
            paths.map { URL(filePath: $0).lastPathComponent } == [
                "results.json", "results.csv", "windows.csv", "tenants.csv", "report.html",
            ])
        #expect(try JSONReport.read(from: paths[0]) as? RunResults == Self.results())
        try BuiltinReports.write(SmallResults.make(), to: directory.path)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                == BuiltinReports.fileNames.sorted())
    }

    @Test func `the page has a chart over time, a table of tenants and what was saved`() throws {
        let page = try HTMLReport.render(Self.results().document())
        for text in [
            "Hit ratio over time at 100 objects", "3 windows", "Hit ratio by tenant at 100 objects", "12 others",
            "=shop, &lt;b&gt;", "10.00 % of bytes", "Cost saved", "75.00 %",
            "The first 100 requests warm the caches and are not counted (--warm-up).",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(!page.contains("<b>"))
        // A window without requests is a gap.
        #expect(page.contains("M62 12h1M590 12h1"))
    }

    @Test func `a terminal says what is not counted and what was saved`() throws {
        let text = try TerminalReport.render(Self.results().document())
        #expect(text.contains("The first 100 requests warm the caches and are not counted (--warm-up)."))
        #expect(text.contains("cost saved") && text.contains("75.00 %"))
        #expect(try !TerminalReport.render(SmallResults.make().document()).contains("cost saved"))
    }

    @Test func `cells with other warm-ups have names of their own and do not compete`() {
        var results = Self.results()
        results.cells.append(SmallResults.simulated("lru", hits: 300))
        let labels = SeriesLabels(results)
        #expect(labels.keys.map(labels.label) == ["lru after 10%", "lru"])
        #expect(Standings(results, labels, baseline: nil).contests.count == 2)
        #expect(SeriesLabels(Self.results()).keys.map(SeriesLabels(Self.results()).label) == ["lru"])
    }

    @Test func `many windows are put together for the chart`() throws {
        var results = Self.results()
        results.cells[0].windows = (0..<1000).map {
            ReplayWindow(first: $0, counts: Self.part(1, $0 < 500 ? 1 : 0, 1, 0))
        }
        let page = try HTMLReport.render(results.document())
        #expect(page.contains("1,000 windows; 9 windows together, each is in windows.csv"))
    }
}
