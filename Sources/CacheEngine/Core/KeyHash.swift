/// Hashes keys faster than `Hasher` where a key is a string, bytes or an integer: a multiplication for 16 bytes.
///
/// Every product has a factor that was mixed with secret numbers, so that nobody who does not know them can choose keys that
/// meet. The numbers come from the seed of `Hasher`: each process draws them anew, unless `SWIFT_DETERMINISTIC_HASHING` is
/// set. Not for secrets: who sees hashes can work the numbers out.
@usableFromInline
struct KeyHash: Sendable {
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64
    @usableFromInline let third: UInt64

    /// What the caches of this process hash with.
    @usableFromInline static let ofProcess = KeyHash { UInt64(bitPattern: Int64($0.hashValue)) }

    /// Hashes with the secret numbers that are drawn for 0, 1 and 2.
    init(drawing draw: (Int) -> UInt64) {
        (first, second, third) = (draw(0), draw(1), draw(2) | 1)
    }

    /// The hash of a key: equal for equal keys, all bits alike.
    @inlinable @inline(__always)
    func callAsFunction<Key: Hashable>(_ key: Key) -> UInt64 {
        if Key.self == String.self { return text(unsafeBitCast(key, to: String.self)) }
        if Key.self == Int.self { return number(UInt64(bitPattern: Int64(unsafeBitCast(key, to: Int.self)))) }
        if Key.self == UInt64.self { return number(unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == Int64.self { return number(UInt64(bitPattern: unsafeBitCast(key, to: Int64.self))) }
        if Key.self == UInt32.self { return number(UInt64(unsafeBitCast(key, to: UInt32.self))) }
        if Key.self == [UInt8].self {
            return unsafeBitCast(key, to: [UInt8].self).withUnsafeBytes { bytes($0).hash }
        }
        return UInt64(bitPattern: Int64(key.hashValue))
    }

    @inlinable @inline(__always)
    func number(_ number: UInt64) -> UInt64 { finish(Self.fold(number ^ first, second)) }

    /// The hash of a text. Only of ASCII are equal texts always equal bytes.
    @inlinable @inline(__always)
    func text(_ text: String) -> UInt64 {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes(UnsafeRawBufferPointer($0)) }
        if let found, found.isASCII { return found.hash }
        return otherText(text)
    }

    /// The hash of a text that is not ASCII, or not stored as one: it may be equal to one that is.
    @usableFromInline @inline(never)
    func otherText(_ text: String) -> UInt64 {
        // The characters that canonical equivalence makes ASCII of, each by itself; no other text is equal to an ASCII one.
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{37E}": plain.append(";")
            case "\u{1FEF}": plain.append("`")
            case "\u{212A}": plain.append("K")
            case _ where scalar.isASCII: plain.append(scalar)
            default: return UInt64(bitPattern: Int64(text.hashValue))
            }
        }
        var string = String(plain)
        return string.withUTF8 { bytes(UnsafeRawBufferPointer($0)).hash }
    }

    @inlinable @inline(__always)
    func bytes(_ bytes: UnsafeRawBufferPointer) -> (hash: UInt64, isASCII: Bool) {
        var state = third ^ UInt64(truncatingIfNeeded: bytes.count)
        var all: UInt64 = 0
        let (low, high): (UInt64, UInt64)
        if bytes.count > 16 {
            var start = 0
            while start &+ 16 < bytes.count {
                let (low, high) = (Self.word(bytes, start), Self.word(bytes, start &+ 8))
                all |= low | high
                state = Self.fold(low ^ first, high ^ state)
                start &+= 16
            }
            (low, high) = (Self.word(bytes, bytes.count &- 16), Self.word(bytes, bytes.count &- 8))
        } else if bytes.count >= 8 {
            (low, high) = (Self.word(bytes, 0), Self.word(bytes, bytes.count &- 8))
        } else if bytes.count >= 4 {
            (low, high) = (Self.half(bytes, 0), Self.half(bytes, bytes.count &- 4))
        } else if bytes.count > 0 {
            low = UInt64(bytes[0]) | UInt64(bytes[bytes.count / 2]) << 8 | UInt64(bytes[bytes.count &- 1]) << 16
            high = 0
        } else {
            (low, high) = (0, 0)
        }
        all |= low | high
        return (finish(Self.fold(low ^ second, high ^ state)), all & 0x8080_8080_8080_8080 == 0)
    }

    @inlinable @inline(__always)
    func finish(_ state: UInt64) -> UInt64 { Self.fold(state ^ first, third) }

    @inlinable @inline(__always)
    static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        (bytes.baseAddress.unsafelyUnwrapped + offset).loadUnaligned(as: UInt64.self)
    }

    @inlinable @inline(__always)
    static func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64((bytes.baseAddress.unsafelyUnwrapped + offset).loadUnaligned(as: UInt32.self))
    }

    /// Both halves of a product, one over the other.
    @inlinable @inline(__always)
    static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
