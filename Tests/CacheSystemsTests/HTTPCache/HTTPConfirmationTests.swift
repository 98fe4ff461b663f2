import CacheCore
import CacheEngine
import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

/// What a newer header makes of what is stored: a 304, and the answer to HEAD.
@Suite("HTTPCache: confirmations", .timeLimit(.minutes(10)))
struct HTTPConfirmationTests {
    private static let body = [UInt8](repeating: 7, count: 5_000)

    /// An origin whose confirmations, and answers to HEAD, have these fields besides a tag.
    private func origin(
        _ fields: HTTPFields = lasting, confirming newer: HTTPFields, after gate: Gate? = nil
    ) -> FunctionOrigin {
        FunctionOrigin { request, number in
            let isConfirmation = request.fields.contains("If-None-Match")
            if isConfirmation { await gate?.pass() }
            var answered = isConfirmation || request.method == "HEAD" ? newer : fields
            answered["ETag"] = "\"a\""
            answered["X-Number"] = "\(number)"
            if isConfirmation { return HTTPResponse(304, fields: answered) }
            return HTTPResponse(
                200, fields: answered, body: request.method == "HEAD" ? HTTPBody() : HTTPBody(Self.body))
        }
    }

    private func stored(_ cache: HTTPCache, _ fields: HTTPFields = [:]) async throws {
        _ = try await cache.respond(to: get("/a", fields)).body.bytes()
        try await cache.settle()
    }

    private func bodies(_ directory: TemporaryDirectory) -> [String] {
        directory.files().filter { $0.contains("/bodies/body-") }
    }

    @Test(arguments: [
        ("Cache-Control", "no-store", HTTPProfile.private), ("Cache-Control", "private, max-age=9", .shared),
        ("Vary", "*", .private),
    ])
    func `what may not be stored any more is served once, and goes`(
        name: String, value: String, profile: HTTPProfile
    ) async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let gate = Gate()
        var newer = lasting
        newer[name] = value
        let origin = origin(confirming: newer, after: gate)
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin) { $0.profile = profile }
        try await stored(cache)
        clock.advance(by: .seconds(2_000))
        let askers = (0..<4).map { _ in Task { try await cache.respond(to: get("/a")) } }
        while origin.questions.count < 2 { await Task.yield() }
        await pause()
        gate.open()
        var confirmed = 0
        for asker in askers {
            let response = try await asker.value
            #expect(response.source != .shared && response.source != .fresh)
            if response.source == .validated {
                confirmed += 1
                #expect(response.fields[name] == value && response.fields["X-Number"] == "2")
            }
            #expect(try await response.body.bytes() == Self.body)
        }
        #expect(confirmed == 1)
        try await cache.settle()
    }

    @Test func `nothing stays of what may not be stored any more`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let origin = origin(confirming: ["Cache-Control": "no-store"])
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin)
        for use in [HTTPRequestOptions.Use.standard, .revalidate] {
            try await stored(cache)
            #expect(bodies(directory).count == 1)
            if use == .standard { clock.advance(by: .seconds(2_000)) }
            let response = try await cache.respond(to: get("/a"), HTTPRequestOptions(use))
            #expect(response.source == .validated && response.status == 200)
            #expect(try cache.urls() == [] && bodies(directory) == [])
            // Its body is there for the one who has got it.
            #expect(try await response.body.bytes() == Self.body)
        }
        try await stored(cache)
        _ = try await cache.respond(to: HTTPRequest("HEAD", address("/a")), HTTPRequestOptions(.reload))
        #expect(try cache.urls() == [] && bodies(directory) == [])
    }

    @Test(arguments: ["GET", "HEAD"])
    func `what a newer header tells apart by something else is for those alone that are as who asked`(
        _ method: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let origin = origin(
            ["Cache-Control": "max-age=1000", "Vary": "X-B"],
            confirming: ["Cache-Control": "max-age=1000", "Vary": "X-A"])
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin)
        try await stored(cache, ["X-A": "1", "X-B": "1"])
        clock.advance(by: .seconds(2_000))
        let request = HTTPRequest(method, address("/a"), fields: ["X-A": "2", "X-B": "1"])
        _ = try await cache.respond(to: request).body.bytes()
        try await cache.settle()
        #expect(try cache.isFresh(get("/a", ["X-A": "2", "X-B": "9"])))
        for value in ["1", "3"] { #expect(try cache.storedAnswer(for: get("/a", ["X-A": value, "X-B": "1"])) == nil) }
        #expect(try await cache.respond(to: get("/a", ["X-A": "2"])).source == .fresh)
        #expect(bodies(directory).count == 1)
    }

    @Test func `of several that are confirmed and told apart anew only that stays which was asked for`() async throws {
        let directory = try TemporaryDirectory()
        let origin = origin(
            ["Cache-Control": "max-age=1000", "Vary": "X-A"],
            confirming: ["Cache-Control": "max-age=1000", "Vary": "X-B"])
        let cache = try httpCache(in: directory.path, origin: origin)
        var options = HTTPRequestOptions(.reload)
        for value in ["1", "2"] {
            _ = try await cache.respond(to: get("/a", ["X-A": value, "X-B": "1"]), options).body.bytes()
            try await cache.settle()
        }
        options.use = .standard
        #expect(try await cache.respond(to: get("/a", ["X-A": "3", "X-B": "3"]), options).source == .validated)
        #expect(try cache.isFresh(get("/a", ["X-A": "9", "X-B": "3"])))
        #expect(try !cache.isFresh(get("/a", ["X-A": "1", "X-B": "1"])) && bodies(directory).count == 1)
    }

    @Test func `what one client is told who says who they are is not for others`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let origin = origin(confirming: ["Cache-Control": "max-age=3000", "Set-Cookie": "mine"])
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin) { $0.profile = .shared }
        try await stored(cache)
        clock.advance(by: .seconds(2_000))
        let own = try await cache.respond(to: get("/a", ["Authorization": "me"]))
        #expect(own.source == .validated && own.fields["Set-Cookie"] == "mine")
        #expect(try cache.storedAnswer(for: get("/a"))?.fields["Set-Cookie"] == nil)
        #expect(try !cache.isFresh(get("/a")))
    }
}
