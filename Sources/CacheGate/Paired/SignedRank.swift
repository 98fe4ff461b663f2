internal import Foundation

/// The signed rank test (Wilcoxon, Biometrics Bulletin 1, 1945), for pairs whose order was drawn by a fair coin.
///
/// If both sides of each pair do the same, the coin alone has given each log ratio its sign, whatever noise there was. The test
/// counts how many of the equally likely signs give a sum of ranks as high. Ranks keep a few wild values from deciding.
enum SignedRank {
    /// Up to this many values every combination of signs is counted. Beyond, the normal distribution stands in, whose tails are
    /// heavier than those of a sum of bounded terms: it never makes a chance look smaller than it is where that matters.
    static let exactMax = 30

    /// How likely fair signs are to give a sum of the positive ranks at least as high as that of `values`, and at most as high.
    /// O(n³) up to ``exactMax`` values, else O(n log n).
    ///
    /// Equal magnitudes share their mean rank. Zeros are ranked and have no sign (Pratt, JASA 54, 1959). No values give 1 and 1.
    static func chances(of values: [Double]) -> (higher: Double, lower: Double) {
        let ranks = doubledRanks(of: values)
        let signed = zip(values, ranks).filter { $0.0 != 0 }
        let sum = signed.reduce(0) { $0 + ($1.0 > 0 ? $1.1 : 0) }
        let total = signed.reduce(0) { $0 + $1.1 }
        if signed.count <= exactMax {
            let chances = sums(of: signed.map(\.1), total)
            return (min(1, chances[sum...].reduce(0, +)), min(1, chances[...sum].reduce(0, +)))
        }
        let deviation = (signed.reduce(0.0) { $0 + Double($1.1 * $1.1) } / 4).squareRoot()
        // Without equal magnitudes, sums of doubled ranks are 2 apart.
        func chance(atLeast sum: Int) -> Double {
            erfc((Double(sum) - 1 - Double(total) / 2) / (deviation * 2.0.squareRoot())) / 2
        }
        return (chance(atLeast: sum), chance(atLeast: total - sum))
    }

    /// Twice the rank of each value's magnitude, from 1 for the least, so that a mean of ranks is a whole number.
    private static func doubledRanks(of values: [Double]) -> [Int] {
        let order = values.indices.sorted { abs(values[$0]) < abs(values[$1]) }
        var ranks = [Int](repeating: 0, count: values.count)
        var first = 0
        while first < order.count {
            let magnitude = abs(values[order[first]])
            var end = first + 1
            while end < order.count, abs(values[order[end]]) == magnitude { end += 1 }
            for place in first..<end { ranks[order[place]] = first + 1 + end }
            first = end
        }
        return ranks
    }

    /// How likely each sum from 0 to `total` is if each rank counts or does not by a fair coin.
    private static func sums(of ranks: [Int], _ total: Int) -> [Double] {
        var chances = [Double](repeating: 0, count: total + 1)
        chances[0] = 1
        var highest = 0
        for rank in ranks {
            highest += rank
            for sum in stride(from: highest, through: 0, by: -1) {
                chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2
            }
        }
        return chances
    }
}
