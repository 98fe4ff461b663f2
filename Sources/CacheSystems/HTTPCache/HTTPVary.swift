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
                members = members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
                // With weights as without, the order is not part of the meaning.
                members.sort()
            }
            return members.joined(separator: ",")
        }
    }

    /// Fields whose members are tokens without regard to case, in any order.
    private static let reordered: Set<String> = ["accept-encoding", "accept-language", "accept-charset"]

    /// Of the answers that are for a request the one that was made last.
    static func select(_ answers: [StoredAnswer], for fields: HTTPFields) -> StoredAnswer? {
        answers.filter { $0.isFor(fields) }.max { a, b in
            (a.dateSeconds, a.number) < (b.dateSeconds, b.number)
        }
    }
}
