internal import CacheCore

/// Text in which a backslash escapes bytes, as web servers and Redis write it into their logs.
enum EscapedText {
    /// The place of the quote that ends a text which begins at `start`; nil if there is none.
    static func end(in line: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < line.count {
            switch line[index] {
            case 0x22: return index
            case 0x5c: index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// Appends the bytes that a text stands for: `\"`, `\\`, `\xNN`, `\n`, `\r`, `\t`, `\a`, `\b`, `\f` and `\v`. A backslash
    /// before anything else stands for itself.
    static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == 0x5c, index < text.count else {
                bytes.append(byte)
                continue
            }
            let kind = text[index]
            if kind == 0x78, let value = hexadecimal(text, index + 1) {
                bytes.append(value)
                index += 3
            } else if let value = simple[kind] {
                bytes.append(value)
                index += 1
            } else {
                bytes.append(byte)
            }
        }
    }

    /// Appends the bytes of a text in which `%NN` stands for a byte. A percent sign before anything else stands for itself.
    static func append(percentEncoded text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        var index = 0
        while index < text.count {
            if text[index] == 0x25, let value = hexadecimal(text, index + 1) {
                bytes.append(value)
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
    }

    /// The byte that two hexadecimal digits at a place write.
    static func hexadecimal(_ text: UnsafeRawBufferPointer, _ index: Int) -> UInt8? {
        guard index + 2 <= text.count, let high = digit(text[index]), let low = digit(text[index + 1]) else {
            return nil
        }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    private static let simple: [UInt8: UInt8] = [
        0x22: 0x22, 0x5c: 0x5c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09, 0x61: 0x07, 0x62: 0x08, 0x66: 0x0c, 0x76: 0x0b,
    ]
}
