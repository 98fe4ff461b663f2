import CacheEngine
import CacheSystems
import CacheSystemsHTTP
import Testing

@Suite("A proxy answers from its cache what that may answer", .timeLimit(.minutes(30)))
struct HTTPProxyTests {
    @Test func `what was done for an answer is in its fields`() async throws {
        let clock = VirtualClock(wallNanoseconds: 1_000_000_000_000_000_000)
        let origin = try await ScriptedOrigin { request, wire, number in
            let fields =
                switch request.target {
                case "/etag" where !request["If-None-Match"].isEmpty: answer(304, "ETag: \"1\"")
                case "/etag": answer(200, "Cache-Control: max-age=10", "ETag: \"1\"", body: "e")
                case "/vary": answer(200, "Cache-Control: max-age=10", "Vary: X", body: request["X"].joined())
                case "/old" where number > 7: answer(503)
                case "/old": answer(200, "Cache-Control: max-age=10, stale-if-error=99", body: "old")
                case "/none": answer(200, "Cache-Control: no-store", "Cache-Status: inner; hit", body: "n")
                default: answer(404, body: "?")
                }
            try await wire.write(fields)
            return true
        }
        try await withProxy(origin) {
            $0.cache.clock = clock
        } _: { fixture async throws in
            func status(_ target: String, _ method: String = "GET", _ field: String = "X: 1") async throws -> String {
                try await fixture.ask(method, target, field)["Cache-Status"].joined(separator: ", ")
            }
            #expect(try await status("/etag") == "assay; fwd=uri-miss; fwd-status=200; ttl=10; stored")
            clock.advance(by: .seconds(4))
            #expect(try await status("/etag") == "assay; hit; ttl=6")
            #expect(try await status("/etag", "HEAD") == "assay; hit; ttl=6")
            #expect(
                try await status("/etag", "GET", "Cache-Control: no-cache")
                    == "assay; fwd=request; fwd-status=304; ttl=10")
            clock.advance(by: .seconds(11))
            #expect(
                try await status("/etag", "GET", "Cache-Control: only-if-cached") == "assay")
            #expect(try await status("/etag") == "assay; fwd=stale; fwd-status=304; ttl=10")
            #expect(try await status("/vary") == "assay; fwd=uri-miss; fwd-status=200; ttl=10; stored")
            #expect(
                try await status("/vary", "GET", "X: 2") == "assay; fwd=vary-miss; fwd-status=200; ttl=10; stored")
            #expect(try await status("/none") == "inner; hit, assay; fwd=uri-miss; fwd-status=200")
            #expect(try await status("/old") == "assay; fwd=uri-miss; fwd-status=200; ttl=10; stored")
            clock.advance(by: .seconds(12))
            #expect(try await status("/old") == "assay; fwd=stale; ttl=-2")
            #expect(try await status("/etag", "DELETE") == "assay; fwd=method; fwd-status=200")
            #expect(try await status("/etag", "GET", "If-Match: \"1\"") == "assay; fwd=bypass; fwd-status=200")
        }
    }

    @Test func `clients that ask for the same at once share one question`() async throws {
        let (opened, opener) = AsyncStream<Void>.makeStream()
        let origin = try await ScriptedOrigin { _, wire, _ in
            for await _ in opened { break }
            try await wire.write(answer(200, "Cache-Control: max-age=100", body: "for all"))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            try await withThrowingTaskGroup(of: Wire.Message.self) { group in
                for _ in 0..<20 { group.addTask { try await fixture.ask("GET", "/same") } }
                try await until { fixture.proxy.statistics.requests == 20 }
                // The others need a moment from there to where they wait.
                try await Task.sleep(for: .milliseconds(300))
                opener.finish()
                var statuses: [String] = []
                for try await said in group {
                    #expect(said.text == "for all")
                    statuses += said["Cache-Status"]
                }
                #expect(statuses.filter { $0.contains("collapsed") || $0.contains("; hit") }.count == 19, "\(statuses)")
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `what changes a resource ends what is stored of it`() async throws {
        let origin = try await ScriptedOrigin { request, wire, number in
            try await wire.write(answer(200, "Cache-Control: max-age=100", body: "\(number)"))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            for method in ["PUT", "POST", "DELETE", "PATCH", "M-SEARCH"] {
                let first = try await fixture.ask("GET", "/a").text
                #expect(try await fixture.ask("GET", "/a").text == first)
                _ = try await fixture.ask(method, "/a", "Content-Length: 1", body: "x")
                #expect(try await fixture.ask("GET", "/a").text != first, "\(method)")
            }
            let last = try await fixture.ask("GET", "/a").text
            _ = try await fixture.ask("OPTIONS", "/a")
            #expect(try await fixture.ask("GET", "/a").text == last)
        }
    }

    @Test func `a client that may purges, and one that may not asks the origin to`() async throws {
        let origin = try await ScriptedOrigin { request, wire, number in
            try await wire.write(
                answer(request.method == "PURGE" ? 403 : 200, "Cache-Control: max-age=1000", body: "\(number)"))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            #expect(try await fixture.ask("GET", "/a").text == "1")
            #expect(try await fixture.ask("PURGE", "/a").status == 403)
            #expect(try await fixture.ask("GET", "/a").text == "1")
        }
        let other = try await ScriptedOrigin { _, wire, number in
            try await wire.write(answer(200, "Cache-Control: max-age=1000", body: "\(number)"))
            return true
        }
        try await withProxy(other) {
            $0.proxy.allowsPurge = true
        } _: { fixture async throws in
            #expect(try await fixture.ask("GET", "/a").text == "1")
            #expect(try await fixture.ask("PURGE", "/b").status == 404)
            #expect(try await fixture.ask("PURGE", "/a").status == 200)
            #expect(try await fixture.ask("GET", "/a").text == "2")
            #expect(other.requests.count == 2 && fixture.proxy.statistics.purged == 1)
        }
    }

    @Test func `what an origin says strangely is passed on, and lines of one name stay apart`() async throws {
        let strange =
            "HTTP/1.1 299 A b\r\nSet-Cookie: a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT\r\nSet-Cookie:b=2\r\n"
            + "X-Odd:   \t two  spaces\t \r\nX-Empty:\r\nx-LOWER: kept\r\nX-UTF: \u{e9}t\u{e9}\r\n"
            + "WWW-Authenticate: Basic realm=\"a, b\"\r\nContent-Encoding: gzip\r\nLocation: /elsewhere\r\n"
            + "Content-Length: 3\r\n\r\nabc"
        for fields in ["", "Cache-Control: max-age=100\r\n"] {
            let text = strange.replacing("X-Odd", with: fields + "X-Odd")
            try await withProxy(ScriptedOrigin(text)) {
                $0.cache.storesCookies = true
            } _: { fixture async throws in
                for _ in 0..<2 {
                    let said = try await fixture.ask()
                    #expect(said.status == 299 && said.text == "abc")
                    #expect(said["Set-Cookie"] == ["a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT", "b=2"])
                    #expect(said["X-Odd"] == ["two  spaces"] && said["X-Empty"] == [""])
                    #expect(said.lines.contains("x-LOWER: kept") && said["X-UTF"] == ["\u{e9}t\u{e9}"])
                    #expect(said["WWW-Authenticate"] == ["Basic realm=\"a, b\""])
                    // What is packed stays so, and where it leads is the client's business.
                    #expect(said["Content-Encoding"] == ["gzip"] && said["Location"] == ["/elsewhere"])
                    #expect(fixture.origin.requests.allSatisfy { $0["Accept-Encoding"] == [] })
                }
                #expect(fixture.origin.requests.count == (fields.isEmpty ? 2 : 1))
            }
        }
    }

    @Test(
        "an origin that fails before its answer is a failure with a status, at once",
        arguments: [
            ("", 502), ("HTTP/1.1 200 OK\r\nContent-Le", 502), ("SSH-2.0-OpenSSH\r\n", 502),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", 502),
            ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", 502), ("HTTP/1.1 100 Continue\r\n\r\n", 502),
        ])
    func failing(_ text: String, _ status: Int) async throws {
        let origin = try await ScriptedOrigin { _, wire, _ in
            try await wire.write(text)
            return false
        }
        try await withProxy(origin) { fixture async throws in
            let said = try await fixture.ask()
            #expect(said.status == status && said["Via"] == [] && said.text.contains("origin"))
            #expect(fixture.proxy.statistics.failed == 1)
        }
    }

    @Test func `an origin that is silent is 504`() async throws {
        let origin = try await ScriptedOrigin { _, _, _ in true }
        try await withProxy(origin) {
            $0.network.idleLimit = .milliseconds(200)
        } _: { fixture async throws in
            #expect(try await fixture.ask("GET", "/").status == 504)
            #expect(try await fixture.ask("POST", "/", "Content-Length: 1", body: "x").status == 504)
        }
    }

    @Test func `an origin that is not there is 502, and what is stored is served where it may be`() async throws {
        let clock = VirtualClock(wallNanoseconds: 1_000_000_000_000_000_000)
        let origin = try await ScriptedOrigin(answer(200, "Cache-Control: max-age=1", body: "s"))
        try await withProxy(origin) {
            $0.cache.clock = clock
        } _: { fixture async throws in
            #expect(try await fixture.ask("GET", "/stored").text == "s")
            await origin.stop()
            #expect(try await fixture.ask("GET", "/else").status == 502)
            clock.advance(by: .seconds(9))
            let old = try await fixture.ask("GET", "/stored")
            #expect(old.text == "s" && old["Cache-Status"] == ["assay; fwd=stale; ttl=-8"])
        }
    }
}
