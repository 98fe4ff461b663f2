public import CacheCore

// The asynchronous face: the backend works on a thread that may block, and not on one that other tasks need. An operation
// costs and promises what its blocking twin does, and a hop between threads besides.
extension TieredCache {
    var executor: (any TaskExecutor)? { upper.settings.executor }

    /// As the blocking ``value(for:)``, without blocking a thread but for the read of the backend itself. Linearizable;
    /// cancelling the task changes nothing.
    public func value(for key: Key) async throws(StoreError) -> Value? {
        if let value = upper.hit(key) { return value }
        // A task of its own: one that waited as the caller's would leave when that is cancelled.
        let result = await Task(executorPreference: executor) { () -> Result<Value?, any Error> in
            do { return .success(try await self.loadedFromLower(key)) } catch { return .failure(error) }
        }.value
        return try Self.stored(result)
    }

    private func loadedFromLower(_ key: Key) async throws -> Value? {
        while true {
            do {
                return try await upper.load(key, true, LoadOrder(.never, []), isRead: true) { order in
                    let found = try await onBlockingThread(preferring: self.executor) { try self.readForAll(key) }
                    try self.requireCurrent(key)
                    if let found { order.expiry = found.1 }
                    return found?.0
                }
            } catch is OvertakenRead {
                countAgain(key)
            } catch is LoadUnderWay {
                return try await onBlockingThread(preferring: executor) { () throws(StoreError) in
                    try self.readBeside(key)
                }
            }
        }
    }

    /// As the blocking ``put(_:for:expiring:)``, without blocking a task's thread.
    @discardableResult
    public func put(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil
    ) async throws(StoreError) -> PutOutcome {
        try await onBlockingThread(preferring: executor) { () throws(StoreError) in
            try self.put(value, for: key, expiring: expiry)
        }
    }

    /// As the blocking ``remove(_:)``, without blocking a task's thread.
    @discardableResult
    public func remove(_ key: Key) async throws(StoreError) -> Bool {
        try await onBlockingThread(preferring: executor) { () throws(StoreError) in try self.remove(key) }
    }

    /// As the blocking ``flush()``, without blocking a task's thread.
    public func flush() async throws(StoreError) {
        try await onBlockingThread(preferring: executor) { () throws(StoreError) in try self.flush() }
    }
}
