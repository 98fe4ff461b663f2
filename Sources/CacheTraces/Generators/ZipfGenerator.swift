internal import CacheCore

/// Independent requests where the object of rank k has probability proportional to `k^-exponent`; key 0 has rank 1.
///
/// Exact for any exponent from 0 up, by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions", TOMACS 1996): no tables, O(1) a draw, 1 to 1.2 tries on average.
package struct ZipfGenerator: KeyGenerator {
    private let exponent: Double
    private var ranks: Double
    private var areaAtEnd: Double
    private var area: Double
    private let squeeze: Double
    private var random: SeededGenerator

    package init(objects: Int, exponent: Double, seed: UInt64) {
        self.exponent = exponent
        ranks = Double(objects)
        areaAtEnd = Self.integral(ranks + 0.5, exponent)
        area = Self.integral(1.5, exponent) - 1 - areaAtEnd
        squeeze = 2 - Self.inverse(Self.integral(2.5, exponent) - Self.density(2, exponent), exponent)
        random = SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        while true {
            let u = areaAtEnd + random.nextUnit() * area
            let x = Self.inverse(u, exponent)
            let rank = min(max((x + 0.5).rounded(.down), 1), ranks)
            if rank - x <= squeeze { return UInt64(rank) - 1 }
            if u >= Self.integral(rank + 0.5, exponent) - Self.density(rank, exponent) { return UInt64(rank) - 1 }
        }
    }

    /// Adds the next rank.
    package mutating func grow() {
        ranks += 1
        let atStart = area + areaAtEnd
        areaAtEnd = Self.integral(ranks + 0.5, exponent)
        area = atStart - areaAtEnd
    }

    /// The density that the ranks' probabilities follow.
    private static func density(_ x: Double, _ exponent: Double) -> Double {
        PortableMath.exp(-exponent * PortableMath.log(x))
    }

    /// The integral of the density from 1 to `x`: `(x^(1-e) - 1) / (1-e)`, and `log x` for `e = 1`.
    private static func integral(_ x: Double, _ exponent: Double) -> Double {
        let logarithm = PortableMath.log(x)
        return logarithm * PortableMath.expRatio((1 - exponent) * logarithm)
    }

    /// The inverse of the integral.
    private static func inverse(_ y: Double, _ exponent: Double) -> Double {
        let t = max(y * (1 - exponent), -1 + 0x1p-53)
        return PortableMath.exp(y * PortableMath.logRatio(t))
    }
}
