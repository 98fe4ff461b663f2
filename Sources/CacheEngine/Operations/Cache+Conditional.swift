public import CacheCore

// Each of these is one step under the lock: linearizable, O(1). They count neither hits nor misses; one that changes
// nothing leaves the entry, its time and its place in the policy's order as they were.
extension Cache {
    /// Stores a value if the key has none. Returns the value that was there, nil if there was none.
    ///
    /// Nil does not say that the value was stored: the policy may have refused it.
    @inlinable @discardableResult
    public func putIfAbsent(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = []
    ) -> Value? {
        let details = settings.details(key, value, expiry, tags)
        return update(key) { core, hash in
            let id = core.findLive(key, hash)
            if id != ObjectID.max { return core.table.values[Int(id)] }
            _ = core.put(key, hash, value, details)
            return nil
        }
    }

    /// Stores a value if the key has one, and returns that; nil, and nothing stored, if there was none.
    @inlinable @discardableResult
    public func replace(
        _ key: Key, with value: Value, expiring expiry: EntryExpiry? = nil, tags: [String] = []
    ) -> Value? {
        let details = settings.details(key, value, expiry, tags)
        return update(key) { core, hash in
            let id = core.findLive(key, hash)
            guard id != ObjectID.max else { return nil }
            let old = core.table.values[Int(id)]
            _ = core.put(key, hash, value, details)
            return old
        }
    }

    /// Stores a value and returns the one that was there, nil if there was none.
    @inlinable @discardableResult
    public func exchange(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = []
    ) -> Value? {
        let details = settings.details(key, value, expiry, tags)
        return update(key) { core, hash in
            let id = core.findLive(key, hash)
            let old = id == ObjectID.max ? nil : core.table.values[Int(id)]
            _ = core.put(key, hash, value, details)
            return old
        }
    }

    /// Makes a key's new value from its old one, nil where there is none, and returns it.
    ///
    /// The function is called once, under the lock, so that nothing comes between: it must be short and must not use this
    /// cache. If it returns nil the key is removed; if it throws nothing changes. Nil is returned also when the new value
    /// was refused.
    @discardableResult
    public func compute<Failure: Error>(
        _ key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = [],
        _ transform: (Value?) throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        try update(key) { (core, hash) throws(Failure) in
            let id = core.findLive(key, hash)
            let old = id == ObjectID.max ? nil : core.table.values[Int(id)]
            guard let value = try transform(old) else {
                if old != nil {
                    _ = core.remove(key, hash)
                } else if !core.flights.isEmpty {
                    // Whoever loads this key has been overtaken.
                    core.flights.removeValue(forKey: key)
                }
                return nil
            }
            let outcome = core.put(key, hash, value, core.settings.details(key, value, expiry, tags))
            return outcome.isStored ? value : nil
        }
    }

    /// Gives an entry another expiry, from now on; false if the key has no value. An entry that has expired stays so. O(1).
    ///
    /// An expiry that has passed removes the entry.
    @discardableResult
    public func setExpiry(_ expiry: EntryExpiry, of key: Key) -> Bool {
        update(key) { core, hash in
            let id = core.findLive(key, hash)
            guard id != ObjectID.max else { return false }
            let deadline = core.settings.deadline(of: expiry)
            if deadline <= core.settings.clock.monotonicNanoseconds() {
                core.drop(id, .expired)
            } else {
                core.setDeadline(id, deadline, slides: false)
            }
            return true
        }
    }

    /// How long a key's value is still valid: nil if there is none, or if it never expires. O(1).
    public func remainingTime(of key: Key) -> Duration? {
        update(key) { core, hash in
            let id = core.findLive(key, hash)
            guard id != ObjectID.max else { return nil }
            let deadline = core.deadline(id)
            guard deadline != .max else { return nil }
            return .nanoseconds(deadline - core.settings.clock.monotonicNanoseconds())
        }
    }
}

extension Cache where Value: Equatable {
    /// Stores a value if the key has one that equals `expected`; returns whether it had.
    @inlinable @discardableResult
    public func replace(
        _ key: Key, expected: Value, with value: Value, expiring expiry: EntryExpiry? = nil, tags: [String] = []
    ) -> Bool {
        let details = settings.details(key, value, expiry, tags)
        return update(key) { core, hash in
            let id = core.findLive(key, hash)
            guard id != ObjectID.max, core.table.values[Int(id)] == expected else { return false }
            _ = core.put(key, hash, value, details)
            return true
        }
    }

    /// Removes a key if its value equals `expected`; returns whether it did.
    @inlinable @discardableResult
    public func remove(_ key: Key, expected: Value) -> Bool {
        update(key) { core, hash in
            let id = core.findLive(key, hash)
            guard id != ObjectID.max, core.table.values[Int(id)] == expected else { return false }
            return core.remove(key, hash) != nil
        }
    }
}
