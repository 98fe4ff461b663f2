#if HTTP
    internal import CacheSystems
    internal import NIOCore
    internal import Synchronization

    /// The body of a request on its way to a server.
    final class RequestContent: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        /// The bytes that are given away before the event loops are waited for.
        static let aheadMax = 1 << 20

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var pieces: HTTPBody.AsyncIterator
            private var last = 0
            private var ahead = 0
            fileprivate let content: RequestContent

            fileprivate init(_ pieces: HTTPBody.AsyncIterator, _ content: RequestContent) {
                self.pieces = pieces
                self.content = content
            }

            /// The next piece. It is asked for when the server has taken the last one, or as long as the client's event loop has not come to
            /// say that it has not: on a busy machine a hundred megabytes were. What comes is not waited for on the server's account.
            mutating func next() async throws -> ByteBuffer? {
                content.timer.pause()
                defer { content.timer.resume() }
                content.timer.moved(last)
                ahead += last
                if ahead >= RequestContent.aheadMax {
                    for loop in content.loops.makeIterator() { try await loop.submit {}.get() }
                    ahead = 0
                }
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
        private let loops: any EventLoopGroup
        private let firstFailure = Mutex<(any Error)?>(nil)

        /// - Parameter loops: those of the client's connections.
        init(_ body: HTTPBody, _ timer: IdleTimer, _ loops: any EventLoopGroup) {
            self.body = body
            self.timer = timer
            self.loops = loops
        }

        /// What the body has thrown.
        var failure: (any Error)? { firstFailure.withLock { $0 } }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body.makeAsyncIterator(), self) }
    }
#endif
