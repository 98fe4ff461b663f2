public import CacheCore

// `bench.csv`: one row for each subject and operation, and three for each rate of an open loop.
extension CSVReport {
    /// A bench as CSV with a header row; lines end with CR LF. A subject that failed has one row with its reason.
    public static func render(_ results: BenchResults) -> String {
        var text = benchColumnNames.joined(separator: ",") + "\r\n"
        for subject in results.subjects {
            for row in rows(subject) { text += row.map(quoted).joined(separator: ",") + "\r\n" }
        }
        return text
    }

    /// The names of the columns of `bench.csv`, in order.
    public static var benchColumnNames: [String] {
        [
            "trace", "policy", "parameters", "admission", "backend", "capacity", "capacity_unit", "hit_ratio",
            "requests_per_second", "bytes_per_entry", "overhead_bytes_per_entry", "leaked_bytes", "peak_bytes",
            "allocations_per_request",
            "written_per_byte_put", "file_descriptors", "instructions", "cycles", "cache_misses", "open_nanoseconds",
            "close_nanoseconds", "recover_nanoseconds", "loop", "due_per_second", "answered_per_second",
            "saturated", "operation", "operations", "samples", "p50_nanoseconds", "p90_nanoseconds",
            "p99_nanoseconds", "p999_nanoseconds", "p9999_nanoseconds", "p99999_nanoseconds", "max_nanoseconds",
            "mean_nanoseconds", "trace_speed", "notes", "failure",
        ]
    }

    private static func rows(_ subject: BenchSubject) -> [[String]] {
        let cell = subject.cell
        let identity = [
            cell.trace, cell.policy, cell.parameters, cell.admission, cell.backend, "\(cell.capacity)",
            cell.capacityUnit.rawValue, text(cell.counts?.hitRatio), text(cell.requestsPerSecond),
            text(cell.memory?.bytesPerEntry), text(cell.memory?.overheadBytesPerEntry), text(cell.memory?.leakedBytes),
            text(cell.memory?.peakBytes), text(cell.memory?.allocationsPerRequest),
            text(cell.memory?.bytesWrittenPerByte), text(cell.memory?.fileDescriptors),
            text(subject.timing?.resources?.instructions), text(subject.timing?.resources?.cycles),
            text(subject.timing?.resources?.cacheMisses), text(subject.lifecycle?.openNanoseconds),
            text(subject.lifecycle?.closeNanoseconds), text(subject.lifecycle?.recoverNanoseconds),
        ]
        let failure = [
            cell.notes?.joined(separator: " ") ?? "", cell.failure.map { "\($0.kind.rawValue): \($0.message)" } ?? "",
        ]
        guard let timing = subject.timing else {
            return [identity + [String](repeating: "", count: benchColumnNames.count - identity.count - 2) + failure]
        }
        let closed = timing.latency.map {
            identity + ["closed", "", "", "", $0.operation.rawValue] + figures($0.distribution) + [""] + failure
        }
        let open = timing.steps.flatMap { step -> [[String]] in
            let loop = ["open", "\(step.requestsPerSecond)", "\(step.answeredPerSecond)", "\(step.isSaturated)"]
            return [("response", step.response), ("service", step.service), ("lag", step.lag)].map {
                identity + loop + [$0] + figures($1) + [text(step.traceSpeed)] + failure
            }
        }
        return closed + open
    }

    /// A figure; an empty field for what was not measured.
    static func text<Figure>(_ figure: Figure?) -> String { figure.map { "\($0)" } ?? "" }

    private static func figures(_ distribution: LatencyDistribution) -> [String] {
        let summary = distribution.summary
        return [
            summary.operations, summary.samples, summary.p50Nanoseconds, summary.p90Nanoseconds,
            summary.p99Nanoseconds, summary.p999Nanoseconds, distribution.p9999Nanoseconds,
            distribution.p99999Nanoseconds, summary.maxNanoseconds,
        ].map(text) + [text(distribution.meanNanoseconds)]
    }
}
