import CacheCore
import CacheGate
import Foundation
import Testing

@Suite("A baseline as text that merges")
struct BaselineTests {
    private static func files(_ run: RunResults) throws -> [(name: String, text: String)] {
        try FigureSet(run, from: "r.json").baselineFiles()
    }

    /// What was written, read again.
    private static func read(_ files: [(name: String, text: String)]) throws(AssayError) -> FigureSet {
        var set = FigureSet(source: "baseline")
        for file in files {
            guard let part = try FigureSet(baseline: Data(file.text.utf8), from: file.name) else { continue }
            try set.add(part)
        }
        return set
    }

    @Test func `it has a sorted line for each cell, no times, and the same text in any order`() throws {
        let run = GateSample.run()
        let files = try Self.files(run)
        #expect(files.count == 2 && files[0].name == "baseline.jsonl" && files[1].name.hasPrefix("baseline-"))
        let lines = files[0].text.split(separator: "\n").map(String.init)
        #expect(
            lines.count == 9 && lines[0] == #"{"assayBaseline":1}"#
                && Array(lines.dropFirst()) == lines.dropFirst().sorted())
        #expect(
            lines[1].hasPrefix(#"["lru","",{"capacity":"10 objects","kind":"run","trace":"oltp","trace-digest":"2"},{"#)
        )
        #expect(
            !files.contains { $0.text.contains("per-second") } && files[1].text.contains(#"{"bytes-per-entry":100}"#))
        var other = run
        other.cells.reverse()
        other.startedAt = "2027"
        for index in other.cells.indices { other.cells[index].requestsPerSecond = 5 }
        #expect(try Self.files(other).map(\.text) == files.map(\.text))
    }

    @Test func `one changed cell changes one line`() throws {
        let before = try Self.files(GateSample.run())[0].text.split(separator: "\n")
        let after = try Self.files(GateSample.changed { $0.counts?.hits -= 1 })[0].text.split(separator: "\n")
        #expect(zip(before, after).count { $0 != $1 } == 1)
    }

    @Test func `what was accepted passes, a loss does not, and traces are known under other names`() throws {
        let baseline = try Self.read(try Self.files(GateSample.run()))
        let same = GateSample.renamed(GateSample.run(), ["web": "mon/web", "oltp": "oltp"])
        let outcome = try Gate.compare(
            baseline: baseline, candidate: FigureSet(same, from: "c"), rules: GateRules(isStrict: true))
        #expect(outcome.lines.isEmpty && outcome.comparedFigures == 8 * 9 && outcome.comparedCells == 8)
        let worse = GateSample.changed {
            $0.counts?.hits -= 1
            $0.memory?.bytesPerEntry = 101
        }
        let lines = try Gate.compare(baseline: baseline, candidate: FigureSet(worse, from: "c")).lines
        #expect(lines.map(\.figure) == ["bytes-per-entry", "hits"] && lines.allSatisfy(\.fails))
    }

    @Test func `each machine has a file of its own, and one's cells that are gone are no loss`() throws {
        var other = GateSample.run()
        other.environment.processor = "special"
        other.cells[1].memory?.bytesPerEntry = 200
        let gone = GateSample.cell("web", "lru", 77)
        other.cells.append(gone)
        let files = try Self.files(GateSample.run()) + Self.files(other).dropFirst()
        #expect(Set(files.map(\.name)).count == 3)
        let baseline = try Self.read(files)
        other.cells.removeLast()
        for run in [GateSample.run(), other] {
            let outcome = try Gate.compare(
                baseline: baseline, candidate: FigureSet(run, from: "c"), rules: GateRules(isStrict: true))
            #expect(outcome.lines.isEmpty && outcome.comparedFigures == 8 * 9)
        }
    }

    @Test func `a cell that failed stays failed`() throws {
        let failing = GateSample.changed {
            $0.counts = nil
            $0.failure = CellFailure(.crashed, "gone")
        }
        let baseline = try Self.read(try Self.files(failing))
        let lines = try Gate.compare(baseline: baseline, candidate: FigureSet(failing, from: "c")).lines
        #expect(lines.map(\.verdict) == [.incomparable] && !lines[0].fails)
        #expect(
            try Gate.compare(baseline: baseline, candidate: FigureSet(GateSample.run(), from: "c")).lines.map(\.verdict)
                == [.better])
    }

    @Test(arguments: [
        #"["lru","",{}]"#, "<<<<<<< HEAD", #"["lru","",{},{"requests-per-second":5},1]"#,
        #"["lru","",{},{"bytes-per-entry":5},1]"#,
        #"["lru","",{},{"hits":5},1]"# + "\n" + #"["lru","",{},{"hits":5},1]"#,
    ])
    func `a damaged line is refused`(_ line: String) {
        let error = #expect(throws: AssayError.self) {
            try FigureSet(baseline: Data("{\"assayBaseline\":1}\n\(line)\n".utf8), from: "b.jsonl")
        }
        #expect(error?.code == .badInput && error?.location?.source == "b.jsonl")
    }

    @Test func `a later version is refused, and other text is no baseline`() throws {
        #expect(throws: AssayError.self) { try FigureSet(baseline: Data(#"{"assayBaseline":2}"#.utf8), from: "b") }
        #expect(try FigureSet(baseline: Data("{\n}".utf8), from: "b") == nil)
    }
}
