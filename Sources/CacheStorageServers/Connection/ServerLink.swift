#if Servers
    import Dispatch
    import NIOCore
    import NIOPosix
    import Synchronization

    /// One connection to one server, made when it is needed and made again when it is lost.
    ///
    /// Any number of threads may send at once; their requests share the connection. After a failed attempt to connect, the
    /// next waits 10 ms, then twice as long each time up to a second, and every call ends by its deadline.
    final class ServerLink<Parser: ReplyParser>: Sendable {
        /// What is said to the server first on each new connection.
        typealias Handshake = @Sendable (Conversation, Deadline) throws(LinkFailure) -> Void

        /// Sends requests on one connection.
        struct Conversation: Sendable {
            fileprivate let channel: any Channel
            fileprivate let address: ServerAddress

            /// Sends bytes that are answered by `replyCount` replies, and waits for these.
            func send(_ bytes: ByteBuffer, replyCount: Int, deadline: Deadline) throws(LinkFailure) -> [Parser.Reply] {
                let request = PendingRequest<Parser.Reply>(bytes, replyCount: replyCount)
                let promise = channel.eventLoop.makePromise(of: Void.self)
                promise.futureResult.whenFailure { [address] error in
                    request.fail(LinkFailure(.lost, "\(address): the connection failed: \(error)"))
                }
                // The handler flushes, once for all requests that have come by then.
                channel.write(request, promise: promise)
                switch request.wait(until: deadline) {
                case .success(let replies): return replies
                case .failure(let failure): throw LinkFailure(failure.kind, "\(address): \(failure.description)")
                case nil:
                    // Later replies would be taken for those of later requests.
                    channel.close(promise: nil)
                    throw LinkFailure(.timedOut, "\(address): no reply within the deadline")
                }
            }
        }

        private struct State {
            var channel: (any Channel)?
            /// An attempt to connect that a thread is making: left when it is over.
            var attempt: DispatchGroup?
            var failedAttempts = 0
            var isClosed = false
        }

        private enum Step {
            case ready(any Channel)
            case wait(DispatchGroup)
            case connect(DispatchGroup, failedAttempts: Int)
            case closed
        }

        /// The server's address.
        let address: ServerAddress
        private let handshake: Handshake
        private let makeParser: @Sendable () -> Parser
        private let state = Mutex(State())

        /// A link that connects at its first request.
        init(_ address: ServerAddress, parser: @escaping @Sendable () -> Parser, handshake: @escaping Handshake) {
            self.address = address
            self.makeParser = parser
            self.handshake = handshake
        }

        deinit { close() }

        /// Sends bytes that are answered by `replyCount` replies, and waits for these.
        ///
        /// - Throws: `notSent` if no connection could be made by `connectBy`, and what ended the connection otherwise.
        func send(
            _ bytes: ByteBuffer, replyCount: Int, connectBy: Deadline? = nil, deadline: Deadline
        ) throws(LinkFailure) -> [Parser.Reply] {
            let conversation = Conversation(channel: try connection(connectBy ?? deadline), address: address)
            return try conversation.send(bytes, replyCount: replyCount, deadline: deadline)
        }

        /// Closes the connection for good.
        func close() {
            let channel = state.withLock { state in
                state.isClosed = true
                defer { state.channel = nil }
                return state.channel
            }
            channel?.close(promise: nil)
        }

        /// An open connection whose handshake is done.
        private func connection(_ deadline: Deadline) throws(LinkFailure) -> any Channel {
            var reason = "nobody answered"
            repeat {
                switch nextStep() {
                case .ready(let channel): return channel
                case .closed: throw LinkFailure(.closed, "the store is closed")
                case .wait(let attempt): _ = attempt.wait(timeout: deadline.moment)
                case .connect(let attempt, let failedAttempts):
                    if failedAttempts > 0 { deadline.pause(milliseconds: min(1_000, 5 << min(failedAttempts, 8))) }
                    let result = attempted(deadline)
                    finish(attempt, result)
                    switch result {
                    case .success(let channel): return channel
                    case .failure(let failure) where failure.kind == .malformed || failure.kind == .refused:
                        throw failure
                    case .failure(let failure): reason = failure.description
                    }
                }
            } while !deadline.isOver
            throw LinkFailure(.notSent, "\(address): no connection within the deadline: \(reason)")
        }

        private func nextStep() -> Step {
            state.withLock { state in
                if state.isClosed { return .closed }
                if let channel = state.channel, channel.isActive { return .ready(channel) }
                if let attempt = state.attempt { return .wait(attempt) }
                let attempt = DispatchGroup()
                attempt.enter()
                state.channel = nil
                state.attempt = attempt
                return .connect(attempt, failedAttempts: state.failedAttempts)
            }
        }

        private func finish(_ attempt: DispatchGroup, _ result: Result<any Channel, LinkFailure>) {
            let orphan: (any Channel)? = state.withLock { state in
                state.attempt = nil
                switch result {
                case .success(let channel):
                    state.failedAttempts = 0
                    if state.isClosed { return channel }
                    state.channel = channel
                case .failure: state.failedAttempts += 1
                }
                return nil
            }
            orphan?.close(promise: nil)
            attempt.leave()
        }

        private func attempted(_ deadline: Deadline) -> Result<any Channel, LinkFailure> {
            let channel: any Channel
            do {
                let makeParser = makeParser
                channel = try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(.nanoseconds(max(1_000_000, deadline.nanosecondsLeft)))
                    .channelOption(.socketOption(.so_keepalive), value: 1)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(PipelineHandler(makeParser()))
                        }
                    }
                    .connect(to: try address.resolved()).wait()
            } catch {
                return .failure(LinkFailure(.notSent, "\(error)"))
            }
            do throws(LinkFailure) {
                try handshake(Conversation(channel: channel, address: address), deadline)
                return .success(channel)
            } catch {
                channel.close(promise: nil)
                return .failure(error)
            }
        }
    }
#endif
