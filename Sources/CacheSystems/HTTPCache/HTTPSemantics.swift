internal import CacheCore

/// The rules of RFC 9111 and RFC 5861 for one kind of cache: pure functions of messages and moments.
struct HTTPSemantics: Sendable {
    /// For whom the cache is.
    let profile: HTTPProfile
    /// The part of the time since the last change during which an answer without a lifetime is fresh.
    let heuristicFraction: Double
    /// The longest heuristic lifetime, in seconds.
    let heuristicSecondsMax: Int64
    /// Whether a shared cache stores answers that set cookies.
    var storesCookies = false

    private static let second: Int64 = 1_000_000_000

    private var isShared: Bool { profile == .shared }

    /// What an answer says to this cache: `CDN-Cache-Control` takes the place of `Cache-Control` and `Expires` in a shared one (RFC 9213).
    func directives(_ fields: HTTPFields) -> CacheDirectives {
        isShared ? CacheDirectives(targeted: fields) ?? CacheDirectives(fields) : CacheDirectives(fields)
    }

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
        let directives = directives(response.fields)
        guard request.method == "GET", (200...999).contains(response.status), response.status != 206,
            response.status != 304,
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
        let isExplicit =
            directives.has("max-age") || hasExpires(response.fields, directives)
            || isShared && directives.has("s-maxage")
        if setsCookies(response.fields, directives) && !(storesCookies && isExplicit) { return false }
        return isExplicit || directives.has("public") || !isShared && directives.has("private")
            || Self.heuristicallyCacheable.contains(response.status)
    }

    private func hasExpires(_ fields: HTTPFields, _ directives: CacheDirectives) -> Bool {
        !directives.isTargeted && fields.contains("Expires")
    }

    /// Whether a shared cache would hand somebody's cookies to others. An origin may name the field as one to be kept from them.
    private func setsCookies(_ fields: HTTPFields, _ directives: CacheDirectives) -> Bool {
        guard isShared, fields.contains(Self.cookies) else { return false }
        let named = directives.fieldNames("private") + directives.fieldNames("no-cache")
        return !named.contains { HTTPText.areEqual($0, Self.cookies) }
    }

    private static let cookies = "Set-Cookie"

    /// The fields of an answer that are stored: without those that are private to somebody else.
    func storedFields(_ fields: HTTPFields) -> HTTPFields {
        guard isShared else { return fields }
        var kept = fields
        for name in directives(fields).fieldNames("private") { kept.remove(name) }
        return kept
    }

    /// The fields of a newer header that a stored answer takes over: the cookies in it are for the one who asked.
    func updatingFields(_ fields: HTTPFields) -> HTTPFields { withoutOthersCookies(storedFields(fields)) }

    /// The fields of a stored answer as others may see them: without what is for one client.
    func sharedFields(_ fields: HTTPFields) -> HTTPFields {
        var kept = withoutOthersCookies(fields)
        for name in directives(fields).fieldNames("no-cache") { kept.remove(name) }
        return kept
    }

    private func withoutOthersCookies(_ fields: HTTPFields) -> HTTPFields {
        guard isShared, !storesCookies, fields.contains(Self.cookies) else { return fields }
        var kept = fields
        kept.remove(Self.cookies)
        return kept
    }

    // MARK: Age and lifetime

    /// The age of an answer at a moment, in nanoseconds (RFC 9111 §4.2.3).
    func age(_ answer: StoredAnswer, at now: Int64) -> Int64 {
        let received = answer.responseNanoseconds
        let date = date(answer.fields, received: received)
        let apparent = Self.nanoseconds(max(0, received / Self.second - date))
        // Of several ages the first counts; one that is no number is passed over.
        let told = answer.fields.members(of: "Age").first.flatMap { HTTPText.seconds($0) } ?? 0
        let corrected = saturatingSum(Self.nanoseconds(told), Self.time(from: answer.requestNanoseconds, to: received))
        return saturatingSum(max(apparent, corrected), Self.time(from: received, to: now))
    }

    /// The nanoseconds between two moments, 0 if the second is the earlier one.
    private static func time(from start: Int64, to end: Int64) -> Int64 {
        guard start < end else { return 0 }
        let (time, overflows) = end.subtractingReportingOverflow(start)
        return overflows ? .max : time
    }

    /// Seconds, of which there may be more than nanoseconds fit in a number.
    private static func nanoseconds(_ seconds: Int64) -> Int64 {
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: second)
        return overflows ? (seconds < 0 ? .min : .max) : nanoseconds
    }

    /// How long an answer is fresh, in seconds from when its origin made it, at most 2^31 (RFC 9111 §4.2.1): 0 where that cannot be
    /// understood.
    func lifetime(_ answer: StoredAnswer) -> Int64 {
        let directives = directives(answer.fields)
        for name in isShared ? ["s-maxage", "max-age"] : ["max-age"] {
            switch directives.seconds(name) {
            case .value(let seconds): return seconds
            case .invalid: return 0
            case .absent: continue
            }
        }
        let now = answer.responseNanoseconds / Self.second
        let date = date(answer.fields, received: answer.responseNanoseconds)
        if !directives.isTargeted, let expires = answer.fields.values(of: "Expires").first {
            return min(HTTPText.secondsMax, max(0, (HTTPDate.seconds(of: expires, now: now) ?? date) - date))
        }
        guard Self.heuristicallyCacheable.contains(answer.status) || directives.has("public"),
            let text = answer.fields["Last-Modified"], let modified = HTTPDate.seconds(of: text, now: now),
            modified < date
        else { return 0 }
        // No year has more than four digits, so that the fraction alone can be out of range.
        let seconds = min(
            Double(date - modified) * heuristicFraction, Double(min(heuristicSecondsMax, HTTPText.secondsMax)))
        return seconds > 0 ? Int64(seconds) : 0
    }

    /// When the origin made an answer, in seconds since 1970: when it came, if it does not say.
    private func date(_ fields: HTTPFields, received: Int64) -> Int64 {
        let now = received / Self.second
        return fields.values(of: "Date").first.flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
    }

    // MARK: Reuse

    /// Whether an answer may never be served when it is stale, not even without a network.
    func mustRevalidate(_ answer: StoredAnswer) -> Bool {
        let directives = directives(answer.fields)
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
        let told = directives(answer.fields)
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
        let windows = [directives(answer.fields), CacheDirectives(request.fields)]
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
