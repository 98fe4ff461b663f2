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
/// Every figure is taken from the same draws, so that the lead over a rival is resampled in pairs. A window stands for what its
/// requests have in common; neighbouring windows are taken as independent, which makes the interval too narrow where a
/// workload drifts slowly.
struct WindowBootstrap: Sendable {
    private let draws: BootstrapDraws
    private let count: Int

    /// Draws from `count` windows; with the seed's numbers alone.
    init(count: Int, seed: UInt64) {
        self.count = count
        draws = BootstrapDraws(count: count, seed: seed)
    }

    /// The interval of the sum of `values` over the sum of `wholes`, both by window.
    func interval(_ values: [Int], over wholes: [Int]) -> AdviceInterval {
        precondition(values.count == count && wholes.count == count, "a figure for each window")
        var ratios: [Double] = []
        draws.forEach { sample in
            var (value, whole) = (0, 0)
            for index in sample {
                value += values[index]
                whole += wholes[index]
            }
            ratios.append(whole == 0 ? 0 : Double(value) / Double(whole))
        }
        let range = BootstrapDraws.interval(of: ratios) ?? 0...0
        return AdviceInterval(low: range.lowerBound, high: range.upperBound)
    }
}
