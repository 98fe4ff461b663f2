import CacheEngine
import Testing
import _CacheTestSupport

@testable import CacheSystems

@Suite("A shared cache keeps nobody's cookies for others unless it is asked to")
struct HTTPCookieTests {
    /// What a second client gets of an answer with a cookie: where from, and the cookie.
    private func second(
        _ fields: HTTPFields, _ profile: HTTPProfile = .shared, stores: Bool = false
    ) async throws -> (source: HTTPSource, cookie: String?) {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, number in
            var fields = fields
            fields["Set-Cookie"] = "user=\(number)"
            return HTTPResponse(200, fields: fields, body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory.path, origin: origin) {
            $0.profile = profile
            $0.storesCookies = stores
        }
        let first = try await cache.respond(to: get("/a"))
        #expect(first.fields["Set-Cookie"] == "user=1")
        _ = try await first.body.bytes()
        try await cache.settle()
        let second = try await cache.respond(to: get("/a"))
        return (second.source, second.fields["Set-Cookie"])
    }

    private static let explicit: [HTTPFields] = [
        lasting, ["Cache-Control": "s-maxage=100"], ["Expires": "Fri, 31 Dec 2100 23:59:59 GMT"],
        ["CDN-Cache-Control": "max-age=100"], ["Cache-Control": "public, max-age=100"],
    ]
    private static let heuristic: HTTPFields = ["Last-Modified": "Thu, 01 Jan 1960 00:00:00 GMT"]

    @Test func `an answer with a cookie is not stored, however it is fresh`() async throws {
        for fields in Self.explicit + [Self.heuristic, ["Cache-Control": "public"]] {
            #expect(try await second(fields) == (.origin, "user=2"))
        }
    }

    @Test func `one that is asked to stores it where the lifetime is explicit`() async throws {
        for fields in Self.explicit { #expect(try await second(fields, stores: true) == (.fresh, "user=1")) }
        #expect(try await second(Self.heuristic, stores: true) == (.origin, "user=2"))
    }

    @Test func `a private cache has one user`() async throws {
        #expect(try await second(lasting, .private) == (.fresh, "user=1"))
    }

    @Test(arguments: ["private", "no-cache"])
    func `where the origin keeps the field from others, the rest is stored`(_ directive: String) async throws {
        #expect(try await second(["Cache-Control": "max-age=9, \(directive)=\"Set-Cookie\""]) == (.fresh, nil))
    }

    @Test func `a confirmation leaves its cookie to the one who asked`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let origin = FunctionOrigin { _, number in
            let fields: HTTPFields = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
            guard number > 1 else { return HTTPResponse(200, fields: fields, body: HTTPBody("x")) }
            var own = fields
            own["Set-Cookie"] = "user=\(number)"
            return HTTPResponse(304, fields: own)
        }
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin) { $0.profile = .shared }
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        clock.advance(by: .seconds(20))
        let own = try await cache.respond(to: get("/a"))
        #expect(own.source == .validated && own.fields["Set-Cookie"] == "user=2")
        let other = try await cache.respond(to: get("/a"))
        #expect(other.source == .fresh && other.fields["Set-Cookie"] == nil)
    }

    @Test func `what was stored with a cookie before is served without it`() async throws {
        let directory = try TemporaryDirectory()
        for stores in [true, false] {
            let origin = FunctionOrigin { _, _ in
                HTTPResponse(200, fields: ["Cache-Control": "max-age=9", "Set-Cookie": "a"], body: HTTPBody("x"))
            }
            let cache = try httpCache(in: directory.path, origin: origin) {
                $0.profile = .shared
                $0.storesCookies = stores
            }
            let answer = try await cache.respond(to: get("/a"))
            _ = try await answer.body.bytes()
            #expect(answer.source == (stores ? .origin : .fresh))
            #expect(answer.fields["Set-Cookie"] == (stores ? "a" : nil))
            try await cache.settle()
            try cache.close()
        }
    }
}
