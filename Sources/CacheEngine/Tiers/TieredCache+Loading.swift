internal import CacheCore
internal import Synchronization

extension TieredCache {
    /// The value of a key from memory, or else from the backend, or else loaded and stored in both tiers; the blocking face.
    ///
    /// As ``Cache/blockingValue(for:expiring:tags:loader:)``: single flight over both tiers, and a write, a removal or a clear
    /// during the load wins. The cache is no reason to fail: an entry that the backend cannot read, or whose bytes are no
    /// value, is loaded anew; a loaded value that cannot be stored is returned all the same. Both count as failures of
    /// the lower tier.
    ///
    /// - Throws: what the loader throws; ``CacheError/closed``; ``CacheError/recursiveLoad``.
    public func blockingValue(
        for key: Key, expiring expiry: EntryExpiry? = nil, loader: (Key) throws -> Value
    ) throws -> Value {
        try blockingValue(for: key) { order in
            order.expiry = expiry
            return try loader(key)
        }
    }

    /// The value of a key from memory, or else from the backend, or else loaded and stored in both tiers.
    ///
    /// As the blocking face; the backend works on a thread that may block. As with ``Cache/value(for:expiring:tags:loader:)``
    /// a caller that is cancelled disturbs nobody, and when all have been, so is the load.
    ///
    /// - Throws: what the loader throws; `CancellationError`; ``CacheError/closed``; ``CacheError/recursiveLoad``.
    public func value(
        for key: Key, expiring expiry: EntryExpiry? = nil, loader: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        try await value(for: key) { order in
            order.expiry = expiry
            return try await loader(key)
        }
    }

    /// As the public one, with a loader that says what is stored beside its value, and whether it is stored.
    package func blockingValue(for key: Key, loader: (inout LoadOrder) throws -> Value) throws -> Value {
        while true {
            do {
                let value = try upper.loadHere(key, false, LoadOrder(nil, [])) { order in
                    let load = LoadContext.current
                    let found = readIfReadable(key)
                    try requireCurrent(key)
                    if let (value, expiry) = found {
                        order.expiry = expiry
                        return value
                    }
                    let value = try loader(&order)
                    store(value, key, &order, load)
                    return value
                }
                if let value { return value }
            } catch is OvertakenRead { countAgain(key) } catch is FailedRead { countAgain(key) }
        }
    }

    /// As the public one, with a loader that says what is stored beside its value, and whether it is stored.
    package func value(
        for key: Key, loader: @escaping @Sendable (inout LoadOrder) async throws -> Value
    ) async throws -> Value {
        while true {
            do {
                let value = try await upper.load(key, false, LoadOrder(nil, [])) { order in
                    let load = LoadContext.current
                    let found = await onBlockingThread(preferring: self.executor) { self.readIfReadable(key) }
                    try self.requireCurrent(key)
                    if let (value, expiry) = found {
                        order.expiry = expiry
                        return value
                    }
                    let value = try await loader(&order)
                    let asked = order
                    order = await onBlockingThread(preferring: self.executor) {
                        var settled = asked
                        self.store(value, key, &settled, load)
                        return settled
                    }
                    return value
                }
                if let value { return value }
            } catch is OvertakenRead { countAgain(key) } catch is FailedRead { countAgain(key) }
        }
    }

    private func readIfReadable(_ key: Key) -> (Value, EntryExpiry)? {
        do throws(StoreError) { return try readLower(key) } catch {
            // The backend's own failures have been counted where it was called.
            if error.code == .corrupt || error.code == .keyRefused { count { $0.failures += 1 } }
            return nil
        }
    }

    /// Writes a loaded value to the lower tier, unless its key was written, removed or cleared since the load began, and says
    /// what memory is to store.
    private func store(_ value: Value, _ key: Key, _ order: inout LoadOrder, _ load: UInt64?) {
        let details = upper.settings.details(key, value, order.expiry, [])
        guard order.isKept, details.deadline > upper.settings.clock.monotonicNanoseconds() else {
            order.isKept = false
            return
        }
        let moment = upper.settings.wallTime(of: details.deadline)
        order.expiry = moment.map { .at(nanosecondsSince1970: $0) } ?? .never
        do throws(StoreError) {
            let name = try codec.encode(key: key)
            let entry = StoredEntry(try codec.encode(value: value), expiresAtNanoseconds: moment)
            try writing(key) { (waiting) throws(StoreError) in
                guard upper.updateKeepingLeft(key, { core, _ in core.isCurrent(load, of: key) }) else { return }
                try settle(entry, key, name, &waiting)
            }
        } catch {
            if error.code == .keyRefused || error.code == .valueRefused { count { $0.failures += 1 } }
            order.isKept = false
        }
    }
}
