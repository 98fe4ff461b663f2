/// What a cache did for an answer, in the words of RFC 9211.
public struct HTTPCacheStatus: Sendable, Hashable {
    /// Why the origin was asked.
    public enum Forward: String, Sendable, Hashable, Codable, CaseIterable {
        /// The request is one that only an origin can answer: with conditions of its own, or with content.
        case bypass
        /// Answers to its method are not stored.
        case method
        /// Nothing was stored of its address.
        case uriMiss = "uri-miss"
        /// What was stored of its address was for other requests.
        case varyMiss = "vary-miss"
        /// Nothing that was stored was for it; more is not known.
        case miss
        /// What was stored was fresh, and the request did not want it so.
        case request
        /// What was stored was stale, or had to be confirmed.
        case stale
    }

    /// Why the origin was asked; nil where it was not.
    public var forward: Forward?
    /// The status that the origin answered with, where it did.
    public var forwardStatus: Int?
    /// Whether it is answered from the store without asking.
    public var isHit = false
    /// Whether the origin's answer is being stored.
    public var isStored = false
    /// Whether one question to the origin is for this request and for others.
    public var isCollapsed = false
    /// How long the answer is still fresh, in seconds, negative where it is stale; nil where that is not known.
    public var timeToLiveSeconds: Int64?

    /// The cache made the answer itself.
    public init() {}

    /// It is answered from the store.
    static var hit: HTTPCacheStatus {
        var status = HTTPCacheStatus()
        status.isHit = true
        return status
    }

    /// The origin was asked.
    init(_ forward: Forward, status: Int? = nil) {
        self.forward = forward
        forwardStatus = status
    }

    /// A member of the field `Cache-Status`, under the name of a cache.
    public func member(named name: String) -> String {
        var text = HTTPText.isToken(name.utf8) && name.utf8.first.map(Self.beginsToken) == true ? name : "\"assay\""
        if isHit { text += "; hit" }
        if let forward { text += "; fwd=\(forward.rawValue)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let timeToLiveSeconds { text += "; ttl=\(timeToLiveSeconds)" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        return text
    }

    /// Tokens of structured fields begin with a letter or a star (RFC 9651 §3.3.4).
    private static func beginsToken(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "*")
    }
}
