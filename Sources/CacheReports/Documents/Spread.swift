internal import CacheCore

/// How figures of several traces are spread.
struct Spread: Sendable {
    /// Ascending.
    let values: [Double]
    let mean: Double?
    /// The middle 95 % of the means, and of the medians, of samples of the traces; nil for fewer than 6 traces, of which no sample says more.
    let meanInterval: ClosedRange<Double>?
    let medianInterval: ClosedRange<Double>?

    /// The percentiles that tables have.
    static let percents = [10, 25, 50, 75, 90]
    private static let fewest = 6

    init(_ figures: [Double], seed: UInt64) {
        let values = figures.sorted()
        self.values = values
        let count = values.count
        mean = count == 0 ? nil : values.reduce(0, +) / Double(count)
        guard count >= Self.fewest else {
            (meanInterval, medianInterval) = (nil, nil)
            return
        }
        var (means, medians): ([Double], [Double]) = ([], [])
        var times = [Int](repeating: 0, count: count)
        BootstrapDraws(count: count, seed: seed).forEach { sample in
            var sum = 0.0
            for index in times.indices { times[index] = 0 }
            for index in sample {
                sum += values[index]
                times[index] += 1
            }
            means.append(sum / Double(count))
            // The middle of the sample, whose order is that of the values.
            var (seen, lower) = (0, -1)
            for index in times.indices where times[index] > 0 {
                seen += times[index]
                if lower < 0, 2 * seen >= count { lower = index }
                if 2 * seen > count {
                    medians.append((values[lower] + values[index]) / 2)
                    break
                }
            }
        }
        meanInterval = BootstrapDraws.interval(of: means)
        medianInterval = BootstrapDraws.interval(of: medians)
    }

    /// The value that so many percent are at or below, between two values in proportion, as NumPy and R's type 7 have it.
    func percentile(_ percent: Double) -> Double? {
        guard let last = values.indices.last else { return nil }
        let place = min(1, max(0, percent / 100)) * Double(last)
        let lower = Int(place)
        let upper = min(lower + 1, last)
        return values[lower] + (values[upper] - values[lower]) * (place - Double(lower))
    }

    /// How many are below 0.
    var worse: Int { values.count { $0 < 0 } }
}
