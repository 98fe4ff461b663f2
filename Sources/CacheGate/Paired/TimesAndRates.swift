public import CacheCore

extension FigureSet {
    /// The times and rates of a run, as a gate judges them side by side: throughput, and the median and the 99th percentile of each
    /// operation. Higher percentiles tell of the machine more than of the cache.
    ///
    /// - Throws: `AssayError` with code `badInput` for what no run can have written.
    public static func timesAndRates(of results: RunResults, from source: String) throws(AssayError) -> [ResultFigure] {
        judged(try FigureSet(results, from: source).figures)
    }

    /// The times and rates of a bench: also the processor's time a request, which other programs hardly disturb, and the response times
    /// at each rate.
    ///
    /// - Throws: `AssayError` with code `badInput` for what no bench can have written.
    public static func timesAndRates(
        of results: BenchResults, from source: String
    ) throws(AssayError) -> [ResultFigure] {
        var figures: [ResultFigure] = []
        for subject in results.subjects {
            var alone = results
            alone.subjects = [subject]
            // The operations say it more exactly.
            alone.subjects[0].cell.latency = nil
            guard var cell = try FigureSet(alone, from: source).cells.first else { continue }
            if let used = subject.timing?.resources, let requests = subject.cell.counts?.requests, requests > 0 {
                let seconds = used.userSeconds + used.systemSeconds
                cell.add("cpu-per-request", .real(seconds * 1e9 / Double(requests)))
            }
            for step in subject.timing?.steps ?? [] {
                let rate = step.traceSpeed.map { "trace:\($0)x" } ?? "\(step.requestsPerSecond)"
                cell.add("response-at-\(rate)-p50", step.response.summary.p50Nanoseconds.map { .count($0) })
                cell.add("response-at-\(rate)-p99", step.response.summary.p99Nanoseconds.map { .count($0) })
            }
            figures += judged(cell.figures)
        }
        return figures
    }

    private static func judged(_ figures: [ResultFigure]) -> [ResultFigure] {
        figures.filter { $0.kind == .timed && ["ns", "1/s"].contains($0.unit) && !$0.name.hasSuffix("-p99.9") }
    }
}
