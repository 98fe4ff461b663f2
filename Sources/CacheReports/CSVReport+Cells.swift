internal import CacheCore

// Columns that several files have.
extension CSVReport {
    static let identity: [CSVColumn<CellResult>] = [
        .text("trace", "The trace's name, unique in a run.") { $0.trace },
        .text("policy", "The policy's name.") { $0.policy },
        .text("parameters", "The policy's parameters, `name=value;name=value`.", empty: "it has none") {
            $0.parameters
        },
        .text("admission", "The admission policy; `always` where none filters.") { $0.admission },
    ]
    static let backend = CSVColumn<CellResult>.text("backend", "The backend; `simulation` for a policy alone.") {
        $0.backend
    }
    static let capacity: [CSVColumn<CellResult>] = [
        .integer("capacity", "The capacity.", in: "`capacity_unit`") { $0.capacity },
        .text("capacity_unit", "What capacities count: `objects` or `bytes`.") { $0.capacityUnit.rawValue },
    ]
    static let expiry = CSVColumn<CellResult>.text(
        "expiry", "Whether objects expire by the trace's times to live: `honoured` or `ignored`."
    ) { $0.honoursExpiry == true ? "honoured" : "ignored" }
    static let warmUp = CSVColumn<CellResult>.integer("warm_up_requests", "Requests before the counted ones.") {
        $0.warmUp?.requests ?? 0
    }
    static let prefetch = CSVColumn<CellResult>.text(
        "prefetch", "The prefetcher.", empty: "nothing is fetched ahead"
    ) { $0.prefetch }
    static let hitRatio = CSVColumn<ReplayCounts>.number("hit_ratio", "Hits over requests.") { $0.hitRatio }
    static let throughput = CSVColumn<CellResult>.number(
        "requests_per_second", "Throughput; the median of repeated passes.", in: "1/s", empty: "the cell failed"
    ) { $0.requestsPerSecond }
    static let bytesPerEntry = CSVColumn<MemoryFigures>.number(
        "bytes_per_entry", "`allocated_bytes` over the entries at the end.", in: "bytes", empty: unmeasured
    ) { $0.bytesPerEntry }
    static let notes = CSVColumn<CellResult>.text(
        "notes", "What a reader of the figures must know, in sentences.", empty: "nothing is to be said"
    ) { $0.notes?.joined(separator: " ") }
    static let failure: [CSVColumn<CellFailure>] = [
        .text("failure", "The kind of failure, a colon, what went wrong and what mends it.") {
            "\($0.kind.rawValue): \($0.message)"
        }
    ]
    static let samples = CSVColumn<LatencySummary>.integer("samples", "Calls that were timed.") { $0.samples }
    static let operations = CSVColumn<LatencySummary>.integer("operations", "Calls, timed or not.") { $0.operations }
    static let percentiles: [CSVColumn<LatencySummary>] = [
        time("p50_nanoseconds", "The median", 20) { $0.p50Nanoseconds },
        time("p90_nanoseconds", "The 90th percentile", 100) { $0.p90Nanoseconds },
        time("p99_nanoseconds", "The 99th percentile", 1000) { $0.p99Nanoseconds },
        time("p999_nanoseconds", "The 99.9th percentile", 10_000) { $0.p999Nanoseconds },
    ]
    static let slowest = time("max_nanoseconds", "The slowest", 1) { (times: LatencySummary) in times.maxNanoseconds }
    static let mean = CSVColumn<LatencyDistribution>.number(
        "mean_nanoseconds", "The mean of the timed calls.", in: "ns", empty: "fewer than 1 were timed"
    ) { $0.meanNanoseconds }

    static let unmeasured = "it could not be measured"

    static func time<Row>(
        _ name: String, _ what: String, _ fewest: Int, _ value: @escaping @Sendable (Row) -> Int?
    ) -> CSVColumn<Row> {
        .integer(name, "\(what) of the timed calls.", in: "ns", empty: "fewer than \(fewest) were timed", value)
    }
}

// `results.csv`
extension CSVReport {
    static let results = CSVFile(
        name: "results.csv",
        summary: "What `assay run` found out: one row a cell, which is a trace, a policy, a backend and a capacity.",
        columns: (identity + [backend] + capacity + counts).of { $0.0 }
            + (getTimes + putTimes + memory).of { $0.0 } + operationColumns + rest.of { $0.0 })

    private static let failed = "the cell failed"
    private static let ofCosts = "costs are not counted"
    private static let unlearned = "the policy does not learn"

    private static let counts: [CSVColumn<CellResult>] =
        [
            .integer("requests", "Requests that the ratios are of.") { $0.requests },
            .integer("hits", "Requests whose object was resident.") { $0.hits },
            .integer("misses", "Requests whose object was not resident.") { $0.misses },
            .integer("evictions", "Objects that left for space.", empty: "nobody counted them") { $0.countedEvictions },
            hitRatio,
            .number("byte_hit_ratio", "`bytes_hit` over `bytes_requested`.", empty: "no bytes were requested") {
                $0.measuredByteHitRatio
            },
        ].of(empty: failed) { $0.counts } + [throughput] + sums.of(empty: failed) { $0.counts } + [expiry]
        + departures.of(empty: failed) { $0.counts }

    private static let sums: [CSVColumn<ReplayCounts>] = [
        .integer("bytes_requested", "The sum of the sizes of the requests.", in: "bytes") { $0.bytesRequested },
        .integer("bytes_hit", "The sum of the sizes of the hits.", in: "bytes") { $0.bytesHit },
        .integer(
            "bytes_written",
            "The sum of the sizes of the objects that were let in, and of the values that writes put in the place of a resident's.",
            in: "bytes"
        ) {
            $0.bytesWritten
        },
        .integer("resident_objects", "Objects that are resident at the end.") { $0.residentObjects },
        .integer("resident_weight", "The weight of the objects that are resident at the end.", in: "`capacity_unit`") {
            $0.residentWeight
        },
    ]

    private static let departures: [CSVColumn<ReplayCounts>] = [
        .integer("expirations", "Objects that left because their time was over.") { $0.expirations },
        .integer("refusals", "Missed objects that the admission policy did not let in.") { $0.refusals },
    ]

    private static let times = [samples, operations] + percentiles + [slowest]
    private static let getTimes: [CSVColumn<CellResult>] = times.of(empty: "simulation", prefix: "get_latency_") {
        $0.latency?.get
    }
    private static let putTimes: [CSVColumn<CellResult>] = times.of(empty: "simulation", prefix: "put_latency_") {
        $0.latency?.put
    }

    private static let memory: [CSVColumn<CellResult>] = [
        .text("memory_meter", "Who counted: `jemalloc`, `mallinfo2`, or why nobody could.") { $0.meter },
        .integer("allocated_bytes", "What the subject has allocated at the end.", in: "bytes", empty: unmeasured) {
            $0.allocatedBytes
        },
        bytesPerEntry,
        .integer("payload_bytes", "Keys and values of the entries at the end.", in: "bytes") { $0.payloadBytes },
        .integer("memory_entries", "Entries at the end.") { $0.entries },
        .integer("resident_set_bytes", "The growth of the process's resident set.", in: "bytes", empty: unmeasured) {
            $0.residentSetBytes
        },
        .integer("disk_bytes", "The space that files take.", in: "bytes", empty: "the backend has no files") {
            $0.diskBytes
        },
        .integer("disk_files", "The number of files.", empty: "the backend has no files") { $0.diskFiles },
    ].of(empty: "simulation") { $0.memory }

    private static let operationColumns: [CSVColumn<(CellResult, TraceDescription?)>] =
        [
            .integer("writes", "Writes that the trace states.", empty: failed) { $0.0.counts?.writes },
            .integer("deletes", "Deletes that the trace states.", empty: failed) { $0.0.counts?.deletes },
            .text("on_miss", "What a read that finds nothing does: `fill` or `none`.", empty: "all requests are reads")
            {
                guard let trace = $0.1, trace.statesOperations else { return nil }
                return ($0.0.rules ?? ReplayRules()).missedRead(statesWrites: trace.writes != nil).rawValue
            },
            .text("counted", "What ratios are of: `reads` or `all`.", empty: "all requests are reads") {
                $0.1?.statesOperations == true ? ($0.0.rules ?? ReplayRules()).counted.rawValue : nil
            },
            .integer("resized", "Residents that entered anew with another size.", empty: failed) {
                $0.0.counts?.resized
            },
            .text(
                "resize", "What becomes of a resident whose size changes: `reweigh` or `keep`.",
                empty: "sizes do not change, or capacities count objects"
            ) { cell, trace in
                guard trace?.sizeChanges != nil, cell.capacityUnit == .bytes else { return nil }
                let isLive = cell.backend != CellResult.simulationBackend
                return (cell.rules ?? ReplayRules()).resizing(isLive ? "" : cell.parameters).rawValue
            },
            .number("cost_requested", "What the requests would cost if all missed.", in: "the trace's", empty: ofCosts)
            {
                $0.0.counts?.costRequested
            },
            .number("cost_missed", "What the misses cost.", in: "the trace's", empty: ofCosts) {
                $0.0.counts?.costMissed
            },
            .number("cost_hit_ratio", "The share of the cost that hits saved.", empty: ofCosts) {
                $0.0.counts?.costHitRatio
            },
        ]

    private static let rest: [CSVColumn<CellResult>] =
        [
            .text("capacity_requested", "The capacity as it was asked for, such as `5%`.") { $0.capacityRequested },
            CSVColumn(name: "seed", kind: .integer, unit: "", meaning: "The seed of everything random.", absence: "") {
                "\($0.seed)"
            },
            .number("requests_per_second_least", "The slowest pass.", in: "1/s", empty: "one pass was made") {
                $0.throughputRange?.least
            },
            .number("requests_per_second_most", "The fastest pass.", in: "1/s", empty: "one pass was made") {
                $0.throughputRange?.most
            },
            .integer("throughput_passes", "How many passes `requests_per_second` is the median of.", empty: failed) {
                $0.requestsPerSecond == nil ? nil : $0.throughputRange?.passes ?? 1
            },
            .text("warm_up", "The warm-up as it was asked for.", empty: "there is none") { $0.warmUp?.requested },
            warmUp, prefetch,
            .integer("prefetched", "Objects that the prefetcher fetched.", empty: "nothing is fetched ahead") {
                $0.counts?.prefetched
            },
            .integer(
                "prefetch_hits", "Fetched objects that were requested before they left.",
                empty: "nothing is fetched ahead"
            ) { $0.counts?.prefetchHits },
            .integer("trainings", "Models that the policy trained.", empty: unlearned) {
                $0.counts?.training?.trainings
            },
            .number("training_seconds", "The time in which it trained them.", in: "s", empty: unlearned) {
                $0.counts?.training?.trainingSeconds
            },
            .number("prediction_seconds", "The time in which it asked them.", in: "s", empty: unlearned) {
                $0.counts?.training?.predictionSeconds
            },
            notes,
        ] + failure.of(empty: "the cell has a result") { $0.failure }
}

// `windows.csv` and `tenants.csv`
extension CSVReport {
    static let windows = CSVFile<(CellResult, Int, ReplayWindow)>(
        name: "windows.csv",
        summary: "Hits over the time of the trace, with `--windows`: one row a cell and window of the trace.",
        columns: whole.of { $0.0 } + [
            .integer("window", "The window's number, from 0.") { $0.1 },
            .integer("first_request", "The position of its first request in the trace, from 0.") { $0.2.first },
            .number(
                "start_seconds", "When it begins, after the first request of the trace.", in: "s",
                empty: "the trace states no times"
            ) { $0.2.startSeconds },
        ] + partCounts.of { $0.2.counts })

    static let tenants = CSVFile<(CellResult, TenantCounts)>(
        name: "tenants.csv", summary: "Hits by tenant, with `--by-tenant`: one row a cell and tenant.",
        columns: whole.of { $0.0 } + [
            .text("tenant", "The tenant's name in the trace.", empty: "the row is of all tenants without their own") {
                $0.1.tenant
            },
            .integer("tenants_together", "How many tenants the row is of.") { $0.1.others ?? 1 },
        ] + partCounts.of { $0.1.counts })

    private static let whole = identity + [expiry] + capacity + [warmUp, prefetch]

    private static let partCounts: [CSVColumn<PartCounts>] = [
        .integer("requests", "Requests that the ratios are of.") { $0.requests },
        .integer("hits", "Requests whose object was resident.") { $0.hits },
        .integer("misses", "Requests whose object was not resident.") { $0.requests - $0.hits },
        .number("hit_ratio", "Hits over requests.", empty: "there are no requests") { $0.hitRatio },
        .integer("bytes_requested", "The sum of the sizes of the requests.", in: "bytes") { $0.bytesRequested },
        .integer("bytes_hit", "The sum of the sizes of the hits.", in: "bytes") { $0.bytesHit },
        .number("byte_hit_ratio", "`bytes_hit` over `bytes_requested`.", empty: "no bytes were requested") {
            $0.byteHitRatio
        },
    ]
}
