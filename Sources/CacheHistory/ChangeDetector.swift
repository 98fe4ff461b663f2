internal import CacheCore
internal import CacheGate

/// Finds where the level of a noisy series changed, without a model of the noise.
///
/// A series has a change if the largest Mann–Whitney statistic of all its splits (Pettitt, "A non-parametric approach to the
/// change-point problem", Applied Statistics 28(2), 1979; in standard deviations, as Hawkins and Deng, "A nonparametric
/// change-point control chart", Journal of Quality Technology 42(2), 2010) is matched by few shuffles of the same values. It is
/// split where the absolute deviations from the medians before and after are least: the largest statistic lies too far in the middle.
/// Both parts are then split in turn, and each change is sought again between its neighbours. Ranks bound what one outlier can do,
/// and a shuffle costs O(values). Shuffles are seeded: the same series has the same changes.
struct ChangeDetector: Sendable {
    /// A change of the level.
    struct Change: Sendable, Hashable {
        /// The index of the first value after it.
        var index: Int
        /// The share of shuffles that look so, from 1/1000.
        var chance: Double
    }

    /// The share of shuffles that may look like a change: of series without one, about this share has one all the same.
    static var significance: Double { 0.01 }
    /// The fewest values for which a change can be told from a shuffle at ``significance``.
    static var fewestValues: Int { 10 }
    /// The fewest values before and after a change.
    static var shortestPart: Int { 3 }
    private static var shuffles: Int { 999 }

    var seed: UInt64 = 1

    /// The changes, in order. O(values² · log(values)) for each.
    func changes(in values: [Double]) -> [Change] {
        var ends = [0, values.count]
        var open = [0..<values.count]
        while let part = open.popLast() {
            guard let change = change(in: values, part) else { continue }
            ends.append(change.index)
            open += [part.lowerBound..<change.index, change.index..<part.upperBound]
        }
        ends.sort()
        return ends.indices.dropFirst().dropLast().compactMap { change(in: values, ends[$0 - 1]..<ends[$0 + 1]) }
    }

    /// The likeliest change within a part; nil if too many shuffles look like it.
    private func change(in values: [Double], _ part: Range<Int>) -> Change? {
        guard part.count >= Self.fewestValues else { return nil }
        var ranks = Self.centredRanks(values[part])
        let largest = Self.largest(ranks)
        guard largest > 0 else { return nil }
        var generator = SeededGenerator(seed: mix64(seed &+ UInt64(part.lowerBound) &<< 32 &+ UInt64(part.upperBound)))
        var asLarge = 1
        for _ in 0..<Self.shuffles {
            ranks.shuffle(using: &generator)
            if Self.largest(ranks) >= largest { asLarge += 1 }
            if Double(asLarge) > Self.significance * Double(Self.shuffles + 1) { return nil }
        }
        return Change(index: Self.split(values, part), chance: Double(asLarge) / Double(Self.shuffles + 1))
    }

    /// Twice the ranks less their mean, so that they are whole numbers with the sum 0; equal values share their mean rank.
    private static func centredRanks(_ values: ArraySlice<Double>) -> [Int] {
        let sorted = values.sorted()
        var (low, high): ([Double: Int], [Double: Int]) = ([:], [:])
        for (index, value) in sorted.enumerated() {
            low[value] = low[value] ?? index
            high[value] = index
        }
        return values.map { low[$0, default: 0] + high[$0, default: 0] - (sorted.count - 1) }
    }

    /// The largest squared statistic of all splits.
    private static func largest(_ ranks: [Int]) -> Double {
        var (sum, largest) = (0, 0.0)
        for (index, rank) in ranks.enumerated() {
            sum += rank
            let (before, after) = (index + 1, ranks.count - index - 1)
            guard min(before, after) >= shortestPart else { continue }
            largest = max(largest, Double(sum) * Double(sum) / (Double(before) * Double(after)))
        }
        return largest
    }

    /// The split of a part that leaves the least absolute deviations from the medians before and after.
    private static func split(_ values: [Double], _ part: Range<Int>) -> Int {
        let splits = part.lowerBound + shortestPart...part.upperBound - shortestPart
        let costs = splits.map { deviations(values[part.lowerBound..<$0]) + deviations(values[$0..<part.upperBound]) }
        return splits.lowerBound + (costs.indices.min { costs[$0] < costs[$1] } ?? 0)
    }

    private static func deviations(_ values: ArraySlice<Double>) -> Double {
        let middle = FigureHistory.median(values)
        return values.reduce(0) { $0 + abs($1 - middle) }
    }
}
