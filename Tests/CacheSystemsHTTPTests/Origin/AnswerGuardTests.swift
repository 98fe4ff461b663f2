import CacheSystems
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CacheSystemsHTTP

@Suite("What a server says is looked at before the client library believes it", .timeLimit(.minutes(30)))
struct AnswerGuardTests {
    @Test(arguments: ["000", "001", "099", "101"], ["", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n"])
    func `a status that no server may send is 502, with content or without, and others are served`(
        _ status: String, _ framing: String
    ) async throws {
        let origin = try await ScriptedOrigin { request, wire, _ in
            guard request.target == "/odd" else {
                try await wire.write(answer(200, body: "fine"))
                return true
            }
            let content = framing.hasPrefix("T") ? "3\r\nabc\r\n0\r\n\r\n" : framing.isEmpty ? "" : "abc"
            try await wire.write("HTTP/1.1 \(status) Odd\r\n\(framing)\r\n\(content)")
            return false
        }
        try await withProxy(origin) { fixture async throws in
            for _ in 0..<3 {
                #expect(try await fixture.ask("GET", "/odd").status == 502)
                #expect(try await fixture.ask("POST", "/odd", "Content-Length: 3", body: "abc").status == 502)
                #expect(try await fixture.ask().text == "fine")
            }
        }
    }

    @Test(arguments: ["600", "799", "999"])
    func `statuses that nobody knows are passed on`(_ status: String) async throws {
        try await withProxy(ScriptedOrigin("HTTP/1.1 \(status) X\r\nContent-Length: 3\r\n\r\nabc")) {
            fixture async throws in
            let said = try await fixture.ask()
            #expect("\(said.status)" == status && said.text == "abc")
        }
    }

    @Test(arguments: ["Content-Length: 3", "Content-Length: x", "Transfer-Encoding: gzip", "X: y"])
    func `a trailer cuts no answer, whatever is in it`(_ trailer: String) async throws {
        let origin = try await ScriptedOrigin { _, wire, number in
            try await wire.write(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\(trailer)\r\n\r\n"
            )
            return true
        }
        try await withProxy(origin) { fixture async throws in
            for _ in 0..<2 {
                let said = try await fixture.ask()
                #expect(said.text == "abc" && said.isWhole)
                try await until { !fixture.cache.isBusy }
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `interim answers go to the client, in their order, but for those that are the proxy's own`() async throws
    {
        let origin = try await ScriptedOrigin { _, wire, _ in
            try await wire.write(
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nConnection: x\r\nX: 1\r\n\r\n"
            )
            try await wire.write("HTTP/1.1 102 Processing\r\n\r\n" + answer(200, body: "fine"))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            let wire = try await fixture.connect()
            for _ in 0..<2 {
                try await wire.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let hints = try #require(await wire.head())
                #expect(hints.status == 103 && hints["Link"] == ["</a.css>"] && hints["X"] == [])
                let said = try #require(await wire.answer())
                #expect(said.interim == [102] && said.text == "fine")
            }
            // Who knows no interim answers gets none.
            let old = try await fixture.connect()
            try await old.write("GET / HTTP/1.0\r\n\r\n")
            #expect(await old.head()?.status == 200)
        }
    }

    @Test func `a server that sends interim answers without end is no burden`() async throws {
        let origin = try await ScriptedOrigin { _, wire, _ in
            for _ in 0..<10_000 { try await wire.write("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n") }
            try await wire.write(answer(200, body: "fine"))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            let said = try await fixture.ask()
            #expect(said.text == "fine" && said.interim.count == 16)
        }
    }

    @Test func `a request whose client has left before it is sent is not sent to another target`() throws {
        let orders = Orders()
        let channel = EmbeddedChannel(handler: AnswerGuard(orders))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        func write(_ number: Int) throws {
            let fields = HTTPHeaders([("Host", "a"), (orders.field, String(number))])
            try channel.writeOutbound(
                HTTPClientRequestPart.head(
                    HTTPRequestHead(version: .http1_1, method: .DELETE, uri: "/", headers: fields)))
        }
        let kept = orders.add(Orders.Order(origin: "http://a", target: "/x", onInterim: nil))
        let forgotten = orders.add(Orders.Order(origin: "http://a", target: "/y", onInterim: nil))
        orders.forget(forgotten)
        try write(kept)
        guard case .head(let head)? = try channel.readOutbound(as: HTTPClientRequestPart.self) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(head.uri == "/x" && head.headers.map(\.name) == ["Host"])
        #expect(throws: CancellationError.self) { try write(forgotten) }
        #expect(throws: ChannelError.ioOnClosedChannel) { try channel.writeOutbound(HTTPClientRequestPart.end(nil)) }
        #expect(try channel.readOutbound(as: HTTPClientRequestPart.self) == nil && !channel.isActive)
    }
}
