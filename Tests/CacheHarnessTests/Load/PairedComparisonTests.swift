import CacheCore
import Foundation
import Testing

@testable import CacheHarness

@Suite("PairedComparison: differences are told, and chance is not")
struct PairedComparisonTests {
    /// Times of two sides whose true ratio is `ratio`: each round is slowed by what else the machine does, and each side by
    /// noise of its own, with a long tail.
    private static func rounds(
        _ count: Int, ratio: Double, _ generator: inout SeededGenerator
    ) -> (first: [Double], second: [Double]) {
        var sides: (first: [Double], second: [Double]) = ([], [])
        for _ in 0..<count {
            let machine = 1 + 3 * generator.nextUnit()
            func time(_ mean: Double) -> Double {
                let noise = 0.02 * (generator.nextUnit() + generator.nextUnit() - 1)
                let stall = generator.next(below: 10) == 0 ? generator.nextUnit() : 0
                return mean * machine * (1 + noise + stall)
            }
            sides.first.append(time(1))
            sides.second.append(time(ratio))
        }
        return sides
    }

    private static func told(ratio: Double, runs: Int, seed: UInt64, _ isTold: (PairedComparison) -> Bool) -> Int {
        var generator = SeededGenerator(seed: seed)
        return (0..<runs).count { _ in
            let sides = rounds(20, ratio: ratio, &generator)
            return isTold(PairedComparison(sides.first, sides.second))
        }
    }

    @Test func `the same subject twice differs in less than one comparison of a hundred`() {
        let alarms = Self.told(ratio: 1, runs: 5000, seed: 1) { $0.isDifferent }
        #expect(alarms < 50, "\(alarms) of 5000")
        #expect(alarms > 0, "comparisons that never tell a difference prove nothing")
    }

    @Test(arguments: [0.95, 1.05])
    func `five percent are found in most comparisons, on the right side`(_ ratio: Double) {
        let found = Self.told(ratio: ratio, runs: 500, seed: 2) { ratio > 1 ? $0.low > 1 : $0.high < 1 }
        #expect(found >= 425, "\(found) of 500")
    }

    @Test func `the interval is that of the sign test`() {
        // 20 rounds at 99 %: the fifth ratio from either end would be 98.8 %, so it is the fourth.
        let ratios = (1...20).map(Double.init)
        let comparison = PairedComparison([Double](repeating: 1, count: 20), ratios.shuffled())
        #expect(comparison.low == 4 && comparison.high == 17 && comparison.ratio == 10.5)
        #expect(abs(comparison.confidence - 0.9974) < 0.0001)
        let few = PairedComparison([1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2])
        #expect(!few.isDifferent && few.ratio == 2, "seven rounds are no proof at 99 %")
        #expect(PairedComparison([Double](repeating: 1, count: 8), [Double](repeating: 2, count: 8)).isDifferent)
    }
}
