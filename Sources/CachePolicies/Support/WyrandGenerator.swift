/// A random number generator for samples of many, at half the cost of the one that everything else is drawn with.
///
/// Wyrand (Wang Yi, "wyhash", 2019): a counter of 64 bits whose product with another form of itself is folded, so that a number
/// costs one multiplication instead of two that wait for each other. Period 2^64, equal results on every platform and in every
/// version of Assay. Not for secrets.
@usableFromInline
package struct WyrandGenerator {
    @usableFromInline package var state: UInt64

    /// A generator that always gives the same numbers for the same seed.
    @inlinable package init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    @inline(__always)
    @inlinable package mutating func next() -> UInt64 {
        state &+= 0xA076_1D64_78BD_642F
        let product = state.multipliedFullWidth(by: state ^ 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }

    /// A number below `bound`, which must be greater than 0, with a bias of less than `bound` / 2^64.
    @inline(__always)
    @inlinable package mutating func next(below bound: Int) -> Int {
        assert(bound > 0, "an empty range has no random element")
        return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: bound)).high)
    }

    /// Two numbers below `bound`, which must be greater than 0, of 64 bits: each pair with a bias of less than `bound`^2 / 2^64.
    ///
    /// What the first product leaves below its point is as random as what it was made of (Brackett-Rozinsky and Lemire, "Batched
    /// ranged random integer generation", Software: Practice and Experience 2024).
    @inline(__always)
    @inlinable package mutating func nextPair(below bound: UInt32) -> (UInt32, UInt32) {
        assert(bound > 0, "an empty range has no random element")
        let first = next().multipliedFullWidth(by: UInt64(bound))
        let second = first.low.multipliedFullWidth(by: UInt64(bound))
        return (UInt32(truncatingIfNeeded: first.high), UInt32(truncatingIfNeeded: second.high))
    }
}
