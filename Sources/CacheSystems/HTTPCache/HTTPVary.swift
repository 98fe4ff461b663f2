/// Which of several stored answers is for a request (RFC 9111 §4.1).
enum HTTPVary {
    /// The fields of a request that an answer was chosen by, in lower case and sorted; nil where no request matches, by `*`.
    static func names(_ fields: HTTPFields) -> [String]? {
        let names = Set(fields.members(of: "Vary").map { $0.lowercased() })
        return names.contains("*") ? nil : names.sorted()
    }

    /// The values of these fields in a request, in a form in which values that mean the same are equal; nil for fields that it lacks.
    static func values(of names: [String], in fields: HTTPFields) -> [String?] {
        names.map { name in
            guard fields.contains(name) else { return nil }
            var members = fields.members(of: name)
            if reordered.contains(name) {
                members = members.map { name == "accept" ? mediaRange($0) : packed($0).lowercased() }
                // With weights as without, the order is not part of the meaning.
                members.sort()
            }
            return members.joined(separator: ",")
        }
    }

    /// Fields whose members are told apart without regard to case, in any order.
    private static let reordered: Set<String> = ["accept", "accept-encoding", "accept-language", "accept-charset"]

    /// A range of media types without white space, its types in lower case: what its parameters are depends on the type.
    private static func mediaRange(_ text: String) -> String {
        let packed = packed(text)
        let type = packed.prefix { $0 != ";" }
        return type.lowercased() + packed[type.endIndex...]
    }

    /// A text without white space, but for that within quotes.
    private static func packed(_ text: String) -> String {
        var isQuoted = false
        var isEscaped = false
        let bytes = text.utf8.filter { byte in
            if isEscaped {
                isEscaped = false
            } else if isQuoted && byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            return isQuoted || byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Of the answers that are for a request the one that was made last.
    static func select(_ answers: [StoredAnswer], for fields: HTTPFields) -> StoredAnswer? {
        answers.filter { $0.isFor(fields) }.max { a, b in
            (a.dateSeconds, a.number) < (b.dateSeconds, b.number)
        }
    }
}
