/// The digest of FIPS 180-4, for file names of keys that are too long to be spelled out.
///
/// Not a security boundary, but no two keys that share a digest are known to anyone, so names stay one to one.
enum SHA256 {
    private static let constants: [UInt32] = roots(of: primes(64), exponent: 3)
    private static let initial: [UInt32] = roots(of: primes(8), exponent: 2)

    /// The 32 bytes of the digest. About 10 ns a byte in a release build.
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state = initial
        var schedule = [UInt32](repeating: 0, count: 64)
        let padded = padding(message)
        for start in stride(from: 0, to: padded.count, by: 64) {
            compress(padded[start..<start + 64], into: &state, &schedule)
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private static func padding(_ message: [UInt8]) -> [UInt8] {
        var bytes = message
        bytes.append(0x80)
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        return bytes
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32], _ w: inout [UInt32]) {
        for i in 0..<16 {
            let at = block.startIndex + 4 * i
            w[i] = (0..<4).reduce(0) { $0 << 8 | UInt32(block[at + $1]) }
        }
        for i in 16..<64 {
            let a = w[i - 15]
            let b = w[i - 2]
            let s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)
            let s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10)
            w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<64 {
            let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ constants[i] &+ w[i]
            let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ t1)
            (d, c, b, a) = (c, b, a, t1 &+ t2)
        }
        for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
    }

    private static func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { x >> n | x << (32 - n) }

    private static func primes(_ count: Int) -> [UInt64] {
        var found: [UInt64] = []
        var candidate: UInt64 = 2
        while found.count < count {
            if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
            candidate += 1
        }
        return found
    }

    /// The first 32 bits of the fractional parts of square or cube roots, found by exact integer search.
    private static func roots(of numbers: [UInt64], exponent: Int) -> [UInt32] {
        return numbers.map { number in
            var low: UInt64 = 0
            var high: UInt64 = 1 << 37
            while low + 1 < high {
                let middle = (low + high) / 2
                if isAtMost(middle, root: exponent, of: number) { low = middle } else { high = middle }
            }
            return UInt32(truncatingIfNeeded: low)
        }
    }

    /// Whether (value / 2^32)^exponent is at most `number`, without rounding.
    private static func isAtMost(_ value: UInt64, root exponent: Int, of number: UInt64) -> Bool {
        var product = UInt128(value)
        for _ in 1..<exponent { product *= UInt128(value) }
        return product <= UInt128(number) << UInt128(32 * exponent)
    }
}
