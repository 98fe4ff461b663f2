import CacheCore
import CacheGate
import Foundation

/// A machine as noisy as one was measured: the times of equal processes vary in phases, with a drift and with wild values, by 40 % over
/// a gate; those of neighbours differ by 8 %.
struct NoisyMachine {
    /// The share of values that have four times the spread.
    var wildShare = 0.1
    /// How much a phase changes from block to block, as a logarithm.
    var phaseChange = 0.03
    /// How much slower each block is than the one before, as a logarithm.
    var drift = 0.0
    /// How much slower the second block of each pair is, as a logarithm.
    var secondBlockCost = 0.0
    /// Whether a coin decides which side comes first, rather than the baseline always.
    var isOrderRandom = true

    private var generator: SeededGenerator
    private var phase = 0.0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: mix64(seed))
        drift = normal() * 0.003
    }

    private mutating func normal() -> Double {
        (-2 * log(1 - generator.nextUnit())).squareRoot() * cos(2 * .pi * generator.nextUnit())
    }

    /// One block: each figure's time, 1 on a quiet machine without an effect.
    private mutating func block(_ effects: [Double], spread: [Double], cost: Double) -> [Double] {
        phase = 0.99 * phase + normal() * phaseChange + drift
        if generator.nextUnit() < 0.02 { phase = normal() * 0.5 }
        let disturbance = generator.nextUnit() < 0.05 ? -log(1 - generator.nextUnit()) * 0.3 : 0
        return zip(effects, spread).map { effect, spread in
            let isWild = generator.nextUnit() < wildShare
            return effect * exp(phase + disturbance + cost + normal() * spread * (isWild ? 4 : 1))
        }
    }

    /// The verdicts of a gate whose candidate's figures are so many times as long, with 120 pairs in its budget.
    func gate(effects: [Double], spread: [Double], seed: UInt64) -> [GateLine.Verdict] {
        var machine = self
        var coin = SeededGenerator(seed: seed)
        let rules = PairedRules()
        var comparison = PairedComparison(better: effects.map { _ in .less }, rules: rules, seed: seed)
        let equal = effects.map { _ in 1.0 }
        for pair in 1...120 where !comparison.isDecided {
            let isCandidateFirst = coin.next() & 1 == 1 && isOrderRandom
            let first = machine.block(isCandidateFirst ? effects : equal, spread: spread, cost: 0)
            let second = machine.block(isCandidateFirst ? equal : effects, spread: spread, cost: secondBlockCost)
            comparison.add(
                baseline: isCandidateFirst ? second : first, candidate: isCandidateFirst ? first : second)
            if rules.looks.contains(Double(pair) / 120) { comparison.look(at: Double(pair) / 120) }
        }
        return comparison.verdicts
    }
}
