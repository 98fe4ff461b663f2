/// The Secure Hash Algorithm with 256 bits (FIPS 180-4), enough of it to name content.
///
/// Compiled traces are named by what is in them, a recorded workload states the digest of its file, and the file backend
/// names the files of long keys by it; nothing here is secret. About 4 ns a byte.
public struct SHA256: ~Copyable {
    private var state: InlineArray<8, UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    /// The digest of some bytes, as 64 hexadecimal digits.
    public static func hexadecimal(of bytes: some Sequence<UInt8>) -> String { hexadecimal(digest(of: bytes)) }

    /// The digest of some bytes: 32 bytes.
    public static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        Array(bytes).withUnsafeBytes { hash.update($0) }
        return hash.digest()
    }

    /// A digest of nothing so far.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes
        if !pending.isEmpty {
            let taken = min(64 - pending.count, rest.count)
            pending.append(contentsOf: rest.prefix(taken))
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
            guard pending.count == 64 else { return }
            let block = pending
            block.withUnsafeBytes { compress($0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = rest.count & ~63
        compress(UnsafeRawBufferPointer(rebasing: rest[..<whole]))
        pending.append(contentsOf: rest[whole...])
    }

    /// Ends the message and gives its digest, as 64 hexadecimal digits.
    public consuming func hexadecimal() -> String { Self.hexadecimal(digest()) }

    /// Ends the message and gives its digest: 32 bytes.
    public consuming func digest() -> [UInt8] {
        let bits = length &* 8
        var tail = pending + [0x80]
        tail.append(contentsOf: repeatElement(0, count: (120 - tail.count % 64) % 64))
        tail.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) })
        tail.withUnsafeBytes { compress($0) }
        var digest: [UInt8] = []
        digest.reserveCapacity(32)
        for index in 0..<8 {
            for shift in stride(from: 24, through: 0, by: -8) {
                digest.append(UInt8(truncatingIfNeeded: state[index] >> UInt32(shift)))
            }
        }
        return digest
    }

    /// A digest that is known, as hexadecimal digits.
    public static func hexadecimal(_ digest: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Mixes whole blocks of 64 bytes into the state.
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard let base = blocks.baseAddress else { return }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            roundConstants.withUnsafeBufferPointer { constants in
                guard let w = schedule.baseAddress, let k = constants.baseAddress else { return }
                for block in stride(from: 0, to: blocks.count, by: 64) { mix(base + block, w, k) }
            }
        }
    }

    @inline(__always)
    private mutating func mix(
        _ block: UnsafeRawPointer, _ w: UnsafeMutablePointer<UInt32>, _ k: UnsafePointer<UInt32>
    ) {
        for t in 0..<16 { w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * t, as: UInt32.self)) }
        for t in 16..<64 {
            let (x, y) = (w[t &- 15], w[t &- 2])
            let s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >> 3)
            let s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >> 10)
            w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        // Eight rounds at a time with the names turned instead of the values: half the moves.
        for t in stride(from: 0, to: 64, by: 8) {
            round(a, b, c, &d, e, f, g, &h, k[t] &+ w[t])
            round(h, a, b, &c, d, e, f, &g, k[t &+ 1] &+ w[t &+ 1])
            round(g, h, a, &b, c, d, e, &f, k[t &+ 2] &+ w[t &+ 2])
            round(f, g, h, &a, b, c, d, &e, k[t &+ 3] &+ w[t &+ 3])
            round(e, f, g, &h, a, b, c, &d, k[t &+ 4] &+ w[t &+ 4])
            round(d, e, f, &g, h, a, b, &c, k[t &+ 5] &+ w[t &+ 5])
            round(c, d, e, &f, g, h, a, &b, k[t &+ 6] &+ w[t &+ 6])
            round(b, c, d, &e, f, g, h, &a, k[t &+ 7] &+ w[t &+ 7])
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }
}

/// One round, which changes two of the eight words.
@inline(__always)
private func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
    _ h: inout UInt32, _ word: UInt32
) {
    let t1 = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ (g ^ (e & (f ^ g))) &+ word
    d = d &+ t1
    h = t1 &+ (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ ((a & b) | (c & (a | b)))
}

@inline(__always)
private func rotated(_ x: UInt32, _ n: UInt32) -> UInt32 { (x >> n) | (x << (32 &- n)) }

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, computed exactly in integers.
private let roundConstants: [UInt32] = {
    var constants: [UInt32] = []
    var candidate: UInt64 = 2
    while constants.count < 64 {
        if !(2..<candidate).contains(where: { candidate % $0 == 0 }) { constants.append(cubeRootFraction(candidate)) }
        candidate += 1
    }
    return constants
}()

/// The first 32 bits of the fraction of the cube root of a number below 512: the cube root of `n · 2^96`, below `2^35`.
private func cubeRootFraction(_ n: UInt64) -> UInt32 {
    let target = UInt128(n) << 96
    var (low, high): (UInt128, UInt128) = (0, 1 << 35)
    while high - low > 1 {
        let middle = (low + high) / 2
        if middle * middle * middle <= target { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
}
