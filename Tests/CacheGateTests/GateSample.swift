import CacheCore
import CacheGate

/// A small run to change one figure of at a time.
enum GateSample {
    static let environment = EnvironmentDescription(
        operatingSystem: "Linux", kernel: "6.1", processor: "generic", processorCount: 2, memoryBytes: 1 << 30,
        build: "Swift 6.3 release", timingAllocator: "glibc", memoryAllocator: "jemalloc")

    /// Two traces, two policies and two capacities; the traces' contents are those digests.
    static func run(contents: [String?] = ["1", "2"]) -> RunResults {
        let traces = zip([("web", "a"), ("oltp", "b")], contents).map { trace, content in
            TraceDescription(
                name: trace.0, argument: "\(trace.0).trace", format: "lirs",
                digest: String(repeating: trace.1, count: 64),
                requests: 1000, objects: 400, bytesRequested: 64_000, footprintBytes: 25_600, hasSizes: true,
                contentDigest: content)
        }
        let cells = traces.flatMap { trace in
            ["lru", "s3fifo"].flatMap { policy in [10, 100].map { cell(trace.name, policy, $0) } }
        }
        return RunResults(
            assayVersion: "0.1.0", startedAt: "2026-01-01T00:00:00Z", durationSeconds: 1,
            commandLine: ["run", "--trace", "it's.txt"], seed: 1, status: .complete, environment: environment,
            traces: traces,
            cells: cells)
    }

    static func cell(_ trace: String, _ policy: String, _ capacity: Int) -> CellResult {
        var cell = CellResult(
            trace: trace, policy: policy, parameters: policy == "lru" ? "" : "small=0.1;ghost=0.9",
            capacity: .objects(capacity), capacityRequested: "\(capacity)", seed: 1)
        var counts = ReplayCounts()
        counts.requests = 1000
        counts.hits = 403 + capacity
        counts.evictions = 600
        counts.bytesRequested = 64_000
        counts.bytesHit = 20_000
        counts.bytesWritten = 44_000
        counts.residentObjects = capacity
        counts.residentWeight = capacity
        cell.counts = counts
        cell.requestsPerSecond = 1e6
        cell.memory = MemoryFigures(meter: "jemalloc", bytesPerEntry: 100, payloadBytes: 1, entries: 1)
        return cell
    }

    static func renamed(_ run: RunResults, _ names: [String: String]) -> RunResults {
        var run = run
        for index in run.traces.indices { run.traces[index].name = names[run.traces[index].name]! }
        for index in run.cells.indices { run.cells[index].trace = names[run.cells[index].trace]! }
        return run
    }

    static func gate(
        _ baseline: RunResults, _ candidate: RunResults, _ rules: GateRules = GateRules()
    ) throws(AssayError) -> GateOutcome {
        try Gate.compare(
            baseline: FigureSet(baseline, from: "baseline.json"),
            candidate: FigureSet(candidate, from: "candidate.json"),
            rules: rules)
    }

    /// A change to the sample's second cell.
    static func changed(_ change: (inout CellResult) -> Void) -> RunResults {
        var run = run()
        change(&run.cells[1])
        return run
    }
}
