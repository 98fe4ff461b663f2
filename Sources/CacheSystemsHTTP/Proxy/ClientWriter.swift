#if HTTP
    internal import CacheSystems
    internal import NIOCore
    internal import NIOHTTP1
    internal import Synchronization

    /// Sends answers to a client, each piece when the connection has taken the last one.
    final class ClientWriter: Sendable {
        private let channel: any Channel
        private let timer: IdleTimer
        private let turn = Turn()
        private let hasHead = Mutex(false)

        init(_ channel: any Channel, _ options: HTTPProxyOptions) {
            self.channel = channel
            timer = IdleTimer(channel.eventLoop, after: options.idleLimit, bytesPerSecond: options.bytesPerSecondMin)
        }

        /// Forgets the answer before.
        func begin() {
            hasHead.withLock { $0 = false }
            timer.reset()
        }

        /// Passes an interim answer on, unless the answer has begun.
        func writeInterim(_ status: Int, _ fields: HTTPFields) {
            var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
            for line in fields.lines { head.headers.add(name: line.name, value: line.value) }
            hasHead.withLock { hasHead in
                guard !hasHead else { return }
                // In its order, though nobody waits for it: the answer is written after it.
                channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
            }
        }

        /// Lets the client send its content, unless its answer has begun.
        func writeContinue() async throws {
            await turn.take()
            defer { turn.give() }
            guard !hasHead.withLock({ $0 }) else { return }
            try await write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        }

        /// Sends an answer to its end.
        ///
        /// - Throws: what its body throws, and `ChannelError` if the client has left; part of it may be out.
        func write(_ response: HTTPResponse, framed framing: Framing, _ fields: HTTPFields) async throws {
            var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: response.status))
            for line in fields.lines { head.headers.add(name: line.name, value: line.value) }
            try await writeHead(head)
            switch framing {
            case .none: break
            case .length(let length):
                var sent = 0
                do {
                    if length > 0 {
                        for try await piece in response.body {
                            // A client would take what is too much for the next answer.
                            guard piece.count <= length - sent else {
                                throw HTTPCacheError.truncated(bytes: sent + piece.count, expected: length)
                            }
                            try await write(piece)
                            sent += piece.count
                        }
                    }
                } catch  where sent == length {
                    // The client has everything, and may have left.
                }
                guard sent == length else { throw HTTPCacheError.truncated(bytes: sent, expected: length) }
            case .chunked, .connection:
                for try await piece in response.body { try await write(piece) }
                return try await write(.end(nil))
            }
            // The client has everything, and may have left: this sends no byte.
            try? await write(.end(nil))
        }

        private func writeHead(_ head: HTTPResponseHead) async throws {
            await turn.take()
            defer { turn.give() }
            hasHead.withLock { $0 = true }
            try await write(.head(head))
        }

        private func write(_ piece: [UInt8]) async throws {
            guard !piece.isEmpty else { return }
            try await write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
            timer.moved(piece.count)
        }

        private func write(_ part: HTTPServerResponsePart) async throws {
            try Task.checkCancellation()
            timer.arm { [channel] in channel.close(promise: nil) }
            defer { timer.disarm() }
            try await channel.writeAndFlush(part).get()
        }
    }
#endif
