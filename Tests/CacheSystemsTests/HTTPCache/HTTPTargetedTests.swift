import CacheEngine
import Testing
import _CacheTestSupport

@testable import CacheSystems

/// The names are those of the public suite of HTTP caching (http-tests/cache-tests).
@Suite("CDN-Cache-Control counts in a shared cache before Cache-Control and Expires")
struct HTTPTargetedTests {
    struct Case: Sendable, CustomStringConvertible {
        let id: String
        let fields: HTTPFields
        let isServed: Bool
        var description: String { id }
    }

    private static func told(_ id: String, _ targeted: String, _ more: HTTPFields = [:], _ isServed: Bool) -> Case {
        var fields: HTTPFields = ["CDN-Cache-Control": targeted]
        for line in more.lines { fields.add(line.name, line.value) }
        return Case(id: id, fields: fields, isServed: isServed)
    }

    private static let future = "Fri, 31 Dec 2100 23:59:59 GMT"
    static let cases = [
        told("cdn-max-age", "max-age=3600", [:], true), told("cdn-max-age-max", "max-age=2147483648", [:], true),
        told("cdn-max-age-max-plus", "max-age=99999999999", [:], true),
        told("cdn-max-age-age", "max-age=3600", ["Age": "7200"], false),
        told("cdn-max-age-space-before-equals", "max-age =100", ["Cache-Control": "max-age=1"], false),
        told("cdn-max-age-space-after-equals", "max-age= 100", ["Cache-Control": "max-age=1"], false),
        told("cdn-max-age-0", "max-age=0", [:], false),
        told("cdn-max-age-extension", "foobar, max-age=3600", [:], true),
        told("cdn-max-age-expires", "max-age=3600", ["Expires": "Thu, 01 Jan 1970 00:00:00 GMT"], true),
        told("cdn-max-age-cc-max-age-invalid-expires", "max-age=3600", ["Expires": "0"], true),
        told("cdn-max-age-0-expires", "max-age=0", ["Expires": future], false),
        told("cdn-max-age-short-cc-max-age", "max-age=3600", ["Cache-Control": "max-age=1"], true),
        told("cdn-max-age-long-cc-max-age", "max-age=1", ["Cache-Control": "max-age=3600"], false),
        told("cdn-private", "private", ["Cache-Control": "max-age=10000", "Expires": future], false),
        told("cdn-no-cache", "no-cache", ["Cache-Control": "max-age=10000", "Expires": future], false),
        told("cdn-no-store-cc-fresh", "no-store", ["Cache-Control": "max-age=10000", "Expires": future], false),
        told("cdn-fresh-cc-nostore", "max-age=10000", ["Cache-Control": "no-store"], true),
        told("cdn-cc-invalid-sh-type-unknown", "max-age=10000, &&&&&", ["Cache-Control": "no-store"], false),
        told("cdn-cc-invalid-sh-type-wrong", "max-age=\"10000\"", ["Cache-Control": "no-store"], false),
        told("an empty field counts for nothing", "", ["Cache-Control": "max-age=100"], true),
        told("a comma too many", "max-age=100,", ["Cache-Control": "no-store"], false),
        told("letters of any case are no name", "MaX-aGe=100", ["Cache-Control": "no-store"], false),
        told("parameters are passed over", "max-age=100;a=1;b, x=(1 \"a\" b;c=?0), y=:YQ==:, z=@1, w=1.5", [:], true),
        told("what is false is not there", "no-store=?0, max-age=100", [:], true),
        told("the last of a name counts", "max-age=0, max-age=100", [:], true),
        told("a fraction is no number of seconds", "max-age=100.0", ["Cache-Control": "max-age=100"], false),
    ]

    /// Whether the second request, three seconds later, is served without asking.
    private func isServed(_ fields: HTTPFields, _ profile: HTTPProfile) async throws -> Bool {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, fields: fields, body: HTTPBody("x")) }
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin) { $0.profile = profile }
        let first = try await cache.respond(to: get("/a"))
        _ = try await first.body.bytes()
        #expect(first.fields["CDN-Cache-Control"] == fields["CDN-Cache-Control"], "it goes on to the client")
        try await cache.settle()
        clock.advance(by: .seconds(3))
        return try await cache.respond(to: get("/a")).source == .fresh
    }

    @Test(arguments: cases)
    func `an answer is served as the field for shared caches says`(_ told: Case) async throws {
        #expect(try await isServed(told.fields, .shared) == told.isServed)
    }

    @Test func `a private cache does not look at it`() async throws {
        #expect(try await isServed(["CDN-Cache-Control": "max-age=100"], .private) == false)
        #expect(try await isServed(["CDN-Cache-Control": "no-store", "Cache-Control": "max-age=9"], .private))
    }
}
