internal import Foundation

/// Maps values to positions along an axis.
struct Scale: Sendable {
    /// How distances on the axis relate to values.
    enum Kind: Sendable {
        /// Equal differences are equally far apart.
        case linear
        /// Equal factors are equally far apart.
        case logarithmic
    }

    var kind: Kind
    var low: Double
    var high: Double
    var start: Double
    var end: Double

    /// The position of a value; values outside the domain land outside the range.
    func position(_ value: Double) -> Double {
        let (a, b, v) = (transformed(low), transformed(high), transformed(value))
        guard b > a else { return (start + end) / 2 }
        return start + (v - a) / (b - a) * (end - start)
    }

    private func transformed(_ value: Double) -> Double {
        kind == .linear ? value : log2(max(value, .leastNormalMagnitude))
    }

    /// A linear scale whose ends are multiples of a round step, with that step.
    static func nice(_ low: Double, _ high: Double, from start: Double, to end: Double) -> (Scale, step: Double) {
        let span = max(high - low, 1e-6)
        let step = roundStep(span / 5)
        let scale = Scale(
            kind: .linear, low: floored(low, step), high: ceiled(high, step), start: start, end: end)
        return (scale, step)
    }

    private static func floored(_ value: Double, _ step: Double) -> Double {
        (value / step + 1e-9).rounded(.down) * step
    }
    private static func ceiled(_ value: Double, _ step: Double) -> Double { (value / step - 1e-9).rounded(.up) * step }

    private static func roundStep(_ raw: Double) -> Double {
        let power = pow(10, log10(raw).rounded(.down))
        let mantissa = raw / power
        return (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10) * power
    }

    /// The multiples of `step` within the domain.
    func ticks(every step: Double) -> [Double] {
        let first = Int(saturating: (low / step - 1e-6).rounded(.up))
        let last = Int(saturating: (high / step + 1e-6).rounded(.down))
        return first <= last ? (first...last).map { Double($0) * step } : []
    }

    /// Powers of two within the domain, thinned to at most `limit`.
    func powersOfTwo(atMost limit: Int) -> [Double] {
        let first = Int(log2(max(low, 1)).rounded(.up))
        let last = Int(log2(max(high, 1)).rounded(.down))
        guard first <= last else { return [] }
        let stride = max(1, Int((Double(last - first + 1) / Double(limit)).rounded(.up)))
        return Swift.stride(from: first, through: last, by: stride).map { pow(2, Double($0)) }
    }

    /// Powers of ten within the domain.
    var powersOfTen: [Double] {
        let first = Int(log10(max(low, 1)).rounded(.up))
        let last = Int(log10(max(high, 1)).rounded(.down))
        return first <= last ? (first...last).map { pow(10, Double($0)) } : []
    }

    /// The scale with its ends at 1, 2 or 5 times a power of ten, and all such values on it.
    var roundedOut: (Scale, ticks: [Double]) {
        let (first, last) = (Int(log10(max(low, 1))), Int(log10(max(high, 1)).rounded(.up)))
        let round = (first...max(first, last)).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
        var scale = self
        scale.low = round.last { $0 <= low } ?? low
        scale.high = round.first { $0 >= high } ?? high
        return (scale, round.filter { (scale.low...scale.high).contains($0) })
    }
}
