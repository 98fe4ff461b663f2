internal import CacheCore

// `bench.csv` and `systems.csv`: what is the subject's stands in each of its rows.
extension CSVReport {
    struct BenchRow {
        var subject: BenchSubject
        /// Threads of the load.
        var threads: Int
        /// One rate of an open loop; nil in a closed loop.
        var step: RateStep?
        var operation: String?
        var times: LatencyDistribution?
    }

    static let bench = CSVFile<BenchRow>(
        name: "bench.csv",
        summary:
            "What `assay bench` found out: one row a subject and operation, three a subject and rate of an open loop, and "
            + "one for a subject that failed.",
        columns: benchCell.of { $0.subject.cell } + resources.of { $0.subject.timing?.resources }
            + lifecycle.of { $0.subject.lifecycle } + loop
            + ([operations, samples] + percentiles).of(empty: "the subject failed") { $0.times?.summary }
            + rareTimes.of(empty: "the subject failed") { $0.times } + [
                .number(
                    "trace_speed", "How many times as fast as in the trace requests were due.", empty: "they were not"
                ) {
                    $0.step?.traceSpeed
                },
                .number(
                    "harness_share",
                    "The part of the closed loop's throughput that a subject of nothing takes under the same load.",
                    empty: unmeasured
                ) { row in
                    row.subject.timing?.harnessShare(
                        requestsPerSecond: row.subject.cell.requestsPerSecond, threads: row.threads)
                },
                .number(
                    "p50_harness_share", "The part of the median that a subject of nothing takes.", empty: unmeasured
                ) {
                    row in
                    guard let times = row.times, let operation = row.operation.flatMap(OperationLatency.Operation.init)
                    else { return nil }
                    return row.subject.timing?.harnessShare(of: OperationLatency(operation, times))
                },
            ] + ([notes] + failure.of(empty: "there is a result") { $0.failure }).of { $0.subject.cell })

    private static let noFiles = "the backend keeps nothing on disk"
    private static let uncounted = "the machine does not count them"

    private static let benchCell: [CSVColumn<CellResult>] =
        identity + [backend] + capacity + [hitRatio].of(empty: "the subject failed") { $0.counts } + [throughput]
        + benchMemory.of(empty: "the subject failed") { $0.memory }

    private static let benchMemory: [CSVColumn<MemoryFigures>] = [
        bytesPerEntry,
        .number("overhead_bytes_per_entry", "What an entry takes above its payload.", in: "bytes", empty: unmeasured) {
            $0.overheadBytesPerEntry
        },
        .integer(
            "leaked_bytes", "What stays allocated after it was filled and cleared twice.", in: "bytes",
            empty: unmeasured
        ) { $0.leakedBytes },
        .integer("peak_bytes", "The most that was allocated at any of 64 looks.", in: "bytes", empty: unmeasured) {
            $0.peakBytes
        },
        .number("allocations_per_request", "Allocations for each request.", empty: unmeasured) {
            $0.allocationsPerRequest
        },
        .number("written_per_byte_put", "Bytes handed to the disk for each byte that was put.", empty: noFiles) {
            $0.bytesWrittenPerByte
        },
        .integer("file_descriptors", "File descriptors that are open when it is full.", empty: unmeasured) {
            $0.fileDescriptors
        },
    ]

    private static let resources: [CSVColumn<ResourceFigures>] = [
        .integer("instructions", "Instructions of the throughput pass.", empty: uncounted) { $0.instructions },
        .integer("cycles", "Cycles of the processor in the throughput pass.", empty: uncounted) { $0.cycles },
        .integer("cache_misses", "Accesses that missed every cache of the processor.", empty: uncounted) {
            $0.cacheMisses
        },
    ]

    private static let lifecycle: [CSVColumn<LifecycleFigures>] = [
        .integer("open_nanoseconds", "Opening a closed store and reading its entries.", in: "ns", empty: noFiles) {
            $0.openNanoseconds
        },
        .integer("close_nanoseconds", "Closing the store.", in: "ns", empty: noFiles) { $0.closeNanoseconds },
        .integer("recover_nanoseconds", "Opening the store of a killed process.", in: "ns", empty: noFiles) {
            $0.recoverNanoseconds
        },
    ]

    private static let loop: [CSVColumn<BenchRow>] = [
        .text("loop", "`closed`, where each request waits for the one before, or `open`.", empty: "the subject failed")
        {
            $0.times == nil ? nil : $0.step == nil ? "closed" : "open"
        },
        .number("due_per_second", "The rate at which requests were due.", in: "1/s", empty: "the loop is closed") {
            $0.step?.requestsPerSecond
        },
        .number("answered_per_second", "The rate of their answers.", in: "1/s", empty: "the loop is closed") {
            $0.step?.answeredPerSecond
        },
        CSVColumn(
            name: "saturated", kind: .boolean, unit: "", meaning: "Whether the subject could not follow.",
            absence: "the loop is closed"
        ) { $0.step.map { "\($0.isSaturated)" } },
        .text(
            "operation",
            "`hit`, `miss`, `put`, `evicting put` or `remove`; in an open loop `response` (due to answered), `service` (made "
                + "to answered) or `lag` (due to made).", empty: "the subject failed"
        ) { $0.operation },
    ]

    private static let rareTimes: [CSVColumn<LatencyDistribution>] =
        [
            time("p9999_nanoseconds", "The 99.99th percentile", 100_000) { $0.p9999Nanoseconds },
            time("p99999_nanoseconds", "The 99.999th percentile", 1_000_000) { $0.p99999Nanoseconds },
        ] + [slowest].of { $0.summary } + [mean]

    struct SystemRow {
        var system: SystemResult
        var latency: SystemLatency?
        var figure: (name: String, value: Double, unit: String)?
    }

    static let systems = CSVFile<SystemRow>(
        name: "systems.csv",
        summary:
            "What `assay run --system` found out: one row a system and operation, one a system and figure of its own, and "
            + "one for a system that failed.",
        columns: system.of { $0.system } + systemCounts.of(empty: "the system failed") { $0.system.counts } + [
            .number(
                "calls_per_second", "Calls a second, the check of the answers included.", in: "1/s",
                empty: "the system failed"
            ) { $0.system.callsPerSecond }
        ] + systemMemory.of(empty: "the system failed") { $0.system.memory } + figures
            + systemTimes.of(empty: "the row is of no operation") { $0.latency?.distribution }
            + failure.of(empty: "there is a result") { $0.system.failure })

    private static let system: [CSVColumn<SystemResult>] = [
        .text("system", "The system's name.") { $0.system },
        .text("workload", "The workload's name.") { $0.workload },
        .text("policy", "The policy of its memory, with parameters.") { $0.policy },
        .text("backend", "The backend of its entries; `memory` where it has none.") { $0.backend },
    ]

    private static let systemCounts: [CSVColumn<SystemCounts>] = [
        .integer("requests", "Calls that ask for something.") { $0.requests },
        .number("hit_ratio", "The share that what is kept answered without waiting for the origin.") { $0.hitRatio },
        .integer("origin_requests", "Requests that the origin got.") { $0.originRequests },
        .integer("origin_requests_without", "Requests that it would get without the cache.") {
            $0.originRequestsWithout
        },
        .number("origin_requests_saved", "The share of them that the cache saved.") { $0.originRequestsSaved },
        .integer("bytes_answered", "Bytes of the answers that callers got.", in: "bytes") { $0.bytesAnswered },
        .integer("bytes_from_origin", "Bytes that came from the origin.", in: "bytes") { $0.bytesFromOrigin },
        .integer("bytes_without", "Bytes that would come from it without the cache.", in: "bytes") { $0.bytesWithout },
        .number("bytes_saved", "The share of them that the cache saved.") { $0.bytesSaved },
        .number("origin_seconds", "Virtual time that the origin took.", in: "s") { $0.originSeconds },
        .number("origin_seconds_without", "Virtual time that it would take without the cache.", in: "s") {
            $0.originSecondsWithout
        },
        .integer("outage_requests", "Requests while the origin was away.") { $0.outageRequests },
        .integer("outage_answered", "Requests of these that were answered.") { $0.outageAnswered },
    ]

    private static let systemMemory: [CSVColumn<SystemMemory>] = [
        .integer("entries", "Entries that are kept at the end.") { $0.entries },
        .integer("allocated_bytes", "What the system has allocated at the end.", in: "bytes", empty: unmeasured) {
            $0.allocatedBytes
        },
        .integer("peak_bytes", "The most that was allocated at any of 64 looks.", in: "bytes", empty: unmeasured) {
            $0.peakBytes
        },
        .integer("resident_set_bytes", "The growth of the process's resident set.", in: "bytes", empty: unmeasured) {
            $0.residentSetBytes
        },
        .integer("disk_bytes", "The space that files take.", in: "bytes", empty: "it has no files") { $0.diskBytes },
        .integer("disk_files", "The number of files.", empty: "it has no files") { $0.diskFiles },
        .integer("open_nanoseconds", "Opening it again.", in: "ns", empty: "it has no files") { $0.openNanoseconds },
        .integer("entries_opened", "Entries that are there then.", empty: "it has no files") { $0.entriesOpened },
    ]

    private static let figures: [CSVColumn<SystemRow>] = [
        .text("row", "What the row is of: `operation`, `figure` or `failure`.") {
            $0.latency != nil ? "operation" : $0.figure != nil ? "figure" : "failure"
        },
        .text("name", "The operation's outcome, or what the figure says.", empty: "the system failed") {
            $0.latency?.operation ?? $0.figure?.name
        },
        .number("value", "The figure.", in: "`unit`", empty: "the row is of no figure") { $0.figure?.value },
        .text("unit", "What the figure counts.", empty: "the row is of no figure") { $0.figure?.unit },
    ]

    private static let systemTimes: [CSVColumn<LatencyDistribution>] =
        ([.integer("calls", "Calls, timed or not.") { $0.operations }, samples] + percentiles + [slowest]).of {
            $0.summary
        } + [mean]
}
