public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Dispatch
internal import Foundation
internal import Synchronization

/// HTTPCache as a subject, over any backend that keeps its entries in a directory; long bodies lie in another inside it.
public struct CurrentHTTPCache: HTTPCacheSubject {
    private let ground: SystemGround

    /// A subject with a policy for memory and for the store.
    public init(policy: PolicyEntry, storage: BackendEntry) { ground = SystemGround(policy: policy, storage: storage) }

    /// `http-cache`.
    public var name: String { "http-cache" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// The store's own claims.
    public func claims() throws(StoreError) -> Claims { ground.claims([], iterates: true) }

    private func cache(
        _ setup: CheckedHTTPSetup, over store: any StorageBackend, _ clock: VirtualClock, _ directory: String,
        _ origin: @escaping CheckedHTTPOrigin
    ) throws -> HTTPCache {
        var options = HTTPCacheOptions("http")
        options.profile = setup.profile
        options.bodyDirectory = directory + "/bodies"
        // Little of everything, so that files and the store are used as well as memory.
        options.inlineBytesMax = 64
        options.memoryBytesMax = 2000
        options.storeBytesMax = setup.storeBytesMax
        options.bodyBytesMax = setup.bodyBytesMax ?? options.bodyBytesMax
        options.originRequestsMax = setup.originRequestsMax
        options.clock = clock
        return try HTTPCache(options, policy: ground.policy, storage: store, origin: ThreadedOrigin(origin: origin))
    }

    /// Opens a cache of bytes.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try ground.open(in: directory) { store, clock in
            let cache = try cache(CheckedHTTPSetup(), over: store, clock, directory ?? "") { _ in throw HTTPTrouble() }
            return CurrentHTTPCacheBytes(cache, clock)
        }
    }

    /// Opens a cache of resources.
    public func openHTTP(
        _ setup: CheckedHTTPSetup, in directory: String, origin: @escaping CheckedHTTPOrigin
    ) throws -> any HTTPCacheInstance {
        try ground.open(in: directory) { store, clock in
            CurrentHTTPCacheResources(try cache(setup, over: store, clock, directory, origin), clock)
        }
    }
}

/// An origin of a check, which may block its thread; bodies come in two pieces.
private struct ThreadedOrigin: HTTPOrigin {
    let origin: CheckedHTTPOrigin

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var asked = CheckedHTTPRequest(request.url.description)
        asked.method = request.method
        asked.fields = request.fields
        let question = asked
        // Checked origins block, which tasks' threads must not.
        let answer: CheckedHTTPAnswer = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try origin(question) }) }
        }
        let pieces = AsyncThrowingStream<[UInt8], any Error> { stream in
            let half = answer.body.count / 2
            stream.yield(Array(answer.body[..<half]))
            stream.yield(Array(answer.body[half...]))
            if answer.breaksOff { stream.finish(throwing: HTTPTrouble()) } else { stream.finish() }
        }
        return HTTPResponse(answer.status, fields: answer.fields, body: HTTPBody(pieces))
    }
}

/// An open HTTPCache.
private final class CurrentHTTPCacheResources: HTTPCacheInstance {
    private let cache: HTTPCache
    private let clock: VirtualClock

    init(_ cache: HTTPCache, _ clock: VirtualClock) {
        self.cache = cache
        self.clock = clock
    }

    private func url(_ text: String) throws -> HTTPURL {
        guard let url = HTTPURL(text) else { throw AssayError(.usage, "'\(text)' is no address of a web server.") }
        return url
    }

    private func parts(_ request: CheckedHTTPRequest) throws -> (HTTPRequest, HTTPRequestOptions) {
        var options = HTTPRequestOptions(request.use)
        options.priority = request.priority
        options.groups = request.group.map { [$0] } ?? []
        options.userData = request.userData
        return (HTTPRequest(request.method, try url(request.url), fields: request.fields), options)
    }

    func respond(to request: CheckedHTTPRequest) throws -> CheckedHTTPAnswer {
        let (request, options) = try parts(request)
        let outcome = Mutex<Result<CheckedHTTPAnswer, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Task { [cache] in
            let result: Result<CheckedHTTPAnswer, any Error>
            do {
                let response = try await cache.respond(to: request, options)
                var answer = CheckedHTTPAnswer()
                answer.status = response.status
                answer.fields = response.fields
                answer.body = try await response.body.bytes()
                result = .success(answer)
            } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        ended.wait()
        return try outcome.withLock { $0! }.get()
    }

    func take(_ answer: CheckedHTTPAnswer, for request: CheckedHTTPRequest) throws {
        let (request, options) = try parts(request)
        try cache.store(HTTPResponse(answer.status, fields: answer.fields), body: answer.body, for: request, options)
    }

    func takeAll(_ answers: [(CheckedHTTPAnswer, CheckedHTTPRequest)]) throws {
        let batch = cache.batch()
        for (answer, request) in answers {
            let (request, options) = try parts(request)
            var isGiven = false
            try batch.add(HTTPResponse(answer.status, fields: answer.fields), for: request, options) {
                if isGiven && answer.breaksOff { throw HTTPTrouble() }
                defer { isGiven = true }
                return isGiven ? nil : answer.body
            }
        }
        _ = try batch.store()
    }

    func setOffline(_ isOffline: Bool) { cache.isOffline = isOffline }
    func purge(_ url: String) throws { try cache.purge(try self.url(url)) }
    func purge(group: String) throws { try cache.purge(group: group) }
    func retain(only urls: [String]) throws { try cache.retain(only: Set(urls.map { try url($0) })) }
    func userData(_ url: String) throws -> [UInt8]? { try cache.userData(for: HTTPRequest("GET", try self.url(url))) }
    func advance(nanoseconds: Int64) { clock.advance(nanoseconds: nanoseconds) }
    var nowSeconds: Int64 { clock.wallNanoseconds() / 1_000_000_000 }
    func settle() { while cache.isBusy { Thread.sleep(forTimeInterval: 0.0005) } }
    func close() throws { try cache.close() }
}
