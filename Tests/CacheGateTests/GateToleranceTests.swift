import CacheCore
import CacheGate
import Testing

@Suite("A gate: tolerances and machines")
struct GateToleranceTests {
    private static func memory(_ value: Double?, _ meter: String = "jemalloc") -> RunResults {
        GateSample.changed {
            $0.memory = MemoryFigures(meter: meter, bytesPerEntry: value, payloadBytes: 1, entries: 1)
        }
    }

    @Test(arguments: [(100.5, nil), (99.5, nil), (100.51, .worse), (99.49, .better)] as [(Double, GateLine.Verdict?)])
    func `bytes per entry may move within half a byte, inclusive, and no further`(
        _ value: Double, _ expected: GateLine.Verdict?
    ) throws {
        let lines = try GateSample.gate(GateSample.run(), Self.memory(value)).lines
        #expect(lines.map(\.verdict) == (expected.map { [$0] } ?? []))
        #expect(lines.allSatisfy { $0.figure == "bytes-per-entry" && $0.unit == "bytes" })
    }

    @Test(arguments: [(0.00034, 0.000344, true), (0.00034, 1.00034, false), (100, 101, false)])
    func `an allocation more for each request fails, a few in all do not`(_ old: Double, _ new: Double, passes: Bool)
        throws
    {
        let runs = [old, new].map { value in GateSample.changed { $0.memory?.allocationsPerRequest = value } }
        #expect(try GateSample.gate(runs[0], runs[1]).passes == passes)
    }

    @Test func `bytes per entry that are no longer counted fail unless that is allowed`() throws {
        let unmeasured = Self.memory(nil, "unavailable")
        let lines = try GateSample.gate(GateSample.run(), unmeasured).lines
        #expect(lines.map(\.verdict) == [.missing] && lines[0].fails && lines[0].baseline == .real(100))
        #expect(try GateSample.gate(GateSample.run(), unmeasured, GateRules(allowsMissing: true)).passes)
    }

    @Test func `figures of two allocators are never compared, and that is told`() throws {
        let other = Self.memory(180, "mallinfo2")
        for rules in [GateRules(), GateRules(allowsOtherMachine: true)] {
            let outcome = try GateSample.gate(GateSample.run(), other, rules)
            #expect(outcome.passes && outcome.lines.isEmpty)
            #expect(
                outcome.notes.contains {
                    $0.hasPrefix("1 figure that depends on the machine") && $0.contains("mallinfo2")
                })
        }
        let strict = try GateSample.gate(GateSample.run(), other, GateRules(isStrict: true))
        #expect(strict.lines.map(\.verdict) == [.incomparable] && !strict.passes)
    }

    @Test func `counted figures of another machine are compared only where that is allowed; exact ones always`() throws
    {
        var other = Self.memory(180)
        other.environment.processor = "special"
        other.cells[0].counts?.hits -= 1
        let outcome = try GateSample.gate(GateSample.run(), other)
        #expect(outcome.lines.map(\.figure) == ["hits"])
        #expect(outcome.notes.contains { $0.hasPrefix("8 figures that depend on the machine were not compared") })
        let allowed = try GateSample.gate(GateSample.run(), other, GateRules(allowsOtherMachine: true))
        #expect(allowed.lines.map(\.figure) == ["bytes-per-entry", "hits"])
    }

    @Test func `an exact figure has the tolerance that it is given`() throws {
        let candidate = GateSample.changed { $0.counts?.hits -= 1 }
        var rules = GateRules()
        try rules.setTolerance(parsing: "hits=0.2%")
        #expect(try GateSample.gate(GateSample.run(), candidate, rules).lines.isEmpty)
        try rules.setTolerance(parsing: "hits=0.19%")
        #expect(try GateSample.gate(GateSample.run(), candidate, rules).lines.map(\.verdict) == [.worse])
        try rules.setTolerance(parsing: "calls=1%")
        let notes = try GateSample.gate(GateSample.run(), candidate, rules).notes
        #expect(notes.contains("the tolerance of calls does nothing: no such figure was compared"))
    }

    @Test(arguments: [("1%", 0.01), ("0.5%", 0.005), ("0", 0), ("0.02", 0.02)])
    func `tolerances are read in percent or as a fraction`(_ text: String, _ expected: Double) throws {
        var rules = GateRules()
        try rules.setTolerance(parsing: "bytes_per_entry=\(text)")
        #expect(rules.tolerances == ["bytes-per-entry": expected])
    }

    @Test(arguments: [
        "requests-per-second=1%", "outcome=1%", "bytes-per-entry", "bytes-per-entry=", "bytes-per-entry=-1%",
        "bytes-per-entry=2", "bytes-per-entry=nan",
    ])
    func `any other tolerance is a usage error that names the option`(_ text: String) {
        var rules = GateRules()
        let error = #expect(throws: AssayError.self) { try rules.setTolerance(parsing: text) }
        #expect(error?.code == .usage && error?.location?.source == "--tolerance" && rules == GateRules())
    }

    @Test func `an exception allows a loss until its day, and no more than it says`() throws {
        let candidate = GateSample.changed { $0.counts?.hits -= 5 }
        var rules = GateRules()
        rules.today = "2026-06-01"
        var exception = GateException(
            subject: "lru", place: ["trace": "web"], figures: ["hits"], worseBy: 0.01, reason: "the sketch is new",
            until: "2026-06-01", source: .init("gate.yaml", line: 3))
        func line(_ exception: GateException) throws -> GateLine {
            rules.exceptions = [exception]
            return try #require(try GateSample.gate(GateSample.run(), candidate, rules).lines.first)
        }
        let allowed = try line(exception)
        #expect(!allowed.fails && allowed.verdict == .worse)
        #expect(allowed.reason?.contains("allowed until 2026-06-01, because the sketch is new") == true)
        exception.worseBy = 0.009
        #expect(try line(exception).fails)
        exception.worseBy = 0.01
        exception.until = "2026-05-31"
        let over = try line(exception)
        #expect(over.fails && over.reason?.contains("gate.yaml:3 ended on 2026-05-31") == true)
        exception.place = ["trace": "oltp"]
        rules.exceptions = [exception]
        let outcome = try GateSample.gate(GateSample.run(), candidate, rules)
        #expect(
            !outcome.passes && outcome.notes.contains { $0.hasPrefix("nothing needs the exception at gate.yaml:3") })
    }
}
