internal import CacheCore

/// How much two experts are trusted: each is drawn with its weight, and loses weight when it evicted an object too early.
///
/// Regret minimisation by multiplicative weights, as LeCaR and CACHEUS use it. To multiply the guilty expert's weight
/// by `exp(-regret)` and to normalise gives what the papers write as multiplying the other's by `exp(regret)`.
struct ExpertWeights {
    /// The first expert's weight, which is the probability that it is asked.
    private(set) var first: Double
    private var second: Double
    private let least: Double

    /// Weights that add up to 1, neither ever below `least`.
    init(first: Double, least: Double) {
        self.first = first
        second = 1 - first
        self.least = least
    }

    /// Takes weight from the first expert.
    mutating func blameFirst(_ regret: Double) {
        first *= PortableMath.exp(-regret)
        normalise()
    }

    /// Takes weight from the second expert.
    mutating func blameSecond(_ regret: Double) {
        second *= PortableMath.exp(-regret)
        normalise()
    }

    private mutating func normalise() {
        let sum = first + second
        first /= sum
        second /= sum
        if first >= 1 - least {
            first = 1 - least
            second = least
        } else if second >= 1 - least {
            first = least
            second = 1 - least
        }
    }
}
