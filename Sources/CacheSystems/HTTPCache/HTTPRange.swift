/// A part of a body that a request asks for (RFC 9110 §14).
enum HTTPRange: Equatable {
    /// The whole body: no part is asked for, or one that need not be given.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// There are no such bytes.
    case unsatisfiable

    /// What a request asks for of a complete answer of status 200. Several parts at once are answered by the whole.
    static func of(_ request: HTTPRequest, _ fields: HTTPFields, length: Int, now: Int64) -> HTTPRange {
        guard request.method == "GET", let text = request.fields["Range"], holdsFor(request, fields, now: now),
            text.lowercased().hasPrefix("bytes=")
        else { return .whole }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            .map { HTTPText.trimmed($0) }
        guard ends.count == 2, ends.allSatisfy({ $0.isEmpty || $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
            return .whole
        }
        if ends[0].isEmpty {
            guard !ends[1].isEmpty else { return .whole }
            let count = min(Int(ends[1]) ?? .max, length)
            return count == 0 ? .unsatisfiable : .part(length - count..<length)
        }
        let first = Int(ends[0]) ?? .max
        let last = ends[1].isEmpty ? length - 1 : min(Int(ends[1]) ?? .max, length - 1)
        guard first < length else { return .unsatisfiable }
        return first <= last ? .part(first..<last + 1) : .whole
    }

    /// Whether the part is asked for of this version (RFC 9110 §13.1.5).
    private static func holdsFor(_ request: HTTPRequest, _ fields: HTTPFields, now: Int64) -> Bool {
        guard let version = request.fields["If-Range"] else { return true }
        if let tag = EntityTag(version) {
            return fields["ETag"].flatMap { EntityTag($0) }?.isStronglyEqual(tag) ?? false
        }
        guard HTTPDate.seconds(of: version, now: now) != nil else { return false }
        return fields["Last-Modified"] == version
    }
}
