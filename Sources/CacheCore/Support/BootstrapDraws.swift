/// Samples with replacement of a number of things, for intervals by the bootstrap.
///
/// Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979, percentile method. The same count and seed
/// draw the same samples, so that figures of the same things are resampled in pairs.
package struct BootstrapDraws: Sendable {
    /// How many samples are drawn.
    package static var resamples: Int { 2000 }

    private let count: Int
    private let seed: UInt64

    /// Samples of `count` things, with the seed's numbers alone.
    package init(count: Int, seed: UInt64) { (self.count, self.seed) = (count, seed) }

    /// Calls `body` with the indices of each sample in turn. O(``resamples`` × count).
    package func forEach(_ body: ([Int]) -> Void) {
        var generator = SeededGenerator(seed: mix64(seed &+ 0xB007))
        var sample = [Int](repeating: 0, count: count)
        for _ in 0..<Self.resamples where count > 0 {
            for index in sample.indices { sample[index] = generator.next(below: count) }
            body(sample)
        }
    }

    /// The middle 95 % of a figure of the samples; nil without samples.
    package static func interval(of figures: [Double]) -> ClosedRange<Double>? {
        guard figures.count == resamples else { return nil }
        let sorted = figures.sorted()
        let tail = resamples / 40
        return sorted[tail]...sorted[resamples - 1 - tail]
    }
}
