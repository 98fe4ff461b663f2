internal import CacheCore
internal import CacheEngine

// Asking the origin, and storing what it gives.
extension HTTPCache {
    /// When something was asked for, and when its answer began, in nanoseconds since 1970.
    struct Times: Sendable {
        let requested: Int64
        let received: Int64
    }

    /// Sends a request when it is its turn; the turn is the caller's to end, unless this throws.
    func send(_ request: HTTPRequest, _ question: Question) async throws -> (HTTPResponse, Times) {
        try await queue.enter(question.name, priority: question.options.priority)
        store.monitor.note(.asked, question.url)
        let requested = clock.wallNanoseconds()
        do {
            let response = try await origin.respond(to: request)
            return (prepared(response), Times(requested: requested, received: clock.wallNanoseconds()))
        } catch {
            queue.leave()
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
        let whole = question.known.isEmpty ? question.request : HTTPValidation.whole(question.request)
        let response: HTTPResponse
        let times: Times
        do {
            (response, times) = try await send(conditional ?? whole, question)
        } catch {
            guard !(error is CancellationError), let selected = question.selected else { throw error }
            store.end(number, question.url)
            if let old = await old(question, isUnreachable: true) { return old }
            if semantics.mustRevalidate(selected) { return .passed(unavailable) }
            throw error
        }
        if response.status == 304 {
            queue.leave()
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
            queue.leave()
            store.end(number, question.url)
            // A failure does not take the place of what is good.
            return await old(question, isUnreachable: false) ?? .passed(response)
        }
        return try await receive(response, times, question, number)
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
        guard let last = question.known.last(where: { confirmed.contains($0.number) }) else { return nil }
        let fields = semantics.storedFields(response.fields)
        // What cannot be written costs nothing but later requests.
        let isWritten = await onBlockingThread { () -> Bool? in
            try? self.store.change(question.url, endOf: number) { resource in
                for place in resource.answers.indices where confirmed.contains(resource.answers[place].number) {
                    resource.answers[place].update(with: fields, times)
                }
            }
        }
        guard isWritten != false, var found = await stored(last.number, question.url) else { return nil }
        if isWritten == nil { found.answer.update(with: fields, times) }
        store.monitor.note(isWritten == nil ? .storeFailed : .confirmed, question.url)
        return .kept(found, .validated, own: HTTPValidation.merged(found.answer.fields, with: response.fields))
    }

    /// Stores an answer while it comes, if it may be.
    private func receive(
        _ response: HTTPResponse, _ times: Times, _ question: Question, _ number: Int
    ) async throws -> Fetched {
        let length = response.fields["Content-Length"].flatMap { HTTPText.seconds($0) == nil ? nil : Int($0) }
        let isLong = length.map { $0 > options.bodyBytesMax } ?? false
        guard question.options.stores, !isLong, semantics.mayStore(response, to: question.request) else {
            queue.leave()
            store.end(number, question.url)
            if isLong { store.monitor.note(.tooLong, question.url) }
            if question.options.stores, response.status < 500, response.status != 206, question.selected != nil {
                await onBlockingThread {
                    _ = try? self.store.change(question.url) { resource in
                        resource.answers.removeAll { $0.isFor(question.request.fields) }
                    }
                }
            }
            return .passed(response)
        }
        let answer = newAnswer(
            response, to: question.request, question.options, requested: times.requested, received: times.received)
        let recording = BodyRecording(expectedLength: length)
        // Taken before anybody else can come and leave.
        guard let reader = recording.join() else { preconditionFailure("a recording that nobody has left has readers") }
        await onBlockingThread {
            self.store.whileEntered(number, question.url) { self.recordings.add(answer, recording, question.url) }
        }
        // Detached: what the load has as its context would keep the load, and with it the first reader, until the body's end.
        let task = Task.detached { await self.record(response.body, answer, recording, question, number) }
        recording.whenAbandoned { task.cancel() }
        return .kept(HTTPStore.Found(answer: answer, source: .recording(reader)), .origin, own: response.fields)
    }

    /// Writes a body down to its end, and publishes it if it has come whole.
    private func record(
        _ body: HTTPBody, _ answer: StoredAnswer, _ recording: BodyRecording, _ question: Question, _ number: Int
    ) async {
        let url = question.url
        var end: Result<Void, any Error> = .success(())
        var event: HTTPEvent
        do {
            try await write(body, answer, recording)
            if recording.length <= options.bodyBytesMax {
                var whole = answer
                whole.body = recording.bytes.map { .bytes($0) } ?? .file(length: recording.length)
                let answer = whole
                event = await onBlockingThread {
                    self.store.publish(answer, to: question.request.fields, url, from: number)
                }
            } else {
                event = .tooLong
            }
        } catch {
            end = .failure(error)
            event = error is StorageError ? .storeFailed : .truncated
        }
        if event != .stored {
            store.end(number, url)
            store.bodies?.delete(answer.number)
        }
        recordings.remove(answer.number, url)
        store.monitor.note(event, url)
        queue.leave()
        recording.finish(end)
    }

    private func write(_ body: HTTPBody, _ answer: StoredAnswer, _ recording: BodyRecording) async throws {
        for try await chunk in body {
            try Task.checkCancellation()
            try recording.append(chunk, inMemoryMax: options.inlineBytesMax) {
                try store.bodies?.create(answer.number)
            }
        }
        // A cancelled source may end without an error.
        try Task.checkCancellation()
        if let expected = recording.expectedLength, expected != recording.length {
            throw HTTPCacheError.truncated(bytes: recording.length, expected: expected)
        }
        try recording.complete()
    }
}

extension StoredAnswer {
    /// Takes over what a newer header of the same answer says.
    mutating func update(with fields: HTTPFields, _ times: HTTPCache.Times) {
        self.fields = HTTPValidation.merged(self.fields, with: fields)
        requestNanoseconds = times.requested
        responseNanoseconds = times.received
        isInvalidated = false
    }
}
