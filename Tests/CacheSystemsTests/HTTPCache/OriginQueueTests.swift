import CacheEngine
import CacheSystems
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

@Suite("Requests wait for their turn at the origin")
struct OriginQueueTests {
    /// A cache whose origin answers when it is told to, and how many were there at once.
    private func crowd(_ count: Int, most: Int) async throws -> (most: Int, total: Int) {
        let directory = try TemporaryDirectory()
        let there = Mutex((now: 0, most: 0))
        let origin = FunctionOrigin { _, _ in
            there.withLock { there in
                there.now += 1
                there.most = max(there.most, there.now)
            }
            await Task.yield()
            there.withLock { $0.now -= 1 }
            return HTTPResponse(200, fields: lasting, body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory.path, origin: origin) { $0.originRequestsMax = most }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { _ = try await cache.respond(to: get("/\(number)")).body.bytes() }
            }
            try await group.waitForAll()
        }
        try await cache.settle()
        return (there.withLock { $0.most }, origin.questions.count)
    }

    @Test(arguments: [1, 3])
    func `no more are there at once than may be, and all get there`(_ most: Int) async throws {
        let (seen, total) = try await crowd(60, most: most)
        #expect(seen <= most && total == 60)
    }

    @Test func `a suspended queue lets none through, and goes on where it stopped`() async throws {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, fields: lasting, body: HTTPBody("x")) }
        let cache = try httpCache(in: directory.path, origin: origin)
        cache.setSuspended(true)
        let waiting = Task { try await cache.respond(to: get("/a")).body.bytes() }
        for _ in 0..<200 { await Task.yield() }
        #expect(origin.questions.count == 0)
        cache.setSuspended(false)
        #expect(try await waiting.value == Array("x".utf8))
        #expect(origin.questions.count == 1)
    }

    @Test func `one that is cancelled while it waits never gets there, and gives its place to the next`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let origin = FunctionOrigin { request, _ in
            if request.url.path == "/first" { await gate.pass() }
            return HTTPResponse(200, fields: lasting, body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory.path, origin: origin) { $0.originRequestsMax = 1 }
        let first = Task { try await cache.respond(to: get("/first")).status }
        while origin.questions.count == 0 { await Task.yield() }
        let second = Task { try await cache.respond(to: get("/second")).status }
        let third = Task { try await cache.respond(to: get("/third")).status }
        for _ in 0..<200 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        #expect(try await first.value == 200)
        #expect(try await third.value == 200)
        #expect(origin.questions.count == 2)
    }

    /// A cache with one turn, which a request for `/held` has until the gate is opened.
    private func held(
        in directory: String, _ timer: ManualTimer, _ gate: Gate, waiters: Int
    ) async throws -> (cache: HTTPCache, held: Task<Int, any Error>) {
        let origin = FunctionOrigin { request, _ in
            if request.url.path == "/held" { await gate.pass() }
            return HTTPResponse(200, fields: lasting, body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory, origin: origin) {
            $0.originRequestsMax = 1
            $0.originWaitersMax = waiters
            $0.originWaitLimit = .seconds(5)
            $0.timer = timer
        }
        _ = try await cache.respond(to: get("/stored")).body.bytes()
        try await cache.settle()
        let held = Task { try await cache.respond(to: get("/held")).status }
        while origin.questions.count < 2 { await Task.yield() }
        return (cache, held)
    }

    @Test func `whoever waits for too long, or is one too many, is told when to come again, and hits go on`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let (timer, gate) = (ManualTimer(), Gate())
        let (cache, first) = try await held(in: directory.path, timer, gate, waiters: 2)
        let waiting = (1...2).map { number in Task { try await cache.respond(to: get("/\(number)")).status } }
        while timer.sleepers < 2 { await Task.yield() }
        // There is no place for a third, and that is said at once.
        await #expect(throws: HTTPCacheError.busy(retryAfterSeconds: 5)) {
            try await cache.respond(to: get("/3"))
        }
        #expect(try await cache.respond(to: get("/stored")).source == .fresh)
        timer.advance(by: .seconds(4))
        #expect(timer.sleepers == 2)
        timer.advance(by: .seconds(1))
        for task in waiting {
            await #expect(throws: HTTPCacheError.busy(retryAfterSeconds: 5)) { try await task.value }
        }
        gate.open()
        #expect(try await first.value == 200)
        #expect(try await cache.respond(to: get("/4")).status == 200)
    }

    @Test func `what is stale is served where the turn does not come`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let (timer, gate) = (ManualTimer(), Gate())
        let origin = FunctionOrigin { request, _ in
            if request.url.path == "/held" { await gate.pass() }
            return HTTPResponse(200, fields: ["Cache-Control": "max-age=1"], body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin) {
            $0.originRequestsMax = 1
            $0.originWaitersMax = 0
            $0.timer = timer
        }
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        clock.advance(by: .seconds(9))
        let held = Task { try await cache.respond(to: get("/held")).status }
        while origin.questions.count < 2 { await Task.yield() }
        #expect(try await cache.respond(to: get("/a")).source == .stale)
        gate.open()
        _ = try await held.value
    }

    @Test func `a body that drips does not keep others from their turn`() async throws {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { request, _ in
            guard request.url.path.hasPrefix("/drip") else {
                return HTTPResponse(200, fields: lasting, body: HTTPBody("x"))
            }
            // One byte, and then nothing for ever.
            let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
            input.yield([1])
            return HTTPResponse(200, fields: lasting, body: HTTPBody(pieces, length: 100))
        }
        let cache = try httpCache(in: directory.path, origin: origin) { $0.originRequestsMax = 4 }
        var dripping: [HTTPResponse] = []
        for number in 0..<8 { dripping.append(try await cache.respond(to: get("/drip\(number)"))) }
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("x".utf8))
        withExtendedLifetime(dripping) {}
    }

    @Test func `one client has half of the turns, and who shares its request lends it another`() async throws {
        let directory = try TemporaryDirectory()
        let (timer, gate) = (ManualTimer(), Gate())
        let origin = FunctionOrigin { request, _ in
            if request.url.path.hasPrefix("/held") { await gate.pass() }
            return HTTPResponse(200, fields: lasting, body: HTTPBody("x"))
        }
        let cache = try httpCache(in: directory.path, origin: origin) {
            $0.originRequestsMax = 4
            $0.originWaitersMax = 2
            $0.timer = timer
        }
        func ask(_ path: String, _ client: String) async throws -> Int {
            var options = HTTPRequestOptions()
            options.client = client
            return try await cache.respond(to: get(path), options).status
        }
        var greedy = ["/held1", "/held2"].map { path in Task { try await ask(path, "a") } }
        while origin.questions.count < 2 { await Task.yield() }
        greedy.append(Task { try await ask("/shared", "a") })
        while origin.questions.count + timer.sleepers < 3 { await Task.yield() }
        try #require(origin.questions.count == 2)
        // It has half of the places to wait as well.
        await #expect(throws: HTTPCacheError.self) { try await ask("/more", "a") }
        #expect(try await ask("/other", "b") == 200)
        #expect(try await ask("/shared", "b") == 200)
        gate.open()
        for task in greedy { #expect(try await task.value == 200) }
        #expect(try await ask("/last", "a") == 200)
    }
}
