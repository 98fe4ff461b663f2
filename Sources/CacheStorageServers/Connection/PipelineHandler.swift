#if Servers
    import NIOCore

    /// Sends requests as they come, many before the first reply, and hands replies out in the order of the requests.
    ///
    /// Lives on its channel's event loop.
    final class PipelineHandler<Parser: ReplyParser>: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = PendingRequest<Parser.Reply>
        typealias OutboundOut = ByteBuffer

        private var parser: Parser
        private var received = ByteBuffer()
        private var waiting = CircularBuffer<PendingRequest<Parser.Reply>>()
        private var isFlushScheduled = false
        private var ending: LinkFailure?

        init(_ parser: Parser) { self.parser = parser }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let request = unwrapOutboundIn(data)
            waiting.append(request)
            context.write(wrapOutboundOut(request.bytes), promise: promise)
            guard !isFlushScheduled else { return }
            isFlushScheduled = true
            // Behind the requests that other threads have handed in by now: one system call sends them all.
            let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.execute {
                let (handler, context) = loopBound.value
                handler.isFlushScheduled = false
                context.flush()
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard ending == nil else { return }
            var bytes = unwrapInboundIn(data)
            received.writeBuffer(&bytes)
            do throws(ProtocolViolation) {
                while let reply = try parser.next(from: &received) {
                    if Parser.isUnasked(reply) { continue }
                    guard let request = waiting.first else { throw ProtocolViolation("a reply that nobody asked for") }
                    if request.receive(reply) { waiting.removeFirst() }
                }
            } catch {
                ending = LinkFailure(.malformed, "the server sent \(error)")
                context.close(promise: nil)
            }
            received.discardReadBytes()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            ending = ending ?? LinkFailure(.lost, "the connection failed: \(error)")
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            let failure = ending ?? LinkFailure(.lost, "the server closed the connection")
            for request in waiting { request.fail(failure) }
            waiting.removeAll()
            context.fireChannelInactive()
        }
    }
#endif
