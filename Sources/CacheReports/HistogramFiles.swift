internal import CacheCore
internal import Histogram

/// Histograms as the files that the plotter of HdrHistogram reads.
enum HistogramFiles {
    /// The directory that they go to, within the one of the reports.
    static let directory = "histograms"

    /// A file for each subject and operation, and for the response times of each rate: name and text.
    static func files(_ results: BenchResults) -> [(name: String, text: String)] {
        results.subjects.enumerated().flatMap { index, subject -> [(name: String, text: String)] in
            let stem = [subject.cell.trace, subject.cell.policy, subject.cell.backend].map(plain).joined(separator: "-")
            let number = String(index + 1)
            func file(_ what: String, _ distribution: LatencyDistribution) -> (name: String, text: String) {
                ("\(number)-\(stem)-\(plain(what)).hgrm", text(distribution))
            }
            guard let timing = subject.timing else { return [] }
            return timing.latency.map { file($0.operation.rawValue, $0.distribution) }
                + timing.steps.enumerated().map {
                    file("response-\($0 + 1)-at-\(Int($1.requestsPerSecond))", $1.response)
                }
        }
    }

    /// Letters and digits as they are, everything else as a dash.
    private static func plain(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" }.prefix(60))
    }

    /// Values in microseconds against percentiles.
    static func text(_ distribution: LatencyDistribution) -> String {
        var histogram = Histogram<UInt64>(
            lowestDiscernibleValue: 1, highestTrackableValue: UInt64(max(distribution.values.last ?? 2, 2)),
            numberOfSignificantValueDigits: .three)
        for (value, count) in zip(distribution.values, distribution.counts) {
            histogram.record(UInt64(value), count: UInt64(count))
        }
        var text = ""
        histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1000)
        return text
    }
}
