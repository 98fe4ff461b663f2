internal import CacheCore

extension RunDocument {
    /// What the terms mean that this report has.
    var definitions: [ReportDocument.Definition] {
        let cells = results.cells
        let isLive = cells.contains { $0.backend != CellResult.simulationBackend }
        let present: [String: Bool] = [
            "Warm-up": cells.contains { $0.warmUp != nil }, "Window": cells.contains { $0.windows != nil },
            "Cost saved": cells.contains { $0.counts?.costRequested != nil },
            "Byte hit ratio": results.traces.contains(where: \.hasSizes),
            "Relative to LRU": standings.baseline != nil && labels.keys.count > 1,
            "Requests a second": cells.contains { $0.requestsPerSecond != nil },
            "Bytes written": cells.contains { $0.counts?.bytesWritten ?? 0 > 0 }, "Latency": isLive,
            "Timer floor": isLive, "Bytes an entry": isLive, "Disk": cells.contains { $0.memory?.diskBytes != nil },
            "How it was measured": isLive,
        ]
        return Self.allDefinitions.filter { present[$0.term] ?? true }
    }

    private static let allDefinitions: [ReportDocument.Definition] = [
        .init(
            "Hit ratio",
            """
            Hits over requests, from 0 to 1, shown in percent. A request hits if its object is resident when it is asked \
            for. Every request counts, the first ones too, unless the run had a warm-up.
            """),
        .init(
            "Warm-up",
            """
            The first requests of a trace, which fill the cache and are not counted (`--warm-up`): no request, hit, byte, \
            eviction or cost of theirs is in any figure. What is resident is what was so at the end.
            """),
        .init(
            "Window",
            """
            A stretch of the counted requests, of equally many requests or of equal time (`--windows`). Each but the first \
            meets the cache that the requests before it left behind. A window without requests has no hit ratio and \
            leaves a gap.
            """),
        .init(
            "Cost saved",
            """
            The costs of the hits over the costs of all requests, as the trace states them, shown in percent: what the \
            cache saved of what every request would have cost without it.
            """),
        .init(
            "Byte hit ratio",
            """
            Bytes hit over bytes requested, shown in percent. Shown only for traces that carry sizes.
            """),
        .init(
            "Relative to LRU",
            """
            A policy's ratio less that of LRU at the same capacity, in percentage points. FIFO takes its place where LRU \
            did not run.
            """),
        .init(
            "Capacity",
            """
            The most that may be resident, in objects (each weighs 1) or in bytes (each weighs its size). “Asked for” is \
            the text of the command line: 1% is a share of the trace's distinct objects, 1%B of its distinct bytes.
            """),
        .init(
            "Evictions",
            """
            Resident objects that left to make room. Expiry and removal on request are not evictions.
            """),
        .init(
            "Bytes written",
            """
            The sum of the sizes of all objects admitted, in bytes: what the cache would write to its medium.
            """),
        .init(
            "Requests a second",
            """
            Requests over wall-clock time of a pass that reads no clock and records nothing else. For a backend the time \
            includes making each value that is stored and comparing each value that is found, and leaves out opening and \
            closing the store. A simulation is repeated up to five times while that takes no longer than 0.05 s, and its \
            figure is the median; a live cell of a run is measured once; where several cells are drawn as one bar, it is \
            their median and the line spans least to most.
            """),
        .init(
            "Latency",
            """
            The time of one call, in nanoseconds: lookups (get), which ask the policy and, if it calls the object \
            resident, the backend; and stores with the evictions they cause (put). A lookup that misses asks the policy \
            alone, so at low hit ratios the lower percentiles of get are the policy's. Making and comparing values is \
            outside the timed part. From an HdrHistogram with three significant digits, in a pass of its own. Where a \
            request takes less than 5 µs on average, calls are sampled with seeded random gaps, since timing each would \
            slow the cache; “timed” says how many. A percentile is given only where at least 10 timed calls lie beyond \
            it (p50 of 20, p99 of 1,000, p99.9 of 10,000); a dash says that it was not measured.
            """),
        .init(
            "Timer floor",
            """
            The median time of reading the clock twice around nothing, in nanoseconds. It is not subtracted; latencies \
            near it say only “less than can be measured”.
            """),
        .init(
            "Bytes an entry",
            """
            Allocated bytes over resident entries at the end of the trace, counted by the allocator in a process of its \
            own: what policy and backend hold, their copies of keys included, and nothing of the harness. The policy's \
            index spans all objects of the trace, so the figure grows where capacity is a small share of them. It \
            belongs to the cache and the allocator together, so the meter is named. “Above the payload” leaves out the \
            bytes of keys and values that are kept in memory.
            """),
        .init("Disk", "Bytes of the blocks that the backend's files take up at the end of the trace."),
        .init(
            "How it was measured",
            """
            Throughput (which also yields the counts), latency and memory come from separate passes over the same trace, \
            so that no measurement disturbs another. Timing passes use the platform's allocator. Counts are exact and \
            repeatable; times are one machine's on one day, and only paired, interleaved runs can tell small differences \
            apart.
            """),
        .init(
            "Cell",
            """
            One combination of trace, policy with parameters, admission, capacity and backend. “simulation” drives the \
            policy alone, without bytes.
            """),
    ]
}
