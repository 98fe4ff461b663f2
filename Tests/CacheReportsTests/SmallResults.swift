import CacheCore

/// Three cells by hand: a simulation, a live run with every figure, and a failure with awkward text.
enum SmallResults {
    static func make() -> RunResults {
        RunResults(
            assayVersion: "0.1.0", startedAt: "2026-01-01T00:00:00Z", durationSeconds: 2.5,
            commandLine: ["run", "--trace", "web.csv"], seed: 1, status: .complete,
            environment: EnvironmentDescription(
                operatingSystem: "Linux", kernel: "6.1", processor: "generic", processorCount: 2,
                memoryBytes: 1 << 30, build: "release", timingAllocator: "glibc", memoryAllocator: "jemalloc",
                timerFloorNanoseconds: 30),
            traces: [
                TraceDescription(
                    name: "web", argument: "web.csv", format: "csv", digest: String(repeating: "ab", count: 32),
                    requests: 1000, objects: 400, bytesRequested: 64_000, footprintBytes: 25_600, hasSizes: true)
            ], cells: [simulated("lru", hits: 250), simulated("sieve", hits: 375), live, failed])
    }

    static func simulated(_ policy: String, hits: Int, capacity: Int = 100, parameters: String = "") -> CellResult {
        var cell = CellResult(
            trace: "web", policy: policy, parameters: parameters, capacity: .objects(capacity),
            capacityRequested: "\(capacity)", seed: 1)
        var counts = ReplayCounts()
        counts.requests = 1000
        counts.hits = hits
        counts.evictions = 1000 - hits - capacity
        counts.bytesRequested = 64_000
        counts.bytesHit = hits * 32
        counts.bytesWritten = 64_000 - hits * 32
        counts.residentObjects = capacity
        counts.residentWeight = capacity
        cell.counts = counts
        cell.requestsPerSecond = 2_500_000
        return cell
    }

    static var live: CellResult {
        var cell = simulated("lru", hits: 250)
        cell.backend = "file"
        cell.requestsPerSecond = 80_000
        cell.latency = LatencyFigures(
            get: LatencySummary(
                samples: 1000, operations: 1000, p50: 900, p90: 1_500, p99: 4_000, p999: 9_000, max: 50_000),
            put: LatencySummary(
                samples: 750, operations: 750, p50: 9_100, p90: 15_000, p99: 40_000, p999: 90_000, max: 500_000))
        cell.memory = MemoryFigures(
            meter: "jemalloc", allocatedBytes: 14_100, bytesPerEntry: 141, payloadBytes: 9_600, entries: 100,
            residentSetBytes: 1_048_576, diskBytes: 409_600, diskFiles: 100)
        return cell
    }

    static var failed: CellResult {
        var cell = CellResult(
            trace: "web", policy: "arc", parameters: "p=1,5", capacity: .objects(100), capacityRequested: "1%", seed: 1)
        cell.failure = CellFailure(.crashed, "It said \"no\",\nthen ended.")
        return cell
    }
}
