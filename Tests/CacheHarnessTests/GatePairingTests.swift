import CacheCore
import CacheHarness
import Testing

@Suite("Gate: which trace is which, and what its messages count")
struct GatePairingTests {
    /// The sample with contents that the traces' names say nothing of.
    private static func sample(_ digests: [String?] = ["1", "2"]) -> RunResults {
        var run = GateSample.run()
        for (index, digest) in digests.enumerated() { run.traces[index].contentDigest = digest }
        return run
    }

    private static func renamed(_ run: RunResults, _ names: [String: String]) -> RunResults {
        var run = run
        for index in run.traces.indices { run.traces[index].name = names[run.traces[index].name]! }
        for index in run.cells.indices { run.cells[index].trace = names[run.cells[index].trace]! }
        return run
    }

    private func compare(
        _ baseline: RunResults, _ candidate: RunResults, _ rules: GateRules = GateRules()
    ) throws(AssayError) -> GateResults {
        try Gate.compare(
            baseline: baseline, from: "baseline.json", candidate: candidate, from: "candidate.json", rules: rules)
    }

    @Test func `traces are the same under other names, even under each other's`() throws {
        let baseline = Self.sample()
        for names in [["web": "mon/web", "oltp": "oltp"], ["web": "oltp", "oltp": "web"]] {
            var candidate = Self.renamed(baseline, names)
            candidate.traces.reverse()
            let results = try compare(baseline, candidate)
            #expect(results.passes && results.count(.equal) == baseline.cells.count)
            #expect(Set(results.cells.map(\.trace)) == ["web", "oltp"])
            #expect(results.notes?.contains("the trace 'web' is '\(names["web"]!)' in the candidate") == true)
        }
    }

    @Test func `a difference is found under another name`() throws {
        let baseline = Self.sample()
        var candidate = Self.renamed(baseline, ["web": "oltp", "oltp": "web"])
        let changed = try #require(candidate.cells.firstIndex { $0.trace == "oltp" })
        candidate.cells[changed].counts?.hits -= 1
        let results = try compare(baseline, candidate)
        #expect(results.count(.regression) == 1 && results.cells[0].trace == "web")
    }

    @Test func `another file with the same requests is the same trace`() throws {
        let baseline = Self.sample()
        var candidate = Self.renamed(baseline, ["web": "copy", "oltp": "oltp"])
        candidate.traces[0].digest = String(repeating: "f", count: 64)
        #expect(try compare(baseline, candidate).passes)
    }

    @Test func `one file that was read as other requests is not the same trace, and the formats are said`() throws {
        let baseline = Self.sample()
        var candidate = Self.sample(["9", "2"])
        candidate.traces[0].format = "csv:key=2"
        let results = try compare(baseline, candidate)
        let mismatch = try #require(results.incomparableTraces.first)
        #expect(mismatch.trace == "web" && mismatch.formats == ["lirs", "csv:key=2"])
        #expect((mismatch.baselineDigest, mismatch.candidateDigest) == ("1", "9"))
        let error = #expect(throws: AssayError.self) { try results.throwUnlessPassed() }
        #expect(error?.message.contains("read as lirs and now as csv:key=2") == true)
    }

    @Test func `results without such digests are paired by those of the files, which is said`() throws {
        let old = GateSample.run()
        let candidate = Self.renamed(Self.sample(), ["web": "mon/web", "oltp": "oltp"])
        let results = try compare(old, candidate)
        #expect(results.passes && results.count(.equal) == old.cells.count)
        #expect(results.notes?.contains { $0.hasPrefix("the baseline does not record what its traces hold") } == true)
        #expect(try compare(Self.sample(), Self.sample()).notes == nil)
    }

    @Test func `a new trace under the name of another one is an added trace`() throws {
        let baseline = Self.sample()
        var candidate = Self.renamed(baseline, ["web": "mon/web", "oltp": "oltp"])
        var new = baseline.traces[0]
        (new.contentDigest, new.digest) = ("3", "3")
        candidate.traces.append(new)
        candidate.cells += baseline.cells.filter { $0.trace == "web" }
        let results = try compare(baseline, candidate)
        #expect(results.passes && results.count(.added) == 4 && results.count(.equal) == baseline.cells.count)
        #expect(Set(results.cells.filter { $0.verdict == .added }.map(\.trace)) == ["web (candidate)"])
    }

    @Test func `strict rules fail on cells that only the candidate has`() throws {
        let candidate = Self.sample()
        var baseline = candidate
        baseline.cells.removeFirst(2)
        let results = try compare(baseline, candidate, GateRules(isStrict: true))
        #expect(!results.passes)
        let error = #expect(throws: AssayError.self) { try results.throwUnlessPassed() }
        #expect(error?.code == .verdict)
        #expect(error?.message == "Of the 8 cells 2 are not in the baseline, and --strict allows no difference.")
    }

    @Test func `what is worse and what is missing are counted among the cells of the baseline`() throws {
        var baseline = Self.sample()
        var candidate = baseline
        baseline.cells.removeLast(2)
        candidate.cells[0].counts?.hits -= 1
        candidate.cells[1].counts?.hits -= 1
        candidate.cells.remove(at: 2)
        let error = #expect(throws: AssayError.self) { try compare(baseline, candidate).throwUnlessPassed() }
        #expect(error?.message.hasPrefix("Of the 6 cells of the baseline 2 are worse and 1 is missing.") == true)
    }

    @Test func `a cell that failed in the baseline is an improvement and nothing that was compared`() throws {
        let working = Self.sample()
        var failing = working
        for index in failing.cells.indices { failing.cells[index].failure = CellFailure(.failed, "broken") }
        let error = #expect(throws: AssayError.self) { try compare(failing, working) }
        #expect(error?.code == .badInput)
    }

    @Test func `cells with and without expiry read differently`() throws {
        let baseline = Self.sample()
        var candidate = baseline
        candidate.cells[0].honoursExpiry = true
        let admissions = try compare(baseline, candidate).cells.map(\.admission)
        #expect(Set(admissions) == ["always", "always with expiry"])
    }
}
