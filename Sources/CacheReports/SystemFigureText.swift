internal import CacheCore

/// The figures of a system as tables show them, on a terminal and on a page.
enum SystemFigureText {
    typealias Named = BenchFigures.Named

    /// What every system has in common.
    static func overview(_ system: SystemResult) -> [Named] {
        let (counts, memory) = (system.counts, system.memory)
        func bytes(_ name: String, _ value: Int?) -> Named {
            Named(name, value.map(Double.init)) { HumanFormat.bytes($0) }
        }
        return [
            Named("Requests", counts.map { Double($0.requests) }) { HumanFormat.count($0) },
            Named("Hit ratio", counts?.hitRatio) { HumanFormat.percent($0) },
            Named("Origin requests", counts.map { Double($0.originRequests) }) { HumanFormat.count($0) },
            Named("Origin requests saved", counts?.originRequestsSaved) { HumanFormat.percent($0) },
            Named("Bytes saved", counts?.bytesSaved) { HumanFormat.percent($0) },
            Named("Waiting saved", counts.flatMap(waitingSaved)) { HumanFormat.percent($0) },
            Named("Answered in outages", counts?.outageAnsweredShare) { HumanFormat.percent($0) },
            Named("Calls a second", system.callsPerSecond, HumanFormat.rate),
            time("Hit p50", system, .hit) { $0.p50Nanoseconds }, time("Hit p99", system, .hit) { $0.p99Nanoseconds },
            time("Miss p50", system, .miss) { $0.p50Nanoseconds },
            time("Miss p99", system, .miss) { $0.p99Nanoseconds },
            bytes("Memory", memory?.allocatedBytes), bytes("Disk", memory?.diskBytes),
        ]
    }

    private static func time(
        _ name: String, _ system: SystemResult, _ outcome: SystemOutcome, _ percentile: (LatencySummary) -> Int?
    ) -> Named {
        let found = system.latency.first { $0.operation == outcome.rawValue }
        return Named(
            name, found.flatMap { percentile($0.distribution.summary) }.map(Double.init), HumanFormat.nanoseconds)
    }

    /// The part of the origin's time that the cache saves; nil where its time does not count.
    private static func waitingSaved(_ counts: SystemCounts) -> Double? {
        counts.originSecondsWithout == 0 ? nil : 1 - counts.originSeconds / counts.originSecondsWithout
    }

    /// What became of the calls, what the origin was asked, what is taken up at the end, and what only this system has.
    static func pairs(_ system: SystemResult) -> [ReportDocument.Pair] {
        let alternatives = system.alternatives.map {
            ("As fast as \($0.name)", "\(ratio($0, system)), which makes \(HumanFormat.rate($0.callsPerSecond))")
        }
        let figures = system.figures.map { ($0.name.prefix(1).uppercased() + $0.name.dropFirst(), text($0)) }
        return ((system.counts.map(calls) ?? []) + alternatives + (system.memory.map(memory) ?? []) + figures).map {
            .init(name: $0.0, value: $0.1)
        }
    }

    /// Calls by outcome, and the origin with and without the cache.
    private static func calls(_ counts: SystemCounts) -> [(String, String)] {
        let outcomes = SystemOutcome.allCases.compactMap { outcome -> String? in
            guard let count = counts.outcomes[outcome] else { return nil }
            let share = HumanFormat.percent(Double(count) / Double(max(1, counts.requests)), digits: 1)
            return "\(outcome.rawValue) \(HumanFormat.count(count))" + (outcome == .write ? "" : " (\(share))")
        }
        var pairs = [
            ("Calls", outcomes.joined(separator: ", ")),
            (
                "Origin requests",
                "\(HumanFormat.count(counts.originRequests)) of "
                    + "\(HumanFormat.count(counts.originRequestsWithout)) without the cache"
            ),
            (
                "Bytes from the origin",
                "\(HumanFormat.bytes(counts.bytesFromOrigin)) of \(HumanFormat.bytes(counts.bytesWithout)), "
                    + "\(HumanFormat.bytes(counts.bytesAnswered)) answered"
            ),
        ]
        if counts.originSecondsWithout > 0 {
            pairs.append(
                (
                    "Waiting for the origin, virtual",
                    "\(HumanFormat.duration(counts.originSeconds)) of \(HumanFormat.duration(counts.originSecondsWithout))"
                ))
        }
        if counts.outageRequests > 0 {
            pairs.append(
                (
                    "Answered in outages",
                    "\(HumanFormat.count(counts.outageAnswered)) of \(HumanFormat.count(counts.outageRequests))"
                ))
        }
        return pairs
    }

    /// What a system takes up at its end.
    private static func memory(_ memory: SystemMemory) -> [(String, String)] {
        func bytes(_ name: String, _ value: Int?) -> String? { value.map { name + HumanFormat.bytes($0) } }
        let held = [
            bytes("", memory.allocatedBytes), bytes("peak ", memory.peakBytes),
            bytes("resident set ", memory.residentSetBytes),
        ].compactMap(\.self)
        let disk = [
            bytes("", memory.diskBytes), memory.diskFiles.map { HumanFormat.counted($0, "file", "files") },
        ].compactMap(\.self)
        let opened = [
            memory.openNanoseconds.map { HumanFormat.nanoseconds(Double($0)) },
            memory.entriesOpened.map { HumanFormat.counted($0, "entry", "entries") },
        ].compactMap(\.self)
        return [
            (
                "Memory at the end",
                held + ["\(HumanFormat.counted(memory.entries, "entry", "entries")) (\(memory.meter))"]
            ),
            ("Disk", disk), ("Opening again", opened),
        ].filter { !$0.1.isEmpty }.map { ($0, $1.joined(separator: ", ")) }
    }

    /// A figure that only one kind of system has.
    static func text(_ figure: SystemFigure) -> String {
        switch figure.unit {
        case .count: HumanFormat.count(figure.value)
        case .ratio: HumanFormat.percent(figure.value)
        case .bytes: HumanFormat.bytes(figure.value)
        case .nanoseconds: HumanFormat.nanoseconds(figure.value)
        case .perSecond: HumanFormat.rate(figure.value)
        case .bytesPerSecond: HumanFormat.bytes(figure.value) + "/s"
        case .times: "× " + HumanFormat.fixed(figure.value, 2)
        }
    }

    /// How many times as many calls the system makes in a second as the other way does.
    static func ratio(_ alternative: SystemAlternative, _ system: SystemResult) -> String {
        guard let rate = system.callsPerSecond, alternative.callsPerSecond > 0 else { return HumanFormat.absent }
        return "× " + HumanFormat.fixed(rate / alternative.callsPerSecond, 2)
    }

    /// A system's workload, with policy and backend where these tell it from others.
    static func label(_ system: SystemResult, among results: SystemResults) -> String {
        let same = results.systems.filter { $0.workload == system.workload }
        var parts = [system.workload]
        if Set(same.map(\.policy)).count > 1 { parts.append(system.policy) }
        if Set(same.map(\.backend)).count > 1 { parts.append(system.backend) }
        return parts.joined(separator: " · ")
    }
}
