/// A request to a web server.
public struct HTTPRequest: Sendable {
    /// The method, as `GET`; case matters.
    public var method: String
    /// What is asked for.
    public var url: HTTPURL
    /// The header.
    public var fields: HTTPFields
    /// The content; empty for most methods.
    public var body: HTTPBody
    /// Is told the status and the fields of each interim answer (1xx) that the origin sends to this request, before its answer.
    public var onInterim: (@Sendable (Int, HTTPFields) -> Void)?

    /// A request, for a resource to be given unless another method is named.
    public init(_ method: String = "GET", _ url: HTTPURL, fields: HTTPFields = [:], body: HTTPBody = HTTPBody()) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// Methods by which nothing is asked to be changed (RFC 9110 §9.2.1).
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
    var isHead: Bool { method == "HEAD" }
}

/// The answer to a request.
public struct HTTPResponse: Sendable {
    /// The status, from 100 to 999.
    public var status: Int
    /// The header.
    public var fields: HTTPFields
    /// The content.
    public var body: HTTPBody
    /// Where it comes from.
    public var source: HTTPSource
    /// What the cache did for it; nil for an answer that comes from no cache.
    public var cacheStatus: HTTPCacheStatus?

    /// The length of the content that the header names, a number of digits alone; 0 for a status that has none.
    var contentLength: Int? {
        if status == 204 || status == 205 || status == 304 { return 0 }
        guard let text = fields["Content-Length"], text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    /// An answer; of an origin unless something else is said.
    public init(_ status: Int, fields: HTTPFields = [:], body: HTTPBody = HTTPBody(), source: HTTPSource = .origin) {
        self.status = status
        self.fields = fields
        self.body = body
        self.source = source
    }
}

/// Where an answer comes from.
public enum HTTPSource: String, Sendable, Hashable, Codable, CaseIterable {
    /// The origin was asked, and gave it.
    case origin
    /// The origin was asked by somebody else at the same time, and gave it for both.
    case shared
    /// It is stored, and was fresh.
    case fresh
    /// It is stored, and was stale, which was allowed.
    case stale
    /// It is stored, and the origin was asked whether it still holds.
    case validated
    /// The cache made it, since it may neither serve what is stored nor ask.
    case cache
}

/// Whoever has the resources: a web server, asked over the network mostly.
public protocol HTTPOrigin: Sendable {
    /// Asks for an answer, whose body may still be on its way. The request has no fields for one connection alone.
    ///
    /// - Throws: where there is no answer; an answer of status 500 is one.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse
}

/// Why there is no answer, or no whole one.
public enum HTTPCacheError: Error, Sendable, Hashable {
    /// The body ended before the length that its header names, or after it.
    case truncated(bytes: Int, expected: Int)
    /// A body is longer than the reader wants.
    case tooLong(bytesMax: Int)
    /// A body that is too long to be stored was shared, and its other readers could not wait for this one any longer.
    case leftBehind
    /// A stored body could not be read to its end: somebody has changed its file.
    case damaged
    /// The cache is closed.
    case closed
    /// Too many requests wait for the origin already, or this one has waited for too long. It may be tried again after some seconds.
    case busy(retryAfterSeconds: Int)
}
