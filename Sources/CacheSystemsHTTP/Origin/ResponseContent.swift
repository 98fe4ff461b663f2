internal import AsyncHTTPClient
internal import NIOCore
internal import Synchronization

/// The body of an answer on its way from a server, for one reader.
struct ResponseContent: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// Several that ask for pieces share one place in the body, one after the other.
    final class AsyncIterator: AsyncIteratorProtocol, @unchecked Sendable {
        private var pieces: HTTPClientResponse.Body.AsyncIterator?
        private let content: ResponseContent

        fileprivate init(_ pieces: HTTPClientResponse.Body.AsyncIterator?, _ content: ResponseContent) {
            self.pieces = pieces
            self.content = content
        }

        func next() async throws -> [UInt8]? {
            guard pieces != nil else {
                throw HTTPOriginError(.closed, "a body of the network can be read once", origin: content.origin)
            }
            do {
                let piece = try await content.timer.limit { try await self.pieces?.next() }
                // A body that was cancelled may end as if it were whole.
                try Task.checkCancellation()
                if content.timer.hasExpired { throw HTTPOriginError.idle(content.idleLimit, content.origin) }
                return piece.map { Array($0.readableBytesView) }
            } catch {
                try Task.checkCancellation()
                if content.timer.hasExpired { throw HTTPOriginError.idle(content.idleLimit, content.origin) }
                throw HTTPOriginError(error, origin: content.origin)
            }
        }
    }

    private final class Once: Sendable {
        let body: Mutex<HTTPClientResponse.Body?>

        init(_ body: HTTPClientResponse.Body) { self.body = Mutex(body) }
    }

    private let body: Once
    private let origin: String
    private let timer: IdleTimer
    private let idleLimit: Duration

    init(_ body: HTTPClientResponse.Body, _ origin: String, _ timer: IdleTimer, _ idleLimit: Duration) {
        self.body = Once(body)
        self.origin = origin
        self.timer = timer
        self.idleLimit = idleLimit
    }

    func makeAsyncIterator() -> AsyncIterator {
        let body = body.body.withLock { body in
            defer { body = nil }
            return body
        }
        return AsyncIterator(body?.makeAsyncIterator(), self)
    }
}
