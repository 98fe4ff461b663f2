public import CacheCore

/// The times and rates of recorded results, as a gate judges them side by side: for each combination its throughput, and the median and
/// the 99th percentile of each operation. Higher percentiles tell of the machine more than of the cache.
public enum TimedFigures {
    /// Those of a bench. Combinations that failed have none.
    public static func all(in results: BenchResults) -> [ResultFigure] {
        results.subjects.flatMap { subject in
            var figures = throughput(of: subject.cell, "bench")
            for latency in subject.timing?.latency ?? [] {
                figures += times(
                    of: latency.distribution.summary, latency.operation.rawValue.replacing(" ", with: "-"),
                    subject.cell,
                    place(of: subject.cell, "bench"))
            }
            for step in subject.timing?.steps ?? [] {
                var place = place(of: subject.cell, "bench")
                place["rate"] = step.traceSpeed.map { "trace:\($0)x" } ?? "\(step.requestsPerSecond)"
                figures += times(of: step.response.summary, "response", subject.cell, place)
            }
            if let knee = subject.timing?.kneeRequestsPerSecond {
                figures.append(rate("knee-requests-per-second", knee, subject.cell, place(of: subject.cell, "bench")))
            }
            return figures
        }
    }

    /// Those of a run. Combinations that failed have none.
    public static func all(in results: RunResults) -> [ResultFigure] {
        results.cells.flatMap { cell in
            let place = place(of: cell, "run")
            let latency = cell.latency.map {
                times(of: $0.get, "get", cell, place) + times(of: $0.put, "put", cell, place)
            }
            return throughput(of: cell, "run") + (latency ?? [])
        }
    }

    private static func throughput(of cell: CellResult, _ kind: String) -> [ResultFigure] {
        cell.requestsPerSecond.map { [rate("requests-per-second", $0, cell, place(of: cell, kind))] } ?? []
    }

    private static func rate(
        _ name: String, _ value: Double, _ cell: CellResult, _ place: [String: String]
    ) -> ResultFigure {
        ResultFigure(
            subject: cell.policy, parameters: cell.parameters.replacing(";", with: ","), place: place, name: name,
            unit: "1/s",
            value: .real(value), kind: .timed, better: .more)
    }

    private static func times(
        of summary: LatencySummary, _ operation: String, _ cell: CellResult, _ place: [String: String]
    ) -> [ResultFigure] {
        [("p50", summary.p50Nanoseconds), ("p99", summary.p99Nanoseconds)].compactMap { name, value in
            value.map {
                ResultFigure(
                    subject: cell.policy, parameters: cell.parameters.replacing(";", with: ","), place: place,
                    name: "\(operation)-\(name)",
                    unit: "ns", value: .count($0), kind: .timed, better: .less)
            }
        }
    }

    private static func place(of cell: CellResult, _ kind: String) -> [String: String] {
        var place = ["kind": kind, "trace": cell.trace, "capacity": "\(cell.capacity) \(cell.capacityUnit.rawValue)"]
        if cell.backend != CellResult.simulationBackend { place["backend"] = cell.backend }
        if cell.admission != "always" { place["admission"] = cell.admission }
        if cell.honoursExpiry == true { place["expiry"] = "honoured" }
        place["rules"] = cell.rules.map(\.text)
        place["warm-up"] = cell.warmUp.map { "\($0.requests) requests" }
        return place
    }
}
