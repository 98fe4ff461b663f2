import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads markup with a strict XML parser.
final class MarkupCheck: NSObject, XMLParserDelegate {
    /// One element as it was met.
    struct Element {
        var name: String
        var attributes: [String: String]
    }

    private(set) var elements: [Element] = []
    private(set) var text = ""
    private(set) var problem: String?

    /// A page without its scripts, packed data and style, in which any letters may stand.
    static func markup(of page: String) -> String {
        page.replacing(/<script[\s\S]*?<\/script>/, with: "").replacing(/<style[\s\S]*?<\/style>/, with: "")
    }

    /// Every element of a document; `problem` says why it is not well-formed.
    init(_ markup: String) {
        super.init()
        let parser = XMLParser(data: Data(markup.utf8))
        parser.delegate = self
        if !parser.parse(), problem == nil { problem = "not parsed" }
        if let error = parser.parserError, problem == nil { problem = "\(error)" }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        problem = "\(error) at line \(parser.lineNumber)"
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) { elements.append(Element(name: name, attributes: attributes)) }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    /// The elements of a name.
    func named(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    /// Every part of `html` from `<name` to `</name>`, outermost first, without nesting.
    static func parts(of html: String, from opening: String, to closing: String) -> [String] {
        var parts: [String] = []
        var rest = html[...]
        while let start = rest.range(of: opening), let end = rest[start.lowerBound...].range(of: closing) {
            parts.append(String(rest[start.lowerBound..<end.upperBound]))
            rest = rest[end.upperBound...]
        }
        return parts
    }
}
