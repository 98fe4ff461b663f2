/// Writes XML with every attribute quoted and every text escaped.
struct XMLText {
    private(set) var text = ""

    mutating func line(_ raw: String) { text += raw + "\n" }

    mutating func open(_ name: String, _ attributes: [(String, String)] = []) {
        line("<\(name)\(Self.written(attributes))>")
    }

    mutating func close(_ name: String) { line("</\(name)>") }

    mutating func empty(_ name: String, _ attributes: [(String, String)]) {
        line("<\(name)\(Self.written(attributes))/>")
    }

    mutating func element(_ name: String, _ attributes: [(String, String)], _ content: String) {
        line("<\(name)\(Self.written(attributes))>\(Self.escaped(content))</\(name)>")
    }

    static func written(_ attributes: [(String, String)]) -> String {
        attributes.map { " \($0.0)=\"\(escaped($0.1))\"" }.joined()
    }

    /// Text that is safe between tags and inside quoted attributes, in XML and in HTML.
    ///
    /// Works on scalars, since a combining mark after a quote makes one `Character` of both. Scalars that XML 1.0 forbids
    /// become U+FFFD; line breaks and tabs become references, so that attributes keep them.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\n": result.append(contentsOf: "&#10;".unicodeScalars)
            case "\r": result.append(contentsOf: "&#13;".unicodeScalars)
            case "\t": result.append(contentsOf: "&#9;".unicodeScalars)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
