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
    func `content goes to the origin as it comes, and the answer may come before its end`(_ isChunked: Bool)
        async throws
    {
        let (ended, ender) = AsyncStream<[UInt8]>.makeStream()
        let origin = try await ScriptedOrigin(readsContent: false) { request, wire, _ in
            // Says back each piece before the next is there.
            try await wire.write(Self.head + "Content-Length: 4\r\n\r\n")
            for _ in 0..<4 {
                if isChunked { _ = await wire.read(through: "\r\n") }
                try await wire.write(await wire.read(1))
                if isChunked { _ = await wire.read(2) }
            }
            ender.yield(isChunked ? await wire.read(5) : [])
            return true
        }
        try await withProxy(origin) { fixture async throws in
            let wire = try await fixture.connect()
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 4"
            try await wire.write("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            let head = try #require(await fixture.first(wire, isChunked ? "1\r\na\r\n" : "a"))
            #expect(head.status == 200)
            for letter in ["a", "b", "c", "d"] {
                if letter != "a" { try await wire.write(isChunked ? "1\r\n\(letter)\r\n" : letter) }
                #expect(await wire.read(1) == Array(letter.utf8))
            }
            if isChunked { try await wire.write("0\r\n\r\n") }
            for await end in ended {
                #expect(end == (isChunked ? Array("0\r\n\r\n".utf8) : []))
                break
            }
            #expect(origin.requests[0]["Transfer-Encoding"] == (isChunked ? ["chunked"] : []))
            #expect(origin.requests[0]["Content-Length"] == (isChunked ? [] : ["4"]))
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

    @Test func `an answer to content that was not read ends the connection, and arrives all the same`() async throws {
        let origin = try await ScriptedOrigin(readsContent: false) { _, wire, _ in
            try await wire.write(answer(413, body: "too much"))
            return false
        }
        try await withProxy(origin) { fixture async throws in
            for _ in 0..<3 {
                let wire = try await fixture.connect()
                try await wire.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000001\r\n\r\n")
                // All but one byte: what is on the way may take everything that comes, and then the connection could go on.
                let content = [UInt8](repeating: 1, count: 3_000_000)
                async let written: Void? = try? await wire.write(content)
                let said = await wire.answer()
                // A client that is still sending may find the connection of the origin ended before it has read.
                #expect(said?.status == 413 && said?.text == "too much" || said?.status == 502)
                #expect(said?["Connection"] == ["close"])
                await written
            }
        }
    }

    @Test func `content that is malformed is refused, and what the origin has had of it ends without its end`()
        async throws
    {
        let ended = Mutex<Bool?>(nil)
        let origin = try await ScriptedOrigin(readsContent: false) { _, wire, _ in
            let rest = await wire.rest()
            ended.withLock { $0 = String(decoding: rest, as: UTF8.self).hasSuffix("0\r\n\r\n") }
            return false
        }
        try await withProxy(origin) { fixture async throws in
            let said = try await fixture.say(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzzz\r\n")
            #expect(said.answer?.status == 400 && said.closes)
            try await until { ended.withLock { $0 != nil } }
            #expect(ended.withLock { $0 } == false)
        }
    }
}

extension ProxyFixture {
    /// The header of an answer, after a piece of content was sent.
    func first(_ wire: Wire, _ piece: String) async throws -> Wire.Message? {
        try await wire.write(piece)
        return await wire.head()
    }
}
