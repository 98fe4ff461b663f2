public import CacheCore
internal import Synchronization

extension TieredCache {
    /// Stores a value in both tiers, or in memory first. O(1), and one write of the backend when writing through.
    ///
    /// A value that memory has no room for is kept in the lower tier alone. One whose time is over already is stored nowhere,
    /// and the old one removed from both.
    ///
    /// - Throws: the backend's `StorageError`; nothing has changed then, but for a value that the backend refuses:
    ///   then there is none in either tier.
    public func put(_ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil) throws(StorageError) {
        let name = try codec.encode(key: key)
        let bytes = try codec.encode(value: value)
        let details = upper.settings.details(key, value, expiry, [])
        let entry = StoredEntry(bytes, expiresAtNanoseconds: upper.settings.wallTime(of: details.deadline))
        let isSpent = details.deadline <= upper.settings.clock.monotonicNanoseconds()
        try stripe(key).waiting.withLock { (waiting) throws(StorageError) in
            try requireOpen()
            if let waitingLimit {
                if waiting[key] == nil, waiting.count >= waitingLimit { try drain(&waiting) }
                waiting[key] = .some(isSpent ? nil : entry)
            } else if isSpent {
                _ = try attempt { () throws(StorageError) in try lower.remove(name) }
            } else {
                try write(entry, key, name)
            }
            upper.update(key) { core, hash in _ = core.put(key, hash, value, details) }
        }
    }

    /// Removes a value from both tiers, or from memory first; returns whether one of them held one. O(1), one read
    /// and one removal.
    ///
    /// - Throws: the backend's `StorageError`; nothing has changed then.
    @discardableResult
    public func remove(_ key: Key) throws(StorageError) -> Bool {
        let name = try codec.encode(key: key)
        return try stripe(key).waiting.withLock { (waiting) throws(StorageError) in
            try requireOpen()
            let existed: Bool
            if let entry = waiting[key] {
                existed = entry.map(isValid) ?? false
            } else {
                // An entry whose time is over is none, though it is still there.
                existed = try attempt { () throws(StorageError) in try lower.get(name) }.map(isValid) ?? false
            }
            if let waitingLimit {
                if waiting[key] == nil, waiting.count >= waitingLimit { try drain(&waiting) }
                waiting[key] = .some(nil)
            } else {
                _ = try attempt { () throws(StorageError) in try lower.remove(name) }
            }
            return upper.remove(key) != nil || existed
        }
    }

    /// Removes every entry from both tiers. O(entries).
    ///
    /// - Throws: the backend's `StorageError`; memory and what waits have not changed then.
    public func clear() throws(StorageError) {
        try withStripes(from: 0) { () throws(StorageError) in
            try requireOpen()
            try attempt { () throws(StorageError) in try lower.removeAll() }
            upper.clear()
        }
    }

    /// Writes to the backend what waits, and makes it durable at the backend's claimed level.
    ///
    /// - Throws: the first `StorageError`. What could not be written waits on, but for values that the backend refuses: these
    ///   are removed from both tiers, because they could never be written.
    public func flush() throws(StorageError) {
        try requireOpen()
        var failure: StorageError?
        for stripe in stripes {
            do {
                try stripe.waiting.withLock { (waiting) throws(StorageError) in try drain(&waiting) }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        try attempt { () throws(StorageError) in try lower.flush() }
    }

    /// Writes what waits, ends the cache's use and closes the backend. Calling it again does nothing.
    ///
    /// - Throws: the first `StorageError`; if something could not be written the cache stays open, to be closed again.
    public func close() throws(StorageError) {
        guard !isClosed else { return }
        try flush()
        try withStripes(from: 0, clearing: false) { () throws(StorageError) in upper.close() }
        // What was accepted between the flush and the end.
        var failure: StorageError?
        for stripe in stripes {
            do {
                try stripe.waiting.withLock { (waiting) throws(StorageError) in try drain(&waiting) }
            } catch { failure = failure ?? error }
        }
        try lower.close()
        if let failure { throw failure }
    }

    /// Writes to the backend; if that refuses the value, memory forgets the old one as the backend did.
    private func write(_ entry: StoredEntry, _ key: Key, _ name: [UInt8]) throws(StorageError) {
        do {
            try attempt { () throws(StorageError) in try lower.put(entry, for: name) }
            count { $0.writes += 1 }
        } catch {
            if error.code == .valueRefused { upper.remove(key) }
            throw error
        }
    }

    /// Writes what waits in a stripe, whose lock is held.
    private func drain(_ waiting: inout [Key: Waiting]) throws(StorageError) {
        var failure: StorageError?
        for (key, entry) in waiting {
            do {
                let name = try codec.encode(key: key)
                if let entry {
                    try write(entry, key, name)
                } else {
                    _ = try attempt { () throws(StorageError) in try lower.remove(name) }
                }
                waiting[key] = nil
            } catch {
                if error.code == .valueRefused || error.code == .keyRefused {
                    upper.remove(key)
                    waiting[key] = nil
                }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Does something while no writer is at work, and forgets what waits if it succeeds.
    private func withStripes(
        from number: Int, clearing: Bool = true, _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        guard number < stripes.count else { return try body() }
        try stripes[number].waiting.withLock { (waiting) throws(StorageError) in
            try withStripes(from: number + 1, clearing: clearing, body)
            if clearing { waiting = [:] }
        }
    }
}
