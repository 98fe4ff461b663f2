internal import CacheCore
internal import Foundation

/// Numbers as people read them: with separators, units and a sensible number of digits. Never locale-dependent.
package enum HumanFormat {
    /// What stands where a figure was not measured.
    static let absent = "–"

    /// `1,234,567`.
    static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (offset, digit) in digits.enumerated() {
            if offset > 0, (digits.count - offset).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return value < 0 ? "−" + text : text
    }

    /// A count that was calculated: the nearest whole number that there is.
    static func count(_ value: Double) -> String { value.isFinite ? count(Int(saturating: value)) : absent }

    /// `1 trace`, `4 traces`.
    package static func counted(_ value: Int, _ one: String, _ many: String) -> String {
        "\(count(value)) \(value == 1 ? one : many)"
    }

    /// `a`, `a and b`, `a, b and c`, or three of more and others.
    static func list(_ names: [String]) -> String {
        if names.count > 3 { return names.prefix(3).joined(separator: ", ") + " and others" }
        return names.count < 2
            ? names.joined() : "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
    }

    /// `1.23 M`, `456 k`, `789`: three significant digits.
    static func short(_ value: Double) -> String {
        scaled(value, [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")])
    }

    /// `25.3 M/s`.
    static func rate(_ perSecond: Double) -> String { short(perSecond) + "/s" }

    /// `25.3 M/s ±4 %`: half of what lies between the least and the most of several passes.
    static func rate(_ perSecond: Double, _ range: ThroughputRange?) -> String {
        guard let range, perSecond > 0 else { return rate(perSecond) }
        return rate(perSecond) + " ±" + percent((range.most - range.least) / 2 / perSecond, digits: 0)
    }

    /// `64 MiB`, `1.5 KiB`, `12 B`.
    package static func bytes(_ value: Int) -> String { bytes(Double(value)) }

    /// `64 MiB`, `1.5 KiB`, `12 B`, of bytes that were calculated, rounded towards zero.
    static func bytes(_ value: Double) -> String {
        let units: [(Double, String)] = [
            (1_099_511_627_776, " TiB"), (1_073_741_824, " GiB"), (1_048_576, " MiB"), (1024, " KiB"),
        ]
        return scaled(value.rounded(.towardZero), units, plainUnit: " B")
    }

    /// Bytes that are read side by side: to the byte, `180,355,072 B`, where different ones would read alike.
    static func bytes(_ value: Int, beside others: some Sequence<Int>) -> String {
        let text = bytes(value)
        return others.contains { $0 != value && bytes($0) == text } ? "\(count(value)) B" : text
    }

    /// `92.80 %` and `92.80 %` of different fractions: with as many digits as tell them apart, at least two.
    static func percents(_ first: Double, _ second: Double) -> (String, String) {
        let digits = (2...6).first { fixed(first * 100, $0) != fixed(second * 100, $0) } ?? 2
        return (percent(first, digits: digits), percent(second, digits: digits))
    }

    /// `1.24 µs`.
    static func nanoseconds(_ value: Double) -> String {
        scaled(value, [(1e9, " s"), (1e6, " ms"), (1e3, " µs")], plainUnit: " ns")
    }

    /// `41.27 %` of 0.4127.
    static func percent(_ fraction: Double, digits: Int = 2) -> String {
        fixed(fraction * 100, digits) + " %"
    }

    /// `+1.27` of 0.0127: a difference of ratios in percentage points.
    static func points(_ fraction: Double, digits: Int = 2) -> String { signed(fraction * 100, digits) }

    /// `+1.2`, `−0.3`, `0.0`.
    static func signed(_ value: Double, _ digits: Int) -> String {
        let text = fixed(abs(value), digits)
        let isZero = !text.contains { $0 != "0" && $0 != "." }
        if isZero { return "±" + text }
        return (value < 0 ? "−" : "+") + text
    }

    /// A time in whole nanoseconds; an en dash for one that was not measured.
    static func nanoseconds(_ value: Int?) -> String { value.map { nanoseconds(Double($0)) } ?? absent }

    /// What an en dash means in the place of a percentile.
    static var notMeasured: String {
        "\(absent) not measured: a percentile needs \(LatencySummary.samplesBeyond) timed calls beyond it, so p50 needs "
            + "\(count(LatencySummary.fewestSamples(percentile: 50))), p99 "
            + "\(count(LatencySummary.fewestSamples(percentile: 99))), p99.9 "
            + "\(count(LatencySummary.fewestSamples(percentile: 99.9)))"
    }

    /// `2 min 3 s`, `4.2 s`, `31 ms`.
    package static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite else { return absent }
        if seconds > 0, seconds < 0.0995 { return nanoseconds(seconds * 1e9) }
        if seconds < 60 { return fixed(seconds, seconds < 10 ? 1 : 0) + " s" }
        let whole = Int(saturating: seconds.rounded())
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    /// A number with that many digits after the point; an en dash for anything that is not finite.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite else { return absent }
        return String(format: "%.\(digits)f", value)
    }

    private static func scaled(_ value: Double, _ units: [(Double, String)], plainUnit: String = "") -> String {
        guard value.isFinite else { return absent }
        let magnitude = abs(value)
        for (factor, unit) in units where magnitude >= factor {
            return significant(value / factor) + unit
        }
        return significant(value) + plainUnit
    }

    /// Three significant digits; a whole number stands without a point.
    private static func significant(_ value: Double) -> String {
        if value == value.rounded() { return fixed(value, 0) }
        let magnitude = abs(value)
        return fixed(value, magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2)
    }
}

extension ReplayCounts {
    /// The byte hit ratio; nil where every size is 0, so that there is none.
    var measuredByteHitRatio: Double? { bytesRequested == 0 ? nil : byteHitRatio }
}

extension Int {
    /// The nearest whole number that there is, rounded towards zero; 0 for what is no number.
    init(saturating value: Double) {
        self = Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}
