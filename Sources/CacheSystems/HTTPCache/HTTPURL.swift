/// The address of a resource on a web server, in one spelling for all that are equal.
///
/// The scheme and the host are in lower case, the scheme's own port is left out, dots in the path are resolved, and letters that need
/// no escape have none (RFC 3986 §6.2). The query is kept as it is, but for what no address can have: controls, spaces and what is not
/// ASCII have escapes. A fragment is not part of it.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// The scheme, the host and the port, as `https://example.org`.
    public let origin: String
    /// The path, from its slash on.
    public let path: String
    /// What comes after the question mark; nil if there is none.
    public let query: String?

    /// The host, and the port where it is not the scheme's own.
    package var authority: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }
    /// The whole address.
    public var description: String { origin + target }
    /// The path and the query, as a request has them.
    public var target: String { path + (query.map { "?" + $0 } ?? "") }

    /// An absolute address; nil for one that is not, or of another scheme than http and https.
    public init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://") else { return nil }
        let rest = text.dropFirst(scheme.count + 3).prefix { $0 != "#" }
        let authority = rest.prefix { !"/?".contains($0) }
        guard let host = Self.host(authority, scheme) else { return nil }
        self.init(origin: "\(scheme)://\(host)", target: rest[authority.endIndex...])
    }

    private init(origin: String, target: Substring) {
        self.origin = origin
        let path = target.prefix { $0 != "?" }
        self.path = Self.withoutDots(Self.escaped(path.isEmpty ? "/" : path))
        query = path.endIndex < target.endIndex ? Self.sendable(target[path.endIndex...].dropFirst()) : nil
    }

    /// The address that a reference in a message about this one leads to; nil if it is none for a web server.
    public func resolving(_ reference: String) -> HTTPURL? {
        let text = reference.prefix { $0 != "#" }
        if let whole = HTTPURL(reference) { return whole }
        if text.hasPrefix("//") { return HTTPURL(origin.prefix { $0 != "/" } + String(text)) }
        // A scheme of another kind.
        if let colon = text.firstIndex(of: ":"), !text[..<colon].contains(where: { "/?".contains($0) }) { return nil }
        if text.isEmpty { return self }
        if text.hasPrefix("/") { return HTTPURL(origin: origin, target: text) }
        if text.hasPrefix("?") { return HTTPURL(origin: origin, target: path + text) }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return HTTPURL(origin: origin, target: folder + text)
    }

    private static func host(_ authority: Substring, _ scheme: String) -> String? {
        // Whoever is named before an @ is for the client alone.
        var host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        var port: Substring?
        if let colon = host.lastIndex(of: ":"), host.last != "]" {
            port = host[host.index(after: colon)...]
            host = host[..<colon]
        }
        guard isHost(host) else { return nil }
        guard let port, !port.isEmpty else { return host.lowercased() }
        // No port is larger than 65535, and none is 0.
        guard port.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(port), number > 0 else {
            return nil
        }
        return host.lowercased() + (number == (scheme == "http" ? 80 : 443) ? "" : ":\(number)")
    }

    /// A name or an address of version 4, or one of version 6 between brackets.
    private static func isHost(_ text: Substring) -> Bool {
        if text.first == "[", text.last == "]", text.utf8.count > 2 {
            return text.utf8.dropFirst().dropLast().allSatisfy { byte in
                byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || hexadecimal(byte, 48) != nil
            }
        }
        return !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 != 127 && !"\\[]:".utf8.contains($0) }
    }

    private static func escape(_ byte: UInt8, in out: inout [UInt8]) {
        out.append(UInt8(ascii: "%"))
        for half in [byte >> 4, byte & 15] { out.append(half < 10 ? 48 + half : 55 + half) }
    }

    /// A text with escapes in the place of bytes that cannot be sent.
    private static func sendable(_ text: Substring) -> String {
        var out: [UInt8] = []
        for byte in text.utf8 { if (33...126).contains(byte) { out.append(byte) } else { escape(byte, in: &out) } }
        return String(decoding: out, as: UTF8.self)
    }

    private static func escaped(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
                let code = hexadecimal(bytes[index + 1], bytes[index + 2])
            {
                if isUnreserved(code) { out.append(code) } else { escape(code, in: &out) }
                index += 3
            } else {
                if byte <= 32 || byte >= 127 || "\"<>\\^`{|}".utf8.contains(byte) {
                    escape(byte, in: &out)
                } else {
                    out.append(byte)
                }
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func hexadecimal(_ high: UInt8, _ low: UInt8) -> UInt8? {
        let text = String(decoding: [high, low], as: UTF8.self)
        return text.allSatisfy(\.isHexDigit) ? UInt8(text, radix: 16) : nil
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "-._~".utf8.contains(byte)
    }

    private static func withoutDots(_ path: String) -> String {
        var parts: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (number, segment) in segments.enumerated() {
            let isLast = number == segments.count - 1
            if segment == ".." { _ = parts.popLast() } else if segment != "." { parts.append(segment) }
            if isLast, segment == "." || segment == ".." { parts.append("") }
        }
        return "/" + parts.joined(separator: "/")
    }
}
