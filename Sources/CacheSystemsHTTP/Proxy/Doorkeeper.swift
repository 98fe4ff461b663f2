#if HTTP
    internal import NIOCore

    /// Lets a connection in, or answers it by 503 and ends it. A client's address is known when its connection is active, and not sooner.
    final class Doorkeeper: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private static let refusal = """
            HTTP/1.1 503 Service Unavailable\r
            Retry-After: 10\r
            Content-Length: 0\r
            Cache-Control: no-store\r
            Connection: close\r
            \r\n
            """

        private let admits: (String) -> Bool
        private var isIn = false

        /// - Parameter admits: Says whether a client of an address may come in.
        init(_ admits: @escaping (String) -> Bool) { self.admits = admits }

        func channelActive(context: ChannelHandlerContext) {
            isIn = admits(context.channel.remoteAddress?.ipAddress ?? "")
            if isIn { return context.fireChannelActive() }
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.refusal))).whenComplete { _ in
                channel.close(promise: nil)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { if isIn { context.fireChannelRead(data) } }
    }
#endif
