import Testing

@testable import PolicySupport

@Suite("Wyrand")
struct WyrandGeneratorTests {
    /// By arithmetic without a limit: the low 64 bits of state * (state ^ constant), and the others, in exclusive or.
    @Test func `seed 42 gives the sequence of its definition`() {
        var generator = WyrandGenerator(seed: 42)
        let first = (0..<3).map { _ in generator.next() }
        #expect(first == [12_558_987_674_375_533_620, 16_846_851_108_956_068_306, 14_652_274_819_296_609_082])
    }

    /// All pairs below a bound are as frequent as each other: chi-squared is, with n * n - 1 degrees of freedom, within five
    /// standard deviations of its mean.
    @Test(arguments: [2, 3, 7, 32, 100])
    func `draws pairs evenly`(_ bound: Int) {
        var generator = WyrandGenerator(seed: 1)
        let cells = bound * bound
        var counts = [Int](repeating: 0, count: cells)
        for _ in 0..<cells * 100 {
            let (first, second) = generator.nextPair(below: UInt32(bound))
            counts[Int(first) * bound + Int(second)] += 1
        }
        let chiSquared = counts.reduce(0.0) { $0 + Double(($1 - 100) * ($1 - 100)) / 100 }
        let freedom = Double(cells - 1)
        #expect(abs(chiSquared - freedom) < 5 * (2 * freedom).squareRoot())
    }

    @Test func `draws single numbers evenly`() {
        var generator = WyrandGenerator(seed: 1)
        var counts = [Int](repeating: 0, count: 32)
        for _ in 0..<32 * 1000 { counts[Int(generator.next(below: 32))] += 1 }
        #expect(counts.allSatisfy { abs($0 - 1000) < 160 })
    }
}
