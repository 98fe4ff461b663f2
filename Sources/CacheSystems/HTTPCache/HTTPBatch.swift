internal import CacheCore
internal import CacheEngine

/// Answers that were had otherwise and are stored together: all of them, or none.
///
/// ```swift
/// let batch = cache.batch()
/// for page in pages {
///     try batch.add(HTTPResponse(200, fields: page.fields), for: HTTPRequest("GET", page.url)) { try page.nextPiece() }
/// }
/// let fates = try batch.store()
/// ```
///
/// Nothing can be found before ``store(_:)``, and everything after it. Bodies are written as they are added, to files where the cache has
/// a directory for them: memory holds what is known of each answer, and at most 16 MiB of short bodies. What was added and never
/// stored goes with the batch. A process that ends while a batch is stored leaves each answer whole or absent, and the batch
/// can be stored again.
///
/// For one thread at a time. While ``store(_:)`` writes, other users of the cache wait.
public final class HTTPBatch {
    /// What became of an answer of a batch.
    public enum Fate: String, Sendable, Hashable, Codable, CaseIterable {
        /// It is stored.
        case stored
        /// It is not, since there was an answer that was to be kept.
        case kept
        /// It is not, since it had to make room for others.
        case displaced
    }

    /// What happens to an answer for which there is one already.
    public enum Conflict: String, Sendable, Hashable, Codable, CaseIterable {
        /// The one that its origin made last stays; of equals the one that is fresh for longer, and then the one that was there. One that
        /// must be confirmed before it is served makes way.
        case newer
        /// The one of the batch stays.
        case replace
        /// The one that was there stays.
        case keep
    }

    private let cache: HTTPCache
    private var parts: [HTTPStore.Part] = []
    private var weight = 0
    /// The bytes of bodies that memory may still hold.
    private var roomBytes = 16 << 20
    private var isOver = false

    init(_ cache: HTTPCache) { self.cache = cache }

    deinit { discard() }

    /// How many answers were added.
    public var count: Int { parts.count }

    /// Adds an answer, whose body is given in pieces until nil; what `response` has as a body is not looked at. Returns whether it may
    /// be stored at all, by the rules of the cache: one that may not is left out, and its body is not asked for.
    ///
    /// - Throws: what `next` throws; the store's `StoreError`, with code `valueRefused` for a body above
    ///   ``HTTPCacheOptions/bodyBytesMax``, and `full` where the batch would not fit ``HTTPCacheOptions/storeBytesMax``;
    ///   ``HTTPCacheError/truncated(bytes:expected:)`` for a body that is not as long as `Content-Length` says. The batch is
    ///   as it was before.
    @discardableResult
    public func add(
        _ response: HTTPResponse, for request: HTTPRequest, _ options: HTTPRequestOptions = HTTPRequestOptions(),
        body next: () throws -> [UInt8]?
    ) throws -> Bool {
        try requireRunning()
        let response = cache.prepared(response)
        guard cache.semantics.mayStore(response, to: request) else { return false }
        let now = cache.clock.wallNanoseconds()
        var answer = cache.newAnswer(response, to: request, options, requested: now, received: now)
        let length = response.contentLength
        do {
            answer.body = try body(of: answer.number, expected: length, next)
            try requireRoom(for: answer)
        } catch {
            cache.store.bodies?.delete(answer.number)
            throw error
        }
        if case .bytes(let bytes) = answer.body { roomBytes -= bytes.count }
        weight += answer.weight
        parts.append(HTTPStore.Part(url: request.url.description, request: request.fields, answer: answer))
        return true
    }

    private func body(of number: UInt64, expected: Int?, _ next: () throws -> [UInt8]?) throws -> StoredAnswer.Body {
        let recording = BodyRecording(expectedLength: expected)
        let inMemoryMax = min(cache.options.inlineBytesMax, roomBytes)
        while let piece = try next() {
            guard recording.length + piece.count <= cache.options.bodyBytesMax else {
                throw StoreError(
                    .valueRefused,
                    "a body has more than \(cache.options.bodyBytesMax) bytes; raise bodyBytesMax or leave it out")
            }
            try recording.append(piece, inMemoryMax: inMemoryMax) { try cache.store.bodies?.create(number) }
        }
        if let expected, expected != recording.length {
            throw HTTPCacheError.truncated(bytes: recording.length, expected: expected)
        }
        try recording.complete()
        return recording.bytes.map { .bytes($0) } ?? .file(length: recording.length)
    }

    private func requireRoom(for answer: StoredAnswer) throws {
        guard let most = cache.options.storeBytesMax else { return }
        // 100 more for its address, as the limit counts it.
        let needed = weight + answer.weight + (parts.count + 1) * 100
        guard needed <= most else {
            throw StoreError(
                .full,
                "the answers weigh \(needed) bytes together, and the store may hold \(most); raise storeBytesMax")
        }
    }

    private func requireRunning() throws {
        try cache.store.requireOpen()
        if isOver { throw AssayError(.usage, "The batch was stored or given up; make another.") }
    }

    /// Stores everything that was added, and ends the batch. Returns what became of each answer, in the order in which they were added.
    ///
    /// - Throws: the store's `StoreError`: then what was there before is there still, as far as the store could be written.
    public func store(_ conflict: Conflict = .newer) throws -> [Fate] {
        try requireRunning()
        isOver = true
        let semantics = cache.semantics
        let fates: [Fate]
        do {
            fates = try cache.store.publish(parts) { old, new in
                switch conflict {
                case .replace: false
                case .keep: true
                case .newer: !old.isInvalidated && semantics.rank(old) >= semantics.rank(new)
                }
            }
        } catch {
            isOver = false
            discard()
            throw error
        }
        for (part, fate) in zip(parts, fates) {
            if fate != .stored { cache.store.bodies?.delete(part.answer.number) }
            if fate != .kept { cache.store.monitor.note(fate == .stored ? .stored : .displaced, part.url) }
        }
        return fates
    }

    /// Gives up what was added and not stored.
    public func discard() {
        guard !isOver else { return }
        isOver = true
        for part in parts { cache.store.bodies?.delete(part.answer.number) }
        parts = []
    }
}

extension HTTPCache {
    /// An empty batch of answers, to be stored together.
    public func batch() -> HTTPBatch { HTTPBatch(self) }

    /// The date, as this cache has it, in seconds since 1970.
    package var wallSeconds: Int64 { clock.wallNanoseconds() / 1_000_000_000 }
}

extension HTTPSemantics {
    /// When an answer was made, and until when it is fresh, in seconds since 1970.
    fileprivate func rank(_ answer: StoredAnswer) -> (Int64, Int64) {
        (answer.dateSeconds, answer.dateSeconds + lifetime(answer))
    }
}
