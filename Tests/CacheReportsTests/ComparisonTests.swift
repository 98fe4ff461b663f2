import CacheCore
import CacheGate
import Foundation
import Testing

@testable import CacheReports

@Suite("Several results side by side, or as one")
struct ComparisonTests {
    private static let merge = ["report", "a.json", "b.json", "--merge"]

    private static func compare(_ a: RunResults, _ b: RunResults) throws -> ComparisonDocument {
        ComparisonDocument(
            [try .init(label: "old", results: a), try .init(label: "new", results: b)],
            commandLine: ["report", "old", "new"], assayVersion: "0.1.0")
    }

    private static func table(_ document: ReportDocument, _ id: String) throws -> DataTable {
        let section = try #require(document.sections.first { $0.id == id })
        guard case .table(let block) = section.blocks[0] else { throw CancellationError() }
        return block.table
    }

    @Test func `one more miss is found, told first, and marked as worse`() throws {
        var new = SmallResults.make()
        new.cells[1].counts?.hits -= 1
        new.cells[0].requestsPerSecond = 5_000_000
        let document = try Self.compare(SmallResults.make(), new).document(ReportOptions())
        let answer = try #require(document.answer)
        #expect(answer.sentence.hasPrefix("1 of "), "\(answer.sentence)")
        #expect(answer.sentence.hasSuffix("most the hit ratio of sieve: 37.50 % in old and 37.40 % in new."))
        #expect(answer.figure == "−0.10 points worse")
        let hits = try Self.table(document, "figure-hit-ratio")
        #expect(hits.rows.map { $0.map(\.text) } == [["sieve", "–", "37.50 %", "37.40 %", "−0.10 points worse"]])
        #expect(hits.failed == [0] && hits.best == [])
        // Times are shown, and nobody judges them.
        let rates = try Self.table(document, "figure-requests-per-second")
        #expect(rates.rows[0].map(\.text).suffix(3) == ["2.50 M/s", "5 M/s", "+100.00 %"])
        #expect(rates.failed == [] && rates.best == [])
        #expect(document.notices.contains { $0.text.contains("'assay gate --against'") })
        let terminal = TerminalReport.render(document, width: 80)
        #expect(terminal.contains("37.40 %") && terminal.contains("1 of "))
    }

    @Test func `equal results say so`() throws {
        let document = try Self.compare(SmallResults.make(), SmallResults.make()).document(ReportOptions())
        #expect(document.answer?.sentence.hasPrefix("Nothing: all ") == true)
        #expect(document.sections.map(\.id) == ["equal", "environment"])
        #expect(document.notices.isEmpty)
    }

    @Test func `better is by the figure's direction, and marked`() throws {
        var new = SmallResults.make()
        new.cells[0].counts?.hits += 10
        new.cells[0].counts?.evictions -= 10
        let document = try Self.compare(SmallResults.make(), new).document(ReportOptions())
        #expect(try Self.table(document, "figure-hit-ratio").best == [0])
        #expect(try Self.table(document, "figure-evictions").best == [0])
        #expect(document.closing == ["* better than old"])
    }

    @Test func `unlike machines and what only one file has are told`() throws {
        var new = SmallResults.make()
        new.environment.processor = "another"
        new.cells.remove(at: 1)
        let document = try Self.compare(SmallResults.make(), new).document(ReportOptions())
        #expect(document.notices.contains { $0.text.hasPrefix("Another machine or build measured new") })
        let partial = try Self.table(document, "partial")
        #expect(partial.rows.map { $0.map(\.text) } == [["sieve", "–", "has it", "–"]])
    }

    @Test func `one name for two traces is told, and they are not compared`() throws {
        var new = SmallResults.make()
        new.traces[0].digest = String(repeating: "cd", count: 32)
        let comparison = try Self.compare(SmallResults.make(), new)
        let document = try comparison.document(ReportOptions())
        #expect(document.notices.contains { $0.text.hasPrefix("The trace 'web' is not the same") })
        #expect(document.answer?.sentence == "No exact figure is in more than one of them.")
        let csv = comparison.csv().split(separator: "\r\n")
        #expect(csv[0] == "file,kind,subject,parameters,place,figure,unit,value")
        #expect(csv.contains { $0.hasPrefix("new,run,lru,,") && $0.hasSuffix(",hits,,250") })
    }

    @Test func `a baseline policy is refused, and advice has nothing to compare`() throws {
        let comparison = try Self.compare(SmallResults.make(), SmallResults.make())
        #expect(throws: AssayError.self) { try comparison.document(ReportOptions(baselinePolicy: "lru")) }
    }

    @Test func `runs of different cells become one`() throws {
        var (first, second) = (SmallResults.make(), SmallResults.make())
        first.cells = [SmallResults.simulated("lru", hits: 250)]
        second.cells = [SmallResults.simulated("sieve", hits: 375), SmallResults.simulated("lru", hits: 250)]
        second.traces[0].name = "other/web"
        for index in second.cells.indices { second.cells[index].trace = "other/web" }
        second.startedAt = "2025-01-01T00:00:00Z"
        (first.cellsPlanned, second.cellsPlanned) = (2, 2)
        let merged = try ResultsMerge([("a", first), ("b", second)], commandLine: Self.merge)
        #expect(merged.results.cells.map(\.policy) == ["lru", "sieve"])
        #expect(merged.results.cells.map(\.trace) == ["web", "web"] && merged.results.traces.count == 1)
        #expect(merged.repeatedParts == 1 && merged.isUseful)
        #expect(merged.results.cellsPlanned == 3 && merged.results.startedAt == "2025-01-01T00:00:00Z")
        #expect(merged.results.durationSeconds == 5 && merged.results.warnings == nil)
        #expect(merged.results.commandLine == Self.merge)
    }

    @Test func `results with nothing new make no useful merge`() throws {
        let merged = try ResultsMerge(
            [("a", SmallResults.make()), ("b", SmallResults.make())], commandLine: Self.merge)
        #expect(!merged.isUseful && merged.results.cells == SmallResults.make().cells)
    }

    @Test func `contradictions are no merge, and the message names the cell`() throws {
        var other = SmallResults.make()
        other.cells[1].counts?.hits -= 1
        #expect {
            try ResultsMerge([("a", SmallResults.make()), ("b", other)], commandLine: Self.merge)
        } throws: {
            let error = $0 as? AssayError
            return error?.code == .badInput && error?.message.contains("web | sieve") == true
                && error?.location?.source == "b"
        }
        var renamed = SmallResults.make()
        renamed.traces[0].digest = "other"
        #expect(throws: AssayError.self) {
            try ResultsMerge([("a", SmallResults.make()), ("b", renamed)], commandLine: Self.merge)
        }
        var seeded = SmallResults.make()
        seeded.seed = 2
        #expect(throws: AssayError.self) {
            try ResultsMerge([("a", SmallResults.make()), ("b", seeded)], commandLine: Self.merge)
        }
    }

    @Test func `unlike machines stay visible in what is merged`() throws {
        var other = SmallResults.make()
        other.environment.processor = "another"
        other.cells = [SmallResults.simulated("fifo", hits: 200)]
        let merged = try ResultsMerge([("a", SmallResults.make()), ("b", other)], commandLine: Self.merge).results
        #expect(merged.environment.processor == "generic / another")
        #expect(
            merged.warnings == ["These results come from several machines or builds: their times are not comparable."])
    }

    @Test func `curves of one policy become one curve of all points`() throws {
        var (first, second) = (SmallCurves.make(), SmallCurves.make())
        first.curves = [SmallCurves.exact]
        second.curves = [SmallCurves.exact]
        first.curves[0].points.removeLast()
        second.curves[0].points.removeFirst()
        let merged = try ResultsMerge([("a", first), ("b", second)], commandLine: Self.merge)
        #expect(merged.isUseful && merged.results.curves.count == 1)
        #expect(merged.results.curves[0].points == SmallCurves.exact.points)
        #expect(merged.results.curves[0].passSeconds == 1 && merged.results.curves[0].requestsPerSecond == nil)
        second.curves = [SmallCurves.exact]
        second.curves[0].points[0].hitRatio = 0.26
        #expect(throws: AssayError.self) {
            try ResultsMerge([("a", first), ("b", second)], commandLine: Self.merge)
        }
    }
}
