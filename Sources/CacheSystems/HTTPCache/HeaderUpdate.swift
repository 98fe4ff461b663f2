/// A newer header of a stored answer: it came with a 304, or as the answer to HEAD (RFC 9111 §3.2).
struct HeaderUpdate: Sendable {
    let fields: HTTPFields
    let times: HTTPCache.Times
    /// The request that it answers.
    let request: HTTPRequest
    let semantics: HTTPSemantics

    /// What is stored after it of an answer.
    enum Fate: Sendable {
        /// The answer with the newer header.
        case updated(StoredAnswer)
        /// The answer as it was: the header is for the one who asked alone.
        case untouched
        /// Nothing: by the newer header it may not be stored.
        case removed
    }

    func fate(of answer: StoredAnswer) -> Fate {
        let updated = applied(to: answer)
        let response = HTTPResponse(updated.status, fields: updated.fields)
        guard semantics.mayStore(response, to: HTTPRequest("GET", request.url)) else { return .removed }
        var asked = request
        asked.method = "GET"
        return semantics.mayStore(response, to: asked) ? .updated(updated) : .untouched
    }

    /// An answer with the newer header, as it is for who asked.
    private func applied(to answer: StoredAnswer) -> StoredAnswer {
        var answer = answer
        let merged = HTTPValidation.merged(answer.fields, with: semantics.updatingFields(fields))
        answer.fields = semantics.storedFields(merged)
        answer.requestNanoseconds = times.requested
        answer.responseNanoseconds = times.received
        answer.isInvalidated = false
        let names = HTTPVary.names(answer.fields) ?? []
        if names != answer.varyNames {
            // What the request that it was stored for had in these is not known; it is right for this one.
            answer.varyNames = names
            answer.varyValues = HTTPVary.values(of: names, in: request.fields)
        }
        return answer
    }
}

extension StoredResource {
    /// Takes over a newer header of some of the answers, of which the last is the one that was asked for. Of those that `Vary` now tells
    /// apart by something else that one alone stays, since it is not known for what requests the others are.
    mutating func update(_ numbers: Set<UInt64>, asked: UInt64, with update: HeaderUpdate) {
        for answer in answers where numbers.contains(answer.number) {
            let fate = update.fate(of: answer)
            if case .untouched = fate { continue }
            guard let place = answers.firstIndex(where: { $0.number == answer.number }) else { continue }
            guard case .updated(let updated) = fate else {
                answers.remove(at: place)
                continue
            }
            if updated.varyNames == answer.varyNames {
                answers[place] = updated
            } else {
                answers.remove(at: place)
                if answer.number == asked { put(updated, to: update.request.fields, answersMax: .max) }
            }
        }
    }
}
