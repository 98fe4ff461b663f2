// What an origin says to shared caches alone (RFC 9213), as a dictionary of structured fields (RFC 9651).
extension CacheDirectives {
    /// What `CDN-Cache-Control` says; nil if it is not there, is empty, or is no dictionary: it counts for nothing then.
    ///
    /// A directive with a value of the wrong type is one whose argument cannot be understood. Parameters are passed over.
    init?(targeted fields: HTTPFields) {
        let lines = fields.values(of: "CDN-Cache-Control")
        guard !lines.isEmpty, var parser = StructuredParser(lines.joined(separator: ",")).nonEmpty,
            let members = parser.dictionary(), !members.isEmpty
        else { return nil }
        self.init(members)
    }
}

/// A member of a dictionary, as far as cache directives need it.
enum StructuredValue: Equatable, Sendable {
    case boolean(Bool)
    case integer(String)
    case string(String)
    case other
}

/// Reads a dictionary of structured fields; everything that is not one is nil (RFC 9651 §4.2).
struct StructuredParser {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
        skip { $0 == 32 }
    }

    /// The parser, unless there is nothing to read.
    var nonEmpty: StructuredParser? { rest.isEmpty ? nil : self }

    /// The members, of which the last of a name counts, at the place of the first.
    mutating func dictionary() -> [(name: String, value: StructuredValue)]? {
        var members: [(name: String, value: StructuredValue)] = []
        while !rest.isEmpty {
            guard let name = key() else { return nil }
            var value = StructuredValue.boolean(true)
            if take("=") {
                guard let read = rest.first == UInt8(ascii: "(") ? list() : item() else { return nil }
                value = read
            }
            guard parameters() else { return nil }
            if let place = members.firstIndex(where: { $0.name == name }) {
                members[place].value = value
            } else {
                // More than any parser must take, and a search through them for each.
                guard members.count < 1024 else { return nil }
                members.append((name, value))
            }
            skip { $0 == 32 || $0 == 9 }
            if rest.isEmpty { break }
            guard take(",") else { return nil }
            skip { $0 == 32 || $0 == 9 }
            // A comma at the end is for a member that is missing.
            if rest.isEmpty { return nil }
        }
        return members
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: letter) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

    private mutating func prefix(_ isTaken: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isSmall(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isSmall(byte | 32) }

    private mutating func key() -> String? {
        guard let first = rest.first, Self.isSmall(first) || first == UInt8(ascii: "*") else { return nil }
        return prefix { Self.isSmall($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
    }

    private mutating func parameters() -> Bool {
        while take(";") {
            skip { $0 == 32 }
            guard key() != nil else { return false }
            if take("="), item() == nil { return false }
        }
        return true
    }

    private mutating func list() -> StructuredValue? {
        guard take("(") else { return nil }
        while true {
            skip { $0 == 32 }
            if take(")") { return .other }
            guard item() != nil, parameters(), let next = rest.first, next == 32 || next == UInt8(ascii: ")") else {
                return nil
            }
        }
    }

    private mutating func item() -> StructuredValue? {
        guard let first = rest.first else { return nil }
        switch first {
        case UInt8(ascii: "?"):
            rest.removeFirst()
            return take("1") ? .boolean(true) : take("0") ? .boolean(false) : nil
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "@"):
            rest.removeFirst()
            if case .integer = number() { return .other }
            return nil
        case UInt8(ascii: "%"):
            rest.removeFirst()
            return displayed() ? .other : nil
        case UInt8(ascii: ":"):
            rest.removeFirst()
            _ = prefix { Self.isLetter($0) || Self.isDigit($0) || "+/=".utf8.contains($0) }
            return take(":") ? .other : nil
        case _ where Self.isLetter(first) || first == UInt8(ascii: "*"):
            _ = prefix { HTTPText.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            return .other
        default: return number()
        }
    }

    /// An integer of at most 15 digits, or a decimal of at most 12 and 3.
    private mutating func number() -> StructuredValue? {
        let sign = take("-") ? "-" : ""
        let whole = prefix(Self.isDigit)
        guard !whole.isEmpty else { return nil }
        guard take(".") else { return whole.utf8.count <= 15 ? .integer(sign + whole) : nil }
        let fraction = prefix(Self.isDigit)
        return whole.utf8.count <= 12 && (1...3).contains(fraction.utf8.count) ? .other : nil
    }

    private mutating func string() -> String? {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(escaped) else {
                    return nil
                }
                bytes.append(escaped)
            case 32...126: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func displayed() -> Bool {
        guard take("\"") else { return false }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            guard (32...126).contains(byte) else { return false }
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Self.isDigit($0) || (97...102).contains($0) }) else {
                    return false
                }
                rest = rest.dropFirst(2)
            }
        }
        return false
    }
}
