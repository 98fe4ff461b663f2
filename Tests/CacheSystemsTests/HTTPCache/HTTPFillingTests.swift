import CacheEngine
import Testing
import _CacheTestSupport

@testable import CacheSystems

@Suite("A part, a header or a condition fills the cache for those who come after")
struct HTTPFillingTests {
    private static let text = "0123456789"

    private func origin(_ fields: HTTPFields = lasting, tag: String? = nil, length: Bool = true) -> FunctionOrigin {
        FunctionOrigin { request, _ in
            var own = fields
            own["ETag"] = tag
            if length { own["Content-Length"] = "\(Self.text.utf8.count)" }
            if request.method == "HEAD" { return HTTPResponse(200, fields: own) }
            if let tag, request.fields["If-None-Match"] == tag { return HTTPResponse(304, fields: own) }
            if request.fields["Range"] == "bytes=2-3" {
                own["Content-Range"] = "bytes 2-3/10"
                own["Content-Length"] = "2"
                return HTTPResponse(206, fields: own, body: HTTPBody("23"))
            }
            if length { return HTTPResponse(200, fields: own, body: HTTPBody(Self.text)) }
            // Nobody knows that no more comes.
            let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
            input.yield(Array(Self.text.utf8))
            return HTTPResponse(200, fields: own, body: HTTPBody(pieces))
        }
    }

    private static let less: [HTTPRequest] = [
        get("/a", ["Range": "bytes=2-3"]), get("/a", ["If-None-Match": "\"a\""]), get("/a", ["If-None-Match": "\"b\""]),
        get("/a", ["If-Modified-Since": "Fri, 31 Dec 2100 23:59:59 GMT"]), HTTPRequest("HEAD", address("/a")),
    ]

    @Test(arguments: less.indices, [true, false])
    func `the next request is a hit, whoever reads how much of the first`(_ place: Int, _ reads: Bool) async throws {
        let directory = try TemporaryDirectory()
        let origin = origin(tag: "\"a\"")
        let cache = try httpCache(in: directory.path, origin: origin) { $0.inlineBytesMax = 2 }
        let request = Self.less[place]
        let first = try await cache.respond(to: request)
        #expect(first.status == [206, 304, 200, 304, 200][place])
        if reads {
            let bytes = try await first.body.bytes()
            #expect(String(decoding: bytes, as: UTF8.self) == ["23", "", Self.text, "", ""][place])
        }
        // Whoever holds an answer keeps it coming, read or not.
        try await cache.settle()
        withExtendedLifetime(first) {}
        let second = try await cache.respond(to: get("/a"))
        #expect(second.source == .fresh && origin.questions.count == 1)
        #expect(try await second.body.bytes() == Array(Self.text.utf8))
    }

    @Test func `what may not be stored is asked for as the client asks, and from then on at once`() async throws {
        let directory = try TemporaryDirectory()
        let origin = origin(["Cache-Control": "no-store"], tag: "\"a\"")
        let cache = try httpCache(in: directory.path, origin: origin)
        let ranges = get("/a", ["Range": "bytes=2-3"])
        for asked in [2, 3, 4] {
            let answer = try await cache.respond(to: ranges)
            #expect(answer.status == 206)
            #expect(try await answer.body.bytes() == Array("23".utf8))
            #expect(origin.questions.count == asked)
        }
        #expect(try await cache.respond(to: get("/b", ["If-None-Match": "\"a\""])).status == 304)
        let head = try await cache.respond(to: HTTPRequest("HEAD", address("/c")))
        #expect(head.status == 200 && head.fields["Content-Length"] == "10")
        #expect(try await head.body.bytes() == [])
        #expect(origin.questions.count == 6)
    }

    @Test func `a body that is too long for that is asked for in the part that is wanted`() async throws {
        let directory = try TemporaryDirectory()
        let origin = origin()
        let cache = try httpCache(in: directory.path, origin: origin) { $0.fillBytesMax = 5 }
        let answer = try await cache.respond(to: get("/a", ["Range": "bytes=2-3"]))
        #expect(answer.status == 206)
        #expect(try await answer.body.bytes() == Array("23".utf8))
        try await cache.settle()
        // One that asks for all of it has it stored.
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        #expect(try await cache.respond(to: get("/a", ["Range": "bytes=2-3"])).source == .fresh)
    }

    @Test(arguments: [1, 4], [true, false])
    func `what turns out to be too long is not asked for as a whole again`(_ place: Int, _ isLongForStore: Bool)
        async throws
    {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(in: directory.path, origin: origin(tag: "\"a\"", length: false)) {
            if isLongForStore { $0.bodyBytesMax = 5 } else { $0.fillBytesMax = 5 }
        }
        for isStored in [true, false, false] {
            let answer = try await cache.respond(to: Self.less[place])
            #expect(answer.status == [1: 304, 4: 200][place] && answer.cacheStatus?.isStored == isStored)
            try await cache.settle()
        }
    }

    @Test func `one client has half of what may be filled at once`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let origin = FunctionOrigin { _, _ in
            let pieces = AsyncStream<[UInt8]>(unfolding: {
                await gate.pass()
                return nil
            })
            return HTTPResponse(200, fields: lasting, body: HTTPBody(pieces))
        }
        let cache = try httpCache(in: directory.path, origin: origin) { $0.originRequestsMax = 4 }
        func fills(_ path: String, _ client: String) async throws -> Bool? {
            var options = HTTPRequestOptions()
            options.client = client
            return try await cache.respond(to: HTTPRequest("HEAD", address(path)), options).cacheStatus?.isStored
        }
        for (number, (client, isFilled)) in [
            ("a", true), ("a", true), ("a", false), ("b", true), ("b", true), ("c", false),
        ].enumerated() { #expect(try await fills("/\(number)", client) == isFilled) }
        gate.open()
        // What has come makes room.
        var number = 10
        while try await fills("/\(number)", "c") != true { number += 1 }
    }

    @Test func `a part of what is stale without a validator stores all of it again`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let origin = origin(["Cache-Control": "max-age=10"])
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        clock.advance(by: .seconds(20))
        for kind in [HTTPSource.origin, .fresh, .fresh] {
            let part = try await cache.respond(to: get("/a", ["Range": "bytes=2-3"]))
            #expect(part.status == 206 && part.source == kind)
            #expect(try await part.body.bytes() == Array("23".utf8))
            try await cache.settle()
        }
        #expect(origin.questions.count == 2)
    }

    @Test(arguments: [204, 205])
    func `an answer that has no content is stored, though nobody reads it`(_ status: Int) async throws {
        let directory = try TemporaryDirectory()
        for round in 0..<50 {
            let gate = Gate()
            let origin = FunctionOrigin { _, _ in
                let pieces = AsyncStream<[UInt8]>(unfolding: {
                    await gate.pass()
                    return nil
                })
                return HTTPResponse(status, fields: lasting, body: HTTPBody(pieces))
            }
            let cache = try httpCache(in: directory.path + "/\(round)", origin: origin)
            // The client has left before the end of the content has come.
            let first = try await cache.respond(to: get("/a")).cacheStatus?.isStored
            #expect(first == true)
            gate.open()
            try await cache.settle()
            #expect(try await cache.respond(to: get("/a")).source == .fresh)
            try cache.close()
        }
    }
}
