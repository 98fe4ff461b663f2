internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Whether two subjects that took turns differ: the median of the rounds' ratios and an interval around it.
///
/// The interval lies between two of the ordered ratios and is that of the sign test: it needs no more of the times than
/// that a round's ratio is as likely above the true median as below it, whatever else the machine does. The rounds must
/// take turns in who is first.
struct PairedComparison: Sendable, Hashable {
    /// The median of the second's figure over the first's.
    let ratio: Double
    /// The least ratio that the rounds do not rule out; 0 for too few rounds.
    let low: Double
    /// The greatest ratio that the rounds do not rule out; infinite for too few rounds.
    let high: Double
    /// How sure the interval is: at least as asked for, as far as whole rounds allow.
    let confidence: Double

    /// Whether the rounds rule out that the two are equal.
    var isDifferent: Bool { low > 1 || high < 1 }

    /// Compares figures of rounds; `first[i]` and `second[i]` are of one round and above 0.
    ///
    /// Too few rounds for the confidence, fewer than 8 at 99 %, never tell a difference.
    init(_ first: [Double], _ second: [Double], confidence asked: Double = 0.99) {
        precondition(first.count == second.count && !first.isEmpty, "every round has both sides")
        let ratios = zip(first, second).map { $1 / $0 }.sorted()
        let count = ratios.count
        ratio = count.isMultiple(of: 2) ? (ratios[count / 2 - 1] + ratios[count / 2]) / 2 : ratios[count / 2]
        // The chance that at most `cut` of the ratios are on one side of the true median.
        var (cut, tail, term) = (-1, 0.0, pow(0.5, Double(count)))
        while 2 * (tail + term) <= 1 - asked {
            cut += 1
            tail += term
            term *= Double(count - cut) / Double(cut + 1)
        }
        (low, high) = cut < 0 ? (0, .infinity) : (ratios[cut], ratios[count - 1 - cut])
        confidence = cut < 0 ? 1 : 1 - 2 * tail
    }
}
