#if HTTP
    internal import NIOCore
    internal import NIOHTTP1
    internal import Synchronization

    /// What comes from a client, for whoever reads it at the time: one after the other.
    final class ClientReader: @unchecked Sendable {
        /// The client has left, or was too slow.
        struct ClientGone: Error {}

        // Only whoever has the turn touches it.
        private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
        private let channel: any Channel
        private let timer: IdleTimer
        private let turn = Turn()

        init(
            _ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>, _ channel: any Channel,
            _ options: HTTPProxyOptions
        ) {
            self.parts = parts.makeAsyncIterator()
            self.channel = channel
            timer = IdleTimer(channel.eventLoop, after: options.idleLimit, bytesPerSecond: options.bytesPerSecondMin)
        }

        /// The next part; nil when the client has ended the connection, or was too slow, and where none is wanted any more when it is the caller's turn.
        ///
        /// - Parameter see: is told the part before it is anybody else's turn.
        /// - Throws: what the parser found wrong.
        func next(
            if isWanted: @Sendable () -> Bool = { true },
            seeing see: @Sendable (HTTPServerRequestPart) -> Void = { _ in }
        ) async throws -> HTTPServerRequestPart? {
            await turn.take()
            defer { turn.give() }
            guard isWanted() else { return nil }
            timer.arm { [channel] in channel.close(promise: nil) }
            defer { timer.disarm() }
            let part = try await parts.next()
            if let part { see(part) }
            // A header comes as a whole, within the time; so does the next request.
            if case .body(let buffer)? = part { timer.moved(buffer.readableBytes) } else { timer.reset() }
            return part
        }
    }

    /// A right that one task has at a time; others wait in their order.
    final class Turn: Sendable {
        private let state = Mutex<(isTaken: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

        func take() async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isTaken {
                        state.waiters.append(continuation)
                        return false
                    }
                    state.isTaken = true
                    return true
                }
                if isFree { continuation.resume() }
            }
        }

        func give() {
            let next = state.withLock { state in
                guard !state.waiters.isEmpty else {
                    state.isTaken = false
                    return nil as CheckedContinuation<Void, Never>?
                }
                return state.waiters.removeFirst()
            }
            next?.resume()
        }
    }
#endif
