internal import CacheCore
internal import CacheEngine

// Asking the origin, and storing what it gives.
extension HTTPCache {
    /// When something was asked for, and when its answer began, in nanoseconds since 1970.
    struct Times: Sendable {
        let requested: Int64
        let received: Int64
    }

    /// Sends a request when it is its turn, which ends when the answer begins: how long its body takes is not at others' expense.
    ///
    /// - Throws: ``HTTPCacheError/busy(retryAfterSeconds:)`` where its turn does not come; what the origin throws.
    func send(_ request: HTTPRequest, _ question: Question) async throws -> (HTTPResponse, Times) {
        let options = question.options
        let client = try await queue.enter(question.name, priority: options.priority, for: options.client)
        defer { queue.leave(client) }
        store.monitor.note(.asked, question.url)
        let requested = clock.wallNanoseconds()
        do {
            let response = try await origin.respond(to: request)
            return (prepared(response), Times(requested: requested, received: clock.wallNanoseconds()))
        } catch {
            store.monitor.note(.originFailed, question.url)
            throw error
        }
    }

    /// Asks for a resource, or for what is stored of it to be confirmed.
    func fetch(_ question: Question) async throws -> Fetched {
        let number = await onBlockingThread { self.store.begin(question.url, groups: question.options.groups) }
        do {
            return try await fetch(question, number)
        } catch {
            store.end(number, question.url)
            throw error
        }
    }

    private func fetch(_ question: Question, _ number: Int) async throws -> Fetched {
        let conditional = HTTPValidation.request(question.request, confirming: question.known)
        // What is to take the place of something stored must be whole; what the client has is looked at afterwards.
        let response: HTTPResponse
        let times: Times
        do {
            (response, times) = try await send(conditional ?? question.whole, question)
        } catch {
            guard !(error is CancellationError), let selected = question.selected else { throw error }
            store.end(number, question.url)
            if let old = await old(question, isUnreachable: true) { return old }
            if semantics.mustRevalidate(selected) { return .passed(unavailable) }
            throw error
        }
        if response.status == 304 {
            defer { store.end(number, question.url) }
            guard conditional != nil else { return .passed(response) }
            if let confirmed = await confirm(question, response, times, number) { return confirmed }
            // It confirms nothing that is still there, and as it was.
            var again = question
            again.request = HTTPValidation.whole(question.request)
            again.known = []
            return try await fetch(again)
        }
        if HTTPSemantics.failures.contains(response.status), question.selected != nil {
            store.end(number, question.url)
            // A failure does not take the place of what is good.
            return await old(question, isUnreachable: false) ?? .passed(response)
        }
        let fetched = try await receive(response, times, question, number)
        if question.fills, case .passed(let response) = fetched { return try await unfilled(response, question) }
        return fetched
    }

    /// The stored answer to a request whose origin failed, if it may be served.
    private func old(_ question: Question, isUnreachable: Bool) async -> Fetched? {
        guard let selected = question.selected,
            semantics.mayServeOnError(
                selected, for: question.request, at: clock.wallNanoseconds(), isUnreachable: isUnreachable,
                servesUnreachable: options.servesWhenUnreachable),
            let found = await stored(selected.number, question.url)
        else { return nil }
        store.monitor.note(.servedOnError, question.url)
        return .kept(found, .stale)
    }

    private func stored(_ number: UInt64, _ url: String) async -> HTTPStore.Found? {
        (try? await onBlockingThread { () throws in try self.store.find(url) { $0.first { $0.number == number } } })
            ?? nil
    }

    /// Updates what a 304 is about; nil if that is not stored any more, or never was, or was changed since the origin was asked.
    private func confirm(
        _ question: Question, _ response: HTTPResponse, _ times: Times, _ number: Int
    ) async -> Fetched? {
        let confirmed = Set(HTTPValidation.confirmed(by: response, of: question.known).map(\.number))
        // Found before it is updated, since it may not stay.
        guard let last = question.known.last(where: { confirmed.contains($0.number) })?.number,
            var found = await stored(last, question.url)
        else { return nil }
        let update = HeaderUpdate(
            fields: response.fields, times: times, request: question.request, semantics: semantics)
        // What cannot be written costs nothing but later requests.
        let isWritten = await onBlockingThread { () -> Bool? in
            try? self.store.change(question.url, endOf: number) { $0.update(confirmed, asked: last, with: update) }
        }
        guard isWritten != false else { return nil }
        store.monitor.note(isWritten == nil ? .storeFailed : .confirmed, question.url)
        let own = HTTPValidation.merged(found.answer.fields, with: response.fields)
        let fate = update.fate(of: found.answer)
        if case .updated(let answer) = fate { found.answer = answer }
        let kept = Fetched.kept(found, .validated, own: own)
        if case .updated = fate { return kept }
        // It is for this one alone.
        return .passed(answer(kept, question))
    }
}
