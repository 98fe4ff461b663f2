public import CacheCore
internal import Dispatch

// The asynchronous face: the backend works on a thread that may block, and not on one that other tasks need.
extension TieredCache {
    /// As the blocking ``value(for:)``, without blocking a task's thread. Linearizable; cancelling the task changes nothing.
    public func value(for key: Key) async throws(StorageError) -> Value? {
        try await offloaded { () throws(StorageError) in try self.value(for: key) }
    }

    /// As the blocking ``put(_:for:expiring:)``, without blocking a task's thread.
    public func put(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil
    ) async throws(StorageError) {
        try await offloaded { () throws(StorageError) in try self.put(value, for: key, expiring: expiry) }
    }

    /// As the blocking ``remove(_:)``, without blocking a task's thread.
    @discardableResult
    public func remove(_ key: Key) async throws(StorageError) -> Bool {
        try await offloaded { () throws(StorageError) in try self.remove(key) }
    }

    /// As the blocking ``flush()``, without blocking a task's thread.
    public func flush() async throws(StorageError) {
        try await offloaded { () throws(StorageError) in try self.flush() }
    }

    func offloaded<Output: Sendable>(
        _ body: @escaping @Sendable () throws(StorageError) -> Output
    ) async throws(StorageError) -> Output {
        let result: Result<Output, StorageError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(StorageError) in try body() })
            }
        }
        return try result.get()
    }

    /// Does something on a thread that may block.
    package func onBlockingThread<Output: Sendable>(_ body: @escaping @Sendable () -> Output) async -> Output {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
