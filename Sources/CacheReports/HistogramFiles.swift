internal import CacheCore
internal import Histogram

/// Histograms as the files that the plotter of HdrHistogram reads.
enum HistogramFiles {
    /// A file for each subject and operation, and for the response times of each rate: name and text.
    static func files(_ results: BenchResults) -> [(name: String, text: String)] {
        results.subjects.enumerated().flatMap { index, subject -> [(name: String, text: String)] in
            let stem = [subject.cell.trace, subject.cell.policy, subject.cell.backend].map(plain).joined(separator: "-")
            let number = String(index + 1)
            // What was never timed has no file.
            func file(_ what: String, _ distribution: LatencyDistribution) -> (name: String, text: String)? {
                guard distribution.summary.samples > 0 else { return nil }
                return ("\(number)-\(stem)-\(plain(what)).hgrm", text(distribution))
            }
            guard let timing = subject.timing else { return [] }
            return timing.latency.compactMap { file($0.operation.rawValue, $0.distribution) }
                + timing.steps.enumerated().compactMap {
                    file("response-\($0 + 1)-at-\(Int(saturating: $1.requestsPerSecond))", $1.response)
                }
        }
    }

    /// Letters and digits as they are, everything else as a dash.
    private static func plain(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" }.prefix(60))
    }

    /// Values in microseconds against percentiles, as far as the samples carry them, and the slowest call.
    static func text(_ distribution: LatencyDistribution) -> String {
        var histogram = Histogram<UInt64>(
            lowestDiscernibleValue: 1, highestTrackableValue: UInt64(max(distribution.values.max() ?? 2, 2)),
            numberOfSignificantValueDigits: .three)
        for (value, count) in zip(distribution.values, distribution.counts) where value >= 0 && count > 0 {
            histogram.record(UInt64(value), count: UInt64(count))
        }
        var text = ""
        histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1000)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.filter { isCarried($0, samples: distribution.summary.samples) }.joined(separator: "\n")
    }

    /// Whether a line is no percentile, or one that so many samples carry.
    private static func isCarried(_ line: Substring, samples: Int) -> Bool {
        let fields = line.split(separator: " ")
        guard fields.count >= 3, let quantile = Double(fields[1]), Double(fields[0]) != nil else { return true }
        return quantile == 0 || LatencySummary.carries(quantile * 100, samples: samples)
    }
}
