internal import CacheEngine

// The asynchronous face: the store works on a thread that may block, and not on one that other tasks need.
extension RecordGroup {
    /// As the blocking ``set(_:forKey:keepsInMemory:)``, without blocking a task's thread.
    public func set<Value: Codable & Sendable>(
        _ value: Value?, forKey key: String, keepsInMemory: Bool = true
    ) async throws {
        try await onBlockingThread { () throws in try self.set(value, forKey: key, keepsInMemory: keepsInMemory) }
    }

    /// As the blocking ``value(forKey:as:)``, without blocking a task's thread.
    public func value<Value: Codable & Sendable>(
        forKey key: String, as type: Value.Type = Value.self
    ) async throws -> Value? {
        try await onBlockingThread { () throws in try self.value(forKey: key, as: type) }
    }

    /// As the blocking ``remove(_:)``, without blocking a task's thread.
    @discardableResult
    public func remove(_ key: String) async throws -> Bool {
        try await onBlockingThread { () throws in try self.remove(key) }
    }

    /// As the blocking ``clear()``, without blocking a task's thread.
    @discardableResult
    public func clear() async throws -> Int { try await onBlockingThread { () throws in try self.clear() } }
}
