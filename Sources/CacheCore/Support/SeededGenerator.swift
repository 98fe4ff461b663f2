/// A small, fast, reproducible random number generator.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): 64 bits of state,
/// period 2^64, equal results on every platform and in every version of Assay. Not for secrets.
@frozen
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// A generator that always gives the same numbers for the same seed.
    @inlinable public init(seed: UInt64) { state = seed }

    /// The next 64 uniformly distributed bits.
    @inlinable
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return mix64(state)
    }

    /// 1 if 53 of the next bits, as ``nextUnit()`` takes them, are below `limit`, else 0. The next call sees them again if
    /// `taken` is 0 rather than 1.
    @inlinable @inline(__always)
    mutating func next(taken: UInt64, below limit: UInt64) -> UInt64 {
        let following = state &+ 0x9E37_79B9_7F4A_7C15
        state &+= 0x9E37_79B9_7F4A_7C15 & (0 &- taken)
        return mix64(following) >> 11 < limit ? 1 : 0
    }

    /// A number below `bound`, which must be greater than 0, without bias.
    @inlinable
    public mutating func next(below bound: Int) -> Int {
        precondition(bound > 0, "an empty range has no random element")
        return Int(next(below: UInt64(bound)))
    }

    /// A number below `bound`, which must be greater than 0, without bias.
    ///
    /// Lemire, "Fast random integer generation in an interval", TOMACS 2019; written out here rather than left to the
    /// standard library, whose method may change.
    @inlinable
    public mutating func next(below bound: UInt64) -> UInt64 {
        precondition(bound > 0, "an empty range has no random element")
        var product = next().multipliedFullWidth(by: bound)
        if product.low < bound {
            let threshold = (0 &- bound) % bound
            while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
        }
        return product.high
    }

    /// A real number in `0..<1` with 53 random bits.
    @inlinable
    public mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// Spreads 64 bits so that equal inputs give equal outputs and near inputs far outputs: SplitMix64's finaliser.
@inlinable
public func mix64(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}
