import CacheCore

/// A small run to change one figure of at a time.
enum GateSample {
    /// One change to a cell, and what a gate must say about it.
    struct Change: Sendable, CustomStringConvertible {
        var description: String
        var verdict: GateCell.Verdict
        var figures: [String]
        var apply: @Sendable (inout CellResult) -> Void

        init(
            _ description: String, _ verdict: GateCell.Verdict, _ figures: [String],
            _ change: @escaping @Sendable (inout ReplayCounts) -> Void
        ) {
            self.description = description
            self.verdict = verdict
            self.figures = figures
            apply = { cell in
                guard var counts = cell.counts else { return }
                change(&counts)
                cell.counts = counts
            }
        }
    }

    static let changes: [Change] = [
        Change("fewer requests", .regression, ["requests"]) { $0.requests -= 1 },
        Change("more requests", .regression, ["requests"]) { $0.requests += 1 },
        Change("fewer bytes requested", .regression, ["bytes_requested"]) { $0.bytesRequested -= 1 },
        Change("more bytes requested", .regression, ["bytes_requested"]) { $0.bytesRequested += 1 },
        Change("one hit less", .regression, ["hits"]) { $0.hits -= 1 },
        Change("one hit more", .improvement, ["hits"]) { $0.hits += 1 },
        Change("fewer bytes hit", .regression, ["bytes_hit"]) { $0.bytesHit -= 1 },
        Change("more bytes hit", .improvement, ["bytes_hit"]) { $0.bytesHit += 1 },
        Change("more evictions", .regression, ["evictions"]) { $0.evictions += 1 },
        Change("fewer evictions", .improvement, ["evictions"]) { $0.evictions -= 1 },
        Change("more bytes written", .regression, ["bytes_written"]) { $0.bytesWritten += 1 },
        Change("fewer bytes written", .improvement, ["bytes_written"]) { $0.bytesWritten -= 1 },
        Change("more residents", .change, ["resident_objects"]) { $0.residentObjects += 1 },
        Change("less resident weight", .change, ["resident_weight"]) { $0.residentWeight -= 1 },
        Change("more hits but more evictions", .regression, ["evictions", "hits"]) {
            $0.hits += 1
            $0.evictions += 1
        },
        Change("more hits and other residents", .improvement, ["hits", "resident_objects"]) {
            $0.hits += 1
            $0.residentObjects += 1
        },
    ]

    static func run() -> RunResults {
        let traces = [("web", "a"), ("oltp", "b")].map { name, digit in
            TraceDescription(
                name: name, argument: "\(name).trace", format: "lirs", digest: String(repeating: digit, count: 64),
                requests: 1000, objects: 400, bytesRequested: 64_000, footprintBytes: 25_600, hasSizes: true)
        }
        let cells = traces.flatMap { trace in
            ["lru", "sieve"].flatMap { policy in [10, 100].map { cell(trace.name, policy, $0) } }
        }
        return RunResults(
            assayVersion: "0.1.0", startedAt: "2026-01-01T00:00:00Z", durationSeconds: 1, commandLine: ["run"], seed: 1,
            status: .complete,
            environment: EnvironmentDescription(
                operatingSystem: "Linux", kernel: "6.1", processor: "generic", processorCount: 2,
                memoryBytes: 1 << 30, build: "release", timingAllocator: "glibc", memoryAllocator: "jemalloc"),
            traces: traces, cells: cells)
    }

    private static func cell(_ trace: String, _ policy: String, _ capacity: Int) -> CellResult {
        var cell = CellResult(
            trace: trace, policy: policy, parameters: "", capacity: .objects(capacity),
            capacityRequested: "\(capacity)",
            seed: 1)
        var counts = ReplayCounts()
        counts.requests = 1000
        counts.hits = 300 + capacity
        counts.evictions = 600
        counts.bytesRequested = 64_000
        counts.bytesHit = 20_000
        counts.bytesWritten = 44_000
        counts.residentObjects = capacity
        counts.residentWeight = capacity
        cell.counts = counts
        cell.requestsPerSecond = 1e6
        return cell
    }
}
