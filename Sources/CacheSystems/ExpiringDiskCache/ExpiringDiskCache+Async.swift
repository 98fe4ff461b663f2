public import CacheCore
internal import CacheEngine

// The asynchronous face: the disk works on a thread that may block, and not on one that other tasks need.
extension ExpiringDiskCache {
    /// As the blocking ``set(_:forKey:expires:)``, without blocking a task's thread.
    public func set(
        _ object: Object, forKey key: String, expires expiry: CacheExpiry = .never
    ) async throws(StoreError) {
        try await tiers.put(object, for: key, expiring: expiry.entryExpiry)
    }

    /// As the blocking ``object(forKey:returningExpired:)`` without the flag, without blocking a task's thread.
    public func object(forKey key: String) async throws(StoreError) -> Object? { try await tiers.value(for: key) }

    /// As the blocking ``object(forKey:expires:load:)``; a caller that is cancelled disturbs nobody.
    public func object(
        forKey key: String, expires expiry: CacheExpiry = .never, load: @escaping @Sendable () async throws -> Object
    ) async throws -> Object {
        try await tiers.value(for: key, expiring: expiry.entryExpiry) { _ in try await load() }
    }

    /// As the blocking ``remove(_:)``, without blocking a task's thread.
    @discardableResult
    public func remove(_ key: String) async throws(StoreError) -> Bool { try await tiers.remove(key) }

    /// As the blocking ``flush()``, without blocking a task's thread.
    public func flush() async throws(StoreError) { try await tiers.flush() }
}
