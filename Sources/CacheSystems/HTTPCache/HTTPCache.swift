public import CacheCore
internal import CacheEngine
internal import Synchronization

/// A cache of web resources after RFC 9111, for one user or for many, in front of any origin.
///
/// ```swift
/// var options = HTTPCacheOptions("pages")
/// options.bodyDirectory = "/var/cache/pages/bodies"
/// let files = try BackendEntry(FileStorage.self).open(directory: "/var/cache/pages/records")
/// let cache = try HTTPCache(options, policy: lru, storage: files, origin: network)
/// let answer = try await cache.respond(to: HTTPRequest("GET", url))
/// for try await chunk in answer.body { write(chunk) }
/// ```
///
/// What is fresh is served from the store, what is stale is confirmed by the origin, and what is neither is asked for and stored while it
/// is passed on. Requests that ask for the same at the same time share one answer. Long bodies go from the origin to a file and from
/// there to whoever reads them, in pieces: memory does not grow with them. One that does not come whole is never stored, and one that may not
/// be stored is never in a file.
///
/// Parts of bodies are served from whole ones; those that an origin sends (206) are passed on and not stored.
///
/// ### Concurrency
/// May be used from any task. A removal, and an answer that says that a resource was changed, win over requests that began before: their
/// answers go to those who asked and are not stored.
///
/// ### Failures
/// A store that cannot be read has nothing; one that cannot be written costs nothing but later requests. Where the file of a long body cannot be
/// written, those who read it get the error, since it is from there that they read. A body
/// whose file somebody has shortened or removed counts as absent; whether its bytes are those that were written is for the file system to say.
public final class HTTPCache: Sendable {
    let store: HTTPStore
    let semantics: HTTPSemantics
    let origin: any HTTPOrigin
    let queue: OriginQueue
    let options: HTTPCacheOptions
    let clock: SteadyClock
    /// Holds nothing: it is there for the requests that it shares.
    let flights: Cache<String, Fetched>
    let recordings = Recordings()
    let unfillable = Unfillable()
    let fills: Fills
    /// The requests that are being confirmed beside the answers that they gave.
    let refreshing = Mutex<Set<String>>([])
    private let offline = Atomic(false)

    /// A cache over a store, with whatever is in that of its name.
    ///
    /// - Parameters:
    ///   - policy: chooses what leaves memory, and what leaves the store where ``HTTPCacheOptions/storeBytesMax`` is set.
    ///   - parameters: the policy's; nil for its defaults.
    /// - Throws: `AssayError` with code `usage` for a store that is not for several threads; `StoreError` if the store or the
    ///   directory cannot be read, and for a store that cannot list its keys.
    public init(
        _ options: HTTPCacheOptions, policy: PolicyEntry, parameters: ParameterValues? = nil,
        storage: any StorageBackend, origin: any HTTPOrigin
    ) throws {
        store = try HTTPStore(options, policy: policy, parameters: parameters, storage: storage)
        semantics = HTTPSemantics(
            profile: options.profile, heuristicFraction: options.heuristicFraction,
            heuristicSecondsMax: options.heuristicLifetimeMax.components.seconds, storesCookies: options.storesCookies)
        queue = OriginQueue(
            most: options.originRequestsMax, waiting: options.originWaitersMax, patience: options.originWaitLimit,
            timer: options.timer)
        fills = Fills(most: max(1, options.originRequestsMax))
        flights = try Cache(CacheOptions(capacity: .objects(1)), policy: policy)
        clock = SteadyClock(options.clock)
        self.options = options
        self.origin = origin
    }

    /// Whether the origin is never asked: what is stored is served, fresh or stale, unless it forbids that, and for anything else there
    /// is an answer of status 504.
    public var isOffline: Bool {
        get { offline.load(ordering: .acquiring) }
        set { offline.store(newValue, ordering: .releasing) }
    }

    /// Lets no request through to the origin any more, or again. Those that are there go on; others wait.
    public func setSuspended(_ isSuspended: Bool) { queue.setSuspended(isSuspended) }

    // MARK: What is stored

    /// Stores an answer that was had otherwise, if one of the origin would be; returns whether it was. Requests under way are not stored
    /// after it.
    ///
    /// - Throws: the store's `StoreError`: then there is nothing stored of that address.
    @discardableResult
    public func store(
        _ response: HTTPResponse, body: [UInt8], for request: HTTPRequest, _ options: HTTPRequestOptions = .init()
    ) throws -> Bool {
        try store.requireOpen()
        let response = prepared(response)
        guard semantics.mayStore(response, to: request), body.count <= self.options.bodyBytesMax else { return false }
        let now = clock.wallNanoseconds()
        var answer = newAnswer(response, to: request, options, requested: now, received: now)
        answer.body = .bytes(body)
        if body.count > self.options.inlineBytesMax, let file = try store.bodies?.create(answer.number) {
            do {
                try file.append(body)
                try file.finish()
            } catch {
                store.bodies?.delete(answer.number)
                _ = try? store.remove(request.url.description)
                throw error
            }
            answer.body = .file(length: body.count)
        }
        let event = store.publish(answer, to: request.fields, request.url.description, from: nil)
        recordings.forget(request.url.description)
        store.monitor.note(event, request.url.description)
        if event == .storeFailed {
            try store.requireOpen()
            throw StoreError(.inputOutput, "the answer could not be written; see the store's own errors")
        }
        return event == .stored
    }

    /// What is stored for a request, fresh or not; nil if there is nothing. Nothing is counted.
    ///
    /// - Throws: the store's `StoreError`.
    public func storedAnswer(for request: HTTPRequest) throws -> HTTPResponse? {
        let found = try store.find(request.url.description) { HTTPVary.select($0, for: request.fields) }
        return found.map { serve($0.answer, $0.source, to: HTTPRequest("GET", request.url), as: .stale, .hit) }
    }

    /// The whole body of what is stored for a request, fresh or not; nil if there is nothing. Waits for the store.
    ///
    /// - Throws: the store's `StoreError`; ``HTTPCacheError/damaged``.
    public func storedBody(for request: HTTPRequest) throws -> [UInt8]? {
        switch try store.find(request.url.description, { HTTPVary.select($0, for: request.fields) })?.source {
        case .bytes(let bytes): return bytes
        case .file(let file, let length):
            var bytes: [UInt8] = []
            while bytes.count < length { bytes += try file.read(at: bytes.count, count: length - bytes.count) }
            return bytes
        default: return nil
        }
    }

    /// Whether something is stored for a request that may be served to it without asking.
    public func isFresh(_ request: HTTPRequest) throws -> Bool {
        let found = HTTPVary.select(try store.answers(request.url.description), for: request.fields)
        return found.map { semantics.reuse($0, for: request, at: clock.wallNanoseconds()) == .fresh } ?? false
    }

    /// The bytes that were kept beside what is stored for a request; nil if there are none.
    public func userData(for request: HTTPRequest) throws -> [UInt8]? {
        HTTPVary.select(try store.answers(request.url.description), for: request.fields)?.userData
    }

    /// Sets the bytes that are kept beside what is stored for a request; returns whether something is.
    @discardableResult
    public func setUserData(_ data: [UInt8]?, for request: HTTPRequest) throws -> Bool {
        var isThere = false
        try store.change(request.url.description) { resource in
            guard let number = HTTPVary.select(resource.answers, for: request.fields)?.number else { return }
            for place in resource.answers.indices where resource.answers[place].number == number {
                resource.answers[place].userData = data
                isThere = true
            }
        }
        return isThere
    }

    /// The addresses of which something is stored. O(entries of the store).
    public func urls() throws -> [String] { try open { try store.tiers.storedKeys() } }
    /// The addresses of which something is stored under a group. O(entries of the group).
    public func urls(inGroup group: String) -> [String] { store.urls(inGroup: group) }
    /// What is stored weighs so much, as ``HTTPCacheOptions/storeBytesMax`` counts it: bodies, fields, and 100 to 300 bytes an entry.
    public var storedBytes: Int { store.weight }

    private func open<Result>(_ body: () throws -> Result) throws -> Result {
        try store.requireOpen()
        return try body()
    }

    // MARK: Removing

    /// Removes everything that is stored of an address; returns whether there was anything. Requests under way are not stored.
    @discardableResult
    public func purge(_ url: HTTPURL) throws -> Bool {
        defer { recordings.forget(url.description) }
        let wasThere = try store.remove(url.description)
        store.monitor.note(.purged, url.description)
        return wasThere
    }

    /// Removes everything that was stored under a group, such as the name of a package; returns the addresses.
    @discardableResult
    public func purge(group: String) throws -> [String] {
        defer { recordings.forget(group: group) }
        let urls = try store.remove(group: group)
        for url in urls { store.monitor.note(.purged, url) }
        return urls
    }

    /// Removes everything but what is stored of these addresses; returns how many were removed. O(entries of the store).
    @discardableResult
    public func retain(only urls: Set<HTTPURL>) throws -> Int {
        let kept = Set(urls.map(\.description))
        let others = try self.urls().filter { !kept.contains($0) }
        defer { recordings.forgetAll() }
        for url in others where try store.remove(url) { store.monitor.note(.purged, url) }
        return others.count
    }

    /// Removes everything. Requests under way are not stored.
    public func removeAll() throws {
        defer { recordings.forgetAll() }
        try store.removeAll()
        store.monitor.note(.purged, "")
    }

    // MARK: The rest

    /// How often each event has happened.
    public var statistics: HTTPStatistics { store.monitor.statistics }
    /// Whether something is still being stored, or confirmed beside the answer that it gave.
    package var isBusy: Bool { !recordings.isEmpty || refreshing.withLock { !$0.isEmpty } }
    /// Empties memory alone, as when it gets scarce.
    public func dropMemory() { store.tiers.dropMemory() }
    /// Makes everything stored durable at the store's claimed level; long bodies as far as the file system has them.
    public func flush() throws { try store.tiers.flush() }

    /// Ends the cache's use, and closes the store unless ``HTTPCacheOptions/closesStore`` says otherwise. Calling it again does nothing.
    public func close() throws {
        try store.close()
        flights.close()
    }
}
