public import CacheCore

/// A shard behind its lock.
///
/// The lock orders everything that happens to the keys of the shard. Values that leave end, and listeners are told, after
/// it has been given back; one thread at a time tells, in the order in which values left.
@usableFromInline
final class Shard<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = ShardLock()
    // Behind a pointer: a class would check exclusive access at every call.
    @usableFromInline let core: UnsafeMutablePointer<ShardCore<Key, Value>>
    @usableFromInline let listeners: RemovalListeners<Key, Value>

    @usableFromInline
    init(
        _ settings: CacheSettings<Key, Value>, capacity: Int, _ listeners: RemovalListeners<Key, Value>
    ) throws(AssayError) {
        let first = try ShardCore(settings, capacity: capacity)
        core = .allocate(capacity: 1)
        core.initialize(to: first)
        self.listeners = listeners
    }

    deinit {
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Serves a read under the lock. As ``update(_:)``, without what it takes to deal with bodies that throw.
    @inlinable @inline(__always)
    func get(_ key: Key, _ hash: UInt32) -> Value? {
        let served = lock.withLock { () -> (value: Value?, left: ((Value?, [Value])?, Bool)?) in
            let value = core.pointee.get(key, hash)
            return (value, core.pointee.leaving.isEmpty ? nil : takeLeaving())
        }
        if let (ended, tells) = served.left {
            if tells { tell() }
            withExtendedLifetime(ended) {}
        }
        return served.value
    }

    /// Does something under the lock, and afterwards whatever follows from what left.
    @inlinable @inline(__always)
    func update<Result, Failure: Error>(
        _ body: (inout ShardCore<Key, Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var ended: (Value?, [Value])?
        var tells = false
        // After the lock has been given back, whether the body throws or not.
        defer {
            if tells { tell() }
            withExtendedLifetime(ended) {}
        }
        return try lock.withLock { () throws(Failure) -> Result in
            defer { (ended, tells) = takeLeaving() }
            return try body(&core.pointee)
        }
    }

    /// As ``update(_:)`` for callers with a lock of their own, under which no value may end and nobody be told: that waits for
    /// whoever updates the shard next.
    func updateKeepingLeft<Result, Failure: Error>(
        _ body: (inout ShardCore<Key, Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) -> Result in try body(&core.pointee) }
    }

    /// What is to end outside of the lock, and whether this thread is to tell the listeners.
    @inlinable @inline(__always)
    func takeLeaving() -> ((Value?, [Value])?, Bool) {
        var ended: (Value?, [Value])?
        if core.pointee.leaving.first != nil {
            ended = (core.pointee.leaving.first, core.pointee.leaving.others)
            core.pointee.leaving.first = nil
            core.pointee.leaving.others = []
        }
        guard !core.pointee.leaving.events.isEmpty, !core.pointee.leaving.isTelling else { return (ended, false) }
        core.pointee.leaving.isTelling = true
        return (ended, true)
    }

    /// Tells the listeners until there is nothing left to tell. A listener may use the cache: what it makes leave comes
    /// after what it was told of.
    @usableFromInline
    func tell() {
        while true {
            let events = lock.withLock {
                let events = core.pointee.leaving.events
                core.pointee.leaving.events = []
                if events.isEmpty { core.pointee.leaving.isTelling = false }
                return events
            }
            if events.isEmpty { return }
            for event in events { listeners.tell(event) }
        }
    }
}
