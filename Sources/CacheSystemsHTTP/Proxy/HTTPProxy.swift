#if HTTP
    public import CacheCore
    public import CacheSystems
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix

    /// A server that stands before one other, and answers from an ``CacheSystems/HTTPCache`` what that may answer.
    ///
    /// ```swift
    /// let network = HTTPClientOrigin()
    /// let cache = try HTTPCache(options, policy: lru, storage: files, origin: network)
    /// let proxy = try await HTTPProxy.start(HTTPProxyOptions(origin: HTTPURL("http://127.0.0.1:8080")!), cache: cache)
    /// print("listening on \(proxy.address)")
    /// // …
    /// await proxy.stop(within: .seconds(30))
    /// try cache.close()
    /// try await network.shutdown()
    /// ```
    ///
    /// It speaks HTTP/1.1 and HTTP/1.0 to its clients, keeps their connections, and answers the requests of one in their order. Every method that
    /// the parser knows goes to the origin, with its content in pieces; `CONNECT` does not. Fields that are for one connection are left out both
    /// ways; `Via` and `Cache-Status` (RFC 9211) are added. An answer whose origin ends before it does ends with its connection, and not as if it were
    /// whole.
    ///
    /// ### What it answers itself
    /// 400, 413, 431, 501 and 505 to what is malformed, too large or unknown; 502 where the origin fails, 504 where it is silent, and 503 with
    /// `Retry-After` where too many wait for it or there are too many connections; 204 to `OPTIONS *`; and what the cache must answer without the origin.
    ///
    /// ### Slow and many clients
    /// A request waits for its turn at the origin when all of its content has come. One address has at most half of the turns, of the room for
    /// content, and of what is asked for as a whole for later requests (``CacheSystems/HTTPRequestOptions/client``). Whoever sends or takes less than
    /// ``HTTPProxyOptions/bytesPerSecondMin`` on average is cut.
    ///
    /// ### What the origin is told of the client
    /// `X-Forwarded-For` is the client's address, `X-Forwarded-Proto` is `http`, and `X-Forwarded-Host` is the `Host` that the client named where
    /// ``HTTPProxyOptions/keepsHost`` is set. What the client says in these and in other fields that name an address in the place of the one asked for
    /// (`Forwarded`, `X-Original-URL` and their like) is left out: answers are not kept apart by it.
    public final class HTTPProxy: Sendable {
        private let core: ProxyCore
        private let server: any Channel
        /// Where clients find it, as `http://127.0.0.1:8080`.
        public let address: String

        private init(_ core: ProxyCore, _ server: any Channel, _ address: String) {
            self.core = core
            self.server = server
            self.address = address
        }

        /// Starts to listen, before a cache that asks the origin: one by an ``HTTPClientOrigin`` with its
        /// ``HTTPClientOrigin/server`` where ``HTTPProxyOptions/keepsHost`` is set.
        ///
        /// - Throws: `AssayError` with code `unavailable` if the address cannot be listened on.
        public static func start(_ options: HTTPProxyOptions, cache: HTTPCache) async throws(AssayError) -> HTTPProxy {
            let core = ProxyCore(options, cache)
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try Self.take(channel, core) }
                }
            do {
                let server = try await bootstrap.bind(host: options.host, port: options.port).get()
                return HTTPProxy(core, server, Self.address(of: server, options))
            } catch {
                throw AssayError(
                    .unavailable, "cannot be listened on; name an address of this machine and a port that is free",
                    at: AssayError.Location("\(options.host):\(options.port)"), cause: "\(error)")
            }
        }

        private static func address(of server: any Channel, _ options: HTTPProxyOptions) -> String {
            let host = options.host.contains(":") ? "[\(options.host)]" : options.host
            return "http://\(host):\(server.localAddress?.port ?? options.port)"
        }

        /// Serves a connection that was made.
        private static func take(_ channel: any Channel, _ core: ProxyCore) throws {
            let number: Int
            switch core.connections.add(channel) {
            case .taken(let taken): number = taken
            case .stopping: return channel.close(promise: nil)
            case .crowded:
                core.count { $0.turnedAway += 1 }
                return try channel.pipeline.syncOperations.addHandler(Doorkeeper { _ in false })
            }
            core.count { $0.connections += 1 }
            var framing = HTTPResponseEncoder.Configuration()
            framing.automaticallySetFramingHeaders = false
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderListSize = core.options.headerBytesMax
            limits.maxHeaderFieldSize = core.options.headerBytesMax
            limits.maxHeaderFieldCount = 1024
            let door = Doorkeeper { client in
                if core.connections.admit(client, number) { return true }
                core.count { $0.turnedAway += 1 }
                return false
            }
            try channel.pipeline.syncOperations.addHandlers([
                door,
                HTTPResponseEncoder(configuration: framing),
                ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)),
            ])
            let parts = try NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>(
                wrappingChannelSynchronously: channel)
            let task = Task {
                try? await parts.executeThenClose { inbound, _ in
                    await ProxyConnection(core, number, channel).serve(inbound)
                }
                core.connections.remove(number)
            }
            // Nobody waits for the answer any more.
            channel.closeFuture.whenComplete { _ in task.cancel() }
        }

        /// What it has done.
        public var statistics: HTTPProxyStatistics { core.statistics }

        /// Listens no more, lets requests under way go on for a while, and then ends them; returns whether all came to their end. Calling it again does nothing.
        @discardableResult
        public func stop(within limit: Duration) async -> Bool {
            try? await server.close().get()
            core.connections.stop()
            let end = server.eventLoop.scheduleTask(in: TimeAmount(limit)) { [core] in core.connections.cut() }
            await core.connections.drain()
            end.cancel()
            return !core.connections.hasCut
        }
    }
#endif
