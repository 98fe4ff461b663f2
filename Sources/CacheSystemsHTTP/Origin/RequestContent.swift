internal import CacheSystems
internal import NIOCore
internal import Synchronization

/// The body of a request on its way to a server.
final class RequestContent: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: HTTPBody.AsyncIterator
        fileprivate let content: RequestContent

        /// The next piece. It is asked for when the server has taken the last one; what comes is not waited for on its account.
        mutating func next() async throws -> ByteBuffer? {
            content.timer.pause()
            defer { content.timer.resume() }
            do {
                return try await pieces.next().map { ByteBuffer(bytes: $0) }
            } catch {
                content.firstFailure.withLock { $0 = $0 ?? error }
                throw error
            }
        }
    }

    private let body: HTTPBody
    private let timer: IdleTimer
    private let firstFailure = Mutex<(any Error)?>(nil)

    init(_ body: HTTPBody, _ timer: IdleTimer) {
        self.body = body
        self.timer = timer
    }

    /// What the body has thrown.
    var failure: (any Error)? { firstFailure.withLock { $0 } }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator(), content: self) }
}
