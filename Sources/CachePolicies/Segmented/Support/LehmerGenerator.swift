/// The random numbers of libCacheSim, for dialects that draw what it draws.
///
/// Lehmer's multiplicative generator with 128 bits of state, of which each number is the upper half: L'Ecuyer, "Tables
/// of linear congruential generators of different sizes and good lattice structure", Mathematics of Computation 68,
/// 1999. Its first numbers are poor for small seeds, and seed 0 gives zeros alone.
struct LehmerGenerator {
    private var state: UInt128

    init(seed: UInt64) { state = UInt128(seed) }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        state &*= 0xDA94_2042_E4DD_58B5
        return UInt64(truncatingIfNeeded: state >> 64)
    }
}
