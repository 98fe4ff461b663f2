internal import CacheEngine

// Headers alone, which say something of what is stored too (RFC 9111 §4.3.5).
extension HTTPCache {
    /// Asks for a header alone.
    func askHead(_ question: Question) async throws -> HTTPResponse {
        let number = await onBlockingThread { self.store.begin(question.url, groups: []) }
        defer { store.end(number, question.url) }
        let (response, times) = try await send(question.request, question)
        guard question.options.stores, response.status != 304, response.status < 500 else {
            return passed(response, question.reason)
        }
        await onBlockingThread {
            _ = try? self.store.change(question.url, endOf: number) { resource in
                self.update(&resource, withHeader: response, times, of: question.request)
            }
        }
        return passed(response, question.reason)
    }

    /// Takes over the answer to HEAD if it is about what is stored, which must be confirmed otherwise.
    private func update(
        _ resource: inout StoredResource, withHeader head: HTTPResponse, _ times: Times, of request: HTTPRequest
    ) {
        let update = HeaderUpdate(fields: head.fields, times: times, request: request, semantics: semantics)
        // Without a validator it says nothing of a body that something may have changed.
        let isNamed = head.fields.contains("ETag") || head.fields.contains("Last-Modified")
        for old in resource.answers where old.isFor(request.fields) {
            let isSame = head.status == old.status && HTTPValidation.describes(head.fields, old)
            if isSame { resource.update([old.number], asked: old.number, with: update) }
            guard let place = resource.answers.firstIndex(where: { $0.number == old.number }) else { continue }
            if !isSame || old.isInvalidated && !isNamed { resource.answers[place].isInvalidated = true }
        }
    }
}
