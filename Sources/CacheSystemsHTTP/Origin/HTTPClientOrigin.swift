#if HTTP
    internal import AsyncHTTPClient
    public import CacheSystems
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import Synchronization

    /// Web servers, asked over the network.
    ///
    /// ```swift
    /// let network = HTTPClientOrigin()
    /// let cache = try HTTPCache(options, policy: lru, storage: files, origin: network)
    /// let answer = try await cache.respond(to: HTTPRequest("GET", url))
    /// try cache.close()
    /// try await network.shutdown()
    /// ```
    ///
    /// Bodies go both ways in pieces, and no faster than the other side takes them: memory does not grow with them. An answer is passed on as it
    /// came, with its content coded as it is and without following where it leads. Interim answers (1xx) are told to
    /// ``CacheSystems/HTTPRequest/onInterim``, but for 100. Connections are used again.
    ///
    /// A request that can be repeated without harm, and has no content, is asked once more if a connection that had been used before ended without
    /// a byte of an answer: servers close such connections when they like.
    ///
    /// ### Slow peers
    /// A server that is waited for must move ``Options/bytesPerSecondMin`` on average. While requests wait for one of
    /// ``Options/connectionsMax``, bodies that move less than 4 KiB in two seconds are cut, whether the server sends no more or the reader takes no more;
    /// who has waited for eight to ten seconds all the same is told so (``HTTPOriginError/Code/busy``).
    ///
    /// ### Failures
    /// ``respond(to:)`` throws ``HTTPOriginError``, and so does the body of an answer that does not come to its end. What a request's own body throws is
    /// thrown as it is. A cancelled task ends the request and throws `CancellationError`.
    public final class HTTPClientOrigin: HTTPOrigin {
        /// How servers are asked.
        public struct Options: Sendable {
            /// How long a connection may take to be made.
            public var connectLimit: Duration = .seconds(10)
            /// How long a server may neither send nor take anything while it is waited for. The time in which a body is not read, and in which the
            /// request's own body has nothing to send, does not count.
            public var idleLimit: Duration = .seconds(60)
            /// The bytes that must move in each second on average, over ``idleLimit``, while the server is waited for; 0 for any byte to be enough.
            public var bytesPerSecondMin = 128
            /// The most connections at once.
            public var connectionsMax = 256
            /// The most requests that wait for a connection.
            public var waitersMax = 1_024
            /// Measures how long requests wait for a connection.
            public var timer: any Clock<Duration> = ContinuousClock()
            /// How long a connection that is not used is kept.
            public var keepAlive: Duration = .seconds(30)

            /// The defaults.
            public init() {}
        }

        /// The server that is asked whatever a request's address says; nil to ask the one in the address.
        public let server: HTTPURL?
        private let options: Options
        private let client: HTTPClient
        private let made: Counter
        private let orders: Orders
        private let exchanges: Exchanges

        /// A client of its own, with connections of its own.
        ///
        /// - Parameter server: gets every request, with the `Host` of the request's own address; nil to ask the host in the address. Its path counts for nothing.
        public init(_ options: Options = Options(), server: HTTPURL? = nil) {
            let made = Counter()
            let orders = Orders()
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            configuration.decompression = .disabled
            configuration.timeout = .init(connect: TimeAmount(options.connectLimit))
            configuration.httpVersion = .http1Only
            configuration.connectionPool.idleTimeout = TimeAmount(options.keepAlive)
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, options.connectionsMax)
            // Whoever asks is to know at once that nobody is there.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.http1_1ConnectionDebugInitializer = { channel in
                made.add()
                return AnswerGuard.add(to: channel, orders)
            }
            client = HTTPClient(
                eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
            self.options = options
            self.server = server
            self.made = made
            self.orders = orders
            exchanges = Exchanges(most: options.connectionsMax, waiting: options.waitersMax, timer: options.timer)
        }

        deinit { client.shutdown { _ in } }

        /// How many connections have been made.
        public var connectionsMade: Int { made.count }

        /// Asks a server. See ``HTTPClientOrigin`` for what it throws.
        public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            let madeBefore = made.count
            do {
                return try await ask(request)
            } catch let error as HTTPOriginError where error.code == .lost && Self.isRepeatable(request) {
                // If one was made meanwhile, it may have been this request's.
                guard made.count == madeBefore else { throw error }
                return try await ask(request)
            }
        }

        /// Closes every connection; requests under way fail. Not to be used afterwards.
        public func shutdown() async throws { try await client.shutdown() }

        private static func isRepeatable(_ request: HTTPRequest) -> Bool {
            ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(request.method) && request.body.length == 0
        }

        private func ask(_ request: HTTPRequest) async throws -> HTTPResponse {
            let origin = (server ?? request.url).origin
            let exchange: Exchanges.Exchange
            do { exchange = try await exchanges.begin() } catch let error as Exchanges.Busy {
                throw HTTPOriginError.busy(error.seconds, origin)
            }
            let timer = IdleTimer(
                client.eventLoopGroup.any(), after: options.idleLimit, bytesPerSecond: options.bytesPerSecondMin)
            let content = request.body.length == 0 ? nil : RequestContent(request.body, timer, client.eventLoopGroup)
            let number = orders.add(
                Orders.Order(origin: origin, target: request.url.target, onInterim: request.onInterim))
            defer { orders.forget(number) }
            let order = self.order(request, origin, content, number)
            do {
                let answer = try await timer.limit { [client] in
                    try await client.execute(order, deadline: .distantFuture)
                }
                timer.reset()
                return Self.response(answer, origin, timer, idleLimit: options.idleLimit, exchange)
            } catch {
                try Task.checkCancellation()
                if let failure = content?.failure { throw failure }
                if timer.hasExpired { throw HTTPOriginError.idle(options.idleLimit, origin) }
                throw HTTPOriginError(error, origin: origin)
            }
        }

        private func order(
            _ request: HTTPRequest, _ origin: String, _ content: RequestContent?, _ number: Int
        ) -> HTTPClientRequest {
            // The library would spell the target anew.
            var order = HTTPClientRequest(url: origin + "/")
            order.method = HTTPMethod(rawValue: request.method)
            order.headers.add(name: orders.field, value: String(number))
            order.headers.add(name: "Host", value: request.url.authority)
            for line in request.fields.lines where !Self.isFraming(line) {
                order.headers.add(name: line.name, value: line.value)
            }
            if let content {
                order.body = .stream(content, length: request.body.length.map { .known(Int64($0)) } ?? .unknown)
            }
            return order
        }

        /// What this connection needs is the client's to say, and content is sent without waiting for leave.
        private static func isFraming(_ line: HTTPFields.Field) -> Bool {
            let name = line.name.lowercased()
            return ["host", "content-length", "transfer-encoding"].contains(name)
                || name == "expect" && line.value.lowercased() == "100-continue"
        }

        private static func response(
            _ answer: HTTPClientResponse, _ origin: String, _ timer: IdleTimer, idleLimit: Duration,
            _ exchange: Exchanges.Exchange
        ) -> HTTPResponse {
            var fields = HTTPFields()
            for (name, value) in answer.headers { fields.add(name, value) }
            let length = answer.headers.first(name: "Content-Length").flatMap { Int($0) }
            let content = ResponseContent(answer.body, origin, timer, idleLimit, exchange)
            return HTTPResponse(Int(answer.status.code), fields: fields, body: HTTPBody(content, length: length))
        }
    }

    /// Counts from any thread.
    final class Counter: Sendable {
        private let number = Atomic(0)

        var count: Int { number.load(ordering: .acquiring) }
        func add() { number.add(1, ordering: .acquiringAndReleasing) }
    }
#endif
