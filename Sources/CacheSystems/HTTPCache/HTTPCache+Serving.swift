internal import CacheEngine

// Making answers of what is stored, and records of answers.
extension HTTPCache {
    /// An answer as it is kept and passed on: without what is for one connection, and with a date.
    func prepared(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.fields = response.fields.withoutConnectionFields()
        response.cacheStatus = nil
        if !response.fields.contains("Date") {
            response.fields["Date"] = HTTPDate.text(of: clock.wallNanoseconds() / 1_000_000_000)
        }
        return response
    }

    /// The record of an answer, still without its body.
    func newAnswer(
        _ response: HTTPResponse, to request: HTTPRequest, _ options: HTTPRequestOptions, requested: Int64,
        received: Int64
    ) -> StoredAnswer {
        let names = HTTPVary.names(response.fields) ?? []
        return StoredAnswer(
            number: store.nextNumber(), status: response.status, fields: semantics.storedFields(response.fields),
            varyNames: names, varyValues: HTTPVary.values(of: names, in: request.fields), requestNanoseconds: requested,
            responseNanoseconds: received, body: .bytes([]), groups: options.groups, userData: options.userData)
    }

    /// The answer to a request that a stored one gives, and what was done for it.
    func serve(
        _ answer: StoredAnswer, _ source: BodySource, to request: HTTPRequest, as kind: HTTPSource,
        _ status: HTTPCacheStatus
    ) -> HTTPResponse {
        let now = clock.wallNanoseconds()
        var response = serve(answer, source, to: request, as: kind, at: now)
        var status = status
        status.timeToLiveSeconds = semantics.lifetime(answer) - semantics.age(answer, at: now) / 1_000_000_000
        response.cacheStatus = status
        return response
    }

    /// All of a stored answer, a part, its header, or that the client has it already.
    private func serve(
        _ answer: StoredAnswer, _ source: BodySource, to request: HTTPRequest, as kind: HTTPSource, at now: Int64
    ) -> HTTPResponse {
        var fields = answer.fields
        // Of what one client was told, others must not hear.
        if kind != .origin, kind != .validated { fields = semantics.sharedFields(fields) }
        if kind != .origin { fields["Age"] = String(semantics.age(answer, at: now) / 1_000_000_000) }
        let seconds = now / 1_000_000_000
        if (200..<300).contains(answer.status),
            HTTPValidation.clientHas(request, fields, dateSeconds: answer.dateSeconds, now: seconds)
        {
            return HTTPResponse(304, fields: HTTPValidation.notModified(fields), source: kind)
        }
        if request.isHead { return HTTPResponse(answer.status, fields: fields, source: kind) }
        if answer.status == 200, let length = source.length {
            switch HTTPRange.of(request, fields, length: length, now: seconds) {
            case .whole: break
            case .part(let part):
                fields["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
                fields["Content-Length"] = String(part.count)
                return HTTPResponse(206, fields: fields, body: source.body(part), source: kind)
            case .unsatisfiable:
                let range: HTTPFields = ["Content-Range": "bytes */\(length)", "Content-Length": "0"]
                return HTTPResponse(416, fields: range, source: kind)
            }
        }
        return HTTPResponse(answer.status, fields: fields, body: source.body(), source: kind)
    }

    /// The answer where the cache may neither serve nor ask.
    var unavailable: HTTPResponse {
        var response = HTTPResponse(
            504, fields: ["Content-Length": "0", "Cache-Control": "no-store"], source: .cache)
        response.cacheStatus = HTTPCacheStatus()
        return response
    }
}
