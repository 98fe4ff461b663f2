public import CacheCore

// `systems.csv`: one row for each system and operation, and one for each figure that only that system has.
extension CSVReport {
    /// A run of systems as CSV with a header row; lines end with CR LF. A system that failed has one row with its reason.
    public static func render(_ results: SystemResults) -> String {
        var text = systemColumnNames.joined(separator: ",") + "\r\n"
        for system in results.systems {
            for row in rows(system) { text += row.map(quoted).joined(separator: ",") + "\r\n" }
        }
        return text
    }

    /// The names of the columns of `systems.csv`, in order.
    public static var systemColumnNames: [String] {
        [
            "system", "workload", "policy", "backend", "requests", "hit_ratio", "origin_requests",
            "origin_requests_without", "origin_requests_saved", "bytes_answered", "bytes_from_origin", "bytes_without",
            "bytes_saved", "origin_seconds", "origin_seconds_without", "outage_requests", "outage_answered",
            "calls_per_second", "entries", "allocated_bytes", "peak_bytes", "resident_set_bytes", "disk_bytes",
            "disk_files", "open_nanoseconds", "entries_opened", "row", "name", "value", "unit", "calls", "samples",
            "p50_nanoseconds", "p90_nanoseconds", "p99_nanoseconds", "p999_nanoseconds", "max_nanoseconds",
            "mean_nanoseconds", "failure",
        ]
    }

    private static func rows(_ system: SystemResult) -> [[String]] {
        let (counts, memory) = (system.counts, system.memory)
        let identity = [
            system.system, system.workload, system.policy, system.backend, text(counts?.requests),
            text(counts?.hitRatio), text(counts?.originRequests), text(counts?.originRequestsWithout),
            text(counts?.originRequestsSaved), text(counts?.bytesAnswered), text(counts?.bytesFromOrigin),
            text(counts?.bytesWithout), text(counts?.bytesSaved), text(counts?.originSeconds),
            text(counts?.originSecondsWithout), text(counts?.outageRequests), text(counts?.outageAnswered),
            text(system.callsPerSecond), text(memory?.entries), text(memory?.allocatedBytes), text(memory?.peakBytes),
            text(memory?.residentSetBytes), text(memory?.diskBytes), text(memory?.diskFiles),
            text(memory?.openNanoseconds), text(memory?.entriesOpened),
        ]
        let noTimes = [String](repeating: "", count: 8)
        if let failure = system.failure {
            return [identity + ["failure", "", "", ""] + noTimes + ["\(failure.kind.rawValue): \(failure.message)"]]
        }
        let operations = system.latency.map { latency -> [String] in
            let summary = latency.distribution.summary
            let times = [
                summary.operations, summary.samples, summary.p50Nanoseconds, summary.p90Nanoseconds,
                summary.p99Nanoseconds, summary.p999Nanoseconds, summary.maxNanoseconds,
            ].map(text)
            return identity + ["operation", latency.operation, "", ""] + times
                + [text(latency.distribution.meanNanoseconds), ""]
        }
        let figures =
            system.figures.map { ($0.name, $0.value, $0.unit.rawValue) }
            + system.alternatives.map { ("calls \($0.name)", $0.callsPerSecond, "calls per second") }
        return operations
            + figures.map { identity + ["figure", $0.0, "\($0.1)", $0.2] + noTimes + [""] }
    }
}
