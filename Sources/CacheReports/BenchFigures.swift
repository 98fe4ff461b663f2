internal import CacheCore

/// The figures of a bench as tables show them, on a terminal and on a page.
enum BenchFigures {
    /// A figure with its name.
    struct Named {
        var name: String
        var text: String
        /// What a table is sorted by; nil for words.
        var value: Double?

        init(_ name: String, _ text: String, _ value: Double? = nil) {
            self.name = name
            self.text = text
            self.value = value
        }

        init(_ name: String, _ value: Double?, _ format: (Double) -> String) {
            self.init(name, value.map(format) ?? HumanFormat.absent, value)
        }
    }

    /// What a subject does and takes.
    static func overview(_ subject: BenchSubject, threads: Int) -> [Named] {
        let (cell, timing) = (subject.cell, subject.timing)
        let requests = Double(max(1, cell.counts?.requests ?? 1))
        let used = timing?.resources
        return [
            Named("Hit ratio", cell.counts?.hitRatio) { HumanFormat.percent($0) },
            Named("Requests a second", cell.requestsPerSecond) { HumanFormat.rate($0, cell.throughputRange) },
            Named(
                "Of it the harness",
                timing?.harnessShare(requestsPerSecond: cell.requestsPerSecond, threads: threads)
            ) { HumanFormat.percent($0) },
            Named("Slowest pass", cell.throughputRange?.least, HumanFormat.rate),
            Named("Fastest pass", cell.throughputRange?.most, HumanFormat.rate),
            Named("Passes", cell.throughputRange.map { Double($0.passes) }) { HumanFormat.count($0) },
            Named("Steady", timing.map { $0.isSteady.map { $0 ? "yes" : "no" } ?? "too short" } ?? HumanFormat.absent),
            Named("Bytes an entry with payload", cell.memory?.bytesPerEntry) { HumanFormat.fixed($0, 1) },
            Named("Above payload", cell.memory?.overheadBytesPerEntry) { HumanFormat.fixed($0, 1) },
            Named("Leak", cell.memory?.leakedBytes.map(Double.init)) { HumanFormat.bytes($0) },
            Named("CPU µs a request", used.map { ($0.userSeconds + $0.systemSeconds) * 1e6 / requests }) {
                HumanFormat.fixed($0, 2)
            },
            Named(
                "Instructions a request",
                used.map { $0.instructions.map { HumanFormat.short(Double($0) / requests) } ?? "not available" }
                    ?? HumanFormat.absent, used?.instructions.map { Double($0) / requests }),
        ]
    }

    /// What the processor counts, where the machine lets us read it.
    private static func counted(_ name: String, _ count: Int?) -> Named {
        Named(name, count.map { HumanFormat.short(Double($0)) } ?? "not available", count.map(Double.init))
    }

    /// What the process of the throughput pass used up.
    static func resources(_ used: ResourceFigures) -> [Named] {
        [
            Named("CPU in the program", used.userSeconds, HumanFormat.duration),
            Named("CPU in the system", used.systemSeconds, HumanFormat.duration),
            Named("Waits", Double(used.voluntarySwitches)) { HumanFormat.count($0) },
            Named("Preemptions", Double(used.involuntarySwitches)) { HumanFormat.count($0) },
            Named("Page faults", Double(used.minorFaults)) { HumanFormat.count($0) },
            Named("Page faults with disk", Double(used.majorFaults)) { HumanFormat.count($0) },
            counted("Instructions", used.instructions), counted("Cycles", used.cycles),
            counted("Cache misses", used.cacheMisses),
        ]
    }

    /// What a subject takes of memory, disk and files when it is full.
    static func footprint(_ memory: MemoryFigures) -> [Named] {
        func bytes(_ name: String, _ figure: Int?) -> Named {
            Named(name, figure.map(Double.init)) { HumanFormat.bytes($0) }
        }
        return [
            bytes("Allocated", memory.allocatedBytes), bytes("Peak", memory.peakBytes),
            Named("Fragmentation", memory.fragmentation) { HumanFormat.fixed($0, 2) },
            bytes("Resident", memory.residentSetBytes), bytes("Process peak", memory.peakResidentBytes),
            Named("Allocations a request", memory.allocationsPerRequest) { HumanFormat.fixed($0, 2) },
            bytes("Disk", memory.diskBytes),
            Named("Files", memory.diskFiles.map(Double.init)) { HumanFormat.count($0) },
            Named("Written per byte put", memory.bytesWrittenPerByte) { HumanFormat.fixed($0, 2) },
            Named("Descriptors", memory.fileDescriptors.map(Double.init)) { HumanFormat.count($0) },
        ]
    }

    /// How long a store takes to open, close and recover.
    static func lifecycle(_ figures: LifecycleFigures) -> [Named] {
        func time(_ name: String, _ nanoseconds: Int) -> Named {
            Named(name, Double(nanoseconds), HumanFormat.nanoseconds)
        }
        func count(_ name: String, _ count: Int) -> Named {
            Named(name, Double(count)) { HumanFormat.count($0) }
        }
        return [
            count("Entries", figures.entriesOpened), time("Open", figures.openNanoseconds),
            time("Close", figures.closeNanoseconds), time("Recover after a kill", figures.recoverNanoseconds),
            count("Entries before the kill", figures.entriesBeforeKill),
            count("Recovered", figures.entriesRecovered),
        ]
    }

    /// What measuring costs, by name.
    static func costs(_ costs: HarnessCosts) -> [Named] {
        [
            Named("timer floor", costs.timerFloorNanoseconds, HumanFormat.nanoseconds),
            Named("bare loop", costs.bareLoopNanoseconds, HumanFormat.nanoseconds),
            Named("harness", costs.harnessNanoseconds, HumanFormat.nanoseconds),
            Named("making a value", costs.payloadNanoseconds, HumanFormat.nanoseconds),
            Named("verifying a hit", costs.verificationNanoseconds, HumanFormat.nanoseconds),
            Named("a request of nothing", costs.emptyRequestNanoseconds, HumanFormat.nanoseconds),
        ]
    }

    /// The percentiles below the slowest that are shown, each at its place on a scale of −log₁₀(1 − q).
    static let percentilePlaces: [(name: String, nines: Double)] = [
        ("p50", 0.30103), ("p90", 1), ("p99", 2), ("p99.9", 3), ("p99.99", 4), ("p99.999", 5),
    ]

    /// `p99.9`, of any percentile.
    static func percentileName(_ percentile: Double) -> String {
        "p" + (percentile == percentile.rounded() ? HumanFormat.fixed(percentile, 0) : "\(percentile)")
    }

    /// From the median to the slowest, in nanoseconds; nil for those that the samples do not carry.
    static func percentiles(_ distribution: LatencyDistribution) -> [Int?] {
        let summary = distribution.summary
        return [
            summary.p50Nanoseconds, summary.p90Nanoseconds, summary.p99Nanoseconds, summary.p999Nanoseconds,
            distribution.p9999Nanoseconds, distribution.p99999Nanoseconds, summary.maxNanoseconds,
        ]
    }

    /// One rate of an open loop.
    static func rate(_ step: RateStep, _ timing: BenchTiming) -> [Named] {
        func time(_ name: String, _ nanoseconds: Int?) -> Named {
            Named(name, nanoseconds.map(Double.init), HumanFormat.nanoseconds)
        }
        let isKnee = timing.kneeRequestsPerSecond == step.requestsPerSecond
        return [
            Named("Due", step.requestsPerSecond) { rate in
                HumanFormat.rate(rate) + (step.traceSpeed.map { ", trace × \(HumanFormat.short($0))" } ?? "")
            },
            Named("Answered", step.answeredPerSecond, HumanFormat.rate),
            time("Response p50", step.response.summary.p50Nanoseconds),
            time("p99", step.response.summary.p99Nanoseconds), time("p99.9", step.response.summary.p999Nanoseconds),
            time("Slowest", step.response.summary.maxNanoseconds),
            time("Service p99", step.service.summary.p99Nanoseconds),
            Named("Timed", Double(step.response.summary.samples)) { HumanFormat.count(Int($0)) },
            Named("State", step.isSaturated ? "saturated" : isKnee ? "knee" : "kept up"),
        ]
    }
}
