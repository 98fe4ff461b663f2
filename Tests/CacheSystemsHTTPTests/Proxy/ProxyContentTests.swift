import CacheSystems
import CacheSystemsHTTP
import Foundation
import Synchronization
import Testing

@Suite("Content goes through in pieces", .timeLimit(.minutes(30)))
struct ProxyContentTests {
    private static let head = "HTTP/1.1 200 OK\r\n"

    @Test(
        "an answer that ends before its end does so at the client too, stored or passed on",
        arguments: ["Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n"],
        ["", "Cache-Control: max-age=9\r\n"])
    func cut(_ framing: String, _ fields: String) async throws {
        let (seen, seer) = AsyncStream<Void>.makeStream()
        let origin = try await ScriptedOrigin { request, wire, number in
            let piece = String(repeating: "x", count: 40_000)
            let content = framing.hasPrefix("T") ? "9c40\r\n\(piece)\r\n" : piece
            try await wire.write(Self.head + framing + fields + "\r\n" + content)
            if request.target == "/old" { for await _ in seen {} }
            return false
        }
        try await withProxy(origin) { fixture async throws in
            for number in 1...2 {
                let said = try await fixture.ask()
                #expect(said.status == 200 && said.body.count <= 40_000 && !said.isWhole)
                #expect(origin.requests.count == number)
            }
            try await until { fixture.proxy.statistics.cut == 2 }
            // Who knows no chunks is told by a reset.
            guard framing.hasPrefix("T") else { return }
            let old = try await fixture.connect()
            try await old.write("GET /old HTTP/1.0\r\n\r\n")
            #expect(await old.head()?.status == 200)
            seer.finish()
            _ = await old.rest()
            #expect(old.wasReset)
        }
    }

    @Test func `an answer without a length is chunked, and for who does not know chunks it ends with the connection`()
        async throws
    {
        let origin = try await ScriptedOrigin { request, wire, _ in
            if request.target == "/chunks" {
                try await wire.write(
                    Self.head
                        + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX: 1\r\n\r\n"
                )
                return true
            }
            try await wire.write(Self.head + "\r\nabcde")
            return false
        }
        try await withProxy(origin) { fixture async throws in
            for target in ["/chunks", "/close"] {
                let said = try await fixture.ask("GET", target)
                #expect(
                    said["Transfer-Encoding"] == ["chunked"] && said["Content-Length"] == [] && said.text == "abcde")
                #expect(said.isWhole && said["Trailer"] == [])
                let old = try await fixture.connect()
                try await old.write("GET \(target) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let bare = try #require(await old.answer())
                #expect(bare["Transfer-Encoding"] == [] && bare["Connection"] == ["close"] && bare.text == "abcde")
                #expect(!old.wasReset)
            }
        }
    }

    @Test(arguments: [true, false])
    func `content that is not whole keeps nobody from the origin, and goes there when it is`(_ isChunked: Bool)
        async throws
    {
        let origin = try await ScriptedOrigin { request, wire, _ in
            try await wire.write(answer(200, body: request.text.isEmpty ? "fine" : request.text))
            return true
        }
        try await withProxy(origin) {
            $0.cache.originRequestsMax = 1
        } _: { fixture async throws in
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 4"
            var wires: [Wire] = []
            for _ in 0..<8 {
                let wire = try await fixture.connect()
                try await wire.write(
                    "POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n" + (isChunked ? "1\r\na\r\n" : "a"))
                wires.append(wire)
            }
            for number in 0..<3 { #expect(try await fixture.ask("GET", "/\(number)").text == "fine") }
            #expect(origin.requests.allSatisfy { $0.method == "GET" })
            for wire in wires {
                try await wire.write(isChunked ? "3\r\nbcd\r\n0\r\n\r\n" : "bcd")
                #expect(await wire.answer()?.text == "abcd")
            }
            let posts = origin.requests.filter { $0.method == "POST" }
            #expect(posts.count == 8 && posts.allSatisfy { $0["Content-Length"] == ["4"] && $0.text == "abcd" })
        }
    }

    @Test func `content of any length comes to the origin as it was`() async throws {
        let origin = try await ScriptedOrigin { request, wire, _ in
            try await wire.write(
                answer(200, body: "\(request.body.count) \(request.body.reduce(0) { $0 &* 31 &+ Int($1) })"))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            for length in [1, 65_535, 65_536, 65_537, 1_000_000] {
                let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 7) }
                let wire = try await fixture.connect()
                try await wire.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
                try await wire.write(content)
                let sum = content.reduce(0) { $0 &* 31 &+ Int($1) }
                #expect(await wire.answer()?.text == "\(length) \(sum)")
                await wire.close()
            }
        }
    }

    @Test func `content for which there is no room in all is answered by 503`() async throws {
        try await withProxy(ScriptedOrigin(answer(200, body: "fine"))) {
            $0.proxy.contentBytesTotalMax = 100_000
        } _: { fixture async throws in
            let wire = try await fixture.connect()
            try await wire.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 300001\r\n\r\n")
            async let written: Void? = try? await wire.write([UInt8](repeating: 1, count: 300_000))
            let said = await wire.answer()
            #expect(said?.status == 503 && said?["Retry-After"].count == 1)
            await written
            // What was held is given back.
            #expect(try await fixture.ask("PUT", "/", "Content-Length: 3", body: "abc").status == 200)
        }
    }

    @Test func `one address has half of the room for content`() async throws {
        try await withProxy(ScriptedOrigin(answer(200, body: "fine"))) {
            $0.proxy.contentBytesTotalMax = 400_000
        } _: { fixture async throws in
            for (length, status) in [(200_000, 200), (300_000, 503)] {
                let wire = try await fixture.connect()
                try await wire.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
                async let written: Void? = try? await wire.write([UInt8](repeating: 1, count: length))
                #expect(await wire.answer()?.status == status)
                await written
                await wire.close()
            }
        }
    }

    @Test func `leave to send content is given when it is wanted`() async throws {
        let origin = try await ScriptedOrigin { request, wire, _ in
            try await wire.write(answer(200, body: request.text))
            return true
        }
        try await withProxy(origin) { fixture async throws in
            let wire = try await fixture.connect()
            for _ in 0..<2 {
                try await wire.write("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
                #expect(await wire.head()?.status == 100)
                try await wire.write("abc")
                let said = try #require(await wire.answer())
                #expect(said.text == "abc" && said.interim == [])
            }
            #expect(origin.requests.allSatisfy { $0["Expect"] == [] })
        }
    }

    @Test(arguments: ["Content-Length: 3000001", "Transfer-Encoding: chunked"])
    func `content that is too long is refused, and the answer arrives all the same`(_ framing: String) async throws {
        try await withProxy(ScriptedOrigin(answer(200))) {
            $0.proxy.contentBytesMax = 1_000_000
        } _: { fixture async throws in
            for number in 1...3 {
                let wire = try await fixture.connect()
                try await wire.write("PUT / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
                let content = [UInt8](repeating: 1, count: 3_000_000)
                let chunk = framing.hasPrefix("T") ? Array("2dc6c0\r\n".utf8) + content : content
                async let written: Void? = try? await wire.write(chunk)
                let said = await wire.answer()
                #expect(said?.status == 413 && said?["Connection"] == ["close"])
                #expect(fixture.proxy.statistics.refused == number)
                await written
            }
            #expect(fixture.origin.requests.isEmpty)
        }
    }

    @Test func `content that is malformed is refused, and goes to nobody`() async throws {
        try await withProxy(ScriptedOrigin(answer(200))) { fixture async throws in
            let said = try await fixture.say(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzzz\r\n")
            #expect(said.answer?.status == 400 && said.closes)
            #expect(fixture.origin.requests.isEmpty)
        }
    }
}
