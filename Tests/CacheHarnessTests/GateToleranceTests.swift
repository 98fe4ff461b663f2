import CacheCore
import CacheHarness
import Testing

@Suite("Gate tolerance")
struct GateToleranceTests {
    @Test(
        "Bytes per entry may move within the tolerance, inclusive, and no further",
        arguments: [
            (100.5, GateCell.Verdict.equal), (99.5, .equal), (100.51, .regression), (99.49, .improvement),
        ])
    func bytesPerEntry(_ value: Double, _ expected: GateCell.Verdict) throws {
        #expect(
            try verdict(of: MemoryFigures(meter: "jemalloc", bytesPerEntry: value, payloadBytes: 1, entries: 1))
                == expected)
    }

    @Test("Bytes per entry that are no longer measured fail unless that is allowed")
    func notMeasured() throws {
        let unmeasured = MemoryFigures(meter: "unavailable", payloadBytes: 1, entries: 1)
        #expect(try verdict(of: unmeasured) == .regression)
        #expect(try verdict(of: nil) == .regression)
        #expect(try verdict(of: unmeasured, GateRules(allowsMissing: true)) == .equal)
    }

    @Test("Figures of two meters are not compared, and that is said")
    func meters() throws {
        let other = MemoryFigures(meter: "mallinfo2", bytesPerEntry: 180, payloadBytes: 1, entries: 1)
        let results = try compare(other, GateRules())
        #expect(results.passes)
        #expect(results.cells.contains { $0.notCompared.contains { $0.contains("mallinfo2") } })
    }

    @Test(
        "Tolerances are read in percent or as a fraction",
        arguments: [("1%", 0.01), ("0.5%", 0.005), ("0", 0), ("0.02", 0.02)])
    func parsing(_ text: String, _ expected: Double) throws {
        var rules = GateRules()
        try rules.setTolerance(parsing: "bytes-per-entry=\(text)")
        #expect(rules.bytesPerEntryTolerance == expected)
    }

    @Test(
        "Anything else is a usage error that names the option",
        arguments: [
            "hits=1%", "bytes-per-entry", "bytes-per-entry=", "bytes-per-entry=-1%", "bytes-per-entry=2",
            "bytes-per-entry=nan",
        ])
    func parsingErrors(_ text: String) {
        var rules = GateRules()
        let error = #expect(throws: AssayError.self) { try rules.setTolerance(parsing: text) }
        #expect(error?.code == .usage)
        #expect(error?.location?.source == "--tolerance")
        #expect(rules == GateRules())
    }

    private func verdict(of memory: MemoryFigures?, _ rules: GateRules = GateRules()) throws -> GateCell.Verdict {
        try #require(try compare(memory, rules).cells.first).verdict
    }

    private func compare(_ memory: MemoryFigures?, _ rules: GateRules) throws -> GateResults {
        var baseline = GateSample.run()
        baseline.cells = [baseline.cells[0]]
        baseline.cells[0].memory = MemoryFigures(meter: "jemalloc", bytesPerEntry: 100, payloadBytes: 1, entries: 1)
        var candidate = baseline
        candidate.cells[0].memory = memory
        return try Gate.compare(
            baseline: baseline, from: "baseline.json", candidate: candidate, from: "candidate.json", rules: rules)
    }
}
