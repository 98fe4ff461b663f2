internal import CacheCore
internal import CacheEngine

// Storing answers while their bodies come.
extension HTTPCache {
    /// Stores an answer while it comes, if it may be.
    func receive(
        _ response: HTTPResponse, _ times: Times, _ question: Question, _ number: Int
    ) async throws -> Fetched {
        let length = response.contentLength
        let answer = newAnswer(
            response, to: question.request, question.options, requested: times.requested, received: times.received)
        let isLong = length.map { $0 > bodyBytesMax(of: answer) } ?? false
        guard question.options.stores, !isLong, isFilling(question, length),
            semantics.mayStore(response, to: question.whole)
        else {
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
        unfillable.remove(question.url)
        let recording = BodyRecording(expectedLength: length)
        // Taken before anybody else can come and leave.
        guard let reader = recording.join() else { preconditionFailure("a recording that nobody has left has readers") }
        await onBlockingThread {
            self.store.whileEntered(number, question.url) { self.recordings.add(answer, recording, question.url) }
        }
        let task = Task { await self.record(response.body, answer, recording, question, number) }
        recording.whenAbandoned { task.cancel() }
        return .kept(HTTPStore.Found(answer: answer, source: .recording(reader)), .origin, own: response.fields)
    }

    /// How long the body of an answer may be that is to be stored: no longer than the whole store.
    private func bodyBytesMax(of answer: StoredAnswer) -> Int {
        let room = options.storeBytesMax.map { $0 - StoredResource(answers: [answer]).weight } ?? .max
        return max(0, min(options.bodyBytesMax, room))
    }

    /// Writes a body down to its end, and publishes it if it has come whole.
    private func record(
        _ body: HTTPBody, _ answer: StoredAnswer, _ recording: BodyRecording, _ question: Question, _ number: Int
    ) async {
        let url = question.url
        var end: Result<Void, any Error> = .success(())
        var event: HTTPEvent
        do {
            guard try await write(body, answer, recording, question, number) else {
                return recording.finish(.success(()))
            }
            var whole = answer
            whole.body = recording.bytes.map { .bytes($0) } ?? .file(length: recording.length)
            let answer = whole
            event = await onBlockingThread {
                self.store.publish(answer, to: question.request.fields, url, from: number)
            }
        } catch let error as PassedOn {
            return recording.finish(.failure(error.cause))
        } catch {
            end = .failure(error)
            event = error is StoreError ? .storeFailed : .truncated
        }
        if event != .stored {
            store.end(number, url)
            store.bodies?.delete(answer.number)
        }
        endRecording(of: answer, url, event)
        recording.finish(end)
    }

    /// Lets nobody find an answer any more as one that comes.
    private func endRecording(of answer: StoredAnswer, _ url: String, _ event: HTTPEvent) {
        recordings.remove(answer.number, url)
        store.monitor.note(event, url)
    }

    /// Why a body did not come to its end that was not to be stored any more.
    private struct PassedOn: Error {
        let cause: any Error
    }

    /// Writes a body down; returns false if it was too long for that, and has been passed on instead.
    private func write(
        _ body: HTTPBody, _ answer: StoredAnswer, _ recording: BodyRecording, _ question: Question, _ number: Int
    ) async throws -> Bool {
        let most = bodyBytesMax(of: answer)
        var pieces = body.makeAsyncIterator()
        while let piece = try await pieces.next() {
            try Task.checkCancellation()
            guard recording.length + piece.count <= most else {
                await giveUp(answer, question, number)
                do { try await pass(piece, pieces, to: recording) } catch { throw PassedOn(cause: error) }
                return false
            }
            try recording.append(piece, inMemoryMax: options.inlineBytesMax) {
                try store.bodies?.create(answer.number)
            }
            // What is longer than it says may have no end at all.
            if let expected = recording.expectedLength, recording.length > expected { break }
        }
        // A cancelled source may end without an error.
        try Task.checkCancellation()
        if let expected = recording.expectedLength, expected != recording.length {
            throw HTTPCacheError.truncated(bytes: recording.length, expected: expected)
        }
        try recording.complete()
        return true
    }

    /// Passes a body on to those who read it, at their pace.
    private func pass(
        _ first: [UInt8], _ rest: HTTPBody.AsyncIterator, to recording: BodyRecording
    ) async throws {
        var rest = rest
        var piece: [UInt8]? = first
        while let next = piece {
            try await recording.pass(next, patience: options.slowReaderWait)
            piece = try await rest.next()
            try Task.checkCancellation()
        }
    }

    /// Deletes what was written of a body that is too long, and what is stored of the same that is older.
    private func giveUp(_ answer: StoredAnswer, _ question: Question, _ number: Int) async {
        let url = question.url
        if question.fills { unfillable.insert(url) }
        await onBlockingThread {
            _ = try? self.store.change(url, endOf: number) { resource in
                resource.answers.removeAll { $0.isFor(question.request.fields) && $0.number < answer.number }
            }
            self.store.end(number, url)
            self.store.bodies?.delete(answer.number)
        }
        endRecording(of: answer, url, .tooLong)
    }
}
