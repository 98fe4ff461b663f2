#if HTTP
    internal import AsyncHTTPClient
    internal import NIOCore
    internal import Synchronization

    /// The body of an answer on its way from a server, for one reader.
    struct ResponseContent: AsyncSequence, Sendable {
        typealias Element = [UInt8]

        /// Several that ask for pieces share one place in the body, one after the other.
        final class AsyncIterator: AsyncIteratorProtocol, Sendable {
            private let content: ResponseContent
            private let isFirst: Bool

            fileprivate init(_ content: ResponseContent, isFirst: Bool) {
                self.content = content
                self.isFirst = isFirst
            }

            func next() async throws -> [UInt8]? {
                guard isFirst else {
                    throw HTTPOriginError(.closed, "a body of the network can be read once", origin: content.origin)
                }
                do {
                    let piece = try await content.pieces.next(content.timer)
                    // A body that was cancelled may end as if it were whole.
                    try Task.checkCancellation()
                    if content.timer.hasExpired { throw HTTPOriginError.idle(content.idleLimit, content.origin) }
                    guard let piece else {
                        content.exchange.end()
                        return nil
                    }
                    content.timer.moved(piece.readableBytes)
                    content.exchange.moved(piece.readableBytes)
                    return Array(piece.readableBytesView)
                } catch {
                    let wasCut = content.pieces.drop()
                    content.exchange.end()
                    try Task.checkCancellation()
                    if wasCut { throw HTTPOriginError.busy(1, content.origin) }
                    if content.timer.hasExpired { throw HTTPOriginError.idle(content.idleLimit, content.origin) }
                    throw HTTPOriginError(error, origin: content.origin)
                }
            }
        }

        /// The pieces of a body, which can be dropped while they are read.
        private final class Pieces: Sendable {
            private final class Box: @unchecked Sendable {
                // Only whoever has taken it out of the state touches it.
                var iterator: HTTPClientResponse.Body.AsyncIterator

                init(_ body: HTTPClientResponse.Body) { iterator = body.makeAsyncIterator() }
            }

            private struct State {
                var box: Box?
                var reading: Task<ByteBuffer?, any Error>?
                var isDropped = false
                var hasReader = false
            }

            private let state: Mutex<State>

            init(_ body: HTTPClientResponse.Body) { state = Mutex(State(box: Box(body))) }

            /// Whether nobody has read it before.
            func begin() -> Bool {
                state.withLock { state in
                    defer { state.hasReader = true }
                    return !state.hasReader
                }
            }

            func next(_ timer: IdleTimer) async throws -> ByteBuffer? {
                let task = state.withLock { state -> Task<ByteBuffer?, any Error>? in
                    guard let box = state.box.take() else { return nil }
                    let task = Task<ByteBuffer?, any Error> {
                        let piece = try await box.iterator.next()
                        self.state.withLock { state in
                            state.reading = nil
                            if !state.isDropped { state.box = box }
                        }
                        return piece
                    }
                    state.reading = task
                    return task
                }
                guard let task else { throw Exchanges.Busy(seconds: 1) }
                timer.arm { task.cancel() }
                defer { timer.disarm() }
                let piece = try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
                // One that was ended for others is not whole, though its end may come without an error.
                if piece == nil, state.withLock({ $0.isDropped }) { throw Exchanges.Busy(seconds: 1) }
                return piece
            }

            /// Ends the connection; returns whether it was ended so before.
            @discardableResult
            func drop() -> Bool {
                let (box, reading, wasDropped) = state.withLock { state in
                    defer { state.isDropped = true }
                    return (state.box.take(), state.reading.take(), state.isDropped)
                }
                reading?.cancel()
                withExtendedLifetime(box) {}
                return wasDropped
            }
        }

        private let pieces: Pieces
        private let origin: String
        private let timer: IdleTimer
        private let idleLimit: Duration
        private let exchange: Exchanges.Exchange

        init(
            _ body: HTTPClientResponse.Body, _ origin: String, _ timer: IdleTimer, _ idleLimit: Duration,
            _ exchange: Exchanges.Exchange
        ) {
            pieces = Pieces(body)
            self.origin = origin
            self.timer = timer
            self.idleLimit = idleLimit
            self.exchange = exchange
            exchange.begin { [pieces, weak exchange] in
                pieces.drop()
                exchange?.end()
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self, isFirst: pieces.begin()) }
    }
#endif
