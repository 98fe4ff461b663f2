/// The header fields of a message, in their order: names are compared without regard to case, and a name may come several times.
public struct HTTPFields: Sendable, Hashable, Codable, ExpressibleByDictionaryLiteral {
    /// One line of a header.
    public struct Field: Sendable, Hashable, Codable {
        /// The name as it was spelled.
        public let name: String
        /// The value, without white space around it.
        public let value: String
    }

    /// The lines in their order.
    public private(set) var lines: [Field] = []

    /// No fields.
    public init() {}

    /// Fields in the order of a literal, in which a name may come several times.
    public init(dictionaryLiteral fields: (String, String)...) { for (name, value) in fields { add(name, value) } }

    /// The values of all lines of a name as one, joined by commas; nil if there is none. Setting it puts one line in their place, or none.
    /// O(fields).
    public subscript(name: String) -> String? {
        get {
            let values = values(of: name)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            remove(name)
            if let newValue { add(name, newValue) }
        }
    }

    /// Adds a line after all others. One whose name is no token, or whose value has a line break or a zero in it, would be read as
    /// something else by whoever gets it, and is left out.
    public mutating func add(_ name: String, _ value: String) {
        guard Self.isSound(name, value) else { return }
        lines.append(Field(name: name, value: String(HTTPText.trimmed(value[...]))))
    }

    private static func isSound(_ name: String, _ value: String) -> Bool {
        HTTPText.isToken(name.utf8) && !value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }
    }

    /// Whether all lines could have been added: what is decoded was not.
    var isSound: Bool { lines.allSatisfy { Self.isSound($0.name, $0.value) } }

    /// Removes every line of a name. O(fields).
    public mutating func remove(_ name: String) { lines.removeAll { HTTPText.areEqual($0.name, name) } }

    /// The value of each line of a name. O(fields).
    public func values(of name: String) -> [String] {
        lines.compactMap { HTTPText.areEqual($0.name, name) ? $0.value : nil }
    }

    /// Whether there is a line of a name. O(fields).
    public func contains(_ name: String) -> Bool { lines.contains { HTTPText.areEqual($0.name, name) } }

    /// The members of a list that may be spread over several lines; commas in quoted texts are part of their member.
    func members(of name: String) -> [String] {
        values(of: name).flatMap { HTTPText.members(of: $0) }
    }

    /// The fields without those that are meant for this connection alone: named so by the standard, or by `Connection`.
    package func withoutConnectionFields() -> HTTPFields {
        let named = members(of: "Connection").map { $0.lowercased() }
        var kept = self
        kept.lines.removeAll { line in
            let name = line.name.lowercased()
            return Self.connectionFields.contains(name) || named.contains(name)
        }
        return kept
    }

    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]
}

/// What is alike in the texts of all fields.
enum HTTPText {
    /// Names are ASCII: whoever folds more than that would take different names for one.
    static func areEqual(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    static func lowered(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

    static func isToken(_ text: some Collection<UInt8>) -> Bool { !text.isEmpty && text.allSatisfy(isTokenByte) }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, first == 32 || first == 9 { text.removeFirst() }
        while let last = text.utf8.last, last == 32 || last == 9 { text.removeLast() }
        return text
    }

    /// The parts between commas, without those in quoted texts and without empty ones.
    static func members(of value: String) -> [String] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            if isEscaped {
                isEscaped = false
            } else if isQuoted && byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(byte)
        }
        return parts.map { String(trimmed(String(decoding: $0, as: UTF8.self)[...])) }.filter { !$0.isEmpty }
    }

    /// A number of digits alone, at most 2^31, which is for ever; nil for anything else.
    static func seconds(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int64(text) ?? .max, secondsMax)
    }

    static let secondsMax: Int64 = 1 << 31
}
