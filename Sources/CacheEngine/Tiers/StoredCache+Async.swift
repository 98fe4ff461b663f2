public import CacheCore

// The asynchronous face: an operation costs and promises what its blocking twin does, and a hop to a thread that may block.
// Cancelling the task changes nothing.
extension StoredCache {
    private var executor: (any TaskExecutor)? { index.settings.executor }

    /// As the blocking ``value(for:)``, without blocking a task's thread.
    public func value(for key: Key) async throws(StoreError) -> Value? {
        try await onBlockingThread(preferring: executor) { () throws(StoreError) in try self.value(for: key) }
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

    /// As the blocking ``close()``, without blocking a task's thread.
    public func close() async throws(StoreError) {
        try await onBlockingThread(preferring: executor) { () throws(StoreError) in try self.close() }
    }
}
