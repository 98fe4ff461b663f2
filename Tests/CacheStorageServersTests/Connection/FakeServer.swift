import NIOCore
import NIOPosix
import Synchronization

@testable import CacheStorageServers

/// A server on the loopback address that answers as a test says: a Redis server to the client, and what the test wants it
/// to be in truth.
final class FakeServer: Sendable {
    /// What the server does with a command.
    enum Answer: Sendable {
        case reply(RESPValue)
        /// Bytes as they are.
        case bytes([UInt8])
        /// Bytes, and then the end of the connection.
        case lastBytes([UInt8])
        /// Nothing, for ever.
        case silence
    }

    typealias Script = @Sendable (_ command: [String], _ connection: Int) -> Answer

    let address: ServerAddress
    private let channel: any Channel
    private let shared: Shared

    /// What the connections have in common.
    final class Shared: Sendable {
        let script: Script
        let commands = Mutex<[[String]]>([])
        let connections = Atomic(0)

        init(_ script: @escaping Script) { self.script = script }
    }

    /// Listens, by default on a port that the system chooses.
    init(port: Int = 0, _ script: @escaping Script) throws {
        let shared = Shared(script)
        self.shared = shared
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = shared.connections.wrappingAdd(1, ordering: .relaxed).newValue
                    try channel.pipeline.syncOperations.addHandler(FakeServerHandler(shared, connection: number))
                }
            }
            .bind(host: "127.0.0.1", port: port).wait()
        address = ServerAddress(host: "127.0.0.1", port: channel.localAddress!.port!)
    }

    deinit { channel.close(promise: nil) }

    /// The commands that came, in order, without greetings.
    var commands: [[String]] { shared.commands.withLock { $0 } }

    /// How many connections were made.
    var connectionCount: Int { shared.connections.load(ordering: .relaxed) }

    /// Stops listening; open connections stay.
    func stop() throws { try channel.close().wait() }

    /// A script that answers greetings and questions about the server as one without a cluster does.
    static func plain(_ script: @escaping Script) -> Script {
        { command, connection in
            switch command[0] {
            case "HELLO": .reply(.map([.simple("proto"), .integer(3)]))
            case "INFO": .reply(.bulk(Array("maxmemory:0\r\ncluster_enabled:0\r\n".utf8)))
            default: script(command, connection)
            }
        }
    }
}

private final class FakeServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let shared: FakeServer.Shared
    private let connection: Int
    private var parser = RESPParser()
    private var received = ByteBuffer()

    init(_ shared: FakeServer.Shared, connection: Int) {
        self.shared = shared
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        // A command is an array of strings, so the clients' parser reads it too.
        while let command = try? parser.next(from: &received) {
            let words = command.elements?.compactMap(\.text) ?? []
            if !["HELLO", "INFO"].contains(words[0]) { shared.commands.withLock { $0.append(words) } }
            switch shared.script(words, connection) {
            case .reply(let value): send(RESPText.encode(value), context)
            case .bytes(let bytes): send(bytes, context)
            case .lastBytes(let bytes):
                send(bytes, context)
                context.close(promise: nil)
            case .silence: break
            }
        }
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
}
