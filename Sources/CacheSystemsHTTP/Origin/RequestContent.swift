#if HTTP
    internal import CacheSystems
    internal import NIOCore
    internal import Synchronization

    /// The body of a request on its way to a server.
    final class RequestContent: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var pieces: HTTPBody.AsyncIterator
            private var last = 0
            fileprivate let content: RequestContent

            fileprivate init(_ pieces: HTTPBody.AsyncIterator, _ content: RequestContent) {
                self.pieces = pieces
                self.content = content
            }

            /// The next piece. It is asked for when the server has taken the last one; what comes is not waited for on its account.
            mutating func next() async throws -> ByteBuffer? {
                content.timer.pause()
                defer { content.timer.resume() }
                content.timer.moved(last)
                do {
                    let piece = try await pieces.next()
                    last = piece?.count ?? 0
                    return piece.map { ByteBuffer(bytes: $0) }
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

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body.makeAsyncIterator(), self) }
    }
#endif
