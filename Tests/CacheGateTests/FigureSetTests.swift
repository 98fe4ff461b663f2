import CacheCore
import CacheGate
import Foundation
import Testing

@Suite("Figures of every kind of results")
struct FigureSetTests {
    private static let trace = GateSample.run().traces[0]

    private static func bench(threads: Int, hits: Int = 503, perSecond: Double = 1e6) -> BenchResults {
        var cell = GateSample.cell("web", "lru", 100)
        cell.backend = "dictionary"
        (cell.requestsPerSecond, cell.memory) = (perSecond, nil)
        cell.counts?.hits = hits
        var timing = BenchTiming()
        timing.resources = ResourceFigures(
            userSeconds: 1, systemSeconds: 0, voluntarySwitches: 0, involuntarySwitches: 0, minorFaults: 0,
            majorFaults: 0,
            instructions: 1_000_000)
        var load = BenchLoad()
        load.threads = threads
        return BenchResults(
            assayVersion: "1", startedAt: "", durationSeconds: 1, commandLine: ["bench"], seed: 1, status: .complete,
            environment: GateSample.environment, traces: [trace], load: load,
            subjects: [BenchSubject(cell: cell, timing: timing)], policies: [])
    }

    private func gate(_ a: FigureSet, _ b: FigureSet, _ rules: GateRules = GateRules()) throws(AssayError)
        -> GateOutcome
    {
        try Gate.compare(baseline: a, candidate: b, rules: rules)
    }

    @Test func `a bench of one thread has exact hits and counted instructions`() throws {
        let baseline = try FigureSet(Self.bench(threads: 1), from: "a")
        let kinds = Dictionary(baseline.figures.map { ($0.name, $0.kind) }) { first, _ in first }
        #expect(kinds["hits"] == .exact && kinds["instructions"] == .counted && kinds["requests-per-second"] == .timed)
        let worse = try gate(baseline, FigureSet(Self.bench(threads: 1, hits: 502), from: "b"))
        #expect(worse.lines.map(\.figure) == ["hits"] && !worse.passes)
    }

    @Test func `what several threads hit depends on their timing, so that such a bench alone compares nothing`() throws
    {
        let (a, b) = (Self.bench(threads: 4), Self.bench(threads: 4, hits: 400, perSecond: 1))
        let error = #expect(throws: AssayError.self) { try gate(FigureSet(a, from: "a"), FigureSet(b, from: "b")) }
        #expect(error?.code == .badInput && error?.message.contains("--against") == true)
        var (both, candidate) = (try FigureSet(a, from: "a"), try FigureSet(b, from: "b"))
        try both.add(FigureSet(GateSample.run(), from: "r"))
        try candidate.add(FigureSet(GateSample.run(), from: "r"))
        let outcome = try gate(both, candidate)
        #expect(outcome.passes && outcome.lines.map(\.verdict) == [.incomparable])
        #expect(outcome.lines[0].reason?.contains("nothing of this cell is compared") == true)
        #expect(!(try gate(both, candidate, GateRules(isStrict: true)).passes))
    }

    @Test func `the times and rates of a bench have the processor's time and no counts, and each rate has its own`()
        throws
    {
        var results = Self.bench(threads: 4)
        let names = try FigureSet.timesAndRates(of: results, from: "a").map(\.name)
        #expect(names == ["requests-per-second", "cpu-per-request"])
        let summary = LatencySummary(samples: 20_000, operations: 20_000, p50: 1, p90: 2, p99: 3, p999: 4, max: 5)
        results.subjects[0].timing?.latency = [
            OperationLatency(
                .evictingPut,
                LatencyDistribution(summary: summary, p9999: nil, p99999: nil, mean: 1, values: [], counts: []))
        ]
        results.subjects[0].cell.latency = LatencyFigures(get: summary, put: summary)
        let figures = try FigureSet.timesAndRates(of: results, from: "a")
        #expect(
            figures.filter { $0.unit == "ns" }.map(\.name) == [
                "evicting-put-p50", "evicting-put-p99", "cpu-per-request",
            ])
        #expect(figures.last?.value == .real(1e9 / 1000) && figures.last?.better == .less)
        var run = GateSample.run()
        run.cells[0].latency = LatencyFigures(get: summary, put: summary)
        let timed = try FigureSet.timesAndRates(of: run, from: "a")
        #expect(timed.filter { $0.unit == "ns" }.map(\.name) == ["get-p50", "get-p99", "put-p50", "put-p99"])
        #expect(timed.count { $0.name == "requests-per-second" } == run.cells.count)
    }

    @Test func `points of curves are compared by capacity, and estimates with their own kind`() throws {
        func curves(_ method: CurveMethod, _ ratio: Double) throws -> FigureSet {
            var curve = CurveResult(
                trace: "web", policy: "lru", parameters: "", capacityUnit: .objects, method: method)
            for (capacity, ratio) in [(10, 0.25), (100, ratio)] {
                curve.points.append(
                    CurvePoint(
                        capacity: capacity, capacityRequested: "\(capacity)", method: method, hitRatio: ratio,
                        byteHitRatio: 0))
            }
            return try FigureSet(
                CurveResults(
                    assayVersion: "1", startedAt: "", durationSeconds: 1, commandLine: ["curve"], seed: 1,
                    status: .complete,
                    environment: GateSample.environment, traces: [Self.trace], curves: [curve], policies: []),
                from: "curve.json")
        }
        #expect(try gate(curves(.stack, 0.5), curves(.replay, 0.5)).lines.isEmpty)
        let drop = try gate(curves(.stack, 0.5), curves(.stack, 0.499_999))
        #expect(drop.lines.map(\.figure) == ["hit-ratio"] && drop.lines[0].place["capacity"] == "100 objects")
        let error = #expect(throws: AssayError.self) {
            _ = try Gate.compare(
                baseline: curves(.stack, 0.5), candidate: curves(.shards, 0.5), rules: GateRules(allowsMissing: true))
        }
        #expect(error?.code == .badInput)
    }

    @Test func `systems are compared by what became of their calls, and another workload is another input`() throws {
        func systems(misses: Int, settings: String = "days=3") throws -> FigureSet {
            var system = SystemResult(
                system: "call-cache", workload: "app", description: "", settings: settings, policy: "lru",
                backend: "memory")
            var counts = SystemCounts()
            counts.outcomes = [.hit: 100 - misses, .miss: misses]
            system.counts = counts
            return try FigureSet(
                SystemResults(
                    assayVersion: "1", startedAt: "", durationSeconds: 1, commandLine: ["run"], seed: 1, scale: 1,
                    status: .complete, environment: GateSample.environment, systems: [system], systemsPlanned: 1),
                from: "systems.json")
        }
        let worse = try gate(systems(misses: 10), systems(misses: 11))
        #expect(worse.lines.count == 1 && worse.lines[0].figure == "hits" && !worse.passes)
        #expect(worse.lines[0].reason?.contains("misses 10 → 11") == true)
        #expect(
            try gate(systems(misses: 10), systems(misses: 10, settings: "days=4")).lines.map(\.verdict) == [
                .incomparable
            ])
    }

    private static func report(_ outcomes: [String: String], version: Int = 1) -> Data {
        let results = outcomes.map { #"{"id": "\#($0.key)", "outcome": "\#($0.value)"}"# }.joined(separator: ",")
        return Data(
            #"""
            {"version": \#(version), "suite": "cache", "subject": "policy:arc:dialect=caffeine", "seed": 7,
            "results": [\#(results)]}
            """#
            .utf8)
    }

    private static func conformance(_ outcomes: [String: String]) throws -> FigureSet {
        try #require(try FigureSet(conformance: report(outcomes), from: "c.json"))
    }

    @Test(
        arguments: [
            ("pass", "pass", nil), ("pass", "fail", .worse), ("pass", "not claimed", .worse), ("pass", "hung", .worse),
            ("fail", "pass", .better), ("not claimed", "pass", .better), ("not claimed", "fail", .worse),
            ("fail", "crashed", .changed), ("blocked", "inconclusive", .changed), ("fail", "not claimed", .changed),
        ] as [(String, String, GateLine.Verdict?)])
    func `outcomes of checks are compared one by one`(_ old: String, _ new: String, _ verdict: GateLine.Verdict?) throws
    {
        let outcome = try gate(
            Self.conformance(["BAS-1": "pass", "KEY-4": old]), Self.conformance(["BAS-1": "pass", "KEY-4": new]))
        #expect(outcome.lines.map(\.verdict) == (verdict.map { [$0] } ?? []) && outcome.comparedCells == 2)
        guard let line = outcome.lines.first else { return }
        #expect(line.place == ["kind": "conform", "suite": "cache", "check": "KEY-4"])
        #expect((line.subject, line.parameters) == ("policy:arc", "dialect=caffeine"))
        #expect(line.command == "assay conform policy:arc:dialect=caffeine --section KEY-4 --seed 7")
    }

    @Test func `a check is compared with its own revision alone, and one without a revision has the first`() throws {
        func report(_ more: String, _ outcome: String = "pass") throws -> FigureSet {
            let results = #"[{"id": "BAS-1", "outcome": "pass"}, {"id": "B-1", "outcome": "\#(outcome)"\#(more)}]"#
            let text = #"{"version": 1, "suite": "cache", "subject": "x", "seed": 1, "results": \#(results)}"#
            return try #require(try FigureSet(conformance: Data(text.utf8), from: "c.json"))
        }
        let other = try gate(report(""), report(#", "revision": 2"#, "fail"))
        #expect(other.lines.map(\.verdict) == [.incomparable] && other.passes)
        #expect(other.lines[0].reason?.contains("revision 1 → 2") == true)
        #expect(!(try gate(report(""), report(#", "revision": 2"#), GateRules(isStrict: true)).passes))
        #expect(try gate(report(""), report(#", "revision": 1"#)).lines.isEmpty)
        let (two, explained) = (#", "revision": 2"#, #", "blockedBy": "BAS-1""#)
        #expect(try gate(report(two), report(two, "fail")).lines.map(\.verdict) == [.worse])
        #expect(try gate(report("", "fail"), report(explained, "blocked")).lines.isEmpty, "it fails as before")
    }

    @Test func `a check that is gone is missing`() throws {
        let lines = try gate(Self.conformance(["A": "pass", "B": "pass"]), Self.conformance(["A": "pass"])).lines
        #expect(lines.map(\.verdict) == [.missing] && lines[0].place["check"] == "B")
    }

    @Test func `a report of a later version and a damaged one are refused, and other JSON is none`() throws {
        #expect(throws: AssayError.self) { try FigureSet(conformance: Self.report([:], version: 2), from: "c") }
        #expect(throws: AssayError.self) {
            try FigureSet(conformance: Data(#"{"version": 1, "suite": "cache"}"#.utf8), from: "c")
        }
        #expect(try FigureSet(conformance: Data("{}".utf8), from: "c") == nil)
    }
}
