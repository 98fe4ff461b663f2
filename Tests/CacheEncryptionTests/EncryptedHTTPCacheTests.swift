import CacheCore
import CacheEncryption
import CacheEngine
import CachePolicies
import CacheStorage
import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("An HTTP cache is encrypted at rest where that is wanted")
struct EncryptedHTTPCacheTests {
    /// Answers with the same body each time, and counts.
    private final class Site: HTTPOrigin {
        let asked = EventCounts()

        final class EventCounts: @unchecked Sendable {
            private let lock = NSLock()
            private var number = 0
            var count: Int { lock.withLock { number } }
            func add() { lock.withLock { number += 1 } }
        }

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            asked.add()
            let fields: HTTPFields = ["Cache-Control": "max-age=1000", "Content-Type": "text/a-secret-type"]
            return HTTPResponse(200, fields: fields, body: HTTPBody(EncryptedHTTPCacheTests.body(of: request.url)))
        }
    }

    private static let urls = ["/short-secret", "/long-secret"].map { HTTPURL("http://secret.example\($0)")! }

    /// A short one, and one of three segments.
    static func body(of url: HTTPURL) -> [UInt8] {
        let line = Array("a secret line of \(url)\n".utf8)
        let count = url == urls[0] ? 5 : 3000
        return (0..<count).flatMap { _ in line }
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ key: EncryptionKey?, _ site: Site = Site()) throws -> HTTPCache {
        var options = HTTPCacheOptions("pages")
        options.bodyDirectory = directory.path + "/bodies"
        let file = try #require(BuiltinStorage.all.first { $0.descriptor.name == "file" })
        var storage = try file.open(directory: directory.path + "/records")
        if let key {
            options.bodySealing = SealedBodies(key)
            storage = try SealedStorage(over: storage, key)
        }
        let lru = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        return try HTTPCache(options, policy: lru, storage: storage, origin: site)
    }

    private func fill(_ key: EncryptionKey?) async throws {
        let cache = try open(key)
        for url in Self.urls {
            #expect(try await cache.respond(to: HTTPRequest("GET", url)).body.bytes() == Self.body(of: url))
        }
        while cache.isBusy { await Task.yield() }
        #expect(try cache.urls().count == 2)
        try cache.close()
    }

    private func files() throws -> [(path: String, data: Data)] {
        try directory.files().map { ($0, try Data(contentsOf: URL(filePath: $0))) }
    }

    @Test func `nothing of what is stored can be read in the files or their names`() async throws {
        let secrets = ["secret.example", "a secret line", "max-age", "a-secret-type"].map { Data($0.utf8) }
        try await fill(.random())
        let sealed = try files()
        #expect(sealed.contains { $0.data.count > 100_000 })
        for (path, data) in sealed {
            #expect(!path.dropFirst(directory.path.count).contains("secret"))
            for secret in secrets { #expect(data.range(of: secret) == nil, "\(path)") }
        }
        // Without a key all of it is there.
        try FileManager.default.removeItem(atPath: directory.path)
        try await fill(nil)
        let bare = try files()
        for secret in secrets { #expect(bare.contains { $0.data.range(of: secret) != nil }) }
    }

    @Test func `what is stored is there when the cache is opened again, with its key alone`() async throws {
        let key = EncryptionKey.random()
        try await fill(key)
        let site = Site()
        var cache = try open(key, site)
        for url in Self.urls {
            #expect(try await cache.respond(to: HTTPRequest("GET", url)).body.bytes() == Self.body(of: url))
        }
        #expect(site.asked.count == 0)
        try cache.close()
        cache = try open(.random(), site)
        #expect(try cache.urls() == [])
        for url in Self.urls {
            #expect(try await cache.respond(to: HTTPRequest("GET", url)).body.bytes() == Self.body(of: url))
        }
        #expect(site.asked.count == 2)
    }

    @Test func `a byte that is changed in any file is a miss, or ends an answer that has begun, and is never served`()
        async throws
    {
        let key = EncryptionKey.random()
        try await fill(key)
        let whole = try files()
        for (path, data) in whole where !path.hasSuffix("lock") {
            for place in stride(from: 0, to: data.count, by: max(1, data.count / 40)) {
                for file in directory.files() { try FileManager.default.removeItem(atPath: file) }
                for file in whole { try file.data.write(to: URL(filePath: file.path)) }
                var changed = data
                changed[place] ^= 4
                try changed.write(to: URL(filePath: path))
                let site = Site()
                let cache = try open(key, site)
                var ended = 0
                for url in Self.urls {
                    do {
                        let response = try await cache.respond(to: HTTPRequest("GET", url))
                        #expect(try await response.body.bytes() == Self.body(of: url))
                    } catch {
                        #expect(error as? HTTPCacheError == .damaged && url == Self.urls[1])
                        ended += 1
                        let again = try await cache.respond(to: HTTPRequest("GET", url))
                        #expect(try await again.body.bytes() == Self.body(of: url))
                    }
                }
                #expect(site.asked.count == 1 && ended <= 1, "\(path) at \(place)")
                try cache.close()
            }
        }
    }
}
