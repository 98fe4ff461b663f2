import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Synchronization
import _CacheTestSupport

/// An origin made of a function, which counts its questions.
final class FunctionOrigin: HTTPOrigin {
    let questions = Counter()
    private let body: @Sendable (HTTPRequest, Int) async throws -> HTTPResponse

    init(_ body: @escaping @Sendable (HTTPRequest, Int) async throws -> HTTPResponse) { self.body = body }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await body(request, questions.add()) }
}

/// A body of so many pieces, made as it is read.
struct MadeBody: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        var left: Int
        let piece: Int
        let given: Counter?

        mutating func next() async throws -> [UInt8]? {
            guard left > 0 else { return nil }
            try Task.checkCancellation()
            left -= 1
            given?.add()
            return [UInt8](repeating: UInt8(truncatingIfNeeded: left), count: piece)
        }
    }

    let pieces: Int
    var piece = 10_000
    var given: Counter?
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: pieces, piece: piece, given: given) }
}

/// Opens a cache over files.
func httpCache(
    in directory: String, clock: any CacheClock = VirtualClock(), policy name: String = "lru", origin: any HTTPOrigin,
    _ change: (inout HTTPCacheOptions) -> Void = { _ in }
) throws -> HTTPCache {
    var options = HTTPCacheOptions("test")
    options.bodyDirectory = directory + "/bodies"
    options.inlineBytesMax = 100
    options.clock = clock
    // A busy machine may keep a request waiting for as long.
    options.originWaitLimit = .seconds(3600)
    change(&options)
    return try HTTPCache(
        options, policy: try policy(name), storage: try openStore("file", in: directory + "/records"), origin: origin)
}

/// Opens a cache with a stale answer `old` for `/a`, which is served while it is refreshed; its origin has another body by now.
func cacheToRefresh(
    in directory: String, with body: HTTPBody, _ change: (inout HTTPCacheOptions) -> Void = { _ in }
) async throws -> (cache: HTTPCache, origin: FunctionOrigin, clock: VirtualClock) {
    let clock = VirtualClock()
    let origin = FunctionOrigin { _, number in
        HTTPResponse(
            200, fields: ["Cache-Control": "max-age=1, stale-while-revalidate=100"],
            body: number == 1 ? HTTPBody("old") : body)
    }
    let cache = try httpCache(in: directory, clock: clock, origin: origin, change)
    _ = try await cache.respond(to: get("/a")).body.bytes()
    try await cache.settle()
    clock.advance(by: .seconds(5))
    return (cache, origin, clock)
}

/// Lets other tasks go as far as they can.
func pause() async { for _ in 0..<1_000 { await Task.yield() } }

func address(_ path: String) -> HTTPURL { HTTPURL("http://site.example" + path)! }
func get(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
    HTTPRequest("GET", address(path), fields: fields)
}

let lasting: HTTPFields = ["Cache-Control": "max-age=1000"]

extension HTTPCache {
    /// Waits until what it does on its own is done.
    func settle() async throws { while isBusy { try await Task.sleep(for: .milliseconds(1)) } }
}

/// A cache of resources with the calls of a store: a resource for each key.
final class ResourceStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "resources", summary: "A cache of resources.", citation: "none", needsDirectory: true)
    }

    let claims = StorageClaims(durability: .kill)
    private let cache: HTTPCache

    init(_ configuration: BackendConfiguration) throws(StoreError) {
        do {
            cache = try httpCache(in: configuration.directory!, origin: FunctionOrigin { _, _ in throw Trouble() })
        } catch { throw error as? StoreError ?? StoreError(.unavailable, "\(error)") }
    }

    private func attempt<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do { return try body() } catch { throw error as? StoreError ?? StoreError(.inputOutput, "\(error)") }
    }

    private func request(_ key: [UInt8]) -> HTTPRequest {
        HTTPRequest("GET", address("/" + String(decoding: key, as: UTF8.self)))
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try attempt {
            guard let body = try cache.storedBody(for: request(key)) else { return nil }
            let moment = try cache.userData(for: request(key)).map { $0.reduce(Int64(0)) { $0 << 8 | Int64($1) } }
            return StoredEntry(body, expiresAtNanoseconds: moment)
        }
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        var options = HTTPRequestOptions()
        options.userData = entry.expiresAtNanoseconds.map { moment in
            (0..<8).map { UInt8(truncatingIfNeeded: moment >> (56 - 8 * $0)) }
        }
        try attempt {
            _ = try cache.store(HTTPResponse(200, fields: lasting), body: entry.value, for: request(key), options)
        }
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try attempt { try cache.purge(request(key).url) } }
    func removeAll() throws(StoreError) { try attempt { try cache.removeAll() } }
    func count() throws(StoreError) -> Int { try keys().count }
    func keys() throws(StoreError) -> [[UInt8]] {
        try attempt { try cache.urls().map { Array($0.utf8.dropFirst(20)) } }
    }
    func close() throws(StoreError) { try attempt { try cache.close() } }
}
