import CacheCore
import CacheHarness
import Testing

@Suite("Gate")
struct GateTests {
    @Test("Equal figures pass, whatever the order of the cells and however different the times")
    func equalRunsPass() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells.reverse()
        for index in candidate.cells.indices { candidate.cells[index].requestsPerSecond = 1 }
        let results = try compare(baseline, candidate)
        #expect(results.passes)
        #expect(results.count(.equal) == baseline.cells.count)
        #expect(results.comparedCount == baseline.cells.count)
        try results.throwUnlessPassed()
    }

    @Test("Each figure that moves is found and classified by its direction", arguments: GateSample.changes)
    func everyFigureIsCompared(_ change: GateSample.Change) throws {
        let baseline = GateSample.run()
        var candidate = baseline
        change.apply(&candidate.cells[1])
        let results = try compare(baseline, candidate)
        let cell = try #require(results.cells.first)
        #expect(cell.verdict == change.verdict)
        #expect(cell.policy == baseline.cells[1].policy)
        #expect(cell.differences.map(\.figure) == change.figures)
        #expect(results.count(.equal) == baseline.cells.count - 1)
        #expect(results.passes == (change.verdict != .regression))
    }

    @Test("Strict rules fail on any difference", arguments: GateSample.changes)
    func strictRulesFail(_ change: GateSample.Change) throws {
        let baseline = GateSample.run()
        var candidate = baseline
        change.apply(&candidate.cells[1])
        let results = try compare(baseline, candidate, GateRules(isStrict: true))
        #expect(!results.passes)
        #expect(throws: AssayError.self) { try results.throwUnlessPassed() }
    }

    @Test("A cell that the candidate lacks fails unless that is allowed")
    func missingCells() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells.remove(at: 0)
        let strict = try compare(baseline, candidate)
        #expect(strict.cells.first?.verdict == .missing)
        let error = #expect(throws: AssayError.self) { try strict.throwUnlessPassed() }
        #expect(error?.code == .verdict)
        let lenient = try compare(baseline, candidate, GateRules(allowsMissing: true))
        #expect(lenient.passes)
        #expect(lenient.count(.dropped) == 1)
    }

    @Test(
        "Results that no run can have written are bad input",
        arguments: [
            { $0.traces = [] }, { $0.cells.append($0.cells[0]) }, { $0.cells[0].counts?.hits = 1 << 40 },
            { $0.cells[0].counts?.bytesHit = -1 },
        ] as [@Sendable (inout RunResults) -> Void])
    func impossibleResults(_ spoil: @Sendable (inout RunResults) -> Void) throws {
        let baseline = GateSample.run()
        var candidate = baseline
        spoil(&candidate)
        let error = #expect(throws: AssayError.self) { try compare(baseline, candidate) }
        #expect(error?.code == .badInput)
    }

    @Test("A cell that only the candidate has is listed and does not fail")
    func addedCells() throws {
        let candidate = GateSample.run()
        var baseline = candidate
        baseline.cells.remove(at: 0)
        let results = try compare(baseline, candidate)
        #expect(results.passes)
        #expect(results.count(.added) == 1)
    }

    @Test("A cell that fails now is a regression, one that failed before and works is an improvement")
    func failures() throws {
        let working = GateSample.run()
        var failing = working
        failing.cells[0].counts = nil
        failing.cells[0].failure = CellFailure(.crashed, "The process ended with SIGILL.")
        let broke = try compare(working, failing)
        #expect(broke.cells.first?.verdict == .regression)
        #expect(broke.cells.first?.failure?.kind == .crashed)
        #expect(!broke.passes)
        #expect(try compare(failing, working).count(.improvement) == 1)
        let still = try compare(failing, failing)
        #expect(still.passes)
        #expect(still.count(.stillFailing) == 1)
    }

    @Test("Another input under the same name is not compared and does not pass")
    func digests() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.traces[0].digest = String(repeating: "f", count: 64)
        candidate.cells[0].counts?.hits = 0
        let results = try compare(baseline, candidate)
        #expect(results.incomparableTraces.map(\.trace) == ["web"])
        #expect(results.count(.incomparable) == baseline.cells.count { $0.trace == "web" })
        #expect(results.count(.regression) == 0)
        let error = #expect(throws: AssayError.self) { try results.throwUnlessPassed() }
        #expect(error?.code == .badInput)
    }

    @Test("Nothing compared is an error, never a pass")
    func nothingCompared() {
        let full = GateSample.run()
        var empty = full
        empty.cells = []
        var failed = full
        for index in failed.cells.indices { failed.cells[index].failure = CellFailure(.failed, "broken") }
        let allowing = GateRules(allowsMissing: true)
        for (baseline, candidate) in [(empty, full), (full, empty), (failed, failed)] {
            let error = #expect(throws: AssayError.self) { try compare(baseline, candidate, allowing) }
            #expect(error?.code == .badInput)
        }
    }

    @Test("The worst comes first: failures, then the largest loss, then improvements")
    func order() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells[0].counts?.hits -= 1
        candidate.cells[1].counts?.hits -= 50
        candidate.cells[2].counts?.hits += 90
        candidate.cells[3].failure = CellFailure(.hung, "No progress.")
        let results = try compare(baseline, candidate)
        let identities = results.cells.prefix(4).map { "\($0.policy) \($0.capacity)" }
        #expect(identities == [3, 1, 0, 2].map { "\(baseline.cells[$0].policy) \(baseline.cells[$0].capacity)" })
    }

    @Test("Two shares that resolve to one capacity are two cells")
    func repeatedIdentities() throws {
        var baseline = GateSample.run()
        var twin = baseline.cells[0]
        twin.capacityRequested = "0.2%"
        baseline.cells.append(twin)
        var candidate = baseline
        candidate.cells.reverse()
        #expect(try compare(baseline, candidate).passes)
        candidate.cells.removeAll { $0.capacityRequested == "0.2%" }
        #expect(try compare(baseline, candidate).count(.missing) == 1)
    }

    @Test("Other counts under another seed name the seed to repeat with")
    func seeds() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells[0].seed = 9
        #expect(try compare(baseline, candidate).passes)
        candidate.cells[0].counts?.hits -= 1
        let results = try compare(baseline, candidate)
        #expect(results.cells.first?.notCompared.contains { $0.contains("--seed 1") } == true)
    }

    private func compare(
        _ baseline: RunResults, _ candidate: RunResults, _ rules: GateRules = GateRules()
    ) throws(AssayError) -> GateResults {
        try Gate.compare(
            baseline: baseline, from: "baseline.json", candidate: candidate, from: "candidate.json", rules: rules)
    }
}
