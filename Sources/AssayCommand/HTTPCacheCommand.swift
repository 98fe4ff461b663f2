#if HTTP
    import ArgumentParser
    import CacheCore
    import CacheHarness
    import CacheSystems
    import CacheSystemsHTTP
    import Foundation

    /// `assay http-cache`: an HTTP cache as a proxy before one server.
    struct HTTPCacheCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "http-cache",
            abstract: "Stand before a web server and answer from a cache after RFC 9111.",
            discussion: """
                Every request of a client goes through one HTTPCache, and to the origin where that must ask. The first line \
                of the output is the address that clients use; Ctrl-C or SIGTERM lets requests under way come to their \
                end, and then says how often each thing has happened, a line each. A second one ends at once.

                Answers carry Via and Cache-Status (RFC 9211: hit, or why the origin was asked; what was stored; how long \
                it is fresh). Bodies above 16 KiB are in files, whatever the backend. Without --directory these are \
                temporary, and go with the process. Stored is at most 1 GiB unless --capacity says otherwise.

                The shared profile reads CDN-Cache-Control in the place of Cache-Control and Expires (RFC 9213), and does \
                not store answers that set cookies. A part of a resource, its header, or whether a client has it is asked \
                for as the whole, up to 64 MiB, so that it can be stored.

                Whoever is too slow is cut (--minimum-rate, --idle-seconds), client or origin. Where too many want \
                something of the origin they are answered by 503 with Retry-After; hits go on.

                EXAMPLES
                  assay http-cache --origin http://127.0.0.1:8080
                  assay http-cache --origin https://www.example.org --listen 127.0.0.1:8000 --capacity 500MiB \
                --policy s3fifo
                  assay http-cache --origin http://127.0.0.1:8080 --directory /var/cache/pages --profile private
                  curl -X PURGE http://127.0.0.1:8000/page     # where --allow-purge is given
                """)

        @Option(
            help: ArgumentHelp(
                "The server that is asked: http:// or https://, a host and perhaps a port.", valueName: "url"))
        var origin: String

        @Option(
            help: ArgumentHelp(
                "Where clients find it (default: 127.0.0.1:0, a free port of this machine alone).",
                valueName: "host:port"))
        var listen = "127.0.0.1:0"

        @Option(
            help: ArgumentHelp("For many users or for one: shared or private (default: shared).", valueName: "profile"),
            transform: Self.profile)
        var profile: HTTPProfile = .shared

        @OptionGroup var store: HTTPStoreSelection

        @Flag(help: "Tell the origin the Host that the client named, and keep what is stored apart by it.")
        var keepHost = false

        @Flag(
            help:
                "Let clients remove what is stored of an address by the method PURGE. Whoever can connect is a client.")
        var allowPurge = false

        @Option(
            help: ArgumentHelp(
                "The most requests to which the origin has not begun to answer; four times as many connections with it.",
                valueName: "number"))
        var originRequests = 64

        @Option(
            help: ArgumentHelp(
                "How long a request waits for its turn at the origin before it is answered by 503.",
                valueName: "seconds"))
        var waitSeconds = 10.0

        @Option(
            help: ArgumentHelp("The most connections with clients; one more is answered by 503.", valueName: "number"))
        var connections = 4096

        @Option(help: ArgumentHelp("The most connections from one address.", valueName: "number"))
        var clientConnections = 512

        @Option(
            help: ArgumentHelp(
                "The longest content of a request, as 1GiB; more is answered by 413. It is read to its end before the origin is asked.",
                valueName: "bytes"))
        var contentBytes = "1GiB"

        @Option(
            help: ArgumentHelp(
                "Bytes that the origin or a client must move in each second on average, over --idle-seconds, while it is waited for; 0 for any byte to be enough.",
                valueName: "bytes"))
        var minimumRate = 128

        @Option(help: ArgumentHelp("The most bytes of a request's target and header.", valueName: "bytes"))
        var headerBytes = 65_536

        @Option(help: ArgumentHelp("How long a connection with the origin may take to be made.", valueName: "seconds"))
        var connectSeconds = 10.0

        @Option(
            help: ArgumentHelp(
                "How long the origin or a client may send and take nothing while it is waited for.",
                valueName: "seconds"))
        var idleSeconds = 60.0

        @Option(help: ArgumentHelp("How long requests under way may go on after a signal.", valueName: "seconds"))
        var stopSeconds = 10.0

        func validate() throws {
            guard let url = HTTPURL(origin), url.target == "/" else {
                throw ValidationError(
                    "'\(origin)' is not the address of a server; write --origin http://127.0.0.1:8080.")
            }
            _ = try place()
            for (seconds, name) in [(connectSeconds, "connect"), (idleSeconds, "idle"), (waitSeconds, "wait")] {
                guard seconds > 0, seconds <= 1e6 else {
                    throw ValidationError("--\(name)-seconds must be above 0 and at most 1000000.")
                }
            }
            for (number, name) in [(connections, "connections"), (clientConnections, "client-connections")] {
                guard (1...1_000_000).contains(number) else {
                    throw ValidationError("--\(name) must be from 1 to 1000000.")
                }
            }
            guard (0...1_000_000_000).contains(minimumRate) else {
                throw ValidationError("--minimum-rate must be from 0 to 1000000000.")
            }
            guard stopSeconds >= 0, stopSeconds <= 1e6 else {
                throw ValidationError("--stop-seconds must be from 0 to 1000000.")
            }
            guard (1...1_000_000).contains(originRequests) else {
                throw ValidationError("--origin-requests must be from 1 to 1000000.")
            }
            guard (256...(1 << 20)).contains(headerBytes) else {
                throw ValidationError("--header-bytes must be from 256 to \(1 << 20).")
            }
        }

        func run() async throws {
            let (signals, signal) = AsyncStream<Void>.makeStream()
            let interrupt = Interrupt(saying: "letting requests come to their end; press Ctrl-C again to end at once") {
                signal.finish()
            }
            defer { withExtendedLifetime(interrupt) {} }
            let order = try order()
            let network = HTTPClientOrigin(networkOptions, server: order.origin)
            let opened = try store.open(profile: profile, origin: network) { options in
                options.originRequestsMax = originRequests
                options.originWaitLimit = .seconds(waitSeconds)
            }
            let served: Result<HTTPProxyStatistics, any Error>
            do { served = .success(try await serve(order, opened.cache, until: signals)) } catch {
                served = .failure(error)
            }
            let done = opened.cache.statistics
            try opened.close()
            try await network.shutdown()
            Console.print(Self.text(try served.get(), done))
        }

        /// Listens until the signals end, and for what is under way then; returns what was done.
        private func serve(
            _ order: HTTPProxyOptions, _ cache: HTTPCache, until signals: AsyncStream<Void>
        ) async throws -> HTTPProxyStatistics {
            let proxy = try await HTTPProxy.start(order, cache: cache)
            guard proxy.address != order.origin.origin else {
                await proxy.stop(within: .zero)
                throw AssayError(.usage, "The origin is this proxy itself. Name another --origin, or another --listen.")
            }
            Console.print(proxy.address)
            for await _ in signals {}
            if await !proxy.stop(within: .seconds(stopSeconds)) {
                Console.error("assay: some requests were not at their end; allow them more by --stop-seconds")
            }
            return proxy.statistics
        }

        private var networkOptions: HTTPClientOrigin.Options {
            var options = HTTPClientOrigin.Options()
            options.connectLimit = .seconds(connectSeconds)
            options.idleLimit = .seconds(idleSeconds)
            // An answer that is not stored has its connection for as long as its client takes.
            options.connectionsMax = 4 * originRequests
            options.bytesPerSecondMin = minimumRate
            return options
        }

        private func order() throws -> HTTPProxyOptions {
            var options = HTTPProxyOptions(origin: HTTPURL(origin)!)
            (options.host, options.port) = try place()
            options.keepsHost = keepHost
            options.allowsPurge = allowPurge
            options.headerBytesMax = headerBytes
            options.idleLimit = .seconds(idleSeconds)
            options.bytesPerSecondMin = minimumRate
            options.connectionsMax = connections
            options.clientConnectionsMax = clientConnections
            options.contentBytesMax = try contentBytesMax()
            return options
        }

        private func contentBytesMax() throws -> Int {
            try HTTPStoreSelection.bytes(contentBytes, of: "--content-bytes")
        }

        /// `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
        private func place() throws -> (host: String, port: Int) {
            let colon = listen.lastIndex(of: ":")
            var host = colon.map { String(listen[..<$0]) } ?? ""
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            guard let colon, !host.isEmpty, let port = Int(listen[listen.index(after: colon)...]),
                (0...65_535).contains(port)
            else { throw ValidationError("'\(listen)' is not a place to listen; write --listen 127.0.0.1:8080.") }
            return (host, port)
        }

        private static func profile(_ text: String) throws -> HTTPProfile {
            if let profile = HTTPProfile(rawValue: text) { return profile }
            throw ValidationError("'\(text)' is not a profile; write shared or private.")
        }

        private static func text(_ served: HTTPProxyStatistics, _ done: HTTPStatistics) -> String {
            let counts = [
                ("connections", served.connections), ("turnedAway", served.turnedAway), ("requests", served.requests),
                ("refused", served.refused),
                ("failed", served.failed), ("cut", served.cut),
            ]
            let events = HTTPEvent.allCases.map { ($0.rawValue, done[$0]) }
            return (counts + events).map { "\($0.0) \($0.1)" }.joined(separator: "\n")
        }
    }
#endif
