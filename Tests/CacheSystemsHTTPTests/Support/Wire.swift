import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// One side of a connection, byte by byte. Nothing is read before it is asked for.
final class Wire: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
        var wasReset = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let wire: Wire
        private let onActive: (@Sendable (Wire) -> Void)?

        init(_ wire: Wire, _ onActive: (@Sendable (Wire) -> Void)?) {
            self.wire = wire
            self.onActive = onActive
        }

        // What is read before this is lost.
        func channelActive(context: ChannelHandlerContext) { onActive?(wire) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            wire.take { $0.bytes += unwrapInboundIn(data).readableBytesView }
        }

        func channelInactive(context: ChannelHandlerContext) { wire.take { $0.isAtEnd = true } }
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            wire.take { state in
                state.isAtEnd = true
                state.wasReset = (error as? IOError)?.errnoCode == ECONNRESET
            }
            context.close(promise: nil)
        }
    }

    let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel, onActive: (@Sendable (Wire) -> Void)? = nil) throws {
        self.channel = channel
        try channel.pipeline.syncOperations.addHandler(Handler(self, onActive))
    }

    /// Connects to a port of this machine.
    static func connect(_ port: Int, receiveBuffer: Int? = nil) async throws -> Wire {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false).channelOption(.tcpOption(.tcp_nodelay), value: 1)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(receiveBuffer))
        }
        return try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try Wire(channel) }
        }
    }

    private func take(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func write(_ text: String) async throws { try await write(Array(text.utf8)) }
    func write(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }

    /// Reads once from the network, unless there are more bytes than the caller has seen; false at the end.
    ///
    /// One read may bring several pieces: the second can come while the caller looks at the first.
    private func more(than seen: Int) async -> Bool {
        channel.read()
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.bytes.count == seen, !state.isAtEnd else { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { $0.bytes.count > seen }
    }

    /// What comes up to some bytes, with them; nil if the connection ends before.
    func read(through end: String) async -> String? {
        let end = Array(end.utf8)
        while true {
            let (found, seen) = state.withLock { state -> ([UInt8]?, Int) in
                guard let place = state.bytes.firstRange(of: end) else { return (nil, state.bytes.count) }
                defer { state.bytes.removeFirst(place.upperBound) }
                return (Array(state.bytes[..<place.upperBound]), 0)
            }
            if let found { return String(decoding: found, as: UTF8.self) }
            guard await more(than: seen) else { return nil }
        }
    }

    /// So many bytes, or fewer if the connection ends before.
    func read(_ count: Int) async -> [UInt8] {
        while true {
            let seen = state.withLock { $0.bytes.count }
            guard seen < count, await more(than: seen) else { break }
        }
        return state.withLock { state in
            let taken = Array(state.bytes.prefix(count))
            state.bytes.removeFirst(taken.count)
            return taken
        }
    }

    /// Everything up to the end of the connection.
    func rest() async -> [UInt8] { await read(.max) }

    func close() async { try? await channel.close().get() }

    /// Whether the other side has ended it by a reset.
    var wasReset: Bool { state.withLock { $0.wasReset } }

    // MARK: Messages

    /// A message as it was on the way.
    struct Message: Sendable {
        var first: String
        var lines: [String]
        var body: [UInt8] = []
        /// Whether the body came to the end that the header names.
        var isWhole = true
        /// The statuses of the interim answers before it.
        var interim: [Int] = []

        var status: Int { first.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
        var method: String { first.prefix { $0 != " " }.description }
        var target: String { first.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
        var text: String { String(decoding: body, as: UTF8.self) }

        /// The values of a field, a line each.
        subscript(name: String) -> [String] {
            lines.compactMap { line in
                guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                    return nil
                }
                return line[line.index(after: colon)...].drop { $0 == " " }.description
            }
        }
    }

    /// The next message without its content; nil if the connection ends before one.
    func head() async -> Message? {
        guard let text = await read(through: "\r\n\r\n") else { return nil }
        var lines = text.dropLast(2).split(separator: "\r\n").map(String.init)
        return Message(first: lines.removeFirst(), lines: lines)
    }

    /// The next request with its content.
    func request() async -> Message? {
        guard var message = await head() else { return nil }
        await readBody(of: &message, untilEnd: false)
        return message
    }

    /// The answer to a request, after those that are interim.
    func answer(to method: String = "GET") async -> Message? {
        var interim: [Int] = []
        while var message = await head() {
            if (100..<200).contains(message.status) {
                interim.append(message.status)
                continue
            }
            message.interim = interim
            let hasNone = method == "HEAD" || message.status == 204 || message.status == 304
            if !hasNone { await readBody(of: &message, untilEnd: true) }
            return message
        }
        return nil
    }

    private func readBody(of message: inout Message, untilEnd: Bool) async {
        if message["Transfer-Encoding"].last?.lowercased() == "chunked" {
            message.isWhole = false
            while let line = await read(through: "\r\n"), let count = Int(line.dropLast(), radix: 16) {
                if count == 0 {
                    message.isWhole = await read(through: "\r\n") == "\r\n"
                    return
                }
                let piece = await read(count)
                message.body += piece
                guard piece.count == count, await read(2) == [13, 10] else { return }
            }
        } else if let length = message["Content-Length"].first.flatMap({ Int($0) }) {
            message.body = await read(length)
            message.isWhole = message.body.count == length
        } else if untilEnd {
            message.body = await rest()
        }
    }
}
