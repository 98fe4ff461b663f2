internal import CacheCore

/// What every kind of recorded results says of its making.
protocol RecordedHeader {
    var schemaVersion: Int { get }
    var assayVersion: String { get }
    var startedAt: String { get }
    var durationSeconds: Double { get }
    var commandLine: [String] { get }
    var seed: UInt64 { get }
    var environment: EnvironmentDescription { get }
}

extension RecordedHeader {
    /// When, how long and where it was measured, in one line.
    var subtitle: String {
        [
            startedAt.replacing("T", with: " ").replacing("Z", with: " UTC"),
            "took \(HumanFormat.duration(durationSeconds))", environment.processor,
            HumanFormat.counted(environment.processorCount, "processor", "processors"), environment.operatingSystem,
        ].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// The machine and the build.
    var environmentSection: ReportDocument.Section {
        var pairs: [(String, String)] = [
            ("Assay", assayVersion), ("Build", environment.build), ("Operating system", environment.operatingSystem),
            ("Kernel", environment.kernel),
            ("Processor", "\(environment.processor), \(environment.processorCount) online"),
            ("Memory", HumanFormat.bytes(environment.memoryBytes)),
            ("Allocator, timing passes", environment.timingAllocator),
            ("Allocator, memory passes", environment.memoryAllocator),
        ]
        if let load = environment.loadAverage { pairs.append(("Load average at start", HumanFormat.fixed(load, 2))) }
        if let floor = environment.timerFloorNanoseconds {
            pairs.append(("Timer floor", HumanFormat.nanoseconds(floor)))
        }
        pairs += [
            ("Started", startedAt), ("Duration", HumanFormat.duration(durationSeconds)), ("Seed", "\(seed)"),
            ("Schema version", "\(schemaVersion)"),
        ]
        return .init(
            id: "environment", title: "Environment", blocks: [.pairs(pairs.map { .init(name: $0.0, value: $0.1) })])
    }
}

/// Sections that several kinds of results have.
enum CommonSections {
    /// The traces that were replayed.
    static func traces(_ traces: [TraceDescription]) -> ReportDocument.Section {
        let table = DataTable(
            caption: "Traces",
            columns: [
                .init("Trace", isNumeric: false), .init("Requests"), .init("Objects"), .init("Bytes requested"),
                .init("Footprint"), .init("Format", isNumeric: false), .init("Given as", isNumeric: false),
                .init("Digest", isNumeric: false), .init("Origin", isNumeric: false),
            ],
            rows: traces.map { trace in
                [
                    .init(trace.name), .figure(trace.requests), .figure(trace.objects),
                    .figure(trace.hasSizes ? trace.bytesRequested : nil, HumanFormat.bytes),
                    .figure(trace.hasSizes ? trace.footprintBytes : nil, HumanFormat.bytes),
                    .init(trace.format), .init(trace.argument, classes: "code"),
                    .init(trace.digest, classes: "code digest"),
                    .init(trace.origin ?? HumanFormat.absent, classes: trace.origin == nil ? "absent" : "prose"),
                ]
            })
        let notes = traces.flatMap { trace in (trace.notes ?? []).map { "\(trace.name): \($0)" } }
        return .init(
            id: "traces", title: "Traces",
            blocks: [.table(.init(table: table))]
                + (notes.isEmpty ? [] : [.heading("What reading them found")]) + notes.map(ReportDocument.Block.text))
    }

    /// The policies that ran, with what they do; none if that was not recorded.
    static func policies(_ policies: [PolicyDescription]) -> [ReportDocument.Section] {
        guard !policies.isEmpty else { return [] }
        let table = DataTable(
            caption: "Policies",
            columns: ["Policy", "Family", "How it chooses", "Source"].map { .init($0, isNumeric: false) },
            rows: policies.map { policy in
                [
                    .init(policy.name), .init(policy.family), .init(policy.summary, classes: "prose"),
                    .init(policy.citation, classes: "prose"),
                ]
            })
        return [.init(id: "policies", title: "Policies", blocks: [.table(.init(table: table))])]
    }

    /// What a trace holds, in one line.
    static func facts(_ trace: TraceDescription) -> String {
        var facts = [
            "\(HumanFormat.count(trace.requests)) requests", "\(HumanFormat.count(trace.objects)) objects",
        ]
        if trace.hasSizes {
            facts.append("\(HumanFormat.bytes(trace.bytesRequested)) requested")
            facts.append("\(HumanFormat.bytes(trace.footprintBytes)) footprint")
        } else {
            facts.append("no sizes: every object counts 1 byte")
        }
        return facts.joined(separator: " · ")
    }

    /// What the dashed line of a chart is.
    static func note(ofBound bound: Double?) -> String {
        bound.map { "dashed: \(HumanFormat.percent($0)), what a cache that keeps everything hits" } ?? ""
    }

    /// The hit ratio that no cache can pass, since the first request for an object misses; nil where the trace states writes or
    /// deletes, or a warm-up is not counted.
    static func hitRatioBound(_ trace: TraceDescription?, _ remarks: TraceRemarks) -> Double? {
        guard let trace, trace.requests > 0, !trace.statesOperations,
            (remarks.warmUps[trace.name] ?? []).subtracting([0]).isEmpty
        else { return nil }
        return 1 - Double(trace.objects) / Double(trace.requests)
    }
}
