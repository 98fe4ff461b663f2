import CacheCore
import CacheGate
import Foundation
import Testing

@Suite("Figures of interleaved blocks")
struct PairedComparisonTests {
    private static let spread = [0.04, 0.04, 0.08, 0.08]
    private static let equal = [1.0, 1, 1, 1]

    /// As many gates as that in an optimised build that compares everything, else a tenth.
    private static func share(of gates: Int) -> Int {
        ProcessInfo.processInfo.environment["ASSAY_ALL_CELLS"] == nil ? gates / 10 : gates
    }

    /// How many of so many gates come to a verdict on any figure.
    private static func gates(
        _ count: Int, _ verdict: GateLine.Verdict, effects: [Double] = equal, _ machine: (UInt64) -> NoisyMachine
    ) -> Int {
        (1...UInt64(count)).count { machine($0).gate(effects: effects, spread: spread, seed: $0).contains(verdict) }
    }

    @Test(arguments: ["as measured", "drifting", "in phases", "heavy-tailed", "slower each second block"])
    func `equal sides are called worse by at most 2 gates of 100 on a machine`(
        kind: String
    ) {
        func machine(_ seed: UInt64) -> NoisyMachine {
            var machine = NoisyMachine(seed: seed)
            switch kind {
            case "drifting": machine.drift = 0.02
            case "in phases": machine.phaseChange = 0.2
            case "heavy-tailed": machine.wildShare = 0.4
            case "slower each second block": machine.secondBlockCost = 0.05
            default: break
            }
            return machine
        }
        #expect(Self.gates(Self.share(of: 200), .worse, machine) <= max(1, Self.share(of: 200) / 50))
    }

    @Test func `a fixed order would call equal sides worse where each second block is slower`() {
        let worse = Self.gates(10, .worse) { seed in
            var machine = NoisyMachine(seed: seed)
            machine.secondBlockCost = 0.05
            machine.isOrderRandom = false
            return machine
        }
        #expect(worse == 10)
    }

    @Test func `5 % more of a time and 10 % more of a noisier percentile are found in at least 95 gates of 100`() {
        let found = (1...UInt64(Self.share(of: 100))).map { seed in
            NoisyMachine(seed: seed).gate(effects: [1.05, 1, 1.1, 1], spread: Self.spread, seed: seed)
        }
        #expect(found.count { $0[0] == .worse } * 100 >= 95 * found.count)
        #expect(found.count { $0[2] == .worse } * 100 >= 95 * found.count)
    }

    @Test func `half the smallest effect is hardly ever called worse`() {
        #expect(Self.gates(Self.share(of: 50), .worse, effects: [1.015, 1, 1, 1]) { NoisyMachine(seed: $0) } <= 5)
    }

    private static func comparison(
        _ ratios: [Double], better: ResultFigure.Better = .less, rules: PairedRules = PairedRules()
    ) -> PairedFinding {
        var comparison = PairedComparison(better: [better], rules: rules, seed: 1)
        for ratio in ratios { comparison.add(baseline: [100], candidate: [100 * ratio]) }
        comparison.look(at: 1)
        return comparison.finding(of: 0)
    }

    /// Twenty ratios around one.
    private static func ratios(around ratio: Double) -> [Double] {
        stride(from: -9.5, through: 9.5, by: 1).map { ratio * (1 + $0 / 2000) }
    }

    @Test func `a rise is worse for a time and better for a rate, and a fall the other way round`() {
        #expect(Self.comparison(Self.ratios(around: 1.05)).verdict == .worse)
        #expect(Self.comparison(Self.ratios(around: 1.05), better: .more).verdict == .better)
        #expect(Self.comparison(Self.ratios(around: 0.95)).verdict == .better)
        #expect(Self.comparison(Self.ratios(around: 0.95), better: .more).verdict == .worse)
    }

    @Test func `a certain change below the smallest effect is the same, and few pairs are undecided`() {
        #expect(Self.comparison(Self.ratios(around: 1.02)).verdict == .same)
        #expect(Self.comparison(Self.ratios(around: 1.02), rules: PairedRules(smallestEffect: 0.01)).verdict == .worse)
        #expect(Self.comparison([1.5, 1.5, 1.5]).verdict == .undecided)
        #expect(Self.comparison([]).verdict == .undecided)
    }

    @Test func `the fewest pairs decide, one less does not`() {
        let fewest = PairedComparison.fewestPairs(figures: 1, rules: PairedRules(), part: 1)
        #expect(Self.comparison([Double](repeating: 2, count: fewest)).verdict == .worse)
        #expect(Self.comparison([Double](repeating: 2, count: fewest - 1)).verdict == .undecided)
    }

    @Test func `the ratio and its interval are those of candidate to baseline, whichever side is better`() throws {
        for better in [ResultFigure.Better.less, .more] {
            let finding = Self.comparison(Self.ratios(around: 1.05), better: better)
            let interval = try #require(finding.interval)
            #expect(abs(finding.ratio - 1.05) < 1e-3)
            #expect(interval.lowerBound < 1.05 && interval.upperBound > 1.05)
            #expect(interval.upperBound - interval.lowerBound < 0.01)
            #expect(finding.baseline == 100 && abs((finding.candidate ?? 0) - 105) < 0.1 && finding.pairs == 20)
        }
    }

    @Test func `the interval holds the true ratio in about 95 of 100 samples`() {
        var generator = SeededGenerator(seed: 9)
        let held = (0..<40).count { _ in
            let ratios = (0..<25).map { _ in
                // The difference of two exponential times is symmetric with heavy tails.
                exp(0.1 * log((1 - generator.nextUnit()) / (1 - generator.nextUnit())))
            }
            return Self.comparison(ratios).interval?.contains(1) == true
        }
        #expect((34...40).contains(held))
    }

    @Test func `a value that is missing, zero or not finite leaves its figure alone out of the pair`() {
        var comparison = PairedComparison(better: [.less, .more], seed: 1)
        for odd in [nil, 0, -1, .nan, .infinity] as [Double?] {
            comparison.add(baseline: [odd, 1], candidate: [1, 1])
            comparison.add(baseline: [1, 1], candidate: [odd, 1])
        }
        #expect(comparison.finding(of: 0).pairs == 0 && comparison.finding(of: 0).baseline == nil)
        #expect(comparison.finding(of: 1).pairs == 10)
    }

    @Test func `a look with too few pairs to decide spends nothing`() {
        var comparison = PairedComparison(better: [.less], seed: 1)
        let fewest = PairedComparison.fewestPairs(figures: 1, rules: PairedRules(), part: 1)
        for pair in 1..<fewest {
            comparison.add(baseline: [1], candidate: [2])
            comparison.look(at: Double(pair) / Double(fewest))
        }
        #expect(!comparison.isDecided)
        comparison.add(baseline: [1], candidate: [2])
        comparison.look(at: 1)
        #expect(comparison.verdicts == [.worse])
    }

    @Test func `a verdict stands, and a look at an earlier part of the budget spends nothing`() {
        var comparison = PairedComparison(better: [.less, .less], seed: 1)
        for _ in 0..<20 { comparison.add(baseline: [1, 1], candidate: [2, 1]) }
        comparison.look(at: 0.5)
        let before = comparison.verdicts
        for _ in 0..<20 { comparison.add(baseline: [1, 1], candidate: [0.5, 2]) }
        comparison.look(at: 0.25)
        #expect(before == [.worse, .same] && comparison.verdicts == before && comparison.isDecided)
        #expect(comparison.finding(of: 0).pairs == 20)
    }
}
