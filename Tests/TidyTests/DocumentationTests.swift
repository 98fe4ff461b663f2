import Testing

@Suite("Every public symbol is documented")
struct DocumentationTests {
    @Test func `each public declaration has a docstring that begins with a sentence`() {
        let missing = SourceFile.sources.flatMap { file in
            Self.undocumented(
                file.lines, inherited: file.path.hasPrefix("Sources/CachePolicies/") ? Self.ofPolicies : []
            )
            .map { "\(file.path):\($0)" }
        }
        #expect(missing == [])
    }

    @Test func `a declaration without docstring is found`() {
        let lines: [Substring] = ["/// A thing.", "public struct Thing {", "    public var size = 0", "}"]
        #expect(Self.undocumented(lines) == [3])
        #expect(Self.undocumented(["/// A", "@inlinable", "public func f() {}"]) == [])
        let members: [Substring] = ["public var residentCount: Int { 0 }", "public static func weight() {}"]
        #expect(Self.undocumented(members, inherited: Self.ofPolicies) == [])
        #expect(Self.undocumented(members) == [1, 2])
    }

    /// What `EvictionPolicy` documents for all sixty, which have nothing to add.
    private static let ofPolicies: Set<Substring> = [
        "residentCount", "residentWeight", "contains", "prefetch", "prefetchEntry", "prefetchNeighbours", "weight",
    ]

    /// Line numbers of public declarations, and of the requirements of public protocols, without a docstring.
    private static func undocumented(_ lines: [Substring], inherited: Set<Substring> = []) -> [Int] {
        var found: [Int] = []
        var protocolIndent: Int?
        for (index, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            let indent = line.count - text.count
            if let open = protocolIndent, indent <= open, text.hasPrefix("}") { protocolIndent = nil }
            let isRequirement =
                protocolIndent.map { indent == $0 + 4 } == true
                && ["static ", "init(", "mutating ", "func ", "var ", "associatedtype "].contains { text.hasPrefix($0) }
            let words = text.split(separator: " ").filter { !$0.hasPrefix("@") }
            let isPublic =
                words.first.map { $0.hasPrefix("public") && !$0.hasPrefix("public(") } == true
                && words.dropFirst().first != "import" && words.dropFirst().first != "extension"
            if isPublic && words.contains("protocol") { protocolIndent = indent }
            let name = words.first { !["public", "static", "mutating", "func", "var"].contains($0) }?.prefix {
                $0.isLetter
            }
            if let name, inherited.contains(name) { continue }
            if (isPublic || isRequirement) && !isDocumented(lines, before: index) { found.append(index + 1) }
        }
        return found
    }

    private static func isDocumented(_ lines: [Substring], before index: Int) -> Bool {
        for line in lines[..<index].reversed() {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///") { return true }
            guard text.hasPrefix("@") || text.hasPrefix("#if") else { return false }
        }
        return false
    }
}
