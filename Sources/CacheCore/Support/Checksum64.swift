/// A 64-bit checksum that is certain to notice a change confined to one aligned word of 8 bytes.
///
/// Every step is a bijection of the state for a given word and of the word for a given state, so two inputs that differ
/// in one word can never agree; any other damage slips through with a chance of about 2^-64. Four lanes keep the
/// processor's multipliers busy. Not for secrets. O(bytes).
public struct Checksum64: Sendable {
    private var state: UInt64 = 0x243F_6A88_85A3_08D3

    /// A checksum of nothing so far.
    public init() {}

    /// The checksum of everything absorbed so far.
    public var value: UInt64 { mix64(state) }

    /// The checksum of some bytes and their number.
    public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = Checksum64()
        checksum.absorb(bytes)
        checksum.state = step(checksum.state, UInt64(bytes.count))
        return checksum.value
    }

    /// Takes in bytes; the last word is padded with zeros, so lengths must be absorbed too.
    public mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        if bytes.count >= 64 { offset = absorbLanes(bytes) }
        while offset + 8 <= bytes.count {
            state = Self.step(state, Self.word(bytes, offset))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var tail: UInt64 = 0
        for index in offset..<bytes.count { tail |= UInt64(bytes[index]) << UInt64(8 * (index - offset)) }
        state = Self.step(state, tail)
    }

    private mutating func absorbLanes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (a, b, c, d) = (state, ~state, state &+ 1, ~state &- 1)
        var offset = 0
        while offset + 32 <= bytes.count {
            a = Self.step(a, Self.word(bytes, offset))
            b = Self.step(b, Self.word(bytes, offset + 8))
            c = Self.step(c, Self.word(bytes, offset + 16))
            d = Self.step(d, Self.word(bytes, offset + 24))
            offset += 32
        }
        for lane in [a, b, c, d] { state = Self.step(state, lane) }
        return offset
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// A whole mix for each word, not one multiplication: differences of the highest bits would pass that almost unchanged,
    /// and two damaged bits could cancel.
    @inline(__always)
    private static func step(_ state: UInt64, _ word: UInt64) -> UInt64 {
        mix64((state ^ word) &+ 0x9E37_79B9_7F4A_7C15)
    }
}
