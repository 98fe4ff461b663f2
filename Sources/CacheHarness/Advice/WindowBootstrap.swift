internal import CacheCore

extension AdviceInterval {
    /// The part of it that lies in a range, or the range's nearer end.
    func limited(to range: ClosedRange<Double>) -> AdviceInterval {
        func limited(_ value: Double) -> Double { min(range.upperBound, max(range.lowerBound, value)) }
        return AdviceInterval(low: limited(low), high: limited(high))
    }
}

/// The 95 % interval of a ratio over all windows of a trace, by drawing windows again and again.
///
/// Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979, percentile method. Every
/// figure is taken from the same draws, so that the lead over a rival is resampled in pairs. A window stands for what its
/// requests have in common; neighbouring windows are taken as independent, which makes the interval too narrow where a
/// workload drifts slowly.
struct WindowBootstrap: Sendable {
    static var resamples: Int { 2000 }

    private let draws: [Int]
    private let count: Int

    /// Draws from `count` windows; with the seed's numbers alone.
    init(count: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: mix64(seed &+ 0xB007))
        self.count = count
        draws = count == 0 ? [] : (0..<Self.resamples * count).map { _ in generator.next(below: count) }
    }

    /// The interval of the sum of `values` over the sum of `wholes`, both by window.
    func interval(_ values: [Int], over wholes: [Int]) -> AdviceInterval {
        precondition(values.count == count && wholes.count == count, "a figure for each window")
        guard count > 0 else { return AdviceInterval(low: 0, high: 0) }
        let ratios = (0..<Self.resamples).map { resample -> Double in
            var (value, whole) = (0, 0)
            for index in draws[resample * count..<(resample + 1) * count] {
                value += values[index]
                whole += wholes[index]
            }
            return whole == 0 ? 0 : Double(value) / Double(whole)
        }.sorted()
        let tail = Self.resamples / 40
        return AdviceInterval(low: ratios[tail], high: ratios[Self.resamples - 1 - tail])
    }
}
