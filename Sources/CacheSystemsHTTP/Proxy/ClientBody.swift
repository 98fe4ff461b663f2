#if HTTP
    internal import NIOCore
    internal import NIOHTTP1
    internal import Synchronization

    /// The content of a request while it comes from a client.
    final class ClientBody: AsyncSequence, Sendable {
        typealias Element = [UInt8]

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let body: ClientBody

            func next() async throws -> [UInt8]? { try await body.next() }
        }

        private struct State {
            var received = 0
            var isAtEnd = false
            var isAbandoned = false
            var mayNeedLeave: Bool
            var failure: (any Error)?
        }

        /// The length that its header names; nil where that shows at its end.
        let length: Int?
        private let reader: ClientReader
        private let writer: ClientWriter
        private let state: Mutex<State>

        init(_ request: ProxyRequest, _ reader: ClientReader, _ writer: ClientWriter) {
            length = request.length
            self.reader = reader
            self.writer = writer
            state = Mutex(State(mayNeedLeave: request.expectsContinue))
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

        /// Whether nothing of it is still to come.
        var hasCome: Bool {
            state.withLock { state in state.isAtEnd || length.map { state.received >= $0 } ?? false }
        }

        /// What the client's bytes, or its leaving, have led to.
        var failure: (any Error)? { state.withLock { $0.failure } }

        /// Lets nobody read it any more.
        func abandon() { state.withLock { $0.isAbandoned = true } }

        /// Reads its end, when all of it has come.
        func finish() async throws { while try await part() != nil {} }

        private func next() async throws -> [UInt8]? {
            let needsLeave = state.withLock { state in
                defer { state.mayNeedLeave = false }
                return state.mayNeedLeave
            }
            if needsLeave { try await writer.writeContinue() }
            return try await part()
        }

        /// The next piece; nil at the end.
        private func part() async throws -> [UInt8]? {
            do {
                while true {
                    let part = try await reader.next {
                        state.withLock { !$0.isAtEnd && !$0.isAbandoned }
                    } seeing: { part in
                        state.withLock { state in
                            // Known before others read on: what follows is another request.
                            if case .end = part { state.isAtEnd = true }
                            if case .body(let buffer) = part { state.received += buffer.readableBytes }
                        }
                    }
                    if case .body(let buffer)? = part {
                        if buffer.readableBytes > 0 { return Array(buffer.readableBytesView) }
                    } else if state.withLock({ $0.isAtEnd }) {
                        return nil
                    } else {
                        throw ClientReader.ClientGone()
                    }
                }
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
                throw error
            }
        }
    }
#endif
