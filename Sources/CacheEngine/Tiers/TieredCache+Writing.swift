public import CacheCore
internal import Synchronization

extension TieredCache {
    /// Stores a value in both tiers, or in memory first. O(1), and one write of the backend when writing through.
    ///
    /// A value that memory has no room for is kept in the lower tier alone, and is `stored`. One whose time is over already is stored
    /// nowhere, and the old one removed from both. Only a value that memory had is `replaced`.
    ///
    /// - Throws: the backend's `StoreError`; then there is what the backend has kept, the old value or none. Of a value that the
    ///   codec or the backend refuses there is none in either tier. Where writes wait nothing else has changed.
    @discardableResult
    public func put(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil
    ) throws(StoreError) -> PutOutcome {
        let name = try codec.encode(key: key)
        let bytes: [UInt8]
        do { bytes = try codec.encode(value: value) } catch {
            // What is there is never older than the last write.
            _ = try remove(key)
            throw error
        }
        guard bytes.count <= lower.claims.valueBytesMax else {
            // Now, and not when it is written: a writer that has gone on cannot be told.
            count { $0.failures += 1 }
            _ = try remove(key)
            throw StoreError(
                .valueRefused,
                "\(bytes.count) bytes are more than the \(lower.claims.valueBytesMax) that the backend takes")
        }
        let details = upper.settings.details(key, value, expiry, [])
        let entry = StoredEntry(bytes, expiresAtNanoseconds: upper.settings.wallTime(of: details.deadline))
        let isSpent = details.deadline <= upper.settings.clock.monotonicNanoseconds()
        return try writing(key) { (waiting) throws(StoreError) in
            try requireOpen()
            do throws(StoreError) { try settle(isSpent ? nil : entry, key, name, &waiting) } catch {
                // A backend that fails at a write may have dropped the old value.
                if waitingLimit == nil { removeFromUpper(key) }
                throw error
            }
            let outcome = upper.updateKeepingLeft(key) { core, hash in core.put(key, hash, value, details) }
            return outcome.isStored || isSpent ? outcome : .stored
        }
    }

    /// Removes a value from both tiers, or from memory first; returns whether one of them held one. O(1), one read
    /// and one removal.
    ///
    /// - Throws: the backend's `StoreError`; nothing has changed then.
    @discardableResult
    public func remove(_ key: Key) throws(StoreError) -> Bool {
        let name = try codec.encode(key: key)
        return try writing(key) { (waiting) throws(StoreError) in
            try requireOpen()
            let existed: Bool
            if let entry = waiting[key] {
                existed = entry.map(isValid) ?? false
            } else {
                // An entry whose time is over is none, though it is still there; nor is one that is damaged.
                existed = try undamaged(name).map(isValid) ?? false
            }
            try settle(nil, key, name, &waiting)
            return removeFromUpper(key) || existed
        }
    }

    /// Removes every entry whose time is over from both tiers, without waiting for a read to do it; returns how many the
    /// backend held. O(entries of the backend) of reading.
    ///
    /// - Throws: the first `StoreError`, after all others have been tried. A damaged entry is not an error: the backend
    ///   drops it when it is read.
    @discardableResult
    public func removeExpired() throws(StoreError) -> Int {
        try requireOpen()
        upper.removeExpired()
        var removed = 0
        var failure: StoreError?
        for name in try attempt({ () throws(StoreError) in try lower.keys() }) {
            guard let key = codec.decode(key: name) else { continue }
            do throws(StoreError) {
                if try removeIfExpired(key, name) { removed += 1 }
            } catch { if error.code != .corrupt { failure = failure ?? error } }
        }
        if let failure { throw failure }
        return removed
    }

    private func removeIfExpired(_ key: Key, _ name: [UInt8]) throws(StoreError) -> Bool {
        try writing(key) { (waiting) throws(StoreError) in
            guard let entry = try storedOrWaiting(waiting[key], name), !isValid(entry) else { return false }
            try settle(nil, key, name, &waiting)
            return true
        }
    }

    /// Removes every entry from both tiers. O(entries).
    ///
    /// - Throws: the backend's `StoreError`; memory and what waits have not changed then.
    public func removeAll() throws(StoreError) {
        defer { upper.endLeft() }
        try withStripes(from: 0) { () throws(StoreError) in
            try requireOpen()
            try attempt { () throws(StoreError) in try lower.removeAll() }
            upper.updateKeepingLeft { core in core.clear(.cleared) }
        }
    }

    /// Removes every entry whose key satisfies a condition from both tiers; returns how many keys that were.
    ///
    /// For each key this is a removal by itself. A load that had begun before is not stored. O(entries), and one read and one
    /// removal for each that goes.
    ///
    /// - Throws: the backend's `StoreError`; some entries may be gone then.
    @discardableResult
    public func removeAll(where isOut: (Key) -> Bool) throws(StoreError) -> Int {
        try requireOpen()
        upper.forgetLoads(where: isOut)
        var keys = Set<Key>()
        // A load that was found current before is being written under a stripe's lock: it is listed below.
        for stripe in stripes { stripe.waiting.withLock { keys.formUnion($0.keys.filter(isOut)) } }
        for name in try attempt({ () throws(StoreError) in try lower.keys() }) {
            if let key = codec.decode(key: name), isOut(key) { keys.insert(key) }
        }
        // A backend that evicts may have dropped what memory still has.
        keys.formUnion(upper.keys.filter(isOut))
        var removed = 0
        for key in keys where try remove(key) { removed += 1 }
        return removed
    }

    /// Writes to the backend what waits, and makes it durable at the backend's claimed level. One write or removal for each that
    /// waits, and what the backend's flush costs.
    ///
    /// - Throws: the first `StoreError`. What could not be written waits on, but for values that the backend refuses: these
    ///   are removed from both tiers, because they could never be written.
    public func flush() throws(StoreError) {
        try requireOpen()
        defer { upper.endLeft() }
        var failure = untold.withLock { $0.take() }
        for stripe in stripes {
            do {
                try stripe.waiting.withLock { (waiting) throws(StoreError) in try drain(&waiting) }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        try attempt { () throws(StoreError) in try lower.flush() }
    }

    /// Writes what waits, ends the cache's use and closes the backend. Calling it again closes the backend again, if that has
    /// failed, and otherwise does nothing. As ``flush()``, and O(entries in memory).
    ///
    /// - Throws: the first `StoreError`; if something could not be written the cache stays open, to be closed again.
    public func close() throws(StoreError) {
        if !isClosed {
            defer { upper.endLeft() }
            try flush()
            try closeUpper(drainingFrom: 0)
        }
        try lower.close()
    }

    /// Writes what has come since, with every writer kept out, and ends the use of memory when nothing waits.
    private func closeUpper(drainingFrom number: Int) throws(StoreError) {
        guard number < stripes.count else { return upper.updateKeepingLeft { core in core.close() } }
        try stripes[number].waiting.withLock { (waiting) throws(StoreError) in
            try drain(&waiting)
            try closeUpper(drainingFrom: number + 1)
        }
    }

    /// What the backend has under a name; nil for what it finds damaged.
    private func undamaged(_ name: [UInt8]) throws(StoreError) -> StoredEntry? {
        do throws(StoreError) {
            return try attempt { () throws(StoreError) in try lower.get(name) }
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    /// Brings an entry, or nil for a removal, to the backend or among what waits for it; the stripe's lock is held.
    func settle(
        _ entry: StoredEntry?, _ key: Key, _ name: [UInt8], _ waiting: inout [Key: Waiting]
    ) throws(StoreError) {
        if let waitingLimit {
            if waiting[key] == nil, waiting.count >= waitingLimit { try makeRoom(&waiting, below: waitingLimit) }
            waiting[key] = .some(entry)
        } else if let entry {
            try write(entry, key, name)
        } else {
            _ = try attempt { () throws(StoreError) in try lower.remove(name) }
        }
    }

    /// Writes what waits, so that one more may. What of it the backend has refused is no fault of the newcomer's: the next
    /// ``flush()`` tells.
    private func makeRoom(_ waiting: inout [Key: Waiting], below limit: Int) throws(StoreError) {
        do { try drain(&waiting) } catch {
            guard waiting.count < limit else { throw error }
            untold.withLock { $0 = $0 ?? error }
        }
    }

    /// Takes a key's value out of memory; returns whether there was one. The stripe's lock is held.
    @discardableResult
    private func removeFromUpper(_ key: Key) -> Bool {
        // What leaves holds the value too, so that it does not end here.
        upper.updateKeepingLeft(key) { core, hash in core.remove(key, hash) != nil }
    }

    /// Writes to the backend; if that refuses the value, memory forgets the old one as the backend did.
    private func write(_ entry: StoredEntry, _ key: Key, _ name: [UInt8]) throws(StoreError) {
        do {
            try attempt { () throws(StoreError) in try lower.put(entry, for: name) }
            count { $0.writes += 1 }
        } catch {
            if error.code == .valueRefused { removeFromUpper(key) }
            throw error
        }
    }

    /// Writes what waits in a stripe, whose lock is held.
    private func drain(_ waiting: inout [Key: Waiting]) throws(StoreError) {
        var failure: StoreError?
        for (key, entry) in waiting {
            do {
                let name = try codec.encode(key: key)
                if let entry {
                    try write(entry, key, name)
                } else {
                    _ = try attempt { () throws(StoreError) in try lower.remove(name) }
                }
                waiting[key] = nil
            } catch {
                if error.code == .valueRefused || error.code == .keyRefused {
                    removeFromUpper(key)
                    waiting[key] = nil
                }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Does something while no writer is at work, and forgets what waits if it succeeds.
    private func withStripes(from number: Int, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        guard number < stripes.count else { return try body() }
        try stripes[number].waiting.withLock { (waiting) throws(StoreError) in
            try withStripes(from: number + 1, body)
            waiting = [:]
        }
    }
}
