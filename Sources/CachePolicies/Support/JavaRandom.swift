/// The generator of `java.util.Random`, number for number: what policies written in Java draw their samples from.
///
/// A linear congruential generator of 48 bits with the multiplier and addend of POSIX's drand48; the methods derive
/// their numbers from its high bits as the class's specification says (Java SE, `java.util.Random`). Its low period and
/// bias matter to nobody but the dialects that must draw the same numbers: everything else takes `SeededGenerator`.
@usableFromInline
package struct JavaRandom {
    @inlinable package static var multiplier: UInt64 { 0x5_DEEC_E66D }
    @inlinable package static var addend: UInt64 { 0xB }
    @inlinable package static var mask: UInt64 { (1 << 48) - 1 }

    @usableFromInline package var state: UInt64

    /// The seed of everything random in Caffeine's simulator.
    @inlinable package static var caffeineSeed: Int64 { 1_033_096_058 }

    /// The generator that `new Random(seed)` makes.
    @inlinable package init(seed: Int64) { state = (UInt64(bitPattern: seed) ^ Self.multiplier) & Self.mask }

    /// The high bits of the next state, from 1 to 32 of them; 32 make the sign too.
    @inlinable package mutating func next(bits: Int) -> Int32 {
        state = (state &* Self.multiplier &+ Self.addend) & Self.mask
        return Int32(truncatingIfNeeded: state >> UInt64(48 - bits))
    }

    /// A number below `bound`, which must be greater than 0.
    ///
    /// A power of two takes the high bits of 31. Any other takes a remainder, and draws again from the last, incomplete
    /// range of `bound` numbers below 2^31, where the sum below overflows.
    @inlinable package mutating func nextInt(below bound: Int32) -> Int32 {
        precondition(bound > 0, "an empty range has no random element")
        var bits = next(bits: 31)
        if bound & (bound - 1) == 0 { return Int32(truncatingIfNeeded: (Int64(bound) * Int64(bits)) >> 31) }
        var value = bits % bound
        while bits &- value &+ (bound - 1) < 0 {
            bits = next(bits: 31)
            value = bits % bound
        }
        return value
    }

    /// A number in `0..<1` with 24 random bits.
    @inlinable package mutating func nextFloat() -> Float { Float(next(bits: 24)) * 0x1p-24 }

    /// A number in `0..<1` with 53 random bits, from two draws.
    @inlinable package mutating func nextDouble() -> Double {
        let high = Int64(next(bits: 26)) << 27
        return Double(high + Int64(next(bits: 27))) * 0x1p-53
    }
}
