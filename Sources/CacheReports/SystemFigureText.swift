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

    /// What the origin was asked, with and without the cache.
    static func origin(_ counts: SystemCounts) -> [Named] {
        func count(_ name: String, _ value: Int) -> Named { Named(name, HumanFormat.count(value), Double(value)) }
        func bytes(_ name: String, _ value: Int) -> Named { Named(name, HumanFormat.bytes(value), Double(value)) }
        func time(_ name: String, _ value: Double) -> Named { Named(name, HumanFormat.duration(value), value) }
        return [
            count("Requests", counts.originRequests), count("Requests without the cache", counts.originRequestsWithout),
            bytes("Bytes", counts.bytesFromOrigin), bytes("Bytes without", counts.bytesWithout),
            bytes("Bytes answered", counts.bytesAnswered),
            time("Virtual time", counts.originSeconds), time("Virtual time without", counts.originSecondsWithout),
            count("Requests in outages", counts.outageRequests), count("Answered in outages", counts.outageAnswered),
        ]
    }

    /// What a system takes up at its end.
    static func memory(_ memory: SystemMemory) -> [Named] {
        func bytes(_ name: String, _ value: Int?) -> Named {
            Named(name, value.map(Double.init)) { HumanFormat.bytes($0) }
        }
        func count(_ name: String, _ value: Int?) -> Named {
            Named(name, value.map(Double.init)) { HumanFormat.count($0) }
        }
        return [
            Named("Counted by", memory.meter), count("Entries", memory.entries),
            bytes("Memory", memory.allocatedBytes), bytes("Peak", memory.peakBytes),
            bytes("Resident set", memory.residentSetBytes), bytes("Disk", memory.diskBytes),
            count("Files", memory.diskFiles),
            Named("Opening again", memory.openNanoseconds.map(Double.init), HumanFormat.nanoseconds),
            count("Entries then", memory.entriesOpened),
        ]
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
