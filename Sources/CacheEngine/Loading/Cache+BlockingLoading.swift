internal import CacheCore
internal import Dispatch
internal import Synchronization

extension Cache {
    /// The value of a key, loaded on this thread if there is none: the blocking face of the loading read.
    ///
    /// Single flight, writes that win, and errors are as for the asynchronous one, whose loads it joins and which joins its
    /// loads. A thread that joins is blocked until the load ends, so that this is not for a thread that other tasks need.
    /// A value that is due for a refresh is loaded by the thread that finds it so first, while others are served the old
    /// one; if that load throws, the old one is served.
    ///
    /// - Throws: what the loader throws; ``CacheError/closed``; ``CacheError/recursiveLoad`` if the loader asks for the key
    ///   that it is to load.
    public func blockingValue(
        for key: Key, expiring expiry: EntryExpiry? = nil, loader: (Key) throws -> Value
    ) throws -> Value {
        try blockingValue(for: key, expiring: expiry, tags: [], loader: loader)
    }

    /// As ``blockingValue(for:expiring:loader:)``; the loaded value bears tags.
    public func blockingValue(
        for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String], loader: (Key) throws -> Value
    ) throws -> Value {
        while true {
            let value = try loadHere(key, false, LoadOrder(expiry, tags)) { _ in try loader(key) }
            if let value { return value }
        }
    }

    /// The value of a key, loaded on this thread if there is none; nil if the loader finds none.
    ///
    /// As ``blockingValue(for:expiring:tags:loader:)``; that there is none is remembered for
    /// ``CacheOptions/negativeTimeToLive``.
    public func blockingOptionalValue(
        for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = [], loader: (Key) throws -> Value?
    ) throws -> Value? {
        try loadHere(key, true, LoadOrder(expiry, tags)) { _ in try loader(key) }
    }

    /// Loads on this thread. The body may change what is stored beside the value, and whether it is stored.
    ///
    /// - Throws: ``LoadUnderWay``, besides, for a read of another tier that would have to wait for a loader.
    package func loadHere(
        _ key: Key, _ acceptsNothing: Bool, _ order: LoadOrder, isRead: Bool = false,
        _ body: (inout LoadOrder) throws -> Value?
    ) throws -> Value? {
        let finding = update(key) { core, hash in
            core.findOrLoad(key, hash, acceptsNothing: acceptsNothing, tags: order.tags, isRead: isRead)
        }
        switch finding {
        case .value(let value): return value
        case .nothing: return nil
        case .underLoad: throw LoadUnderWay()
        case .closed: throw CacheError.closed
        case .refresh(let value, let flight):
            if case .success(let fresh) = runHere(flight, key, order, body) { return fresh }
            return value
        case .lead(let flight, _, let stale):
            return try unwrap(runHere(flight, key, order, body), key, stale)
        case .join(let flight, let ticket, let stale):
            guard !LoadContext.isInside(flight) else {
                flight.cancel(ticket)
                throw CacheError.recursiveLoad
            }
            return try unwrap(blockingOutcome(of: flight, ticket), key, stale)
        }
    }

    private func runHere(
        _ flight: Flight<Value>, _ key: Key, _ order: LoadOrder, _ body: (inout LoadOrder) throws -> Value?
    ) -> Result<Value?, any Error> {
        LoadContext.$loads.withValue(LoadContext.loads + [flight.number]) {
            let begin = settings.clock.monotonicNanoseconds()
            var order = order
            let outcome = Result { try body(&order) }
            finish(flight, key, order, outcome, since: begin)
            return outcome
        }
    }

    private func unwrap(_ outcome: Result<Value?, any Error>, _ key: Key, _ stale: Value?) throws -> Value? {
        guard case .failure = outcome, let stale else { return try outcome.get() }
        update(key) { core, _ in core.counts.staleHits &+= 1 }
        return stale
    }

    private func blockingOutcome(of flight: Flight<Value>, _ ticket: Int) -> Result<Value?, any Error> {
        let hand = BlockingResult<Value>()
        flight.wait(ticket) { hand.give($0) }
        return hand.take()
    }
}

/// Carries an outcome to a thread that is blocked until it comes.
private final class BlockingResult<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value?, any Error>?>(nil)
    private let given = DispatchSemaphore(value: 0)

    func give(_ result: Result<Value?, any Error>) {
        outcome.withLock { $0 = result }
        given.signal()
    }

    func take() -> Result<Value?, any Error> {
        given.wait()
        return outcome.withLock { $0! }
    }
}
