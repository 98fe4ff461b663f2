import CacheCore
import Foundation

/// Results that look like those of a real run: 13 policies, 8 capacities, 4 traces, 9 live cells, and some failures.
///
/// The curves are formulas with a little seeded noise, so that tests and pictures are repeatable.
enum SampleResults {
    struct Trace {
        var name: String
        var requests: Int
        var objects: Int
        var meanSize: Int?
        var unit: Capacity.Unit
        /// The hit ratio of LRU where everything fits, and how fast the curve gets there.
        var ceiling: Double
        var exponent: Double
        /// The share of the objects that is asked for in a loop; policies by recency miss all of it until it fits.
        var loop: Double
    }

    static let traces = [
        Trace(
            name: "web-cdn", requests: 4_812_907, objects: 612_480, meanSize: 31_744, unit: .bytes, ceiling: 0.82,
            exponent: 0.24, loop: 0),
        Trace(
            name: "oltp", requests: 914_145, objects: 186_880, meanSize: nil, unit: .objects, ceiling: 0.76,
            exponent: 0.33, loop: 0),
        Trace(
            name: "block-io", requests: 113_872, objects: 48_974, meanSize: 18_400, unit: .objects, ceiling: 0.55,
            exponent: 0.42, loop: 0.12),
        Trace(
            name: "glimpse", requests: 6_016, objects: 2_529, meanSize: nil, unit: .objects, ceiling: 0.58,
            exponent: 0.9, loop: 0.6),
    ]

    /// Name, family, how much better than LRU (0) towards the bound (1), and whether loops defeat it.
    static let policies: [(name: String, family: String, skill: Double, isRecency: Bool, speed: Double)] = [
        ("belady", "bound", 1.0, false, 9.4e6), ("lru", "recency", 0.0, true, 41.2e6),
        ("fifo", "recency", -0.22, true, 58.7e6), ("clock", "recency", 0.05, true, 47.9e6),
        ("random", "random", -0.18, false, 39.5e6), ("lfu", "frequency", 0.18, false, 12.1e6),
        ("twoq", "segmented", 0.33, false, 29.4e6), ("arc", "adaptive", 0.38, false, 18.8e6),
        ("lirs", "segmented", 0.47, false, 14.6e6), ("sieve", "recency", 0.44, false, 52.3e6),
        ("s3fifo", "segmented", 0.49, false, 36.0e6), ("w-tinylfu", "sketch", 0.53, false, 8.7e6),
        ("gdsf", "frequency", 0.29, false, 7.2e6),
    ]

    /// How much each policy likes steep curves, and how much better it is with small caches than with large ones.
    static let tastes = ["arc": 0.6, "lirs": 0.9, "sieve": -0.5, "lfu": -0.3, "twoq": 0.35]
    static let drifts = ["sieve": 0.09, "w-tinylfu": 0.1, "lirs": -0.09, "lfu": 0.12, "arc": -0.04, "gdsf": 0.08]

    static let shares = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]

    static func make() -> RunResults {
        var generator = Noise(state: 7)
        var cells: [CellResult] = []
        for trace in traces {
            for policy in policies {
                for share in shares { cells.append(simulated(trace, policy, share, &generator)) }
            }
        }
        cells += live(cells)
        breakSome(&cells)
        return RunResults(
            assayVersion: "0.1.0", startedAt: "2026-11-21T07:40:12Z", durationSeconds: 843.2,
            commandLine: [
                "run", "--trace", "web-cdn.oracleGeneral.zst", "--trace", "arc-OLTP.lis.zst", "--policy", "all",
                "--capacity", shares.map { "\($0)%" }.joined(separator: ","), "--name", "weekly comparison",
            ],
            seed: 42, status: .complete,
            environment: EnvironmentDescription(
                operatingSystem: "Debian GNU/Linux 12", kernel: "6.1.0-28-amd64", processor: "AMD EPYC 7B13",
                processorCount: 2, memoryBytes: 24_696_061_952, build: "Swift 6.3.1 release",
                timingAllocator: "glibc 2.36", memoryAllocator: "jemalloc 5.3.0", loadAverage: 0.42,
                timerFloorNanoseconds: 30),
            traces: traces.map(description), cells: cells, cellsPlanned: cells.count,
            policies: policies.map { item in
                PolicyDescription(
                    name: item.name, family: item.family, summary: "Chooses its victims as \(item.name) does.",
                    citation: "The paper that introduced \(item.name)")
            })
    }

    private static func description(_ trace: Trace) -> TraceDescription {
        TraceDescription(
            name: trace.name, argument: "traces/\(trace.name).zst", format: "oracle-general",
            digest: String(repeating: "0a1b2c3d4e5f6789", count: 4), requests: trace.requests, objects: trace.objects,
            bytesRequested: trace.requests * (trace.meanSize ?? 1),
            footprintBytes: trace.objects * (trace.meanSize ?? 1),
            hasSizes: trace.meanSize != nil, origin: "Recorded for this sample, CC0")
    }

    private static func simulated(
        _ trace: Trace, _ policy: (name: String, family: String, skill: Double, isRecency: Bool, speed: Double),
        _ share: Double, _ generator: inout Noise
    ) -> CellResult {
        let objects = max(1, Int(Double(trace.objects) * share / 100))
        let capacity: Capacity = trace.unit == .bytes ? .bytes(objects * (trace.meanSize ?? 1)) : .objects(objects)
        let unit = trace.unit == .bytes ? "%B" : "%"
        let parameters =
            switch policy.name {
            case "s3fifo": "small-ratio=0.1;ghost-ratio=0.9"
            case "w-tinylfu": "window=0.01;sample=10"
            default: ""
            }
        var cell = CellResult(
            trace: trace.name, policy: policy.name, parameters: parameters, capacity: capacity,
            capacityRequested: "\(share == share.rounded() ? "\(Int(share))" : "\(share)")\(unit)", seed: 42)
        let fraction = share / 100
        let taste =
            tastes[policy.name, default: 0] * (trace.exponent - 0.3) - drifts[policy.name, default: 0] * log10(share)
        let skill = policy.family == "bound" ? 1 : min(policy.skill + taste, 0.82)
        var ratio = trace.ceiling * pow(fraction, trace.exponent * (1 - 0.42 * skill))
        let loops =
            policy.isRecency ? (fraction < trace.loop ? 0.06 : 1) : min(1, 0.25 + fraction / max(trace.loop, 0.01))
        if trace.loop > 0 { ratio *= 1 - trace.loop + trace.loop * loops }
        ratio = min(trace.ceiling, ratio * (1 + (generator.next() - 0.5) * 0.012))
        cell.counts = counts(trace, objects, ratio, byteFactor: policy.name == "gdsf" ? 0.7 : 0.86 + 0.1 * fraction)
        cell.requestsPerSecond = policy.speed * (1 - 0.1 * log10(1 + share) + 0.12 * (generator.next() - 0.5))
        return cell
    }

    private static func counts(_ trace: Trace, _ objects: Int, _ ratio: Double, byteFactor: Double) -> ReplayCounts {
        let size = trace.meanSize ?? 1
        var counts = ReplayCounts()
        counts.requests = trace.requests
        counts.hits = Int(Double(trace.requests) * ratio)
        counts.evictions = max(0, counts.misses - objects)
        counts.bytesRequested = trace.requests * size
        counts.bytesHit = trace.meanSize == nil ? counts.hits : Int(Double(counts.bytesRequested) * ratio * byteFactor)
        counts.bytesWritten = counts.bytesRequested - counts.bytesHit
        counts.residentObjects = objects
        counts.residentWeight = objects * (trace.unit == .bytes ? size : 1)
        return counts
    }

    private static func live(_ simulated: [CellResult]) -> [CellResult] {
        let backends: [(String, Int, Int, Double, Double, Int?)] = [
            ("dictionary", 180, 410, 233.4, 5.9e6, nil), ("file", 9_200, 48_000, 141.2, 71_000, 26_843_545),
            ("sqlite:journal=wal", 6_100, 21_500, 168.9, 103_000, 19_922_944),
        ]
        return backends.flatMap { backend -> [CellResult] in
            ["lru", "s3fifo", "w-tinylfu"].enumerated().compactMap { offset, policy in
                guard
                    var cell = simulated.first(where: {
                        $0.trace == "block-io" && $0.policy == policy && $0.capacityRequested == "2%"
                    })
                else { return nil }
                let slow = 1 + 0.13 * Double(offset)
                cell.backend = backend.0
                cell.requestsPerSecond = backend.4 / slow
                cell.latency = LatencyFigures(
                    get: summary(Double(backend.1) * slow), put: summary(Double(backend.2) * slow))
                let entries = cell.counts?.residentObjects ?? 1
                let perEntry = backend.3 + 14.5 * Double(offset)
                cell.memory = MemoryFigures(
                    meter: "jemalloc", allocatedBytes: Int(perEntry * Double(entries)), bytesPerEntry: perEntry,
                    payloadBytes: entries * 116, entries: entries, residentSetBytes: 31_000_000 + offset * 400_000,
                    diskBytes: backend.5.map { $0 + offset * 900_000 }, diskFiles: backend.5.map { _ in entries })
                return cell
            }
        }
    }

    private static func summary(_ median: Double) -> LatencySummary {
        LatencySummary(
            samples: 1780, operations: 113_872, p50: Int(median), p90: Int(median * 1.9), p99: Int(median * 4.8),
            p999: Int(median * 21), max: Int(median * 190))
    }

    private static func breakSome(_ cells: inout [CellResult]) {
        func fail(_ trace: String, _ policy: String, _ requested: String, _ failure: CellFailure, backend: String) {
            for index in cells.indices
            where cells[index].trace == trace && cells[index].policy == policy
                && cells[index].capacityRequested == requested && cells[index].backend == backend
            {
                cells[index].counts = nil
                cells[index].requestsPerSecond = nil
                cells[index].latency = nil
                cells[index].memory = nil
                cells[index].failure = failure
            }
        }
        fail(
            "block-io", "gdsf", "5%",
            CellFailure(
                .failed, "gdsf: the priority of object 1,204 is not finite. Report this with the trace's digest."),
            backend: CellResult.simulationBackend)
        fail(
            "glimpse", "lirs", "10%", CellFailure(.crashed, "The process ended with SIGILL after 3,104 requests."),
            backend: CellResult.simulationBackend)
        fail(
            "block-io", "w-tinylfu", "2%",
            CellFailure(.hung, "No progress for 30 s, at \"put\", key 88; raise --deadline if the disk is slow."),
            backend: "sqlite:journal=wal")
    }
}

/// A tiny generator of repeatable noise in 0..<1.
private struct Noise {
    var state: UInt64

    mutating func next() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 11) / Double(1 << 53)
    }
}
