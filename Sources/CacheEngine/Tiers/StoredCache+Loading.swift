internal import CacheCore

// As with a cache of two tiers, the backend is no reason to fail: what it cannot read is loaded anew, and what it cannot store is
// returned all the same.
extension StoredCache {
    /// The value of a key, loaded on this thread and stored if there is none.
    ///
    /// As ``Cache/blockingValue(for:expiring:loader:)``: single flight, and a write, a removal or a clear during the load wins.
    ///
    /// - Throws: what the loader throws; ``CacheError/closed``; ``CacheError/recursiveLoad``.
    public func blockingValue(
        for key: Key, expiring expiry: EntryExpiry? = nil, loader: (Key) throws -> Value
    ) throws -> Value {
        while true {
            if let value = try readable(key) { return value }
            let value = try loads.loadHere(key, false, LoadOrder(nil, [])) { order in
                order.isKept = false
                let load = LoadContext.current
                if let value = peek(key) { return value }
                let value = try loader(key)
                _ = try? put(value, for: key, expiring: expiry, loadedBy: load)
                return value
            }
            // No load here finds nothing.
            if let value { return value }
        }
    }

    /// The value of a key, loaded and stored if there is none.
    ///
    /// As ``Cache/value(for:expiring:loader:)``; the backend works on a thread that may block.
    ///
    /// - Throws: what the loader throws; `CancellationError`; ``CacheError/closed``; ``CacheError/recursiveLoad``.
    public func value(
        for key: Key, expiring expiry: EntryExpiry? = nil, loader: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        let executor = index.settings.executor
        while true {
            if let value = try await onBlockingThread(preferring: executor, { try self.readable(key) }) { return value }
            let value = try await loads.load(key, false, LoadOrder(nil, [])) { order in
                order.isKept = false
                let load = LoadContext.current
                if let value = await onBlockingThread(preferring: executor, { self.peek(key) }) { return value }
                let value = try await loader(key)
                await onBlockingThread(preferring: executor) {
                    _ = try? self.put(value, for: key, expiring: expiry, loadedBy: load)
                }
                return value
            }
            if let value { return value }
        }
    }

    private func readable(_ key: Key) throws -> Value? {
        if isClosed { throw CacheError.closed }
        return (try? value(for: key)) ?? nil
    }

    /// What somebody has stored since it was missed; nothing is counted.
    private func peek(_ key: Key) -> Value? {
        try? change(key) { () throws(StoreError) in
            guard index.contains(key), let entry = try storage.get(codec.encode(key: key)) else { return nil }
            return try codec.decode(value: entry.value)
        }
    }
}
