import CacheCore
import CacheReports
import Testing

@Suite("Terminal report")
struct TerminalReportTests {
    /// A policy that is not applicable somewhere had a mean with 0 for that, and a lead of the wrong sign.
    @Test func `means are over the capacities at which there are results`() throws {
        var results = SmallResults.make()
        var missing = SmallResults.simulated("sieve", hits: 0, capacity: 300)
        (missing.counts, missing.failure) = (nil, CellFailure(.notApplicable, "It counts objects alone."))
        results.cells =
            [(100, 250), (200, 300), (300, 600)].map { SmallResults.simulated("lru", hits: $1, capacity: $0) }
            + [(100, 400), (200, 500)].map { SmallResults.simulated("sieve", hits: $1, capacity: $0) } + [missing]
        let text = TerminalReport.render(try results.document(.init()))
        let words = "45.00 % mean hit ratio of sieve; +17.50 points over lru, over 2 of 3 capacities."
        #expect(text.contains("sieve has the most hits at 2 of 3 capacities. \(words)"), "\(text)")
    }

    @Test("The small run as text, to the character")
    func golden() throws {
        let expected = """
            web · 1,000 requests · 400 objects · 62.5 KiB requested · 25 KiB footprint
              policy  capacity  hit ratio  byte hit ratio  evictions  requests/s
            * sieve        100    37.50 %         18.75 %        525    2.50 M/s
              lru          100    25.00 %         12.50 %        650    2.50 M/s
              arc          100  crashed: It said "no", then ended.

            policy  backend  capacity  hit ratio  byte hit ratio  evictions  requests/s  get p50  get p99  put p99  bytes/entry     disk
            lru     file          100    25.00 %         12.50 %        650      80 k/s   900 ns     4 µs        –        141.0  400 KiB

            Of 2 policies, sieve has the most hits. 37.50 % hit ratio of sieve; +12.50 points over lru. Counts are exact for these traces, with seed 1. 1 cell has no result.
            1 of 4 cells failed; their reasons stand under “Without a result”.
            – not measured: a percentile needs 10 timed calls beyond it, so p50 needs 20, p99 1,000, p99.9 10,000
            4 cells in 2.5 s, 1 failed
            * highest hit ratio of its capacity and backend; policies that know the future are not marked.

            """
        let text = try TerminalReport.render(SmallResults.make().document())
        #expect(text == expected, "\(text)")
    }

    @Test("Every line fits the terminal", arguments: [60, 72, 80, 100, 132])
    func width(_ width: Int) throws {
        let lines = try TerminalReport.render(SampleResults.make().document(), width: width).split(separator: "\n")
        let tables = lines.filter { !$0.hasPrefix("* highest") }
        #expect(tables.allSatisfy { $0.count <= width })
        #expect(tables.count { $0.contains("%") } > 400)
    }

    @Test("Colour is used only when asked for")
    func colour() throws {
        let results = SmallResults.make()
        #expect(try !TerminalReport.render(results.document()).contains("\u{1B}"))
        #expect(try TerminalReport.render(results.document(), isColored: true).contains("\u{1B}[31m"))
    }

    @Test("A policy that knows the future is not marked as the best")
    func bounds() throws {
        var results = SmallResults.make()
        results.cells.insert(SmallResults.simulated("belady", hits: 500), at: 0)
        let text = try TerminalReport.render(results.document())
        #expect(text.contains("\n* sieve"))
        #expect(!text.contains("* belady"))
        results.cells[0].policy = "clairvoyant"
        #expect(try TerminalReport.render(results.document()).contains("* clairvoyant"))
        results.policies = [PolicyDescription(name: "clairvoyant", family: "bound", summary: "", citation: "")]
        #expect(try !TerminalReport.render(results.document()).contains("* clairvoyant"))
    }

    @Test("An interrupted run says how much of it is there")
    func interrupted() throws {
        var results = SmallResults.make()
        results.status = .interrupted
        results.cellsPlanned = 12
        #expect(try TerminalReport.render(results.document()).contains("Interrupted: 4 of 12 cells finished;"))
    }

    @Test("Only parameters that vary are part of a curve's name")
    func labels() throws {
        var results = SmallResults.make()
        results.cells = [
            SmallResults.simulated("s3fifo", hits: 10, parameters: "small-ratio=0.1;ghost-ratio=0.9"),
            SmallResults.simulated("s3fifo", hits: 20, parameters: "small-ratio=0.2;ghost-ratio=0.9"),
        ]
        let text = try TerminalReport.render(results.document())
        #expect(text.contains("* s3fifo small-ratio=0.2 "))
        #expect(!text.contains("ghost-ratio"))
    }

    @Test func `names and reasons from outside cannot steer the terminal`() throws {
        var results = SmallResults.make()
        results.cells[0].policy = "l\u{1B}[2Jru\u{9B}31m"
        results.cells[3].failure?.message = "x\u{202E}y\n\u{1B}]0;title\u{7}"
        let text = try TerminalReport.render(results.document(), isColored: true)
        #expect(text.contains(#"l\u001b[2Jru\u009b31m"#) && text.contains(#"x\u202ey \u001b]0;title\u0007"#), "\(text)")
        #expect(text.terminalSafeInStyle == text)
    }
}
