import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

@Suite("HTTPCache as its callers see it")
struct HTTPCacheTests {
    private let plain = FunctionOrigin { request, number in
        HTTPResponse(200, fields: lasting, body: HTTPBody("\(request.url.path) \(number)"))
    }

    @Test func `answers say where they come from, and events are counted`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let told = Mutex<[String]>([])
        let origin = FunctionOrigin { request, _ in
            if request.fields.contains("If-None-Match") { return HTTPResponse(304) }
            return HTTPResponse(200, fields: ["Cache-Control": "max-age=10", "ETag": "\"a\""], body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin) { options in
            options.monitor = { event, url in
                told.withLock { $0.append("\(event.rawValue) \(url.split(separator: "/").last!)") }
            }
        }
        var sources: [HTTPSource] = []
        func ask(_ use: HTTPRequestOptions.Use = .standard) async throws {
            let response = try await cache.respond(to: get("/a"), HTTPRequestOptions(use))
            sources.append(response.source)
            _ = try await response.body.bytes()
            try await cache.settle()
        }
        try await ask()
        try await ask()
        clock.advance(by: .seconds(20))
        try await ask(.cacheElseOrigin)
        try await ask()
        #expect(sources == [.origin, .fresh, .stale, .validated])
        #expect(
            told.withLock { $0 } == ["miss a", "asked a", "stored a", "hit a", "staleHit a", "asked a", "confirmed a"])
        #expect(cache.statistics[.asked] == 2 && cache.statistics[.hit] == 1)
        #expect(try cache.isFresh(get("/a")))
        clock.advance(by: .seconds(10))
        #expect(try !cache.isFresh(get("/a")))
    }

    @Test func `caches of two names in one store see nothing of each other`() async throws {
        let directory = try TemporaryDirectory()
        let store = try openStore("file", in: directory.path + "/records")
        let caches = try ["one", "two"].map { name in
            var options = HTTPCacheOptions(name)
            options.closesStore = false
            return try HTTPCache(options, policy: try policy("lru"), storage: store, origin: plain)
        }
        for cache in caches { _ = try await cache.respond(to: get("/a")).body.bytes() }
        #expect(plain.questions.count == 2)
        try caches[0].removeAll()
        #expect(try caches[0].urls() == [] && caches[1].urls() == [address("/a").description])
        for cache in caches { try cache.close() }
        try store.close()
    }

    @Test func `a closed cache says so`() async throws {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(in: directory.path, origin: plain)
        try cache.close()
        try cache.close()
        await #expect(throws: HTTPCacheError.closed) { try await cache.respond(to: get("/a")) }
        #expect(throws: HTTPCacheError.closed) { try cache.urls() }
        #expect(throws: HTTPCacheError.closed) { try cache.purge(address("/a")) }
    }

    @Test func `a removal, and a change, win over requests that began before`() async throws {
        for kind in 0..<4 {
            let directory = try TemporaryDirectory()
            let gate = Gate()
            let origin = FunctionOrigin { request, number in
                if request.method == "GET", number == 1 { await gate.pass() }
                return HTTPResponse(200, fields: lasting, body: HTTPBody("\(number)"))
            }
            let cache = try httpCache(in: directory.path, origin: origin)
            let early = Task {
                var options = HTTPRequestOptions()
                options.groups = ["g"]
                return try await cache.respond(to: get("/a"), options).body.bytes()
            }
            while origin.questions.count == 0 { await Task.yield() }
            switch kind {
            case 0: try cache.purge(address("/a"))
            case 1: try cache.removeAll()
            case 2: try cache.invalidate(address("/a"))
            default: _ = try await cache.respond(to: HTTPRequest("PUT", address("/a"), body: HTTPBody("new")))
            }
            gate.open()
            #expect(try await early.value == Array("1".utf8))
            try await cache.settle()
            #expect(try cache.urls() == [] && cache.statistics[.overtaken] == 1)
        }
    }

    @Test func `one of several who wait may leave; when all have left the request is cancelled`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let cancelled = Switch()
        let origin = FunctionOrigin { request, _ in
            try await withTaskCancellationHandler {
                await gate.pass()
                try Task.checkCancellation()
            } onCancel: {
                cancelled.raise()
                gate.open()
            }
            return HTTPResponse(200, fields: lasting, body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        let tasks = (0..<3).map { _ in Task { try await cache.respond(to: get("/a")).status } }
        while origin.questions.count == 0 { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(!cancelled.isRaised)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        while !cancelled.isRaised { await Task.yield() }
        #expect(origin.questions.count == 1)
    }

    @Test func `one request of many at once is shared by those alone for whom its answer is`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let origin = FunctionOrigin { request, number in
            if number == 1 { await gate.pass() }
            return HTTPResponse(
                200, fields: ["Cache-Control": "max-age=9", "Vary": "X-A"], body: HTTPBody(request.fields["X-A"] ?? ""))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        let tasks = (0..<12).map { number in
            Task { try await cache.respond(to: get("/a", ["X-A": "\(number % 3)"])).body.bytes() }
        }
        while origin.questions.count == 0 { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        gate.open()
        for (number, task) in tasks.enumerated() { #expect(try await task.value == Array("\(number % 3)".utf8)) }
        #expect(origin.questions.count >= 3)
        try await cache.settle()
        let before = origin.questions.count
        for number in 0..<3 { _ = try await cache.respond(to: get("/a", ["X-A": "\(number)"])).body.bytes() }
        #expect(origin.questions.count == before)
    }

    @Test func `answers that may not be stored are not shared`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let origin = FunctionOrigin { _, number in
            if number == 1 { await gate.pass() }
            return HTTPResponse(200, fields: ["Cache-Control": "no-store"], body: HTTPBody("\(number)"))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        let tasks = (0..<5).map { _ in Task { try await cache.respond(to: get("/a")).body.bytes() } }
        while origin.questions.count == 0 { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        gate.open()
        var bodies: Set<[UInt8]> = []
        for task in tasks { bodies.insert(try await task.value) }
        #expect(bodies.count == 5 && origin.questions.count == 5)
    }

    @Test func `a stale answer is refreshed once, however many get it`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let gate = Gate()
        let origin = FunctionOrigin { _, number in
            if number > 1 { await gate.pass() }
            return HTTPResponse(
                200, fields: ["Cache-Control": "max-age=1, stale-while-revalidate=100"], body: HTTPBody("\(number)"))
        }
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        clock.advance(by: .seconds(5))
        for _ in 0..<20 {
            let response = try await cache.respond(to: get("/a"))
            #expect(response.source == .stale)
            #expect(try await response.body.bytes() == Array("1".utf8))
        }
        gate.open()
        try await cache.settle()
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("2".utf8))
        #expect(origin.questions.count == 2 && cache.statistics[.refreshing] == 1)
    }

    @Test(arguments: [3, 300_000])
    func `a refreshed body is stored whole, though nobody reads it and it takes its time`(_ bytes: Int) async throws {
        let directory = try TemporaryDirectory()
        let (pieces, rest) = AsyncStream<[UInt8]>.makeStream()
        rest.yield([UInt8](repeating: 2, count: bytes))
        let (cache, origin, _) = try await cacheToRefresh(in: directory.path, with: HTTPBody(pieces))
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("old".utf8))
        while origin.questions.count < 2 { await Task.yield() }
        await pause()
        rest.yield([UInt8](repeating: 3, count: bytes))
        rest.finish()
        try await cache.settle()
        let fresh = try await cache.respond(to: get("/a"))
        #expect(fresh.source == .fresh)
        #expect(
            try await fresh.body.bytes()
                == [UInt8](repeating: 2, count: bytes) + [UInt8](repeating: 3, count: bytes))
        #expect(origin.questions.count == 2 && cache.statistics[.truncated] == 0)
    }

    @Test(arguments: ["lru", "s3fifo", "lfu"])
    func `what is stored stays within its limit by any policy, and files and records agree`(_ policy: String)
        async throws
    {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(
            in: directory.path, policy: policy,
            origin: FunctionOrigin { request, _ in
                HTTPResponse(
                    200, fields: lasting,
                    body: HTTPBody(MadeBody(pieces: 1, piece: 1000 + request.url.path.count * 100)))
            }
        ) { $0.storeBytesMax = 20_000 }
        for number in 0..<200 {
            _ = try await cache.respond(to: get("/\(number * number % 67)")).body.bytes()
            try await cache.settle()
            #expect(cache.storedBytes <= 20_000)
        }
        let files = directory.files().filter { $0.contains("/bodies/body-") }.count
        #expect(try files == cache.urls().count && files > 5)
        #expect(cache.statistics[.displaced] > 0)
    }

    @Test func `at most so many answers of one address are kept, the newest`() async throws {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { request, _ in
            HTTPResponse(
                200, fields: ["Cache-Control": "max-age=9", "Vary": "X-A"],
                body: HTTPBody(MadeBody(pieces: 1, piece: 500)))
        }
        let cache = try httpCache(in: directory.path, origin: origin) { $0.answersPerURLMax = 3 }
        for number in 0..<5 {
            _ = try await cache.respond(to: get("/a", ["X-A": "\(number)"])).body.bytes()
            try await cache.settle()
        }
        let kept = try (0..<5).filter { try cache.storedAnswer(for: get("/a", ["X-A": "\($0)"])) != nil }
        #expect(kept == [2, 3, 4])
        #expect(directory.files().filter { $0.contains("/bodies/body-") }.count == 3)
    }

    @Test func `what is stored can be read, added to and removed without its origin`() throws {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(in: directory.path, origin: plain)
        var options = HTTPRequestOptions()
        options.groups = ["pack", "other"]
        for (path, length) in [("/a", 10), ("/b", 5000)] {
            let body = [UInt8](repeating: 7, count: length)
            #expect(try cache.store(HTTPResponse(200, fields: lasting), body: body, for: get(path), options))
            #expect(try cache.storedBody(for: get(path)) == body)
            #expect(try cache.setUserData([1], for: get(path)))
            #expect(try cache.userData(for: get(path)) == [1])
        }
        #expect(
            try !cache.store(
                HTTPResponse(200, fields: ["Cache-Control": "no-store"]), body: [], for: get("/c"), options))
        #expect(try !cache.setUserData([1], for: get("/c")))
        #expect(cache.urls(inGroup: "pack") == ["/a", "/b"].map { address($0).description })
        #expect(try cache.retain(only: [address("/b")]) == 1)
        #expect(try cache.purge(group: "other") == [address("/b").description])
        #expect(try cache.urls() == [] && !cache.purge(address("/b")))
        #expect(!directory.files().contains { $0.contains("/bodies/body-") })
        #expect(plain.questions.count == 0)
    }
}
