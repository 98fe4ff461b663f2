import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

/// What a client is told, of what is stored and of what is not.
@Suite("HTTPCache: answers")
struct HTTPAnswerTests {
    @Test(arguments: [("\"old\"", 200, "0123456789"), ("\"new\"", 206, "456789")])
    func `a part is given of the version alone that it is asked of, also where nothing was stored`(
        version: String, status: Int, content: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, _ in
            let fields: HTTPFields = ["Cache-Control": "max-age=9", "ETag": "\"new\"", "Content-Length": "10"]
            return HTTPResponse(200, fields: fields, body: HTTPBody("0123456789"))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        for use in [HTTPRequestOptions.Use.standard, .standard, .reload] {
            let response = try await cache.respond(
                to: get("/a", ["Range": "bytes=4-", "If-Range": version]), HTTPRequestOptions(use))
            #expect(response.status == status)
            #expect(try await response.body.bytes() == Array(content.utf8))
            try await cache.settle()
        }
    }

    @Test func `fields for one client reach that one, and nobody else`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        for directive in ["private", "no-cache"] {
            let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
            let origin = FunctionOrigin { _, _ in
                await gate.pass()
                let fields: HTTPFields = [
                    "Cache-Control": "max-age=9, \(directive)=\"Set-Cookie\"", "Set-Cookie": "mine",
                ]
                return HTTPResponse(200, fields: fields, body: HTTPBody(pieces))
            }
            let cache = try httpCache(in: directory.path + "/\(directive)", origin: origin) { $0.profile = .shared }
            let first = Task { try await cache.respond(to: get("/a")) }
            while origin.questions.count == 0 { await Task.yield() }
            gate.open()
            let own = try await first.value
            let other = try await cache.respond(to: get("/a"))
            #expect(own.fields["Set-Cookie"] == "mine" && other.source == .shared)
            #expect(other.fields["Set-Cookie"] == nil, "\(directive)")
            input.yield([1])
            input.finish()
            _ = try await own.body.bytes()
            try await cache.settle()
            #expect(try await cache.respond(to: get("/a")).fields["Set-Cookie"] == nil)
        }
    }

    @Test func `a store that takes nothing any more costs later requests alone`() async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let origin = FunctionOrigin { request, number in
            if request.method == "PUT" { return HTTPResponse(204) }
            let fields: HTTPFields = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
            if request.fields.contains("If-None-Match") { return HTTPResponse(304, fields: fields) }
            return HTTPResponse(
                200, fields: fields, body: request.method == "HEAD" ? HTTPBody() : HTTPBody("\(number)"))
        }
        let store = FullStorage()
        var options = HTTPCacheOptions("test")
        options.bodyDirectory = directory.path + "/bodies"
        options.clock = clock
        let cache = try HTTPCache(options, policy: try policy("lru"), storage: store, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try await cache.settle()
        store.isFull.store(true, ordering: .relaxed)
        clock.advance(by: .seconds(20))
        let confirmed = try await cache.respond(to: get("/a"))
        #expect(confirmed.source == .validated && confirmed.fields["Age"] == "0")
        #expect(try await confirmed.body.bytes() == Array("1".utf8))
        clock.advance(by: .seconds(20))
        #expect(try await cache.respond(to: HTTPRequest("HEAD", address("/a"))).status == 200)
        #expect(try await cache.respond(to: HTTPRequest("PUT", address("/a"), body: HTTPBody("x"))).status == 204)
        #expect(try !cache.isFresh(get("/a")))
    }

    @Test func `what still comes when a cache is closed leaves the next one's bodies alone`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let origin = FunctionOrigin { _, number in
            HTTPResponse(
                200, fields: lasting,
                body: number == 1 ? HTTPBody(pieces) : HTTPBody([UInt8](repeating: 2, count: 5_000)))
        }
        let old = try httpCache(in: directory.path, origin: origin)
        let reader = Task { try await old.respond(to: get("/a")).body.bytes() }
        while origin.questions.count == 0 { await Task.yield() }
        await pause()
        try old.close()
        let new = try httpCache(in: directory.path, origin: origin)
        _ = try await new.respond(to: get("/b")).body.bytes()
        try await new.settle()
        input.yield([UInt8](repeating: 1, count: 5_000))
        input.finish()
        _ = try? await reader.value
        try await old.settle()
        let files = directory.files().filter { $0.contains("bodies/") && !$0.hasSuffix("lock") }
        #expect(files.count == 1, "\(files)")
        #expect(try await new.respond(to: get("/b")).body.bytes() == [UInt8](repeating: 2, count: 5_000))
    }
}

/// A store in memory that takes nothing any more when it is full.
private final class FullStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "full", summary: "Gets full.", citation: "none", needsDirectory: false)
    }

    let claims = StorageClaims()
    let isFull = Atomic(false)
    private let entries = Mutex<[[UInt8]: StoredEntry]>([:])

    init() {}
    init(_ configuration: BackendConfiguration) {}

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { entries.withLock { $0[key] } }
    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        if isFull.load(ordering: .relaxed) { throw StoreError(.full, "no space left") }
        entries.withLock { $0[key] = entry }
    }
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { entries.withLock { $0.removeValue(forKey: key) != nil } }
    func removeAll() throws(StoreError) { entries.withLock { $0 = [:] } }
    func count() throws(StoreError) -> Int { entries.withLock { $0.count } }
    func keys() throws(StoreError) -> [[UInt8]] { entries.withLock { Array($0.keys) } }
    func close() throws(StoreError) {}
}
