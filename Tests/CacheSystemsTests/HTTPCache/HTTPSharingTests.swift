import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

/// Who shares a request, for how long, and what came in between.
@Suite("HTTPCache among several callers")
struct HTTPSharingTests {
    @Test func `one that leaves early takes nothing from those who come with it or after it`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let gate = Gate()
        let origin = FunctionOrigin { _, number in
            await gate.pass()
            return HTTPResponse(200, fields: lasting, body: number == 1 ? HTTPBody(pieces) : HTTPBody("second"))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        let tasks = (0..<8).map { number in
            Task {
                let response = try await cache.respond(to: get("/a"))
                // Most of them want no body.
                return number == 5 ? try await response.body.bytes() : []
            }
        }
        while origin.questions.count == 0 { await Task.yield() }
        await pause()
        gate.open()
        for task in tasks where task != tasks[5] { _ = try await task.value }
        input.yield([1, 2])
        await pause()
        input.yield([3])
        input.finish()
        #expect(try await tasks[5].value == [1, 2, 3])
        try await cache.settle()
        #expect(cache.statistics[.truncated] == 0)
    }

    @Test(arguments: [3, 100_000])
    func `what has come whole is stored though all leave at its last byte`(length: Int) async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let body = [UInt8](repeating: 7, count: length)
        let origin = FunctionOrigin { _, number in
            if number > 1 { return HTTPResponse(200, fields: lasting, body: HTTPBody("second")) }
            var fields = lasting
            fields["Content-Length"] = "\(length)"
            return HTTPResponse(200, fields: fields, body: HTTPBody(pieces))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        input.yield(body)
        do {
            let response = try await cache.respond(to: get("/a"))
            var left = length
            for try await piece in response.body {
                left -= piece.count
                if left == 0 { break }
            }
        }
        await pause()
        input.finish()
        try await cache.settle()
        #expect(try await cache.respond(to: get("/a")).body.bytes() == body)
        #expect(origin.questions.count == 1)
    }

    @Test func `what all have left is not joined any more`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let stubborn = Gate()
        let origin = FunctionOrigin { _, number in
            if number > 1 { return HTTPResponse(200, fields: lasting, body: HTTPBody("second")) }
            // A source that does not react to being cancelled.
            return HTTPResponse(200, fields: lasting, body: HTTPBody(Stubborn(gate: stubborn)))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        do { _ = try await cache.respond(to: get("/a")) }
        await pause()
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("second".utf8))
        stubborn.open()
        input.finish()
        _ = pieces
        try await cache.settle()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a reader that is cancelled while its origin is silent ends at once, and the request with it`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let ended = Switch()
        input.onTermination = { _ in ended.raise() }
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, fields: lasting, body: HTTPBody(pieces)) }
        let cache = try httpCache(in: directory.path, origin: origin)
        input.yield([1, 2, 3])
        let seen = Switch()
        let reader = Task {
            for try await _ in try await cache.respond(to: get("/a")).body { seen.raise() }
        }
        while !seen.isRaised { await Task.yield() }
        await pause()
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        while !ended.isRaised { await Task.yield() }
        try await cache.settle()
        #expect(try cache.urls() == [])
    }

    @Test(arguments: ["purge", "invalidate", "PUT", "group", "all", "store"])
    func `who asks after a change is not given what was asked for before it`(_ change: String) async throws {
        for isBodyComing in [false, true] {
            let directory = try TemporaryDirectory()
            let gate = Gate()
            let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
            let origin = FunctionOrigin { request, number in
                guard request.method == "GET" else { return HTTPResponse(204) }
                if number == 1, !isBodyComing { await gate.pass() }
                return HTTPResponse(200, fields: lasting, body: number == 1 ? HTTPBody(pieces) : HTTPBody("new"))
            }
            let cache = try httpCache(in: directory.path, origin: origin)
            var options = HTTPRequestOptions()
            options.groups = ["g"]
            let early = Task { [options] in try await cache.respond(to: get("/a"), options).body.bytes() }
            while origin.questions.count == 0 { await Task.yield() }
            await pause()
            switch change {
            case "purge": try cache.purge(address("/a"))
            case "invalidate": try cache.invalidate(address("/a"))
            case "PUT": _ = try await cache.respond(to: HTTPRequest("PUT", address("/a"), body: HTTPBody("new")))
            case "group": try cache.purge(group: "g")
            case "all": try cache.removeAll()
            default: try cache.store(HTTPResponse(200, fields: lasting), body: Array("new".utf8), for: get("/a"))
            }
            let late = Task { try await cache.respond(to: get("/a")).body.bytes() }
            await pause()
            gate.open()
            #expect(try await late.value == Array("new".utf8), "\(isBodyComing)")
            #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("new".utf8), "\(isBodyComing)")
            input.yield(Array("old".utf8))
            input.finish()
            #expect(try await early.value == Array("old".utf8))
            try await cache.settle()
            #expect(try cache.storedBody(for: get("/a")) == Array("new".utf8), "\(isBodyComing)")
            #expect(cache.statistics[.overtaken] == 1)
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `an answer that was under way when something changed confirms nothing`(_ method: String) async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let gate = Gate()
        let origin = FunctionOrigin { request, number in
            let fields: HTTPFields = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
            if number == 2 { await gate.pass() }
            if request.fields.contains("If-None-Match"), number == 2 { return HTTPResponse(304, fields: fields) }
            return HTTPResponse(
                200, fields: fields, body: request.method == "HEAD" ? HTTPBody() : HTTPBody("\(number)"))
        }
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        if method == "GET" { clock.advance(by: .seconds(20)) }
        var request = get("/a")
        request.method = method
        if method == "HEAD" { request.fields["Cache-Control"] = "no-cache" }
        let under = Task { [request] in try await cache.respond(to: request).body.bytes() }
        while origin.questions.count < 2 { await Task.yield() }
        try cache.invalidate(address("/a"))
        gate.open()
        #expect(try await under.value == (method == "HEAD" ? [] : Array("3".utf8)))
        try await cache.settle()
        #expect(try cache.isFresh(get("/a")) == (method == "GET"))
    }

    @Test func `the answer to HEAD without a validator does not undo a change`() async throws {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { request, number in
            HTTPResponse(200, fields: lasting, body: request.method == "HEAD" ? HTTPBody() : HTTPBody("\(number)"))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        _ = try await cache.respond(to: HTTPRequest("PUT", address("/a"), body: HTTPBody("new")))
        _ = try await cache.respond(to: HTTPRequest("HEAD", address("/a")))
        #expect(try !cache.isFresh(get("/a")))
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("4".utf8))
    }

    @Test func `what is refreshed is refreshed once, as long as its body comes`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let (cache, origin, clock) = try await cacheToRefresh(in: directory.path, with: HTTPBody(pieces))
        for _ in 0..<5 {
            clock.advance(by: .seconds(1))
            #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("old".utf8))
            await pause()
        }
        #expect(origin.questions.count == 2)
        input.yield(Array("new".utf8))
        input.finish()
        try await cache.settle()
        #expect(try cache.storedBody(for: get("/a")) == Array("new".utf8))
    }

    @Test func `a refresh that is answered with a confirmation of nothing is stored all the same`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let origin = FunctionOrigin { request, number in
            let fields: HTTPFields = [
                "Cache-Control": "max-age=1, stale-while-revalidate=100", "ETag": "\"a\"",
            ]
            if number == 1 { return HTTPResponse(200, fields: fields, body: HTTPBody("old")) }
            if request.fields.contains("If-None-Match") { return HTTPResponse(304, fields: ["ETag": "\"other\""]) }
            return HTTPResponse(200, fields: fields, body: HTTPBody(pieces))
        }
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        clock.advance(by: .seconds(5))
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("old".utf8))
        while origin.questions.count < 3 { await Task.yield() }
        await pause()
        input.yield(Array("new".utf8))
        input.finish()
        try await cache.settle()
        #expect(try cache.storedBody(for: get("/a")) == Array("new".utf8))
    }

    @Test func `of two answers that come at the same time the one that was given later stays`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let origin = FunctionOrigin { _, number in
            HTTPResponse(200, fields: lasting, body: number == 1 ? HTTPBody(pieces) : HTTPBody("second"))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        let slow = try await cache.respond(to: get("/a"))
        _ = try await cache.respond(to: get("/a"), HTTPRequestOptions(.reload)).body.bytes()
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("second".utf8))
        input.yield(Array("first".utf8))
        input.finish()
        #expect(try await slow.body.bytes() == Array("first".utf8))
        try await cache.settle()
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("second".utf8))
        #expect(origin.questions.count == 2 && cache.statistics[.overtaken] == 1)
    }
}

/// A body that comes after a gate, whether somebody wants it or not.
private struct Stubborn: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let gate: Gate
        var isOver = false

        mutating func next() async throws -> [UInt8]? {
            if isOver { return nil }
            isOver = true
            await gate.pass()
            return [1]
        }
    }

    let gate: Gate
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(gate: gate) }
}
