#if HTTP
    internal import CacheSystems
    internal import NIOCore
    internal import NIOHTTP1
    internal import Synchronization

    /// Stands between a connection's parser and the client library, which takes what a server says on trust.
    ///
    /// It refuses statuses that no server may send, tells interim answers to those who asked, gives requests their exact targets, and takes a trailer
    /// that cannot be read for none.
    final class AnswerGuard: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        private let orders: Orders
        private var order: Orders.Order?
        private var isFailed = false
        private var isInChunks = false

        init(_ orders: Orders) { self.orders = orders }

        /// Puts one into a connection that the library has made.
        static func add(to channel: any Channel, _ orders: Orders) -> EventLoopFuture<Void> {
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(AnswerGuard(orders), position: .after(parser))
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard !isFailed else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
            if let number = head.headers.first(name: orders.field) {
                guard let order = Int(number).flatMap({ orders.take($0) }) else {
                    // Whoever asked has left, and the target with it: nothing else may be sent in its place.
                    isFailed = true
                    promise?.fail(CancellationError())
                    return context.close(promise: nil)
                }
                head.headers.remove(name: orders.field)
                head.uri = order.target
                self.order = order
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isFailed else { return }
            switch unwrapInboundIn(data) {
            case .head(let head):
                let status = Int(head.status.code)
                if (102..<200).contains(status) || status == 100 {
                    if status != 100 { order?.tell(status, head.headers) }
                    return
                }
                // Another protocol was not asked for.
                guard status >= 200 else {
                    isFailed = true
                    context.fireErrorCaught(
                        HTTPOriginError(
                            .malformed, "no server answers with the status \(status); look into the origin",
                            origin: order?.origin ?? ""))
                    return context.close(promise: nil)
                }
                order = nil
                isInChunks = head.headers.contains(name: "Transfer-Encoding")
            case .end: isInChunks = false
            case .body: break
            }
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard !isFailed else { return }
            // Only in a trailer is there a header after the chunks: the content is whole.
            if isInChunks, let error = error as? HTTPParserError,
                error == .invalidContentLength || error == .unexpectedContentLength
            {
                isFailed = true
                context.fireChannelRead(wrapInboundOut(.end(nil)))
                return context.close(promise: nil)
            }
            context.fireErrorCaught(error)
        }
    }

    /// What requests carry to the guard of the connection that they get.
    final class Orders: Sendable {
        /// A request on its way through the client library.
        struct Order: Sendable {
            let origin: String
            /// As it is to be sent.
            let target: String
            let onInterim: (@Sendable (Int, HTTPFields) -> Void)?
            fileprivate let told = Told()

            /// Tells an interim answer to the one who asked, unless there have been many.
            func tell(_ status: Int, _ headers: HTTPHeaders) {
                guard let onInterim, told.count < 16 else { return }
                told.add()
                var fields = HTTPFields()
                for (name, value) in headers { fields.add(name, value) }
                onInterim(status, fields.withoutConnectionFields())
            }
        }

        fileprivate typealias Told = Counter

        /// The field that carries an order's number as far as the guard. No client can know its name.
        let field = "assay-\(UInt64.random(in: 0 ... .max))"
        private let state = Mutex((last: 0, orders: [Int: Order]()))

        /// Keeps an order; returns its number.
        func add(_ order: Order) -> Int {
            state.withLock { state in
                state.last += 1
                state.orders[state.last] = order
                return state.last
            }
        }

        fileprivate func take(_ number: Int) -> Order? { state.withLock { $0.orders.removeValue(forKey: number) } }
        /// Forgets an order that came to nothing.
        func forget(_ number: Int) { _ = take(number) }
    }
#endif
