import CacheEngine
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheSystems

@Suite("What an origin says, and what lies on disk, never traps a cache of web resources")
struct HTTPOutsideDataTests {
    private static let dates = [
        "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
        "Sat, 12 Apr 2262 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 9999", "Sun, 31 Dec 99999 23:59:59 GMT", "-1", "0", "",
    ]

    /// Asks for `/a` twice and again after a restart; returns where the three answers came from.
    private func answers(_ fields: HTTPFields, status: Int = 200) async throws -> [HTTPSource] {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        clock.advance(by: .seconds(1_800_000_000))
        var sources: [HTTPSource] = []
        for asked in [2, 1] {
            let origin = FunctionOrigin { _, _ in HTTPResponse(status, fields: fields, body: HTTPBody("x")) }
            let cache = try httpCache(in: directory.path, clock: clock, origin: origin) { $0.profile = .shared }
            for _ in 0..<asked {
                let answer = try await cache.respond(to: get("/a"))
                _ = try await answer.body.bytes()
                _ = answer.cacheStatus?.member(named: "x")
                sources.append(answer.source)
                try await cache.settle()
            }
            try cache.close()
        }
        return sources
    }

    @Test(arguments: dates)
    func `a date of any year is served and survives a restart`(_ date: String) async throws {
        for name in ["Date", "Expires", "Last-Modified"] { _ = try await answers([name: date, "ETag": "\"a\""]) }
        _ = try await answers(["Date": date, "Expires": date, "Last-Modified": date])
    }

    @Test func `what is fresh until the year 9999 is fresh, and what was made in the year 1 is old`() async throws {
        #expect(try await answers(["Expires": Self.dates[0]]) == [.origin, .fresh, .fresh])
        #expect(
            try await answers(["Cache-Control": "max-age=100", "Date": Self.dates[1]]) == [.origin, .origin, .origin])
    }

    @Test(arguments: ["99999999999999999999", "9223372036854775807", "-9223372036854775808", "1e309", "2147483649"])
    func `numbers out of range are as large as may be, or none`(_ number: String) async throws {
        let isNumber = number.allSatisfy(\.isNumber)
        let cases: [(HTTPFields, isFresh: Bool)] = [
            (["Age": number, "Cache-Control": "max-age=10"], !isNumber),
            (["Cache-Control": "max-age=\(number)", "Age": number], false),
            (
                ["Cache-Control": "s-maxage=\(number), stale-while-revalidate=\(number), stale-if-error=\(number)"],
                isNumber
            ),
        ]
        for (fields, isFresh) in cases {
            #expect(try await answers(fields) == (isFresh ? [.origin, .fresh, .fresh] : [.origin, .origin, .origin]))
        }
        // A length that is none says nothing; one that is not the body's is one of a body that has not come whole.
        let fields: HTTPFields = ["Content-Length": number, "Cache-Control": "max-age=10"]
        switch Int(number) {
        case .some(1 << 31...1 << 40): await #expect(throws: HTTPCacheError.self) { try await answers(fields) }
        // More than is ever stored.
        case .some((1 << 40)...): #expect(try await answers(fields) == [.origin, .origin, .origin])
        default: #expect(try await answers(fields) == [.origin, .fresh, .fresh])
        }
    }

    @Test(arguments: [-1, 0, 99, 100, 199, 1_000, Int.max, Int.min])
    func `an answer whose status is none is never stored`(_ status: Int) async throws {
        #expect(try await answers(lasting, status: status) == [.origin, .origin, .origin])
    }

    @Test func `dates that cannot be written are written as the nearest that can`() {
        #expect(HTTPDate.text(of: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.text(of: .min) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test(arguments: [
        "http://a:99999/", "http://a:0/", "http://a:99999999999999999999/", "http://a b/", "http://a\\b/",
        "http://[::1p:/", "http://a:b:1/", "http://[]/", "http://a[/",
    ])
    func `a host or port that cannot be is no address`(_ text: String) { #expect(HTTPURL(text) == nil) }

    @Test(arguments: [
        ("http://a/x?%7e=%2f&b=[1]|{2}\"'<>^`", "/x?%7e=%2f&b=[1]|{2}\"'<>^`"),
        ("http://a/?a b\u{1}ü", "/?a%20b%01%C3%BC"),
        ("http://a/%7e?/../b", "/~?/../b"),
    ])
    func `a query is kept as it is`(_ text: String, _ target: String) { #expect(HTTPURL(text)?.target == target) }

    private static func record(_ change: (inout StoredAnswer) -> Void) throws -> [UInt8] {
        var answer = StoredAnswer(
            number: 1, status: 200, fields: lasting, varyNames: [], varyValues: [], requestNanoseconds: 1,
            responseNanoseconds: 2, body: .bytes([1, 2]))
        change(&answer)
        return try StoredResource(answers: [answer]).encoded()
    }

    @Test func `a stored record that could not have been written is damage`() throws {
        #expect(try StoredResource(decoding: Self.record { _ in }).answers[0].body == .bytes([1, 2]))
        let changes: [(inout StoredAnswer) -> Void] = [
            { $0.status = -1 }, { $0.status = 99 }, { $0.status = 1_000 }, { $0.number = .max },
            { $0.body = .file(length: -1) }, { $0.body = .file(length: .max) },
        ]
        for change in changes {
            let bytes = try Self.record(change)
            #expect(throws: (any Error).self) { try StoredResource(decoding: bytes) }
        }
        // A line that would be two lines on the way.
        let text = String(decoding: try Self.record { _ in }, as: UTF8.self)
            .replacing("max-age=1000", with: "max-age=\\r\\n00")
        #expect(throws: (any Error).self) { try StoredResource(decoding: Array(text.utf8)) }
    }

    @Test(arguments: [Int64.min, .max, 0, -1])
    func `moments on disk may be any number`(_ moment: Int64) throws {
        for profile in HTTPProfile.allCases {
            let semantics = HTTPSemantics(profile: profile, heuristicFraction: .infinity, heuristicSecondsMax: .max)
            for (asked, came) in [(moment, Int64.max), (moment, .min), (0, moment), (moment, moment)] {
                var answer = StoredAnswer(
                    number: 1, status: 200, fields: ["Last-Modified": Self.dates[1], "Age": "4"], varyNames: [],
                    varyValues: [], requestNanoseconds: asked, responseNanoseconds: came, body: .bytes([]))
                for fields in [answer.fields, ["Expires": Self.dates[0], "Date": Self.dates[1]], lasting] {
                    answer.fields = fields
                    for now in [Int64.min, .max, 0, moment] {
                        #expect(semantics.age(answer, at: now) >= 0)
                        #expect((0...HTTPText.secondsMax).contains(semantics.lifetime(answer)))
                        _ = semantics.reuse(answer, for: get("/a"), at: now)
                        _ = semantics.mayServeOnError(
                            answer, for: get("/a", ["Cache-Control": "stale-if-error=9"]), at: now,
                            isUnreachable: false, servesUnreachable: false)
                    }
                }
            }
        }
    }
}
