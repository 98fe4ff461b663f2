public import CacheCore

extension MeasureProof {
    /// How often comparisons of two subjects told a difference.
    public struct Comparisons: Sendable, Hashable {
        /// The comparisons that were made of each kind.
        public var runs: Int
        /// Comparisons of a subject with itself that told a difference: none should, and some do by chance.
        public var falseAlarms: Int
        /// Comparisons of a subject with one that takes 5 % longer that told the difference: all should.
        public var found: Int
        /// How sure each comparison is, 0 to 1.
        public var confidence: Double

        /// Whether at least 95 of 100 comparisons told the truth, of either kind.
        public var holds: Bool { 20 * falseAlarms <= runs && 20 * (runs - found) <= runs }
    }

    private static var comparedRounds: Int { 20 }
    private static var comparedCalls: Int { 25 }

    /// Compares a subject with itself, and with one that takes 5 % longer, `runs` times each.
    ///
    /// - Throws: `AssayError` if a subject fails, which none does.
    public static func comparisons(
        _ columns: RequestColumns, keys: [[UInt8]], runs: Int = 100
    ) throws(AssayError) -> Comparisons {
        let proof = Proof(requests: LoadRequests(columns, valueBytes: 64), keys: keys)
        var comparisons = Comparisons(runs: runs, falseAlarms: 0, found: 0, confidence: 1)
        for _ in 0..<runs {
            let same = try proof.compare(20_000, 20_000, rounds: comparedRounds, calls: comparedCalls)
            let other = try proof.compare(20_000, 21_000, rounds: comparedRounds, calls: comparedCalls)
            if same.isDifferent { comparisons.falseAlarms += 1 }
            if other.low > 1 { comparisons.found += 1 }
            comparisons.confidence = min(comparisons.confidence, same.confidence, other.confidence)
        }
        return comparisons
    }
}

extension MeasureProof.Proof {
    /// The medians of two subjects that take turns, compared.
    func compare(
        _ first: UInt64, _ second: UInt64, rounds: Int, calls: Int
    ) throws(AssayError) -> PairedComparison {
        var medians: [[Double]] = [[], []]
        for round in 0..<rounds {
            for side in 0..<2 {
                // Whoever comes first in one round comes last in the next.
                let index = round.isMultiple(of: 2) ? side : 1 - side
                medians[index].append(try delay(index == 0 ? first : second, calls: calls))
            }
        }
        return PairedComparison(medians[0], medians[1])
    }
}
