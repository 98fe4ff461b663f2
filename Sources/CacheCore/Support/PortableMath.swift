/// Logarithm and exponential from additions, multiplications and divisions alone.
///
/// The system's own differ in the last bit between libraries and their versions, which would change a generated trace
/// and what a seed gives; these give equal results wherever floating point follows IEEE 754. Both are accurate to a few
/// units in the last place.
public enum PortableMath {
    private static let ln2High = 0x1.62e42fefa38p-1
    private static let ln2Low = 0x1.ef35793c7673p-45

    /// The natural logarithm of a positive, normal number.
    public static func log(_ x: Double) -> Double {
        var exponent = Double(Int(x.bitPattern >> 52) - 1023)
        var m = Double(bitPattern: x.bitPattern & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000)
        if m > 1.414_213_562_373_095_1 {
            m *= 0.5
            exponent += 1
        }
        // log m = 2 artanh f, and |f| < 0.172.
        let f = (m - 1) / (m + 1)
        let q = f * f
        var sum = 1.0 / 23
        // One by one, so that no division is left for later.
        sum = (sum * q + 1.0 / 21) * q + 1.0 / 19
        sum = (sum * q + 1.0 / 17) * q + 1.0 / 15
        sum = (sum * q + 1.0 / 13) * q + 1.0 / 11
        sum = (sum * q + 1.0 / 9) * q + 1.0 / 7
        sum = (sum * q + 1.0 / 5) * q + 1.0 / 3
        return exponent * ln2High + (2 * f + (2 * f * q * sum + exponent * ln2Low))
    }

    /// The exponential of a number; 0 below about -708.
    public static func exp(_ x: Double) -> Double {
        let scale = (x * 1.442_695_040_888_963_4).rounded()
        if scale < -1022 { return 0 }
        if scale > 1023 { return .infinity }
        let r = (x - scale * ln2High) - scale * ln2Low
        // The terms of even and of odd powers each wait for nothing but their own sum.
        let square = r * r
        var (even, odd) = (1.0 / 479_001_600, 1.0 / 6_227_020_800)
        (even, odd) = (even * square + 1.0 / 3_628_800, odd * square + 1.0 / 39_916_800)
        (even, odd) = (even * square + 1.0 / 40_320, odd * square + 1.0 / 362_880)
        (even, odd) = (even * square + 1.0 / 720, odd * square + 1.0 / 5040)
        (even, odd) = (even * square + 1.0 / 24, odd * square + 1.0 / 120)
        (even, odd) = (even * square + 1.0 / 2, odd * square + 1.0 / 6)
        (even, odd) = (even * square + 1, odd * square + 1)
        return (even + r * odd) * Double(bitPattern: UInt64(Int(scale) + 1023) << 52)
    }

    /// `(exp(x) - 1) / x`, continued to 1 at 0.
    public static func expRatio(_ x: Double) -> Double {
        guard abs(x) < 1e-3 else { return (exp(x) - 1) / x }
        return 1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)))
    }

    /// `log(1 + x) / x`, continued to 1 at 0.
    public static func logRatio(_ x: Double) -> Double {
        guard abs(x) < 1e-3 else { return log(1 + x) / x }
        return 1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x / 5)))
    }
}
