/// The rules of RFC 9111 and RFC 5861 for one kind of cache: pure functions of messages and moments.
struct HTTPSemantics: Sendable {
    /// For whom the cache is.
    let profile: HTTPProfile
    /// The part of the time since the last change during which an answer without a lifetime is fresh.
    let heuristicFraction: Double
    /// The longest heuristic lifetime, in seconds.
    let heuristicSecondsMax: Int64

    private static let second: Int64 = 1_000_000_000

    private var isShared: Bool { profile == .shared }

    // MARK: Storing

    /// Statuses that this cache knows the meaning of (RFC 9110 §15).
    static let understood: Set<Int> = [
        200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409,
        410, 411,
        412, 413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503, 504, 505,
    ]
    /// Statuses that may be reused without an explicit lifetime.
    static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Whether the answer to a request may be stored (RFC 9111 §3). Parts of a body (206) are not.
    func mayStore(_ response: HTTPResponse, to request: HTTPRequest) -> Bool {
        let directives = CacheDirectives(response.fields)
        guard request.method == "GET", response.status >= 200, response.status != 206, response.status != 304,
            !CacheDirectives(request.fields).has("no-store"), HTTPVary.names(response.fields) != nil
        else { return false }
        let mustUnderstand = directives.has("must-understand")
        if mustUnderstand && !Self.understood.contains(response.status) { return false }
        if directives.has("no-store") && !mustUnderstand { return false }
        if isShared {
            if directives.isWhole("private") { return false }
            let permits = ["public", "s-maxage", "must-revalidate"].contains { directives.has($0) }
            if request.fields.contains("Authorization") && !permits { return false }
        }
        return directives.has("public") || directives.has("max-age") || response.fields.contains("Expires")
            || !isShared && directives.has("private") || isShared && directives.has("s-maxage")
            || Self.heuristicallyCacheable.contains(response.status)
    }

    /// The fields of an answer that are stored: without those that are private to somebody else.
    func storedFields(_ fields: HTTPFields) -> HTTPFields {
        guard isShared else { return fields }
        var kept = fields
        for name in CacheDirectives(fields).fieldNames("private") { kept.remove(name) }
        return kept
    }

    // MARK: Age and lifetime

    /// The age of an answer at a moment, in nanoseconds (RFC 9111 §4.2.3).
    func age(_ answer: StoredAnswer, at now: Int64) -> Int64 {
        let received = answer.responseNanoseconds
        let date = date(answer.fields, received: received)
        let apparent = max(0, received / Self.second - date) * Self.second
        // Of several ages the first counts; one that is no number is passed over.
        let told = answer.fields.members(of: "Age").first.flatMap { HTTPText.seconds($0) } ?? 0
        let corrected = told * Self.second + max(0, received - answer.requestNanoseconds)
        return max(apparent, corrected) + max(0, now - received)
    }

    /// How long an answer is fresh, in seconds, from when its origin made it (RFC 9111 §4.2.1): 0 where that cannot be understood.
    func lifetime(_ answer: StoredAnswer) -> Int64 {
        let directives = CacheDirectives(answer.fields)
        for name in isShared ? ["s-maxage", "max-age"] : ["max-age"] {
            switch directives.seconds(name) {
            case .value(let seconds): return seconds
            case .invalid: return 0
            case .absent: continue
            }
        }
        let now = answer.responseNanoseconds / Self.second
        let date = date(answer.fields, received: answer.responseNanoseconds)
        if let expires = answer.fields.values(of: "Expires").first {
            return max(0, (HTTPDate.seconds(of: expires, now: now) ?? date) - date)
        }
        guard Self.heuristicallyCacheable.contains(answer.status) || directives.has("public"),
            let text = answer.fields["Last-Modified"], let modified = HTTPDate.seconds(of: text, now: now),
            modified < date
        else { return 0 }
        return min(heuristicSecondsMax, Int64(Double(date - modified) * heuristicFraction))
    }

    /// When the origin made an answer, in seconds since 1970: when it came, if it does not say.
    private func date(_ fields: HTTPFields, received: Int64) -> Int64 {
        let now = received / Self.second
        return fields.values(of: "Date").first.flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
    }

    // MARK: Reuse

    /// Whether an answer may never be served when it is stale, not even without a network.
    func mustRevalidate(_ answer: StoredAnswer) -> Bool {
        let directives = CacheDirectives(answer.fields)
        return directives.has("must-revalidate") || needsValidation(answer, directives)
            || isShared && (directives.has("proxy-revalidate") || directives.has("s-maxage"))
    }

    /// Whether an answer may not be served unless its origin says that it still holds, fresh or not.
    private func needsValidation(_ answer: StoredAnswer, _ directives: CacheDirectives) -> Bool {
        answer.isInvalidated || directives.isWhole("no-cache")
    }

    /// What may be done with a stored answer.
    enum Reuse: Sendable, Equatable {
        /// It may be served.
        case fresh
        /// It may be served though it is stale; whether it is to be validated beside that.
        case stale(refreshes: Bool)
        /// Its origin must be asked first.
        case validate
    }

    /// Whether a stored answer that was selected for a request may be served to it (RFC 9111 §4, §5.2.1; RFC 5861 §3).
    func reuse(_ answer: StoredAnswer, for request: HTTPRequest, at now: Int64) -> Reuse {
        let asked = CacheDirectives(request.fields)
        let told = CacheDirectives(answer.fields)
        guard !Self.demandsValidation(request), !needsValidation(answer, told) else { return .validate }
        let age = age(answer, at: now)
        let lifetime = lifetime(answer) * Self.second
        let staleness = age - lifetime
        switch asked.seconds("max-age") {
        case .value(let most) where age > most * Self.second: return .validate
        case .invalid: return .validate
        default: break
        }
        switch asked.seconds("min-fresh") {
        case .value(let least) where -staleness < least * Self.second: return .validate
        case .invalid: return .validate
        default: break
        }
        if staleness < 0 { return .fresh }
        guard !mustRevalidate(answer) else { return .validate }
        if asked.has("max-stale") {
            // Without a number any age will do.
            let most = asked.seconds("max-stale").value ?? (asked.isBare("max-stale") ? HTTPText.secondsMax : -1)
            if staleness <= most * Self.second { return .stale(refreshes: false) }
        }
        if let window = told.seconds("stale-while-revalidate").value, staleness < window * Self.second {
            return .stale(refreshes: true)
        }
        return .validate
    }

    /// Whether a request wants nothing that its origin has not just confirmed: by Cache-Control, or by Pragma where there is none.
    static func demandsValidation(_ request: HTTPRequest) -> Bool {
        let asked = CacheDirectives(request.fields)
        if asked.has("no-cache") { return true }
        return !request.fields.contains("Cache-Control")
            && request.fields.members(of: "Pragma").contains { $0.lowercased() == "no-cache" }
    }

    /// Whether a stored answer may be served since its origin failed: with a status of its own, or not at all.
    func mayServeOnError(
        _ answer: StoredAnswer, for request: HTTPRequest, at now: Int64, isUnreachable: Bool, servesUnreachable: Bool
    ) -> Bool {
        guard !mustRevalidate(answer) else { return false }
        let staleness = age(answer, at: now) - lifetime(answer) * Self.second
        if isUnreachable && servesUnreachable { return true }
        let windows = [CacheDirectives(answer.fields), CacheDirectives(request.fields)]
            .compactMap { $0.seconds("stale-if-error").value }
        return windows.contains { staleness < $0 * Self.second }
    }

    /// The statuses by which an origin says that it has failed (RFC 5861 §4).
    static let failures: Set<Int> = [500, 502, 503, 504]
}

/// For whom a cache keeps answers.
public enum HTTPProfile: String, Sendable, Hashable, Codable, CaseIterable {
    /// For one user: what is private to them is stored too.
    case `private`
    /// For many, as a proxy's: what is for one user is not stored, and what is said to shared caches holds.
    case shared
}
