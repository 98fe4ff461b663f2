#if HTTP
    internal import CacheSystems
    internal import NIOCore
    internal import NIOHTTP1

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// A client's connection: its requests are answered one after the other, in their order.
    final class ProxyConnection: Sendable {
        private let proxy: ProxyCore
        private let number: Int
        private let channel: any Channel
        private let writer: ClientWriter
        /// How much is read of what nobody wants any more, before a connection is closed.
        private static let lingerBytesMax = 16 << 20
        private static let lingerLimit: Duration = .seconds(2)

        init(_ proxy: ProxyCore, _ number: Int, _ channel: any Channel) {
            self.proxy = proxy
            self.number = number
            self.channel = channel
            writer = ClientWriter(channel, proxy.options)
        }

        /// Answers requests until the connection ends.
        func serve(_ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>) async {
            let reader = ClientReader(parts, channel, proxy.options)
            do {
                while proxy.connections.setIdle(true, number), case .head(let head)? = try await reader.next() {
                    guard proxy.connections.setIdle(false, number) else { return }
                    proxy.count { $0.requests += 1 }
                    writer.begin()
                    guard try await answer(head, reader) else { return }
                }
            } catch {
                guard let refusal = Refusal(unreadable: error) else { return }
                await close(after: refusal, reader)
            }
        }

        /// Answers a request; returns whether another may follow.
        private func answer(_ head: HTTPRequestHead, _ reader: ClientReader) async throws -> Bool {
            let request: ProxyRequest
            do { request = try ProxyRequest(head, proxy.options, client: channel.remoteAddress?.ipAddress) } catch {
                await close(after: error, isHead: head.method == .HEAD, reader)
                return false
            }
            let body = ClientBody(request, reader, writer)
            defer { body.abandon() }
            let response: HTTPResponse
            do {
                response = try await proxy.response(to: request, body, writer)
            } catch {
                // It was the client that failed: it may have left, or its content cannot be read.
                if let refusal = body.failure.flatMap({ Refusal(unreadable: $0) }) {
                    await close(after: refusal, reader)
                }
                return false
            }
            let keepsAlive = request.keepsAlive && body.hasCome && !proxy.connections.isStopping
            guard await send(response, to: request, keepsAlive: keepsAlive) else { return false }
            if keepsAlive {
                try await body.finish()
            } else {
                body.abandon()
                await drain(reader)
            }
            return keepsAlive
        }

        /// Sends an answer; returns whether all of it went out.
        private func send(_ response: HTTPResponse, to request: ProxyRequest, keepsAlive: Bool) async -> Bool {
            let framing = Framing(response, toHead: request.method == "HEAD", isOld: request.isOld)
            // An answer without an end of its own ends with the connection.
            let keepsAlive = keepsAlive && framing != .connection
            let fields = framing.fields(of: response, keepsAlive: keepsAlive, isOld: request.isOld)
            do {
                try await writer.write(response, framed: framing, fields)
                return keepsAlive || framing != .connection
            } catch {
                proxy.count { $0.cut += 1 }
                await cut(framing)
                return false
            }
        }

        /// Ends the connection so that the client sees that the answer is not whole.
        private func cut(_ framing: Framing) async {
            // Where the connection's end is the answer's, only a reset tells the one from the other.
            if framing == .connection, let socket = channel as? any SocketOptionProvider {
                try? await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            try? await channel.close().get()
        }

        private func close(after refusal: Refusal, isHead: Bool = false, _ reader: ClientReader) async {
            proxy.count { $0.refused += 1 }
            let response = proxy.own(Int(refusal.status.code), refusal.reason)
            let framing = Framing(response, toHead: isHead, isOld: false)
            let fields = framing.fields(of: response, keepsAlive: false, isOld: false)
            guard (try? await writer.write(response, framed: framing, fields)) != nil else { return }
            await drain(reader)
        }

        /// Reads for a while what the client still sends: a connection that is closed before may take the answer with it.
        private func drain(_ reader: ClientReader) async {
            let channel = channel
            let end = channel.eventLoop.scheduleTask(in: TimeAmount(Self.lingerLimit)) { channel.close(promise: nil) }
            defer { end.cancel() }
            guard (try? await channel.close(mode: .output).get()) != nil else { return }
            var bytes = 0
            while bytes < Self.lingerBytesMax, let part = try? await reader.next() {
                if case .body(let buffer) = part { bytes += buffer.readableBytes }
            }
            // After bytes that cannot be read, only the end of the connection is waited for.
            if bytes < Self.lingerBytesMax { try? await channel.closeFuture.get() }
        }
    }
#endif
