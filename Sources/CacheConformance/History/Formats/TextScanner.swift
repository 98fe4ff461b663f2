internal import CacheCore

/// Walks over the bytes of a text, with the number of the line for messages.
struct TextScanner {
    let bytes: UnsafeRawBufferPointer
    let source: String
    private(set) var position = 0
    private(set) var line = 1

    init(_ bytes: UnsafeRawBufferPointer, source: String) {
        self.bytes = bytes
        self.source = source
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The byte in hand; nil at the end.
    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Goes one byte on.
    mutating func advance() {
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    /// Goes over white space, and over the bytes of `others`.
    mutating func skipSpace(and other: UInt8? = nil) {
        while let byte, byte == 0x20 || (0x09...0x0D).contains(byte) || byte == other { advance() }
    }

    /// Goes to the beginning of the next line.
    mutating func skipLine() {
        while let byte {
            advance()
            if byte == UInt8(ascii: "\n") { return }
        }
    }

    /// Takes a byte if it is in hand.
    mutating func take(_ wanted: Character) -> Bool {
        guard byte == wanted.asciiValue else { return false }
        advance()
        return true
    }

    /// Takes bytes while they satisfy a condition.
    mutating func take(while condition: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
        let start = position
        while let byte, condition(byte) { advance() }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    /// Takes a text in double quotes, whose opening quote is in hand, with the escapes of JSON.
    mutating func takeQuoted() throws(AssayError) -> [UInt8] {
        let opening = line
        advance()
        // Most texts have no escape and are taken at once.
        let start = position
        while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "\n") {
            position += 1
        }
        var text = Array(bytes[start..<position])
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return text
            case UInt8(ascii: "\\"):
                advance()
                try takeEscape(into: &text)
            case UInt8(ascii: "\n"):
                throw error(
                    "A text does not end on its line. Close it with a double quote, and write \\n for a line break.")
            default:
                text.append(byte)
                advance()
            }
        }
        throw error("A text does not end. Close it with a double quote.", line: opening)
    }

    private mutating func takeEscape(into text: inout [UInt8]) throws(AssayError) {
        guard let byte else { throw error("A text ends within an escape. Close it with a double quote.") }
        advance()
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "u"): text += Array(String(try takeScalar()).utf8)
        default:
            throw error("There is no escape '\\\(Character(UnicodeScalar(byte)))'. Write \\\\ for a backslash.")
        }
    }

    /// A scalar of one or, as a surrogate pair, two groups of four hexadecimal digits.
    private mutating func takeScalar() throws(AssayError) -> Character {
        var code = try takeHex()
        if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
            let low = try takeHex()
            guard (0xDC00..<0xE000).contains(low) else {
                throw error("A surrogate pair is broken. Write the text as UTF-8.")
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = UnicodeScalar(code) else {
            throw error("A surrogate stands alone. Write the text as UTF-8.")
        }
        return Character(scalar)
    }

    private mutating func takeHex() throws(AssayError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw error("An escape \\u needs four hexadecimal digits.")
            }
            code = code << 4 | UInt32(digit)
            advance()
        }
        return code
    }

    /// An error at the line in hand.
    func error(_ message: String, line: Int? = nil) -> AssayError {
        AssayError(.badInput, message, at: .init(source, line: line ?? self.line))
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}
