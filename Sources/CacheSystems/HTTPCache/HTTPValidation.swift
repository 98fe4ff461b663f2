/// Asking whether an answer still holds, and being asked (RFC 9111 §4.3, RFC 9110 §13).
enum HTTPValidation {
    private static let conditions = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range",
    ]

    /// A request for these answers to be confirmed, or for another; nil if none of them has a validator.
    static func request(_ request: HTTPRequest, confirming answers: [StoredAnswer]) -> HTTPRequest? {
        var asked = whole(request)
        let tags = answers.compactMap { $0.fields["ETag"] }.filter { EntityTag($0) != nil }
        if !tags.isEmpty { asked.fields["If-None-Match"] = tags.joined(separator: ", ") }
        // One date cannot confirm several.
        if answers.count == 1, let modified = answers[0].fields["Last-Modified"] {
            asked.fields["If-Modified-Since"] = modified
        }
        return asked.fields.contains("If-None-Match") || asked.fields.contains("If-Modified-Since") ? asked : nil
    }

    /// Whether a request is for the case alone that its client has something else.
    static func isConditional(_ request: HTTPRequest) -> Bool { conditions.contains { request.fields.contains($0) } }

    /// Whether a request may be answered by less than all of a resource.
    static func wantsLess(_ request: HTTPRequest) -> Bool {
        request.isHead || request.fields.contains("Range") || isConditional(request)
    }

    static func withoutConditions(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        for name in conditions { request.fields.remove(name) }
        return request
    }

    /// A request as the origin has answered it that was asked with its conditions. Whether a part is asked for of this version still
    /// has to be looked at.
    static func withoutJudged(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        for name in ["If-None-Match", "If-Modified-Since"] { request.fields.remove(name) }
        return request
    }

    /// A request for all of a resource, whatever its client has.
    static func whole(_ request: HTTPRequest) -> HTTPRequest {
        var request = withoutConditions(request)
        request.fields.remove("Range")
        return request
    }

    /// Which of the answers that were to be confirmed a 304 is about (RFC 9111 §4.3.4).
    static func confirmed(by response: HTTPResponse, of answers: [StoredAnswer]) -> [StoredAnswer] {
        if let tag = response.fields["ETag"].flatMap({ EntityTag($0) }) {
            let matching = answers.filter { $0.fields["ETag"].flatMap { EntityTag($0) }?.isWeaklyEqual(tag) ?? false }
            return tag.isWeak ? Array(matching.suffix(1)) : matching
        }
        if let modified = response.fields["Last-Modified"] {
            return Array(answers.filter { $0.fields["Last-Modified"] == modified }.suffix(1))
        }
        return answers.count == 1 ? answers : []
    }

    /// The fields of a stored answer after a 304, or the answer to HEAD, has brought others: each name that comes takes the place of the
    /// lines that are there, but for those that say how the stored body is made up (RFC 9111 §3.2).
    static func merged(_ stored: HTTPFields, with update: HTTPFields) -> HTTPFields {
        let kept: Set<String> = ["content-length", "content-encoding", "content-range"]
        let lines = update.lines.filter { !kept.contains($0.name.lowercased()) }
        var merged = stored
        // An age is of the answer in which it came.
        merged.remove("Age")
        for line in lines { merged.remove(line.name) }
        for line in lines { merged.add(line.name, line.value) }
        return merged
    }

    /// Whether the answer to HEAD is about the body that is stored (RFC 9111 §4.3.5).
    static func describes(_ head: HTTPFields, _ answer: StoredAnswer) -> Bool {
        for name in ["ETag", "Last-Modified"] {
            if let value = head[name], value != answer.fields[name] { return false }
        }
        return head["Content-Length"].map { $0 == String(answer.body.length) } ?? true
    }

    /// Whether a request has conditions that only its origin can judge.
    static func isForOrigin(_ request: HTTPRequest) -> Bool {
        request.fields.contains("If-Match") || request.fields.contains("If-Unmodified-Since")
    }

    /// Whether the client has what a stored answer would give it (RFC 9110 §13.2.2).
    static func clientHas(_ request: HTTPRequest, _ fields: HTTPFields, dateSeconds: Int64, now: Int64) -> Bool {
        if request.fields.contains("If-None-Match") {
            let asked = request.fields.members(of: "If-None-Match")
            if asked == ["*"] { return true }
            guard let own = fields["ETag"].flatMap({ EntityTag($0) }) else { return false }
            return asked.contains { EntityTag($0)?.isWeaklyEqual(own) ?? false }
        }
        guard let text = request.fields["If-Modified-Since"], let since = HTTPDate.seconds(of: text, now: now) else {
            return false
        }
        let modified = fields["Last-Modified"].flatMap { HTTPDate.seconds(of: $0, now: now) } ?? dateSeconds
        return modified <= since
    }

    /// The fields that a 304 has of the answer that it stands for.
    static func notModified(_ fields: HTTPFields) -> HTTPFields {
        let names = ["Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary", "Last-Modified", "Age"]
        var kept = HTTPFields()
        for line in fields.lines where names.contains(where: { HTTPText.areEqual($0, line.name) }) {
            kept.add(line.name, line.value)
        }
        return kept
    }
}

/// The name of a version of a resource.
struct EntityTag: Equatable {
    let isWeak: Bool
    let name: String

    /// A tag in quotes, with `W/` before it if it is weak; nil for anything else.
    init?(_ text: String) {
        let isWeak = text.hasPrefix("W/")
        let quoted = isWeak ? text.dropFirst(2) : text[...]
        guard quoted.utf8.count >= 2, quoted.first == "\"", quoted.last == "\"",
            !quoted.dropFirst().dropLast().contains("\"")
        else { return nil }
        self.isWeak = isWeak
        name = String(quoted)
    }

    func isWeaklyEqual(_ other: EntityTag) -> Bool { name == other.name }
    func isStronglyEqual(_ other: EntityTag) -> Bool { self == other && !isWeak }
}
