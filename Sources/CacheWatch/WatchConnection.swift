#if Watch
    internal import CEmbeddedFiles
    internal import CacheCore
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1

    /// One connection with a browser: it answers one request, or sends the states as they come.
    final class WatchConnection: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let core: WatchCore
        private var deadline: Scheduled<Void>?
        private var hasRequest = false
        /// The number of this page among those that follow; nil for other connections.
        private var reader: Int?
        private var isWriting = false
        private var versionSent = -1

        /// No page loads anything from elsewhere, and none is shown inside one of another site.
        private static let fields = [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"), ("Connection", "close"),
        ]

        init(_ core: WatchCore) { self.core = core }

        func channelActive(context: ChannelHandlerContext) {
            limit(core.limits.requestTime, context)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            deadline?.cancel()
            if let reader { core.unfollow(reader) }
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data), !hasRequest else { return }
            hasRequest = true
            answer(head, context)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard error is HTTPParserError, !hasRequest else { return context.close(promise: nil) }
            hasRequest = true
            send(.badRequest, "The request is malformed or its header too long.", context)
        }

        private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
            let hosts = head.headers["Host"]
            guard hosts.count == 1, core.answers(to: hosts[0]) else {
                return send(.misdirectedRequest, "Ask for 127.0.0.1 or localhost with the port.", context)
            }
            guard head.method == .GET else {
                return send(.methodNotAllowed, "There is only GET.", context, more: [("Allow", "GET")])
            }
            let path = head.uri.prefix { $0 != "?" }
            switch path {
            case "/":
                send(.ok, ByteBuffer(bytes: embedded_watch_html().bytes), "text/html; charset=utf-8", context)
            case "/state": send(.ok, core.newest.json, "application/json", context)
            case "/events": follow(context)
            default:
                let name = path.hasPrefix("/report/") ? path.dropFirst("/report/".count).removingPercentEncoding : nil
                guard let page = name.flatMap(core.report) else {
                    return send(.notFound, "There is nothing here.", context)
                }
                send(.ok, page, "text/html; charset=utf-8", context)
            }
        }

        private func send(
            _ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext,
            more: [(String, String)] = []
        ) {
            send(status, ByteBuffer(string: text + "\n"), "text/plain; charset=utf-8", context, more: more)
        }

        private func send(
            _ status: HTTPResponseStatus, _ body: ByteBuffer, _ type: String, _ context: ChannelHandlerContext,
            more: [(String, String)] = []
        ) {
            let fields = Self.fields + [("Content-Type", type), ("Content-Length", "\(body.readableBytes)")] + more
            begin(status, fields, context)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            limit(core.limits.answerTime, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
                context.close(promise: nil)
            }
        }

        private func begin(
            _ status: HTTPResponseStatus, _ fields: [(String, String)], _ context: ChannelHandlerContext
        ) {
            context.write(
                wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: HTTPHeaders(fields)))),
                promise: nil)
        }

        /// Sends the state now and whenever there is another.
        private func follow(_ context: ChannelHandlerContext) {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let loop = context.eventLoop
            reader = core.follow {
                loop.execute {
                    let (handler, context) = bound.value
                    handler.sendNewest(context)
                }
            }
            guard reader != nil else {
                return send(.serviceUnavailable, "Too many pages follow.", context, more: [("Retry-After", "5")])
            }
            begin(.ok, Self.fields + [("Content-Type", "text/event-stream")], context)
            sendNewest(context)
        }

        /// Sends the newest state if it was not sent, and only when the one before was accepted: states never pile up.
        private func sendNewest(_ context: ChannelHandlerContext) {
            let newest = core.newest
            guard !isWriting, newest.version > versionSent, context.channel.isActive else { return }
            isWriting = true
            versionSent = newest.version
            var event = ByteBuffer(string: "data: ")
            event.writeImmutableBuffer(newest.json)
            event.writeString("\n\n")
            limit(core.limits.answerTime, context)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(event)))).assumeIsolated().whenComplete { _ in
                self.deadline?.cancel()
                self.isWriting = false
                self.sendNewest(context)
            }
        }

        /// Closes the connection after a while, unless another limit takes the place of this one.
        private func limit(_ time: Duration, _ context: ChannelHandlerContext) {
            deadline?.cancel()
            deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) {
                context.close(promise: nil)
            }
        }
    }
#endif
