#if Watch
    public import CacheCore
    public import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import Synchronization

    /// A web server on 127.0.0.1 that shows how far a command is: a page, the state as JSON, and the reports at the end.
    ///
    /// It answers `GET` of `/`, `/state`, `/events` and `/report/NAME`, one request a connection, and nothing else. It reads no files: what it
    /// serves was given to it. Requests whose `Host` is another than its own are refused, so that no page of another site can read
    /// it under a name of its own (DNS rebinding).
    ///
    /// ```swift
    /// let server = try await WatchServer.start(port: 0)
    /// print("watch it at \(server.address)")
    /// server.show(Data(#"{"command":"mine"}"#.utf8))
    /// await server.stop()
    /// ```
    public final class WatchServer: Sendable {
        private let core: WatchCore
        private let group: MultiThreadedEventLoopGroup
        /// Where the page is, as `http://127.0.0.1:8080/`.
        public let address: String

        private init(_ core: WatchCore, _ group: MultiThreadedEventLoopGroup, _ port: Int) {
            self.core = core
            self.group = group
            address = "http://127.0.0.1:\(port)/"
        }

        /// Starts to listen, with a thread of its own.
        ///
        /// - Parameters:
        ///   - port: From 1 to 65535; 0 for a free one.
        ///   - limits: How much clients may ask of it.
        /// - Throws: `AssayError` with code `unavailable` if the port cannot be listened on.
        public static func start(port: Int, limits: WatchLimits = WatchLimits()) async throws(AssayError) -> WatchServer
        {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let core = WatchCore(limits)
            do {
                let server = try await ServerBootstrap(group: group)
                    .serverChannelOption(.backlog, value: 128)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .childChannelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture { try Self.take(channel, core) }
                    }
                    .bind(host: "127.0.0.1", port: port).get()
                let port = server.localAddress?.port ?? port
                core.serve(at: port)
                return WatchServer(core, group, port)
            } catch {
                try? await group.shutdownGracefully()
                throw AssayError(
                    .unavailable, "the page cannot be served there; choose another --port, or none for a free one",
                    at: .init("127.0.0.1:\(port)"), cause: "\(error)")
            }
        }

        private static func take(_ channel: any Channel, _ core: WatchCore) throws {
            guard core.enter() else { return channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in core.leave() }
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderListSize = core.limits.headerBytes
            limits.maxHeaderFieldSize = core.limits.headerBytes
            limits.maxHeaderFieldCount = 128
            try channel.pipeline.syncOperations.addHandlers([
                HTTPResponseEncoder(),
                ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)),
                WatchConnection(core),
            ])
        }

        /// How many connections there are: pages that are open, and requests under way.
        public var connections: Int { core.connections }

        /// Replaces the state, which every open page gets in whole. Never waits for them: a slow one leaves states out.
        ///
        /// - Parameter json: A JSON object without line breaks.
        public func show(_ json: Data) { core.show(ByteBuffer(bytes: json)) }

        /// Serves an HTML page as `/report/NAME` from now on.
        public func offer(report name: String, _ html: Data) { core.offer(name, ByteBuffer(bytes: html)) }

        /// Listens no more and ends every connection.
        public func stop() async { try? await group.shutdownGracefully() }
    }

    /// How much a ``WatchServer`` grants its clients.
    public struct WatchLimits: Sendable {
        /// The most connections; further ones are closed.
        public var connections = 128
        /// The most pages that follow the state; further ones are answered by 503.
        public var readers = 32
        /// The most bytes of a request's header.
        public var headerBytes = 16_384
        /// How long a client may take to send its request.
        public var requestTime = Duration.seconds(10)
        /// How long a client may take to accept an answer, or one state.
        public var answerTime = Duration.seconds(30)

        /// The defaults.
        public init() {}
    }
#endif
