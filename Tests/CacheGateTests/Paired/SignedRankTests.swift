import CacheCore
import Foundation
import Testing

@testable import CacheGate

@Suite("The signed rank test")
struct SignedRankTests {
    /// Every combination of signs, counted one by one.
    private static func counted(_ values: [Double]) -> (higher: Double, lower: Double) {
        let ranks = values.map { value in
            values.map { abs($0) < abs(value) ? 1 : abs($0) == abs(value) ? 0.5 : 0 }.reduce(0.5, +)
        }
        let signed = zip(values, ranks).filter { $0.0 != 0 }
        let sum = signed.reduce(0) { $0 + ($1.0 > 0 ? $1.1 : 0) }
        let combinations = 1 << signed.count
        let sums = (0..<combinations).map { signs in
            signed.indices.reduce(0) { $0 + (signs >> $1 & 1 == 1 ? signed[$1].1 : 0) }
        }
        return (
            Double(sums.count { $0 >= sum }) / Double(combinations),
            Double(sums.count { $0 <= sum }) / Double(combinations)
        )
    }

    @Test(arguments: [[], [0], [1], [3, -1, 2], [1, 1, -1, 0, 2], [0.5, -0.5, 0.25, 4, 4, -4, 7, 0, 0]])
    func `chances are those of all combinations of signs, with equal values and zeros`(values: [Double]) {
        let chances = SignedRank.chances(of: values)
        let counted = Self.counted(values)
        #expect(abs(chances.higher - counted.higher) < 1e-12 && abs(chances.lower - counted.lower) < 1e-12)
    }

    @Test func `the published critical value for ten pairs is met`() {
        // A rank sum of 8 is the critical value for ten pairs at 5 % on two sides: 25 of 1,024 combinations are as low.
        let values = (1...10).map { [1, 7].contains($0) ? Double($0) : -Double($0) }
        #expect(SignedRank.chances(of: values).lower == 25.0 / 1024)
    }

    @Test func `many values have the chances of the normal distribution, a little too high in the tails`() {
        // The same ranks, and so the same sums, for 30 values counted and 31 approximated.
        func higher(_ count: Int) -> Double {
            SignedRank.chances(of: (1...count).map { Double($0.isMultiple(of: 4) ? -$0 : $0) }).higher
        }
        let (counted, approximated) = (higher(30), higher(31))
        #expect(counted < 0.01 && approximated < counted * 1.2)
        let extreme = SignedRank.chances(of: (1...31).map(Double.init)).higher
        #expect(extreme > 0x1p-31 && extreme < 1e-5)
    }
}
