public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Foundation
internal import Synchronization

/// AFCache 0.13 as it was shipped, as a subject: its flow of requests, its freshness, its files.
public struct LegacyHTTPCache: HTTPCacheSubject {
    private let clocks = DirectoryClocks()

    /// The subject.
    public init() {}

    /// `http-cache-as-shipped`.
    public var name: String { "http-cache-as-shipped" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// What its README promises: resources on disk.
    public func claims() throws(StoreError) -> Claims { Claims(StorageClaims(iterates: false, durability: .exit)) }

    /// Opens a cache of bytes.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        let clock = clocks.clock(of: directory)
        return LegacyHTTPCacheBytes(
            LegacyHTTPCacheResources(CheckedHTTPSetup(), directory ?? "", clock) { _ in throw HTTPTrouble() })
    }

    /// Opens a cache of resources.
    public func openHTTP(
        _ setup: CheckedHTTPSetup, in directory: String, origin: @escaping CheckedHTTPOrigin
    ) throws -> any HTTPCacheInstance {
        LegacyHTTPCacheResources(setup, directory, clocks.clock(of: directory), origin)
    }
}

/// An open cache of resources, as it was shipped. It does not tell private from shared.
final class LegacyHTTPCacheResources: HTTPCacheInstance {
    /// A download that runs; others may wait for it.
    private final class Download: Sendable {
        let done = DispatchGroup()
        let result = Mutex<Result<CheckedHTTPAnswer, any Error>?>(nil)
        init() { done.enter() }
    }

    private struct State {
        var files: LegacyHTTPCacheFiles
        var downloads: [String: Download] = [:]
        var isOffline = false
    }

    private let setup: CheckedHTTPSetup
    private let origin: CheckedHTTPOrigin
    private let clock: VirtualClock
    private let state: Mutex<State>
    private let turns: DispatchSemaphore

    init(
        _ setup: CheckedHTTPSetup, _ directory: String, _ clock: VirtualClock, _ origin: @escaping CheckedHTTPOrigin
    ) {
        self.setup = setup
        self.origin = origin
        self.clock = clock
        state = Mutex(State(files: LegacyHTTPCacheFiles(directory, namesByURL: setup.namesFilesByURL)))
        turns = DispatchSemaphore(value: setup.originRequestsMax)
    }

    func respond(to request: CheckedHTTPRequest) throws -> CheckedHTTPAnswer {
        guard request.method == "GET" else { return try origin(request) }
        let (found, redirect, isOffline) = state.withLock { state in
            (state.files.find(request.url), state.files.redirect(request.url), state.isOffline)
        }
        if isOffline || request.use == .cacheOnly {
            if let redirect { return served(redirect, found?.body ?? []) }
            if let found { return served(found.entry, found.body) }
            return failed(504)
        }
        guard let found, request.use != .reload else { return try download(request, nil) }
        let isFresh = LegacyFreshness.isFresh(found.entry, at: clock.wallNanoseconds())
        if request.use != .revalidate, isFresh || request.use == .cacheElseOrigin {
            return served(found.entry, found.body)
        }
        return try download(request, found)
    }

    private func failed(_ status: Int) -> CheckedHTTPAnswer {
        var answer = CheckedHTTPAnswer()
        answer.status = status
        return answer
    }

    /// What stands for the platform's cache of addresses has the content alone.
    private func served(_ entry: LegacyHTTPCacheFiles.Entry, _ body: [UInt8]) -> CheckedHTTPAnswer {
        var answer = CheckedHTTPAnswer()
        if !setup.standsForURLCache {
            answer.status = entry.status
            answer.fields = entry.fields
        }
        answer.body = body
        return answer
    }

    /// Downloads that run are shared; those that wait for their turn are not.
    private func download(
        _ request: CheckedHTTPRequest, _ found: (entry: LegacyHTTPCacheFiles.Entry, body: [UInt8])?
    ) throws -> CheckedHTTPAnswer {
        if let running = state.withLock({ $0.downloads[request.url] }) {
            running.done.wait()
            return try running.result.withLock { $0! }.get()
        }
        turns.wait()
        let download = Download()
        state.withLock { $0.downloads[request.url] = download }
        let result = Result { try fetch(request, found) }
        state.withLock { $0.downloads[request.url] = nil }
        download.result.withLock { $0 = result }
        turns.signal()
        download.done.leave()
        return try result.get()
    }

    private func fetch(
        _ request: CheckedHTTPRequest, _ found: (entry: LegacyHTTPCacheFiles.Entry, body: [UInt8])?
    ) throws -> CheckedHTTPAnswer {
        var question = request
        if let entry = found?.entry { LegacyFreshness.addConditions(&question, entry) }
        let requested = clock.wallNanoseconds()
        let answer: CheckedHTTPAnswer
        do { answer = try origin(question) } catch {
            // The connection is lost: what is there serves, whatever it says.
            guard let found else { throw error }
            return served(found.entry, found.body)
        }
        if answer.status == 304, let found { return served(found.entry, found.body) }
        guard answer.status < 400 else { return answer }
        let length = answer.fields["Content-Length"].flatMap { Int($0) }
        guard !answer.breaksOff, length == nil || length == answer.body.count else {
            throw HTTPCacheError.truncated(bytes: answer.body.count, expected: length ?? -1)
        }
        let entry = LegacyHTTPCacheFiles.Entry(
            status: answer.status, fields: answer.fields, requestNanoseconds: requested,
            responseNanoseconds: clock.wallNanoseconds(), file: "", userData: request.userData)
        state.withLock { state in
            // The limit of a file's size is held against a length that is not known yet, and is 0.
            state.files.put(entry, answer.body, request.url)
            if (300..<400).contains(answer.status) { state.files.putRedirect(entry, request.url) }
            state.files.groups[request.url] = request.group
        }
        return answer
    }

    /// Answers that are taken from elsewhere have what Expires says alone.
    func take(_ answer: CheckedHTTPAnswer, for request: CheckedHTTPRequest) throws {
        var fields = answer.fields
        fields.remove("Cache-Control")
        fields["Date"] = fields["Date"] ?? HTTPDate.text(of: nowSeconds)
        let now = clock.wallNanoseconds()
        let entry = LegacyHTTPCacheFiles.Entry(
            fields: fields, requestNanoseconds: now, responseNanoseconds: now, file: "", userData: request.userData)
        state.withLock { $0.files.put(entry, answer.body, request.url) }
    }

    /// What a package has is unpacked as far as it goes, and takes the place of whatever is there.
    func takeAll(_ answers: [(CheckedHTTPAnswer, CheckedHTTPRequest)]) throws {
        for (answer, request) in answers { try take(answer, for: request) }
    }

    /// The content that is there, fresh or not.
    func content(_ url: String) -> [UInt8]? { state.withLock { $0.files.find(url)?.body } }

    func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }
    func purge(_ url: String) throws { state.withLock { $0.files.remove(url) } }

    func purge(group: String) throws {
        state.withLock { state in
            for (url, of) in state.files.groups where of == group { state.files.remove(url) }
        }
    }

    func retain(only urls: [String]) throws {
        state.withLock { state in for url in state.files.urls where !urls.contains(url) { state.files.remove(url) } }
    }

    func userData(_ url: String) throws -> [UInt8]? { state.withLock { $0.files.find(url)?.entry.userData } }
    func advance(nanoseconds: Int64) { clock.advance(nanoseconds: nanoseconds) }
    var nowSeconds: Int64 { clock.wallNanoseconds() / 1_000_000_000 }
    func settle() {}
    func close() throws { try state.withLock { try $0.files.save() } }
}

/// The same cache for the shared checks.
private final class LegacyHTTPCacheBytes: CacheInstance {
    private let cache: LegacyHTTPCacheResources

    init(_ cache: LegacyHTTPCacheResources) { self.cache = cache }

    func perform(_ operation: CacheOperation) -> OperationResult {
        do {
            switch operation {
            case .put(let key, _, _, let terms) where terms.tags.isEmpty:
                var answer = CheckedHTTPAnswer()
                answer.body = operation.entry!.value
                try cache.take(answer, for: CheckedHTTPRequest(KeyText.text(of: key)))
            case .get(let key): return .entry(cache.content(KeyText.text(of: key)).map { StoredEntry($0) })
            case .contains(let key): return .flag(cache.content(KeyText.text(of: key)) != nil)
            case .remove(let key):
                let wasThere = cache.content(KeyText.text(of: key)) != nil
                try cache.purge(KeyText.text(of: key))
                return .flag(wasThere)
            case .removeAll: try cache.retain(only: [])
            case .close: try cache.close()
            case .maintain, .flush, .pause, .advance: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        } catch { return .failure(error as? StoreError ?? StoreError(.inputOutput, "\(error)")) }
    }
}
