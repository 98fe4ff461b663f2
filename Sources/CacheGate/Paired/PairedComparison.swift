internal import CacheCore
internal import Foundation

/// Judges figures by pairs of blocks, one of each side, whose order within the pair was drawn by a fair coin.
///
/// A figure is *worse* or *better* if its log ratios have one sign too often to be chance, and its typical ratio differs by the
/// smallest effect or more. It is the *same* if both a rise and a fall by that effect are refuted by the same test. Otherwise it
/// is *undecided*. The probabilities of error hold over all figures (Holm, Scandinavian Journal of Statistics 6, 1979; in sequence: Ye
/// and others, Statistics in Medicine 32, 2013) and over all looks: each look spends its own part of them (Lan and DeMets, Biometrika
/// 70, 1983), and the parts add up. A verdict stands once it fell.
public struct PairedComparison: Sendable {
    private struct Pair {
        var baseline: Double
        var candidate: Double
        /// The logarithm of the ratio, positive where the candidate is worse.
        var cost: Double
    }

    private struct Figure {
        var isMoreBetter: Bool
        var pairs: [Pair] = []
        var verdict = GateLine.Verdict.undecided
    }

    private let rules: PairedRules
    private let seed: UInt64
    private let threshold: Double
    private var figures: [Figure]
    private var lookedAt = 0.0

    /// A comparison without pairs.
    ///
    /// - Parameters:
    ///   - better: Which side of each figure is better, `less` or `more`.
    ///   - seed: The seed of the bootstrap.
    public init(better: [ResultFigure.Better], rules: PairedRules = PairedRules(), seed: UInt64) {
        self.rules = rules
        self.seed = seed
        threshold = log1p(rules.smallestEffect)
        figures = better.map { Figure(isMoreBetter: $0 == .more) }
    }

    /// The verdict on each figure so far.
    public var verdicts: [GateLine.Verdict] { figures.map(\.verdict) }

    /// Whether every figure has its verdict.
    public var isDecided: Bool { !verdicts.contains(.undecided) }

    /// The fewest pairs by which a last look that spends `part` of the probabilities can find one of so many figures worse.
    public static func fewestPairs(figures: Int, rules: PairedRules, part: Double) -> Int {
        let level = rules.falseAlarms * part / Double(max(1, figures))
        return Int((1 - log2(level)).rounded(.up))
    }

    /// Adds a pair of blocks: the value of each figure on both sides. A value that is missing or not above 0 leaves its figure out of
    /// the pair.
    public mutating func add(baseline: [Double?], candidate: [Double?]) {
        for index in figures.indices where figures[index].verdict == .undecided {
            guard let old = baseline[index], let new = candidate[index], old > 0, new > 0 else { continue }
            let ratio = log(new / old)
            guard ratio.isFinite else { continue }
            figures[index].pairs.append(
                Pair(baseline: old, candidate: new, cost: figures[index].isMoreBetter ? -ratio : ratio))
        }
    }

    /// Looks for verdicts after a part of the budget, 0 to 1; an earlier part than at the last look finds nothing. With too few
    /// pairs to find anything worse it spends nothing, and leaves its part to the next look.
    public mutating func look(at share: Double) {
        let share = min(max(share, 0), 1)
        let part = PairedRules.spent(at: share) - PairedRules.spent(at: lookedAt)
        let pairs = figures.map(\.pairs.count).max() ?? 0
        guard part > 0, pairs >= Self.fewestPairs(figures: figures.count, rules: rules, part: part) else { return }
        lookedAt = share
        let open = figures.indices.filter { figures[$0].verdict == .undecided }
        let typical = figures.map { middle(of: $0.pairs.map(\.cost).sorted()) }
        let changed = rejected(open, level: rules.falseAlarms * part, before: [.worse, .better]) { costs in
            let chances = SignedRank.chances(of: costs)
            return 2 * min(chances.higher, chances.lower)
        }
        let same = rejected(open, level: rules.wrongSames * part, before: [.same]) { costs in
            max(
                SignedRank.chances(of: costs.map { $0 - threshold }).lower,
                SignedRank.chances(of: costs.map { $0 + threshold }).higher)
        }
        for index in same where abs(typical[index]) < threshold { figures[index].verdict = .same }
        for index in changed where abs(typical[index]) >= threshold {
            figures[index].verdict = typical[index] > 0 ? .worse : .better
        }
    }

    /// The open figures whose hypothesis is rejected, by Holm's procedure over all figures.
    private func rejected(
        _ open: [Int], level: Double, before: Set<GateLine.Verdict>, chance: ([Double]) -> Double
    ) -> [Int] {
        var left = figures.count { !before.contains($0.verdict) }
        let chances = open.map { (index: $0, chance: chance(figures[$0].pairs.map(\.cost))) }
        return chances.sorted { $0.chance < $1.chance }.prefix {
            guard $0.chance * Double(left) <= level else { return false }
            left -= 1
            return true
        }.map(\.index)
    }

    /// What is known of a figure.
    public func finding(of index: Int) -> PairedFinding {
        let figure = figures[index]
        let costs = figure.pairs.map(\.cost).sorted()
        func ratio(_ cost: Double) -> Double { exp(figure.isMoreBetter ? -cost : cost) }
        let ends = interval(of: costs, stream: UInt64(index)).map { [ratio($0.lowerBound), ratio($0.upperBound)] }
        return PairedFinding(
            verdict: figure.verdict, pairs: costs.count, baseline: median(of: figure.pairs.map(\.baseline)),
            candidate: median(of: figure.pairs.map(\.candidate)), ratio: ratio(middle(of: costs)),
            interval: ends.map { $0.min()!...$0.max()! })
    }

    private func median(of values: [Double]) -> Double? {
        let sorted = values.sorted()
        return sorted.isEmpty ? nil : (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
    }

    /// The mean of the middle half of ascending values: as robust as is needed, and surer than the median. 0 without values.
    private func middle(of sorted: [Double]) -> Double {
        let half = sorted[(sorted.count / 4)..<(sorted.count - sorted.count / 4)]
        return half.isEmpty ? 0 : half.reduce(0, +) / Double(half.count)
    }

    /// The bootstrap interval of the mean of the middle half (Efron, Annals of Statistics 7, 1979): its 2.5 % and 97.5 % quantiles over
    /// 1,000 samples of the values with replacement.
    private func interval(of sorted: [Double], stream: UInt64) -> ClosedRange<Double>? {
        guard sorted.count >= 6 else { return nil }
        var generator = SeededGenerator(seed: mix64(seed &+ mix64(stream)))
        let means = (0..<1000).map { _ in
            var times = [Int](repeating: 0, count: sorted.count)
            for _ in sorted { times[generator.next(below: sorted.count)] += 1 }
            return middle(of: zip(sorted, times).flatMap { repeatElement($0, count: $1) })
        }.sorted()
        return means[24]...means[975]
    }
}
