internal import Synchronization

/// Something that a trigger can clear.
public protocol Invalidatable: AnyObject, Sendable {
    /// Forgets every result. A call that is under way gets its result, which is not stored.
    func invalidate()
}

/// Clears caches when something happens that makes their contents worthless: a log-out, a new configuration, a signal.
///
/// A cache is attached once however often ``attach(_:)`` is called, is not kept alive, and is cleared once for each
/// ``fire()``. May be used from any thread.
public final class InvalidationTrigger: Sendable {
    private struct Target: Sendable {
        weak let cache: (any Invalidatable)?
    }

    private let targets = Mutex<[ObjectIdentifier: Target]>([:])

    /// A trigger that nothing is attached to.
    public init() {}

    /// Lets the trigger clear a cache from now on.
    public func attach(_ cache: any Invalidatable) {
        targets.withLock { $0[ObjectIdentifier(cache)] = Target(cache: cache) }
    }

    /// Lets the trigger leave a cache alone from now on.
    public func detach(_ cache: any Invalidatable) {
        targets.withLock { $0[ObjectIdentifier(cache)] = nil }
    }

    /// Clears every attached cache, and returns when that is done. O(entries).
    public func fire() {
        let caches = targets.withLock { targets in
            targets = targets.filter { $0.value.cache != nil }
            return targets.values.compactMap(\.cache)
        }
        for cache in caches { cache.invalidate() }
    }

    /// Fires for each element of a sequence, such as an `AsyncStream` of notifications, until it ends or the returned task
    /// is cancelled.
    public func fire<Events: AsyncSequence & Sendable>(onEach events: Events) -> Task<Void, any Error> {
        Task { for try await _ in events { fire() } }
    }
}
