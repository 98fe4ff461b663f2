import CacheCore
import CacheGate
import Testing

@Suite("A gate: which trace is which")
struct GatePairingTests {
    private let baseline = GateSample.run()

    @Test func `traces are the same under other names, even under each other's`() throws {
        for names in [["web": "mon/web", "oltp": "oltp"], ["web": "oltp", "oltp": "web"]] {
            var candidate = GateSample.renamed(baseline, names)
            candidate.traces.reverse()
            let outcome = try GateSample.gate(baseline, candidate)
            #expect(outcome.lines.isEmpty && outcome.comparedCells == 8)
            #expect(outcome.notes.contains("the trace 'web' is '\(names["web"]!)' in the candidate"))
        }
    }

    @Test func `a difference is found under another name, and told under the baseline's`() throws {
        var candidate = GateSample.renamed(baseline, ["web": "oltp", "oltp": "web"])
        let changed = try #require(candidate.cells.firstIndex { $0.trace == "oltp" })
        candidate.cells[changed].counts?.hits -= 1
        #expect(try GateSample.gate(baseline, candidate).lines.map { $0.place["trace"] } == ["web"])
    }

    @Test func `another file with the same requests is the same trace`() throws {
        var candidate = GateSample.renamed(baseline, ["web": "copy", "oltp": "oltp"])
        candidate.traces[0].digest = String(repeating: "f", count: 64)
        #expect(try GateSample.gate(baseline, candidate).lines.isEmpty)
    }

    @Test func `another input under the same name is not compared, does not pass, and hides nothing that is worse`()
        throws
    {
        var candidate = GateSample.run(contents: ["9", "2"])
        candidate.traces[0].digest = String(repeating: "f", count: 64)
        candidate.cells[0].counts?.hits = 0
        let outcome = try GateSample.gate(baseline, candidate)
        #expect(outcome.lines.map(\.verdict) == Array(repeating: .incomparable, count: 4) && outcome.comparedCells == 4)
        let error = #expect(throws: AssayError.self) { try outcome.throwUnlessPassed() }
        #expect(error?.code == .badInput && error?.message.contains("4 cells are not comparable") == true)
        candidate.cells[7].counts?.hits -= 1
        let worse = #expect(throws: AssayError.self) { try GateSample.gate(baseline, candidate).throwUnlessPassed() }
        #expect(worse?.code == .verdict)
    }

    @Test func `one file that was read as other requests is not the same trace, and the formats are said`() throws {
        var candidate = GateSample.run(contents: ["9", "2"])
        candidate.traces[0].format = "csv:key=2"
        let line = try #require(try GateSample.gate(baseline, candidate).lines.first)
        #expect(line.reason == "the trace was read as lirs and now as csv:key=2")
    }

    @Test func `results without such digests are paired by those of the files, which is said`() throws {
        let old = GateSample.run(contents: [nil, nil])
        let candidate = GateSample.renamed(baseline, ["web": "mon/web", "oltp": "oltp"])
        let outcome = try GateSample.gate(old, candidate)
        #expect(outcome.lines.isEmpty && outcome.comparedCells == 8)
        #expect(outcome.notes.contains { $0.hasPrefix("the baseline does not record what its traces hold") })
    }

    @Test func `a new trace under the name of another one is an added trace`() throws {
        var candidate = GateSample.renamed(baseline, ["web": "mon/web", "oltp": "oltp"])
        var new = baseline.traces[0]
        (new.contentDigest, new.digest) = ("3", "3")
        candidate.traces.append(new)
        candidate.cells += baseline.cells.filter { $0.trace == "web" }
        let outcome = try GateSample.gate(baseline, candidate)
        #expect(outcome.passes && outcome.comparedCells == 8)
        #expect(outcome.lines.map(\.verdict) == Array(repeating: .added, count: 4))
        #expect(outcome.lines.allSatisfy { $0.place["trace-digest"] == "3" })
    }
}
