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
}
