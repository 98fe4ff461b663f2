/// What `Cache-Control` says, in all its lines (RFC 9111 §5.2).
///
/// Names are compared without regard to case, arguments may be tokens or quoted texts, unknown directives are passed over, and what is
/// malformed never makes an answer fresher than it would be without.
struct CacheDirectives: Sendable {
    /// A number of seconds in a directive.
    enum Seconds: Equatable {
        case absent
        /// Not a number, or several different ones.
        case invalid
        case value(Int64)

        /// The number; nil where there is none.
        var value: Int64? { if case .value(let value) = self { value } else { nil } }
    }

    private struct Directive {
        let name: String
        let argument: String?
        var isQuoted = false
        var isMalformed = false
    }

    private var directives: [Directive] = []
    /// Whether it is said to shared caches alone, and counts for more than all other fields.
    private(set) var isTargeted = false

    init(_ fields: HTTPFields) {
        for line in fields.values(of: "Cache-Control") {
            directives += HTTPText.members(of: line).compactMap { Self.directive($0) }
        }
    }

    /// Directives of a field that is for shared caches alone.
    init(_ members: [(name: String, value: StructuredValue)]) {
        isTargeted = true
        for (name, value) in members {
            switch value {
            case .boolean(false): continue
            case .boolean(true): directives.append(Directive(name: name, argument: nil))
            case .integer(let digits): directives.append(Directive(name: name, argument: digits))
            // Seconds are never in quotes there.
            case .string(let text):
                directives.append(Directive(name: name, argument: text, isQuoted: true, isMalformed: true))
            case .other: directives.append(Directive(name: name, argument: nil, isMalformed: true))
            }
        }
    }

    private static func directive(_ member: String) -> Directive? {
        let name = member.prefix { HTTPText.isTokenByte($0.utf8.first!) && $0.isASCII }
        guard !name.isEmpty else { return nil }
        let rest = member[name.endIndex...]
        let key = name.lowercased()
        guard !rest.isEmpty else { return Directive(name: key, argument: nil) }
        // Nothing may come between the name, its equals sign and its argument.
        guard rest.first == "=" else { return Directive(name: key, argument: nil, isMalformed: true) }
        let argument = rest.dropFirst()
        guard argument.first == "\"" else {
            return Directive(name: key, argument: String(argument), isMalformed: !HTTPText.isToken(argument.utf8))
        }
        guard let text = unquoted(argument) else { return Directive(name: key, argument: nil, isMalformed: true) }
        return Directive(name: key, argument: text, isQuoted: true)
    }

    /// The text between quotes; nil if it does not end where they do.
    private static func unquoted(_ text: Substring) -> String? {
        var out = ""
        var isEscaped = false
        for (number, letter) in text.dropFirst().enumerated() {
            if isEscaped {
                out.append(letter)
                isEscaped = false
            } else if letter == "\\" {
                isEscaped = true
            } else if letter == "\"" {
                return number == text.count - 2 ? out : nil
            } else {
                out.append(letter)
            }
        }
        return nil
    }

    /// Whether a directive is there, whatever its argument.
    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// The seconds that a directive gives: several that are equal are one, several that differ are invalid.
    func seconds(_ name: String) -> Seconds {
        var found: Int64?
        for directive in directives where directive.name == name {
            guard !directive.isMalformed, let value = directive.argument.flatMap({ HTTPText.seconds($0) }),
                found == nil || found == value
            else { return .invalid }
            found = value
        }
        return found.map { .value($0) } ?? .absent
    }

    /// Whether a directive is there without an argument.
    func isBare(_ name: String) -> Bool {
        directives.contains { $0.name == name && $0.argument == nil && !$0.isMalformed }
    }

    /// Whether a directive is there and holds for the whole message, not for some of its fields alone.
    func isWhole(_ name: String) -> Bool { directives.contains { $0.name == name && !$0.isQuoted } }

    /// The fields that a directive is about, where it is there for some alone.
    func fieldNames(_ name: String) -> [String] {
        directives.filter { $0.name == name && $0.isQuoted }.flatMap { HTTPText.members(of: $0.argument ?? "") }
    }

    /// Whether there is nothing at all.
    var isEmpty: Bool { directives.isEmpty }
}
