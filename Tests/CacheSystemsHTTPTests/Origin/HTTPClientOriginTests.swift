import CacheSystems
import CacheSystemsHTTP
import Synchronization
import Testing

@Suite("Web servers are asked over the network", .timeLimit(.minutes(30)))
struct HTTPClientOriginTests {
    private static func url(_ origin: ScriptedOrigin, _ target: String = "/") -> HTTPURL {
        HTTPURL("http://127.0.0.1:\(origin.port)\(target)")!
    }

    /// Runs a test with a client, and takes both sides down.
    private func with(
        _ origin: ScriptedOrigin, _ change: (inout HTTPClientOrigin.Options) -> Void = { _ in },
        _ body: (HTTPClientOrigin) async throws -> Void
    ) async throws {
        var options = HTTPClientOrigin.Options()
        change(&options)
        let network = HTTPClientOrigin(options)
        let result: Result<Void, any Error>
        do { result = .success(try await body(network)) } catch { result = .failure(error) }
        try await network.shutdown()
        await origin.stop()
        try result.get()
    }

    @Test func `an answer is what the server sent, and connections are used again`() async throws {
        let origin = try await ScriptedOrigin { request, wire, _ in
            let coded = answer(200, "Content-Encoding: gzip", "A: 1", "A: 2", body: "not gzip")
            try await wire.write(request.target == "/to" ? answer(302, "Location: /coded") : coded)
            return true
        }
        try await with(origin) { network async throws in
            for _ in 0..<5 {
                let coded = try await network.respond(to: HTTPRequest("GET", Self.url(origin, "/coded?a=b")))
                #expect(coded.status == 200 && coded.fields.values(of: "a") == ["1", "2"])
                #expect(coded.fields["Content-Encoding"] == "gzip" && coded.body.length == 8)
                #expect(try await coded.body.bytes() == Array("not gzip".utf8))
                let led = try await network.respond(to: HTTPRequest("GET", Self.url(origin, "/to")))
                #expect(led.status == 302 && led.fields["Location"] == "/coded")
                #expect(try await led.body.bytes() == [])
            }
            #expect(origin.connections == 1 && network.connectionsMade == 1)
            let request = try #require(origin.requests.first)
            #expect(request.first == "GET /coded?a=b HTTP/1.1" && request.lines == ["Host: 127.0.0.1:\(origin.port)"])
        }
    }

    @Test func `a client with a server asks that, in the name of the request's own host`() async throws {
        let origin = try await ScriptedOrigin(answer(200, body: "x"))
        let network = HTTPClientOrigin(server: Self.url(origin))
        let response = try await network.respond(to: HTTPRequest("GET", HTTPURL("http://no.example/a?b")!))
        #expect(try await response.body.bytes() == [120])
        #expect(origin.requests[0].target == "/a?b" && origin.requests[0]["Host"] == ["no.example"])
        try await network.shutdown()
        let error = await #expect(throws: HTTPOriginError.self) {
            try await network.respond(to: HTTPRequest("GET", Self.url(origin)))
        }
        #expect(error?.code == .closed)
        await origin.stop()
    }

    @Test func `content goes with its length, or in chunks without one`() async throws {
        let origin = try await ScriptedOrigin(answer(200))
        try await with(origin) { network async throws in
            let text = HTTPBody("hello")
            let stream = AsyncStream<[UInt8]> { continuation in
                for byte in text.length.map({ 0..<$0 }) ?? 0..<0 { continuation.yield([UInt8(byte)]) }
                continuation.finish()
            }
            var fields: HTTPFields = ["Content-Length": "77", "Transfer-Encoding": "gzip", "Expect": "100-continue"]
            fields.add("Host", "wrong")
            for body in [text, HTTPBody(stream), HTTPBody()] {
                let order = HTTPRequest("PUT", Self.url(origin), fields: fields, body: body)
                #expect(try await network.respond(to: order).status == 200)
            }
            let seen = origin.requests
            #expect(seen.map(\.body) == [Array("hello".utf8), [0, 1, 2, 3, 4], []])
            #expect(seen.map { $0["Content-Length"] } == [["5"], [], ["0"]])
            #expect(seen.map { $0["Transfer-Encoding"] } == [[], ["chunked"], []])
            #expect(seen.allSatisfy { $0["Expect"] == [] && $0["Host"] == ["127.0.0.1:\(origin.port)"] })
        }
    }

    @Test(
        "what a server does wrong has a code, and words that say where and what to do",
        arguments: [
            ("", HTTPOriginError.Code.lost), ("SSH-2.0\r\n\r\n", .malformed), ("HTTP/1.1 200 OK\r\nA", .lost),
            ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .malformed), ("silence", .timedOut),
        ])
    func failures(_ text: String, _ code: HTTPOriginError.Code) async throws {
        let origin = try await ScriptedOrigin { _, wire, _ in
            if text == "silence" { return true }
            try await wire.write(text)
            return false
        }
        try await with(origin) {
            if text == "silence" { $0.idleLimit = .milliseconds(200) }
        } _: { network async throws in
            let error = await #expect(throws: HTTPOriginError.self) {
                try await network.respond(to: HTTPRequest("GET", Self.url(origin)))
            }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(error?.description.contains("http://127.0.0.1:\(origin.port): ") == true)
            #expect(error?.message.contains("; ") == true)
            // A connection that was new is not tried again.
            if text != "silence" { #expect(origin.requests.count == 1) }
        }
    }

    @Test func `nobody there is unreachable, at once`() async throws {
        let origin = try await ScriptedOrigin("")
        try await with(origin) {
            $0.connectLimit = .seconds(3000)
        } _: { network async throws in
            // A port that nothing takes; that of an origin that was stopped could be another's by now.
            for target in ["http://127.0.0.1:1/", "http://[::1]:1/"].map({ HTTPURL($0)! }) {
                let error = await #expect(throws: HTTPOriginError.self) {
                    try await network.respond(to: HTTPRequest("GET", target))
                }
                #expect(error?.code == .unreachable && error?.origin == target.origin, "\(String(describing: error))")
            }
        }
    }

    @Test func `a body that stops, ends early or is cancelled is an error, and never a shorter body`() async throws {
        let origin = try await ScriptedOrigin { request, wire, _ in
            try await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            return request.target != "/early"
        }
        for (target, code) in [("/early", HTTPOriginError.Code.lost), ("/stops", .timedOut)] {
            try await withGrowingLimit { limit in
                var options = HTTPClientOrigin.Options()
                options.idleLimit = code == .lost ? .seconds(3000) : limit
                let network = HTTPClientOrigin(options)
                let response = try await network.respond(to: HTTPRequest("GET", Self.url(origin, target)))
                let error = await #expect(throws: HTTPOriginError.self) { try await response.body.bytes() }
                #expect(error?.code == code)
            }
        }
        await origin.stop()
        let patient = try await ScriptedOrigin { _, wire, _ in
            try await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            return true
        }
        try await with(patient) { network async throws in
            let response = try await network.respond(to: HTTPRequest("GET", Self.url(patient)))
            let (began, beginner) = AsyncStream<Void>.makeStream()
            let task = Task {
                var bytes = 0
                for try await piece in response.body {
                    bytes += piece.count
                    beginner.finish()
                }
                return bytes
            }
            for await _ in began {}
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
            let waiting = Task {
                try await network.respond(to: HTTPRequest("GET", Self.url(patient, "/"))).body.bytes()
            }
            try await until { patient.requests.count == 2 }
            waiting.cancel()
            await #expect(throws: (any Error).self) { try await waiting.value }
        }
    }

    @Test func `a connection that ended while it was not used costs nothing`() async throws {
        let origin = try await ScriptedOrigin { _, wire, number in
            // Each connection ends when it is used for the second time.
            if number % 2 == 0 { return false }
            try await wire.write(answer(200, body: "\(number)"))
            return true
        }
        try await with(origin) { network async throws in
            let first = try await network.respond(to: HTTPRequest("GET", Self.url(origin)))
            #expect(try await first.body.bytes() == Array("1".utf8))
            let second = try await network.respond(to: HTTPRequest("GET", Self.url(origin)))
            #expect(try await second.body.bytes() == Array("3".utf8))
            // What changes something may have done so.
            let error = await #expect(throws: HTTPOriginError.self) {
                try await network.respond(to: HTTPRequest("POST", Self.url(origin)))
            }
            #expect(error?.code == .lost)
            #expect(origin.requests.map(\.method) == ["GET", "GET", "GET", "POST"])
        }
    }

    @Test func `what the content itself throws is thrown, and the server sees no end of it`() async throws {
        struct Trouble: Error {}
        let origin = try await ScriptedOrigin(readsContent: false) { _, wire, _ in
            _ = await wire.rest()
            return false
        }
        try await with(origin) { network async throws in
            let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            input.yield([1, 2, 3])
            input.finish(throwing: Trouble())
            await #expect(throws: Trouble.self) {
                try await network.respond(to: HTTPRequest("POST", Self.url(origin), body: HTTPBody(stream)))
            }
        }
    }

    @Test func `content is not asked for faster than the server takes it, and one that takes none is given up`()
        async throws
    {
        let origin = try await ScriptedOrigin(readsContent: false) { _, _, _ in
            // It reads nothing at all.
            try await Task.sleep(for: .seconds(3000))
            return false
        }
        try await with(origin) {
            $0.idleLimit = .milliseconds(300)
        } _: { network async throws in
            let given = Mutex(0)
            let endless = AsyncStream<[UInt8]>(unfolding: {
                given.withLock { $0 += 65_536 }
                return [UInt8](repeating: 0, count: 65_536)
            })
            let error = await #expect(throws: HTTPOriginError.self) {
                try await network.respond(to: HTTPRequest("PUT", Self.url(origin), body: HTTPBody(endless)))
            }
            #expect(error?.code == .timedOut)
            // What a socket's buffers hold on both sides is a few megabytes.
            #expect(given.withLock { $0 } < 64 << 20)
        }
    }

    @Test func `a reader may take its time, and so may the request's own content`() async throws {
        let long = 16 << 20
        let origin = try await ScriptedOrigin { request, wire, _ in
            try await wire.write("HTTP/1.1 200 OK\r\nContent-Length: \(long)\r\n\r\n")
            for _ in 0..<long / 65_536 { try await wire.write([UInt8](repeating: 7, count: 65_536)) }
            return true
        }
        try await withGrowingLimit { limit in
            var options = HTTPClientOrigin.Options()
            options.idleLimit = limit
            let network = HTTPClientOrigin(options)
            let pieces = Mutex(0)
            let slow = AsyncStream<[UInt8]>(unfolding: {
                try? await Task.sleep(for: limit * 2)
                return pieces.withLock { pieces in
                    pieces += 1
                    return pieces > 1 ? nil : [1]
                }
            })
            let order = HTTPRequest("POST", Self.url(origin), body: HTTPBody(slow))
            let response = try await network.respond(to: order)
            var bytes = 0
            for try await piece in response.body {
                if bytes == 0 { try await Task.sleep(for: limit * 2) }
                bytes += piece.count
            }
            #expect(bytes == long)
        }
        await origin.stop()
    }
}
