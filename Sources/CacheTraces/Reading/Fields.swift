internal import CacheCore

/// Numbers and words in a line of text, read in place.
enum Fields {
    /// A number written in decimal digits alone, nil for anything else or beyond 64 bits.
    @inline(__always)
    static func integer(_ field: UnsafeRawBufferPointer) -> UInt64? {
        // 19 digits always fit; the rare longer ones are checked at each digit.
        guard field.count > 0, field.count <= 19 else { return longInteger(field) }
        var value: UInt64 = 0
        for byte in field {
            let digit = byte &- 0x30
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        return value
    }

    /// A number as its digits would be written again: no leading zero, no sign; nil for any other bytes.
    @inline(__always)
    static func canonicalInteger(_ field: UnsafeRawBufferPointer) -> UInt64? {
        guard field.count > 0, field[0] != 0x30 || field.count == 1 else { return nil }
        return integer(field)
    }

    /// A number written as `0x` and hexadecimal digits, nil for anything else or beyond 64 bits.
    static func hexadecimal(_ field: UnsafeRawBufferPointer) -> UInt64? {
        guard field.count > 2, field[0] == 0x30, field[1] | 0x20 == 0x78 else { return nil }
        return hexadecimalDigits(UnsafeRawBufferPointer(rebasing: field.dropFirst(2)))
    }

    /// A number written as hexadecimal digits alone, nil for anything else or beyond 64 bits.
    static func hexadecimalDigits(_ field: UnsafeRawBufferPointer) -> UInt64? {
        guard field.count > 0, field.count <= 16 else { return nil }
        var value: UInt64 = 0
        for byte in field {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46, 0x61...0x66: digit = (byte | 0x20) - 0x61 + 10
            default: return nil
            }
            value = value << 4 | UInt64(digit)
        }
        return value
    }

    /// A number of seconds or the like with up to 18 decimals, in units of `10^-decimals`; nil for anything else.
    static func fixedPoint(_ field: UnsafeRawBufferPointer, decimals: Int) -> Int64? {
        if field.count <= 18, let whole = integer(field), let unit = unit(decimals) {
            let (product, overflow) = Int64(whole).multipliedReportingOverflow(by: unit)
            return overflow ? nil : product
        }
        var rest = field[...]
        let isNegative = rest.first == 0x2d
        if isNegative { rest = rest.dropFirst() }
        guard let first = rest.first, first &- 0x30 <= 9 else { return nil }
        var (value, shown, afterPoint): (Int64, Int, Bool) = (0, 0, false)
        for byte in rest {
            if byte == 0x2e, !afterPoint {
                afterPoint = true
                continue
            }
            let digit = byte &- 0x30
            guard digit <= 9 else { return nil }
            // Digits finer than the unit are cut off, not rounded.
            if afterPoint, shown == decimals { continue }
            if afterPoint { shown += 1 }
            guard let next = appended(value, digit) else { return nil }
            value = next
        }
        for _ in shown..<max(shown, decimals) {
            guard let next = appended(value, 0) else { return nil }
            value = next
        }
        return isNegative ? -value : value
    }

    /// 10^decimals for the decimals of times, nil for others.
    @inline(__always)
    private static func unit(_ decimals: Int) -> Int64? {
        switch decimals {
        case 0: 1
        case 3: 1000
        case 6: 1_000_000
        case 9: 1_000_000_000
        default: nil
        }
    }

    /// A time to live in units of `10^-decimals` seconds; 0 for without end, which memcached's kin write as 0 and Redis as -1. Nil
    /// for anything else.
    static func timeToLive(_ field: UnsafeRawBufferPointer, decimals: Int) -> Int64? {
        guard let value = fixedPoint(field, decimals: decimals) else { return nil }
        if value >= 0 { return value }
        return field.elementsEqual([0x2d, 0x31]) ? 0 : nil
    }

    /// A finite number as programs write it, with a point and an exponent where they need it; nil for anything else.
    static func real(_ field: UnsafeRawBufferPointer) -> Double? {
        guard field.count > 0, field.count <= 64, let value = Double(String(decoding: field, as: UTF8.self)) else {
            return nil
        }
        return value.isFinite ? value : nil
    }

    /// The line without a carriage return at its end.
    @inline(__always)
    static func withoutCarriageReturn(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard line.last == 0x0d else { return line }
        return UnsafeRawBufferPointer(rebasing: line.dropLast())
    }

    /// What a field reads, for an error: quoted, cut to 40 bytes.
    static func shown(_ field: UnsafeRawBufferPointer) -> String {
        let text = String(decoding: field.prefix(40), as: UTF8.self)
        let visible = text.unicodeScalars.map { $0.value < 0x20 ? "\u{FFFD}" : String($0) }.joined()
        return "'" + visible + (field.count > 40 ? "…'" : "'")
    }

    /// The same of a text.
    static func shown(_ text: String) -> String { Array(text.utf8.prefix(41)).withUnsafeBytes { shown($0) } }

    private static func longInteger(_ field: UnsafeRawBufferPointer) -> UInt64? {
        guard field.count > 0 else { return nil }
        var value: UInt64 = 0
        for byte in field {
            let digit = byte &- 0x30
            guard digit <= 9 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    private static func appended(_ value: Int64, _ digit: UInt8) -> Int64? {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(Int64(digit))
        return overflow || carry ? nil : sum
    }
}

/// The fields of a line that are separated by spaces or tabs.
struct SpacedFields {
    private var rest: UnsafeRawBufferPointer

    init(_ line: UnsafeRawBufferPointer) { rest = line }

    /// The next field, nil at the end of the line.
    @inline(__always)
    mutating func next() -> UnsafeRawBufferPointer? {
        var start = 0
        while start < rest.count, Self.isSpace(rest[start]) { start &+= 1 }
        guard start < rest.count else { return nil }
        var end = start
        while end < rest.count, !Self.isSpace(rest[end]) { end &+= 1 }
        let field = UnsafeRawBufferPointer(rebasing: rest[start..<end])
        rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        return field
    }

    /// What is left of the line, without blanks at either end.
    var remainder: UnsafeRawBufferPointer {
        var left = rest[...]
        while let byte = left.first, Self.isSpace(byte) { left = left.dropFirst() }
        while let byte = left.last, Self.isSpace(byte) { left = left.dropLast() }
        return UnsafeRawBufferPointer(rebasing: left)
    }

    /// A field after those that were taken, from 0; nil if there is none. Takes those before it too.
    mutating func field(_ index: Int) -> UnsafeRawBufferPointer? {
        for _ in 0..<index where next() == nil { return nil }
        return next()
    }

    /// How many fields are left.
    func count() -> Int {
        var copy = self
        var count = 0
        while copy.next() != nil { count += 1 }
        return count
    }

    @inline(__always) private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0d
    }
}
