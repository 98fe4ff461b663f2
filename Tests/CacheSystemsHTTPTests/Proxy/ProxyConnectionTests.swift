import CacheSystems
import CacheSystemsHTTP
import Testing
import _CacheTestSupport

@Suite("Connections with clients", .timeLimit(.minutes(30)))
struct ProxyConnectionTests {
    private static func echo() async throws -> ScriptedOrigin {
        try await ScriptedOrigin { request, wire, _ in
            // The first is the slowest.
            if request.target == "/1" { try await Task.sleep(for: .milliseconds(100)) }
            try await wire.write(answer(200, "Cache-Control: no-store", body: request.target + request.text))
            return true
        }
    }

    @Test func `requests that come without waiting are answered in their order, on one connection`() async throws {
        try await withProxy(Self.echo()) { fixture async throws in
            let wire = try await fixture.connect()
            var text = ""
            for number in 1...30 {
                text +=
                    number % 3 == 0
                    ? "PUT /\(number) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n1\r\ny\r\n0\r\nT: 1\r\n\r\n"
                    : "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
            }
            try await wire.write(text)
            for number in 1...30 {
                let said = try #require(await wire.answer())
                #expect(said.text == "/\(number)" + (number % 3 == 0 ? "xy" : "") && said["Connection"] == [])
            }
            #expect(fixture.proxy.statistics.connections == 1 && fixture.proxy.statistics.requests == 30)
            // Towards the origin one connection is enough too.
            #expect(fixture.origin.connections == 1)
        }
    }

    @Test func `a malformed request does not keep those before it from their answers`() async throws {
        try await withProxy(Self.echo()) { fixture async throws in
            let wire = try await fixture.connect()
            try await wire.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n")
            #expect(await wire.answer()?.text == "/1")
            #expect(await wire.answer()?.text == "/2")
            #expect(await wire.answer()?["Connection"] == ["close"])
            #expect(await wire.rest() == [])
        }
    }

    @Test(
        "who speaks HTTP/1.0, or wants the connection closed, gets that",
        arguments: [
            ("HTTP/1.0\r\n", nil as String?, false), ("HTTP/1.0\r\nConnection: keep-alive\r\n", "keep-alive", true),
            ("HTTP/1.1\r\nHost: a\r\n", nil, true), ("HTTP/1.1\r\nHost: a\r\nConnection: close\r\n", "close", false),
            ("HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n", "close", false),
        ])
    func versions(_ header: String, _ connection: String?, _ goesOn: Bool) async throws {
        try await withProxy(Self.echo()) { fixture async throws in
            let wire = try await fixture.connect()
            try await wire.write("GET /a \(header)\r\n")
            let said = try #require(await wire.answer())
            #expect(said.text == "/a" && said.first.hasPrefix("HTTP/1.1 200"))
            #expect(said["Connection"] == (goesOn ? connection.map { [$0] } ?? [] : ["close"]))
            if goesOn {
                try await wire.write("GET /b \(header)\r\n")
                #expect(await wire.answer()?.text == "/b")
            } else {
                #expect(await wire.rest() == [])
            }
        }
    }

    @Test(
        "answers without content have none, whatever their fields say, and the connection goes on",
        arguments: [
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n", ["77"]),
            ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", []),
            ("GET", "HTTP/1.1 204 None\r\n\r\n", []), ("DELETE", "HTTP/1.1 204 None\r\nContent-Length: 0\r\n\r\n", []),
            ("GET", "HTTP/1.1 304 Same\r\nETag: \"1\"\r\n\r\n", []),
            ("GET", "HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n", ["0"]),
            ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ["0"]),
        ])
    func bodiless(_ method: String, _ text: String, _ lengths: [String]) async throws {
        try await withProxy(ScriptedOrigin(text)) { fixture async throws in
            let wire = try await fixture.connect()
            for _ in 0..<2 {
                try await wire.write(
                    "\(method) / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"1\"\r\nCache-Control: no-store\r\n\r\n")
                let said = try #require(await wire.answer(to: method))
                #expect(said.first.split(separator: " ")[1] == text.split(separator: " ")[1])
                #expect(said["Content-Length"] == lengths && said["Transfer-Encoding"] == [] && said.body == [])
            }
        }
    }

    @Test func `one address has half of the turns at the origin`() async throws {
        let (opened, opener) = AsyncStream<Void>.makeStream()
        let origin = try await ScriptedOrigin { _, wire, _ in
            for await _ in opened {}
            try await wire.write(answer(200, body: "late"))
            return true
        }
        let timer = ManualTimer()
        try await withProxy(origin) {
            $0.cache.originRequestsMax = 4
            $0.cache.timer = timer
        } _: { fixture async throws in
            var wires: [Wire] = []
            for number in 0..<4 {
                let wire = try await fixture.connect()
                try await wire.write("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                wires.append(wire)
            }
            try await until { origin.requests.count + timer.sleepers == 4 }
            #expect(origin.requests.count == 2)
            opener.finish()
            for wire in wires { #expect(await wire.answer()?.text == "late") }
        }
    }

    @Test func `a client that leaves ends its question, if nobody shares it`() async throws {
        let (left, leaver) = AsyncStream<Void>.makeStream()
        let origin = try await ScriptedOrigin { _, wire, _ in
            // The proxy ends this connection, without an answer.
            #expect(await wire.rest().isEmpty)
            leaver.finish()
            return false
        }
        try await withProxy(origin) { fixture async throws in
            let wire = try await fixture.connect()
            try await wire.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try await until { origin.requests.count == 1 }
            await wire.close()
            for await _ in left {}
            #expect(fixture.proxy.statistics.failed == 0)
        }
    }

    @Test func `a stop lets what is under way come to its end, and ends what is idle`() async throws {
        let (opened, opener) = AsyncStream<Void>.makeStream()
        let origin = try await ScriptedOrigin { _, wire, _ in
            for await _ in opened { break }
            try await wire.write(answer(200, body: "late"))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            let (idle, busy) = (try await fixture.connect(), try await fixture.connect())
            try await busy.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try await until { origin.requests.count == 1 && fixture.proxy.statistics.connections == 2 }
            async let stopped = fixture.proxy.stop(within: .seconds(3000))
            #expect(await idle.rest() == [])
            opener.finish()
            let said = try #require(await busy.answer())
            #expect(said.text == "late" && said["Connection"] == ["close"])
            #expect(await busy.rest() == [])
            #expect(await stopped)
        }
    }

    @Test func `a stop that takes too long ends what is under way`() async throws {
        let origin = try await ScriptedOrigin { _, _, _ in
            try await Task.sleep(for: .seconds(3000))
            return false
        }
        try await withProxy(origin) { fixture async throws in
            let busy = try await fixture.connect()
            try await busy.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try await until { origin.requests.count == 1 }
            #expect(await fixture.proxy.stop(within: .milliseconds(50)) == false)
            #expect(await busy.rest() == [])
        }
    }
}
