internal import CacheEngine
internal import Synchronization

// What becomes of a request.
extension HTTPCache {
    /// What a request is answered by.
    private enum Plan: Sendable {
        case answer(HTTPResponse)
        /// An answer, and the request is to be asked beside it.
        case answerAndRefresh(HTTPResponse, Question)
        case ask(Question)
    }

    /// What the origin is asked, and for what of the store it is to be confirmed.
    struct Question: Sendable {
        var request: HTTPRequest
        let options: HTTPRequestOptions
        /// The answers to be confirmed: the one for the request, or those for others, of which one may be right for it too.
        var known: [StoredAnswer] = []
        /// Under this name equal requests are shared.
        var name = ""
        /// Why the origin is asked.
        var reason = HTTPCacheStatus.Forward.request
        /// Whether the origin is asked for the whole, to be stored, where the client wants less.
        var fills: Bool { fill != nil }
        var fill: Fill?

        var url: String { request.url.description }
        /// The stored answer for the request, if there is one.
        var selected: StoredAnswer? { known.first { $0.isFor(request.fields) } }
        /// Whether the client's own conditions and ranges are kept from the origin, and judged here.
        var asksWhole: Bool { fills || !known.isEmpty }
        /// What the origin is asked, without conditions of the cache.
        var whole: HTTPRequest {
            guard asksWhole else { return request }
            var asked = HTTPValidation.whole(request)
            if fills { asked.method = "GET" }
            return asked
        }
    }

    /// The answer to a request: a stored one, or the origin's.
    ///
    /// The body may still be on its way when this returns. Whoever stops reading, or is cancelled, disturbs nobody; when all have left, the
    /// request is cancelled and nothing stored.
    ///
    /// - Throws: what the origin throws, where nothing is stored that may be served instead; ``HTTPCacheError/closed``;
    ///   `CancellationError`; `CacheError.recursiveLoad` for an origin that asks this cache for the same.
    public func respond(
        to request: HTTPRequest, _ options: HTTPRequestOptions = HTTPRequestOptions()
    ) async throws -> HTTPResponse {
        try store.requireOpen()
        var request = request
        request.fields = request.fields.withoutConnectionFields()
        // What the content of a GET may mean is not known here.
        guard request.method == "GET" || request.isHead, !HTTPValidation.isForOrigin(request),
            request.body.length == 0
        else { return try await pass(request, options) }
        let cleaned = request
        switch try await onBlockingThread({ () throws in try self.plan(cleaned, options) }) {
        case .answer(let answer): return answer
        case .answerAndRefresh(let answer, let question):
            refresh(question)
            return answer
        case .ask(let question):
            return try await request.isHead && !question.fills ? askHead(question) : ask(question)
        }
    }

    private func plan(_ request: HTTPRequest, _ options: HTTPRequestOptions) throws -> Plan {
        var question = Question(request: request, options: options)
        let asks = !isOffline && options.use != .cacheOnly
        let mayAsk = asks && !CacheDirectives(request.fields).has("only-if-cached")
        guard options.use != .reload else { return asks ? .ask(question) : .answer(unavailable) }
        let now = clock.wallNanoseconds()
        // What cannot be read is not there.
        let answers = (try? store.answers(question.url)) ?? []
        question.name = Self.name(question.url, answers, request) + "\n#\(store.epoch(question.url))"
        if options.use != .revalidate, let coming = recordings.find(question.url, for: request.fields),
            semantics.reuse(coming.answer, for: request, at: now) == .fresh,
            !answers.contains(where: { $0.isFor(request.fields) && $0.number > coming.answer.number })
        {
            store.monitor.note(.shared, question.url)
            var status = HTTPCacheStatus(.miss)
            status.isCollapsed = true
            return .answer(serve(coming.answer, coming.source, to: request, as: .shared, status))
        }
        guard let found = try? store.find(question.url, { HTTPVary.select($0, for: request.fields) }) else {
            store.monitor.note(.miss, question.url)
            question.known = answers.filter { $0.fields.contains("ETag") }
            question.reason = answers.isEmpty ? .uriMiss : .varyMiss
            if mayAsk, mayFill(question, isHeld: !answers.isEmpty) { question.fill = fills.begin(for: options.client) }
            return mayAsk ? .ask(question) : .answer(unavailable)
        }
        question.known = [found.answer]
        return plan(question, found, now, asks: asks, mayAsk: mayAsk)
    }

    private func plan(
        _ question: Question, _ found: HTTPStore.Found, _ now: Int64, asks: Bool, mayAsk: Bool
    ) -> Plan {
        let (request, use) = (question.request, question.options.use)
        func answer(_ kind: HTTPSource) -> HTTPResponse {
            store.monitor.note(kind == .fresh ? .hit : .staleHit, question.url)
            return serve(found.answer, found.source, to: request, as: kind, .hit)
        }
        var question = question
        question.reason =
            semantics.reuse(found.answer, for: HTTPRequest("GET", request.url), at: now) == .fresh ? .request : .stale
        var reuse = semantics.reuse(found.answer, for: request, at: now)
        if use == .revalidate { reuse = .validate }
        switch reuse {
        case .fresh: return .answer(answer(.fresh))
        case .stale(let refreshes):
            return refreshes && mayAsk ? .answerAndRefresh(answer(.stale), question) : .answer(answer(.stale))
        case .validate: break
        }
        let takesAny = !asks || use == .cacheElseOrigin || use == .cacheThenRefresh
        if takesAny, !semantics.mustRevalidate(found.answer) {
            return use == .cacheThenRefresh && mayAsk
                ? .answerAndRefresh(answer(.stale), question) : .answer(answer(.stale))
        }
        return mayAsk ? .ask(question) : .answer(unavailable)
    }

    /// What makes two requests for an address equal, as far as its stored answers say.
    private static func name(_ url: String, _ answers: [StoredAnswer], _ request: HTTPRequest) -> String {
        let names = Set(answers.flatMap(\.varyNames)).sorted()
        return HTTPVary.values(of: names, in: request.fields).reduce(url) { $0 + "\n" + ($1.map { "=" + $0 } ?? "") }
    }

    // MARK: Asking

    /// Asks beside an answer that was given, once at a time.
    private func refresh(_ question: Question) {
        guard refreshing.withLock({ $0.insert(question.name).inserted }) else { return }
        store.monitor.note(.refreshing, question.url)
        // Whatever the client wanted of it, all of it is to be fresh.
        var request = HTTPValidation.whole(question.request)
        request.method = "GET"
        request.onInterim = nil
        let whole = Question(request: request, options: question.options, known: question.known, name: question.name)
        Task {
            if let response = try? await self.ask(whole), Self.isBeingStored(response) {
                try? await self.readWhileStored(response.body)
            }
            _ = self.refreshing.withLock { $0.remove(question.name) }
        }
    }

    /// Reads a body so that it is not given up, as long as it may be stored yet: there need be no end of it.
    private func readWhileStored(
        _ body: HTTPBody, bytesMax: Int = .max, onTooLong: @Sendable () -> Void = {}
    ) async throws {
        let most = min(bytesMax, options.bodyBytesMax, options.storeBytesMax ?? .max)
        var count = 0
        for try await chunk in body {
            count += chunk.count
            // Told before the body is left, which ends the request.
            if count > most { return onTooLong() }
        }
    }

    private static func isBeingStored(_ response: HTTPResponse) -> Bool {
        response.source == .shared || response.cacheStatus?.isStored == true
    }

    /// Asks for a resource, together with others who ask for the same.
    private func ask(_ question: Question) async throws -> HTTPResponse {
        let (request, options) = (question.request, question.options)
        let isShareable =
            options.use != .reload && options.use != .revalidate && options.stores
            && !HTTPSemantics.demandsValidation(request) && !CacheDirectives(request.fields).has("no-store")
            && (question.asksWhole || !HTTPValidation.wantsLess(request))
        guard isShareable else { return answer(try await fetch(question), question) }
        queue.raise(question.name, to: options.priority, for: options.client)
        let leads = Flag()
        let fetched = try await flights.load(question.name, false, LoadOrder(nil, [])) { order in
            leads.raise()
            order.isKept = false
            return try await self.fetch(question)
        }
        if leads.isRaised, let fetched { return answer(fetched, question) }
        if case .kept(let found, let kind, _)? = fetched, found.answer.isFor(request.fields),
            kind == .stale || semantics.reuse(found.answer, for: request, at: clock.wallNanoseconds()) == .fresh
        {
            store.monitor.note(.shared, question.url)
            var status = HTTPCacheStatus(question.reason)
            status.isCollapsed = true
            return serve(found.answer, found.source, to: request, as: kind == .stale ? .stale : .shared, status)
        }
        return answer(try await fetch(question), question)
    }

    func answer(_ fetched: Fetched, _ question: Question) -> HTTPResponse {
        switch fetched {
        case .passed(let response): return passed(response, question.reason)
        case .kept(let found, let kind, let own):
            // Conditions that the origin was asked with are its own to judge.
            let request = question.asksWhole ? question.request : HTTPValidation.withoutJudged(question.request)
            var status = HTTPCacheStatus(question.reason)
            status.isStored = kind == .origin
            if kind != .stale { status.forwardStatus = kind == .validated ? 304 : found.answer.status }
            var answer = found.answer
            if let own { answer.fields = own }
            let response = serve(answer, found.source, to: request, as: kind, status)
            // Whoever takes less than all of it would leave before all of it has come.
            if kind == .origin, request.isHead || response.status != answer.status {
                let body = found.source.body()
                let (fills, url) = (question.fills, question.url)
                Task {
                    try? await self.readWhileStored(body, bytesMax: fills ? options.fillBytesMax : .max) {
                        if fills { self.unfillable.insert(url) }
                    }
                }
            }
            return response
        }
    }

    /// An answer of the origin that is not stored. One of the cache's own stays what it is.
    func passed(_ response: HTTPResponse, _ reason: HTTPCacheStatus.Forward) -> HTTPResponse {
        var response = response
        if response.cacheStatus == nil { response.cacheStatus = HTTPCacheStatus(reason, status: response.status) }
        return response
    }

    /// Passes a request on whose answers are not stored, and sees what it has changed (RFC 9111 §4.4).
    private func pass(_ request: HTTPRequest, _ options: HTTPRequestOptions) async throws -> HTTPResponse {
        guard !isOffline, options.use != .cacheOnly else { return unavailable }
        let (answer, _) = try await send(request, Question(request: request, options: options))
        let response = passed(answer, request.method == "GET" || request.isHead ? .bypass : .method)
        guard !request.isSafe, (200..<400).contains(response.status) else { return response }
        let others = ["Location", "Content-Location"].compactMap { response.fields[$0] }
            .compactMap { request.url.resolving($0) }.filter { $0.origin == request.url.origin }
        for url in Set([request.url] + others) {
            await onBlockingThread {
                // It is done, whatever becomes of the store: what cannot be marked is removed, if that can be done.
                do { try self.invalidate(url) } catch { _ = try? self.purge(url) }
            }
        }
        return response
    }

    /// Lets what is stored of an address be served only after its origin has confirmed it. Requests under way are not stored.
    ///
    /// - Throws: the store's `StoreError`.
    public func invalidate(_ url: HTTPURL) throws {
        defer { recordings.forget(url.description) }
        try store.change(url.description, overtakes: true) { resource in
            for place in resource.answers.indices { resource.answers[place].isInvalidated = true }
        }
        store.monitor.note(.invalidated, url.description)
    }
}
