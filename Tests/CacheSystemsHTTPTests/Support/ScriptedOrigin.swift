import NIOCore
import NIOPosix
import Synchronization
import _CacheTestSupport

/// A server that does to its clients what a test has written down, byte by byte.
final class ScriptedOrigin: Sendable {
    /// What it does about a request; the number is how many have come. Returns whether the connection goes on.
    typealias Script = @Sendable (Wire.Message, Wire, Int) async throws -> Bool

    private struct State {
        var requests: [Wire.Message] = []
        var connections = 0
        var channels: [any Channel] = []
        var held: HeldPort?
    }

    private let server: any Channel
    private let state: Seen
    let port: Int

    private final class Seen: Sendable { let state = Mutex(State()) }

    /// Starts it on a free port. Where `readsContent` is false, content is left to the script.
    init(readsContent: Bool = true, receiveBuffer: Int? = nil, _ script: @escaping Script) async throws {
        let seen = Seen()
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).childChannelOption(.autoRead, value: false)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        if let receiveBuffer {
            bootstrap = bootstrap.serverChannelOption(
                .socketOption(.so_rcvbuf), value: SocketOptionValue(receiveBuffer))
        }
        server = try await bootstrap.childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                seen.state.withLock {
                    $0.connections += 1
                    $0.channels.append(channel)
                }
                _ = try Wire(channel) { wire in Task { await Self.serve(wire, seen, readsContent, script) } }
            }
        }.bind(host: "127.0.0.1", port: 0).get()
        state = seen
        port = server.localAddress!.port!
    }

    private static func serve(_ wire: Wire, _ seen: Seen, _ readsContent: Bool, _ script: Script) async {
        while let request = await readsContent ? wire.request() : wire.head() {
            let number = seen.state.withLock { state in
                state.requests.append(request)
                return state.requests.count
            }
            guard (try? await script(request, wire, number)) == true else { break }
        }
        await wire.close()
    }

    /// An origin that gives the same answer to everything.
    convenience init(_ answer: String) async throws {
        try await self.init { _, wire, _ in
            try await wire.write(answer)
            return true
        }
    }

    var requests: [Wire.Message] { state.state.withLock { $0.requests } }
    var connections: Int { state.state.withLock { $0.connections } }

    /// Stops listening, and ends every connection. Its port stays its own: another test would take it, and be asked.
    func stop() async {
        try? await server.close().get()
        state.state.withLock { $0.held = $0.held ?? (try? HeldPort(port)) }
        for channel in state.state.withLock({ $0.channels }) { try? await channel.close().get() }
    }
}

/// An answer with a length, in one string.
func answer(_ status: Int = 200, _ fields: String..., body: String = "") -> String {
    let length = status == 204 || status == 304 ? "" : "Content-Length: \(body.utf8.count)\r\n"
    return "HTTP/1.1 \(status) Said\r\n" + fields.map { $0 + "\r\n" }.joined() + length + "\r\n" + body
}
