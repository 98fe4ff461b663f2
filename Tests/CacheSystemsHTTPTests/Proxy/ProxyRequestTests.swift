import CacheSystems
import CacheSystemsHTTP
import Testing

@Suite("What clients may send", .timeLimit(.minutes(30)))
struct ProxyRequestTests {
    private static let ok = answer(200, "Cache-Control: no-store", body: "fine")

    @Test(
        "a request that is malformed, could be read in two ways or is not supported is refused, and goes to nobody",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
            ("GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET ftp://a/b HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nbad name: x\r\n\r\n", 400), ("total nonsense\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
            ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", 400),
            ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501), ("FLY / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 5000))\r\n\r\n", 431),
            ("GET /\(String(repeating: "x", count: 5000)) HTTP/1.1\r\nHost: a\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 2000))\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        ])
    func refuses(_ request: String, _ status: Int) async throws {
        try await withProxy(ScriptedOrigin(Self.ok)) {
            $0.proxy.headerBytesMax = 4096
        } _: { fixture async throws in
            let said = try await fixture.say(request)
            #expect(said.answer?.status == status && said.closes)
            #expect(said.answer?["Date"].count == 1 && said.answer?.text.hasSuffix(".\n") == true)
            #expect(fixture.origin.requests.isEmpty)
            #expect(fixture.proxy.statistics.refused == 1)
            // It goes on for others.
            #expect(try await fixture.ask().status == 200)
        }
    }

    @Test(
        "a target is a path or an address, whose host counts for nothing",
        arguments: [
            ("/a?b=c", "/a?b=c"), ("http://elsewhere.example/a?b=c", "/a?b=c"), ("https://x", "/"),
            ("//a//b", "//a//b"),
            ("/a?%7e=%2f&b=[{|}]^`\"<>", "/a?%7e=%2f&b=[{|}]^`\"<>"), ("/a/../b", "/b"), ("/%7Ea%2fb", "/~a%2Fb"),
            ("/?", "/?"), ("/a#b", "/a"),
        ])
    func targets(_ target: String, _ asked: String) async throws {
        try await withProxy(ScriptedOrigin(Self.ok)) { fixture async throws in
            #expect(try await fixture.ask("GET", target).text == "fine")
            let request = try #require(fixture.origin.requests.first)
            #expect(request.target == asked)
            #expect(request["Host"] == ["127.0.0.1:\(fixture.origin.port)"])
        }
    }

    @Test
    func `the origin is told the host that the client named where that is wanted, and what is stored is kept apart`()
        async throws
    {
        let origin = try await ScriptedOrigin { request, wire, _ in
            try await wire.write(answer(200, "Cache-Control: max-age=100", body: request["Host"].joined()))
            return true
        }
        try await withProxy(origin) {
            $0.proxy.keepsHost = true
        } _: { fixture async throws in
            for _ in 0..<2 {
                for host in ["one.example", "two.example:81", "one.example:80"] {
                    let said = try await fixture.say("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                    #expect(said.answer?.text == host.replacing(":80", with: ""))
                }
            }
            let named = try await fixture.say("GET http://two.example:81/ HTTP/1.1\r\nHost: one.example\r\n\r\n")
            #expect(named.answer?.text == "two.example:81")
            #expect(origin.requests.count == 2)
            #expect(try await fixture.say("GET / HTTP/1.0\r\n\r\n").answer?.status == 400)
        }
    }

    @Test(arguments: [true, false])
    func `what a client says of itself in the proxy's place is left out, and what is known is said`(_ keeps: Bool)
        async throws
    {
        try await withProxy(ScriptedOrigin(Self.ok)) {
            $0.proxy.keepsHost = keeps
        } _: { fixture async throws in
            _ = try await fixture.ask(
                "GET", "/", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https",
                "Forwarded: host=evil.example",
                "X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Port: 1",
                "X-HTTP-Method-Override: PUT")
            let request = try #require(fixture.origin.requests.first)
            #expect(request["X-Forwarded-Proto"] == ["http"] && request["X-Forwarded-For"] == ["127.0.0.1"])
            #expect(request["X-Forwarded-Host"] == (keeps ? ["here"] : []))
            for name in ["Forwarded", "X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Port", "X-HTTP-Method-Override"] {
                #expect(request[name] == [], "\(name)")
            }
        }
    }

    @Test(arguments: [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH", "PURGE", "REPORT",
    ])
    func `every method goes through, with its content and without what is for one connection`(_ method: String)
        async throws
    {
        let origin = try await ScriptedOrigin { request, wire, _ in
            let text = answer(200, "Connection: X-Own", "X-Own: 1", "Keep-Alive: 5", "X-Kept: 2", body: request.text)
            try await wire.write(method == "HEAD" ? String(text.prefix { $0 != "{" }) : text)
            return true
        }
        let content = method == "TRACE" || method == "HEAD" ? "" : "{\(method)}"
        try await withProxy(origin) { fixture async throws in
            let said = try await fixture.ask(
                method, "/a", "Connection: X-Hop, close", "X-Hop: 1", "Keep-Alive: 1", "TE: trailers", "Trailer: X",
                "Upgrade: h2c", "Proxy-Authorization: x", "Proxy-Connection: x", "X-Mine: 2",
                "Content-Length: \(content.utf8.count)", body: content)
            let request = try #require(origin.requests.first)
            // What a header is of is asked for as a whole, to be stored.
            #expect(request.method == (method == "HEAD" ? "GET" : method) && request.text == content)
            #expect(request["X-Mine"] == ["2"] && request["Via"] == ["1.1 assay"])
            for name in [
                "X-Hop", "Keep-Alive", "TE", "Trailer", "Upgrade", "Proxy-Authorization", "Proxy-Connection",
            ] {
                #expect(request[name] == [], "\(name)")
            }
            #expect(request["Connection"] == [])
            #expect(said.text == content && said["X-Kept"] == ["2"] && said["Via"] == ["1.1 assay"])
            #expect(said["X-Own"] == [] && said["Keep-Alive"] == [] && said["Connection"] == ["close"])
        }
    }

    @Test func `what is asked about the proxy itself it answers itself`() async throws {
        try await withProxy(ScriptedOrigin(Self.ok)) { fixture async throws in
            #expect(try await fixture.ask("OPTIONS", "*").status == 204)
            #expect(try await fixture.ask("OPTIONS", "/", "Max-Forwards: 0").status == 204)
            #expect(try await fixture.ask("TRACE", "/", "Max-Forwards: 0").status == 405)
            #expect(fixture.origin.requests.isEmpty)
            #expect(try await fixture.ask("OPTIONS", "/", "Max-Forwards: 5").status == 200)
            #expect(fixture.origin.requests.last?["Max-Forwards"] == ["4"])
            #expect(try await fixture.ask("TRACE", "/", "Max-Forwards: 1").status == 200)
            #expect(fixture.origin.requests.last?["Max-Forwards"] == ["0"])
            #expect(try await fixture.ask("TRACE", "/", "Max-Forwards: 0", "Max-Forwards: 0").status == 405)
            #expect(try await fixture.ask("OPTIONS", "/", "Max-Forwards: 99999999999999999999").status == 200)
            #expect(try await fixture.ask("OPTIONS", "/", "Max-Forwards: -1").status == 200)
            #expect(try await fixture.ask("GET", "/", "Max-Forwards: 0").status == 200)
        }
    }

    @Test func `connections beyond the limits are answered by 503, and those that are there go on`() async throws {
        for isOfOne in [true, false] {
            try await withProxy(ScriptedOrigin(Self.ok)) {
                if isOfOne { $0.proxy.clientConnectionsMax = 3 } else { $0.proxy.connectionsMax = 3 }
            } _: { fixture async throws in
                var wires: [Wire] = []
                for _ in 0..<3 {
                    let wire = try await fixture.connect()
                    try await wire.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    #expect(await wire.answer()?.status == 200)
                    wires.append(wire)
                }
                let fourth = try await fixture.connect()
                let said = await fourth.answer()
                #expect(said?.status == 503 && said?["Retry-After"].count == 1)
                #expect(await fourth.rest() == [])
                #expect(fixture.proxy.statistics.turnedAway == 1)
                try await wires[0].write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await wires[0].answer()?.status == 200)
                // One that leaves makes room, as soon as that is noticed.
                await wires[0].close()
                var status: Int?
                while status != 200 {
                    let wire = try await fixture.connect()
                    try? await wire.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    status = await wire.answer()?.status
                    await wire.close()
                }
            }
        }
    }

    @Test func `a header that does not come in time ends the connection, and so does silence between requests`()
        async throws
    {
        try await withProxy(ScriptedOrigin(Self.ok)) {
            // Long enough for an answer on a busy machine.
            $0.proxy.idleLimit = .seconds(2)
        } _: { fixture async throws in
            for text in ["", "GET / HTTP/1.1\r\nHost:", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"] {
                let wire = try await fixture.connect()
                try await wire.write(text)
                #expect(await wire.rest() == [], "\(text)")
            }
            let wire = try await fixture.connect()
            try await wire.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            if let said = await wire.answer() { #expect(said.text == "fine") }
            #expect(await wire.rest() == [])
        }
    }

    @Test func `the host that the origin is told of is that under which its answer is stored`() async throws {
        let origin = try await ScriptedOrigin { request, wire, _ in
            let said = (request["Host"] + request["X-Forwarded-Host"]).joined(separator: " ")
            try await wire.write(answer(200, "Cache-Control: max-age=100", body: said))
            return true
        }
        try await withProxy(origin) {
            $0.proxy.keepsHost = true
        } _: { fixture async throws in
            for (number, request) in [
                "http://one.example/0 HTTP/1.1\r\nHost: evil.example", "/1 HTTP/1.1\r\nHost: ONE.example",
                "/2 HTTP/1.1\r\nHost: one.example:80", "HTTP://One.Example:80/3 HTTP/1.1\r\nHost: evil.example",
            ].enumerated() {
                #expect(try await fixture.say("GET \(request)\r\n\r\n").answer?.text == "one.example one.example")
                try await until { !fixture.cache.isBusy }
                let next = try await fixture.say("GET /\(number) HTTP/1.1\r\nHost: one.example\r\n\r\n")
                #expect(next.answer?.text == "one.example one.example" && origin.requests.count == number + 1)
            }
        }
    }

    @Test func `a client cannot have what the proxy says left out`() async throws {
        try await withProxy(ScriptedOrigin(Self.ok)) {
            $0.proxy.keepsHost = true
        } _: { fixture async throws in
            _ = try await fixture.ask(
                "OPTIONS", "/", "Max-Forwards: 5", "X-Mine: 1", "Via: 1.1 evil",
                "Connection: X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, Via, Max-Forwards, X-Mine")
            let request = try #require(fixture.origin.requests.first)
            #expect(request["X-Forwarded-For"] == ["127.0.0.1"] && request["X-Forwarded-Proto"] == ["http"])
            #expect(request["X-Forwarded-Host"] == ["here"] && request["Via"] == ["1.1 assay"])
            #expect(request["Max-Forwards"] == ["4"] && request["X-Mine"] == [] && request["Connection"] == [])
        }
    }
}
