internal import CacheCore

extension Cache {
    /// Loads the value of a key.
    public typealias Loader = @Sendable (Key) async throws -> Value

    /// The value of a key, loaded if there is none.
    ///
    /// However many ask, a key is loaded once at a time (single flight), in a task of its own: a caller that is cancelled
    /// gets a `CancellationError` and disturbs nobody; when all have been cancelled, so is the load, and it stores nothing. A load that throws
    /// fails those who wait for it, stores nothing, and the next caller loads again. If the key is written, removed or
    /// cleared while it is loaded, that wins: those who wait get the loaded value, but it is not stored. The value's time
    /// starts when it has been loaded.
    ///
    /// With ``CacheOptions/refreshAfter`` and ``CacheOptions/staleWhileRevalidate`` a value that is old is served at once
    /// and loaded anew beside it, by one task for a key; with ``CacheOptions/staleIfError`` an old value is served if the
    /// load throws. O(1) besides the load. Linearizable with the writes of the key, whether it hits or loads.
    ///
    /// - Throws: what the loader throws; `CancellationError`; ``CacheError/closed``; ``CacheError/recursiveLoad`` if the
    ///   loader asks for the key that it is to load.
    public func value(
        for key: Key, expiring expiry: EntryExpiry? = nil, loader: @escaping Loader
    ) async throws -> Value {
        try await value(for: key, expiring: expiry, tags: [], loader: loader)
    }

    /// As ``value(for:expiring:loader:)``; the loaded value bears tags.
    public func value(
        for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String], loader: @escaping Loader
    ) async throws -> Value {
        while true {
            let value = try await load(key, false, LoadOrder(expiry, tags)) { _ in try await loader(key) }
            // Nil comes from another's load, which found none; this caller's loader may know better.
            if let value { return value }
        }
    }

    /// The value of a key, loaded if there is none; nil if the loader finds none.
    ///
    /// As ``value(for:expiring:loader:)``. That there is none is remembered for ``CacheOptions/negativeTimeToLive``,
    /// during which it is not asked for again; other reads miss.
    public func optionalValue(
        for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = [],
        loader: @escaping @Sendable (Key) async throws -> Value?
    ) async throws -> Value? {
        try await load(key, true, LoadOrder(expiry, tags)) { _ in try await loader(key) }
    }

    /// Loads in a task of its own. The body may change what is stored beside the value, and whether it is stored.
    ///
    /// - Throws: ``LoadUnderWay``, besides, for a read of another tier that would have to wait for a loader.
    package func load(
        _ key: Key, _ acceptsNothing: Bool, _ order: LoadOrder, isRead: Bool = false,
        _ body: @escaping @Sendable (inout LoadOrder) async throws -> Value?
    ) async throws -> Value? {
        let finding = update(key) { core, hash in
            core.findOrLoad(key, hash, acceptsNothing: acceptsNothing, tags: order.tags, isRead: isRead)
        }
        switch finding {
        case .value(let value): return value
        case .nothing: return nil
        case .underLoad: throw LoadUnderWay()
        case .closed: throw CacheError.closed
        case .refresh(let value, let flight):
            start(flight, key, order, body)
            return value
        case .lead(let flight, let ticket, let stale):
            start(flight, key, order, body)
            return try await outcome(of: flight, ticket, key, stale)
        case .join(let flight, let ticket, let stale):
            guard !LoadContext.isInside(flight) else {
                flight.cancel(ticket)
                throw CacheError.recursiveLoad
            }
            return try await outcome(of: flight, ticket, key, stale)
        }
    }

    /// Loads in a task of its own.
    private func start(
        _ flight: Flight<Value>, _ key: Key, _ order: LoadOrder,
        _ body: @escaping @Sendable (inout LoadOrder) async throws -> Value?
    ) {
        let task = Task(executorPreference: settings.executor) { [self] in
            await LoadContext.$loads.withValue(LoadContext.loads + [flight.number]) {
                let begin = settings.clock.monotonicNanoseconds()
                let outcome: Result<Value?, any Error>
                var order = order
                do { outcome = .success(try await body(&order)) } catch { outcome = .failure(error) }
                finish(flight, key, order, outcome, since: begin)
            }
        }
        flight.runs(in: task)
    }

    func outcome(
        of flight: Flight<Value>, _ ticket: Int, _ key: Key, _ stale: Value?
    ) async throws -> Value? {
        guard let stale else { return try await flight.value(ticket) }
        do { return try await flight.value(ticket) } catch {
            if error is CancellationError, Task.isCancelled { throw error }
            update(key) { core, _ in core.counts.staleHits &+= 1 }
            return stale
        }
    }

    /// Stores what was loaded, if it may be, and tells those who wait.
    func finish(
        _ flight: Flight<Value>, _ key: Key, _ order: LoadOrder, _ outcome: Result<Value?, any Error>,
        since begin: Int64
    ) {
        let end = settings.clock.monotonicNanoseconds()
        // That there is none is known of a group too, and goes with it.
        var details = EntryDetails(deadline: saturatingSum(end, settings.negativeNanoseconds ?? 0), tags: order.tags)
        if case .success(let value?) = outcome {
            details = settings.details(key, value, order.expiry, order.tags)
            // Nothing is stored whose time is over.
            if !order.isKept { details.deadline = .min }
        }
        update(key) { core, hash in
            core.finishLoad(flight, key, hash, outcome, details, nanoseconds: max(0, end - begin))
        }
        flight.finish(outcome)
    }
}

/// Says that a loader is at work, for which a read of another tier does not wait.
struct LoadUnderWay: Error {}

/// What is stored beside a loaded value.
package struct LoadOrder: Sendable {
    /// When it expires; nil for the cache's rule.
    package var expiry: EntryExpiry?
    /// Whether it is stored at all. One that is not is given to those who wait, and counted as a refusal.
    package var isKept = true
    let tags: [String]

    /// An order for a value that is stored.
    package init(_ expiry: EntryExpiry?, _ tags: [String]) {
        self.expiry = expiry
        self.tags = tags
    }
}
