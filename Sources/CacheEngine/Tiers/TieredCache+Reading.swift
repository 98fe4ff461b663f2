public import CacheCore
internal import Synchronization

extension TieredCache {
    /// The value of a key from memory, or else from the backend, which puts it into memory; nil if there is none. O(1), and
    /// one read of the backend however many threads ask.
    ///
    /// It waits for no loader: while one is at work on the key, the backend is read beside it.
    ///
    /// - Throws: the backend's `StoreError`, `corrupt` for bytes that cannot be decoded, `closed`. Memory stays as it was.
    public func value(for key: Key) throws(StoreError) -> Value? {
        try Self.stored(
            Result {
                while true {
                    do {
                        return try upper.loadHere(key, true, LoadOrder(.never, []), isRead: true) { order in
                            let found = try readForAll(key)
                            try requireCurrent(key)
                            if let found { order.expiry = found.1 }
                            return found?.0
                        }
                    } catch is OvertakenRead { countAgain(key) } catch is LoadUnderWay { return try readBeside(key) }
                }
            })
    }

    /// Reads the backend for all who wait. Loaders may be among these, to whom its failure is none.
    func readForAll(_ key: Key) throws -> (Value, EntryExpiry)? {
        do throws(StoreError) { return try readLower(key) } catch { throw FailedRead(reason: error) }
    }

    /// Reads both tiers while a loader is at work, without a part in its load; nothing is promoted. O(1) and one read.
    func readBeside(_ key: Key) throws(StoreError) -> Value? {
        let name = try codec.encode(key: key)
        // No writer is between the tiers meanwhile.
        let found = try writing(key) { (waiting) throws(StoreError) -> (value: Value?, entry: StoredEntry?) in
            try requireOpen()
            let value = upper.updateKeepingLeft(key) { core, hash in core.liveValue(key, hash) }
            if let value { return (value, nil) }
            guard let entry = try storedOrWaiting(waiting[key], name) else { return (nil, nil) }
            if isValid(entry) { return (nil, entry) }
            if waiting[key] == nil { _ = try attempt { () throws(StoreError) in try lower.remove(name) } }
            return (nil, nil)
        }
        if let value = found.value { return value }
        count { if found.entry == nil { $0.misses += 1 } else { $0.hits += 1 } }
        return try found.entry.map { (entry) throws(StoreError) in try codec.decode(value: entry.value) }
    }

    /// The outcome of a load whose origin is the backend, with the errors of backends.
    static func stored(_ outcome: Result<Value?, any Error>) throws(StoreError) -> Value? {
        switch outcome {
        case .success(let value): return value
        case .failure(let error as FailedRead): throw error.reason
        case .failure(let error as StoreError): throw error
        case .failure(CacheError.closed): throw .closed
        case .failure(let error): throw StoreError(.inputOutput, "\(error)")
        }
    }

    /// Takes back the miss of a read that is repeated, which counts as one.
    func countAgain(_ key: Key) { upper.update(key) { core, _ in core.counts.misses &-= 1 } }

    /// Refuses what the load of this thread or task has read in the backend if the key was written, removed or cleared
    /// since it began.
    ///
    /// Memory then may hold a value that is older than what was read, because a writer reaches the backend first: whoever read
    /// memory next would see time run backwards. As long as nobody has overtaken the load memory has held nothing.
    func requireCurrent(_ key: Key) throws {
        let load = LoadContext.current
        // Of a key that is not equal to itself memory holds nothing.
        guard key == key else { return }
        guard upper.update(key, { core, _ in core.isCurrent(load, of: key) }) else { throw OvertakenRead() }
    }

    /// The value of a key in the backend, or waiting for it, with its expiry, whether its time is over or not; nothing is
    /// counted, promoted or removed. O(1) and one read.
    public func storedValue(for key: Key) throws(StoreError) -> (value: Value, expiry: EntryExpiry)? {
        try requireOpen()
        let waiting = stripe(key).waiting.withLock { $0[key] }
        guard let entry = try storedOrWaiting(waiting, try codec.encode(key: key)) else { return nil }
        return (try codec.decode(value: entry.value), Self.expiry(of: entry))
    }

    /// The value of a key in either tier, whether its time is over or not; nothing is counted, promoted or removed. O(1) and at
    /// most one read.
    package func peek(_ key: Key) throws(StoreError) -> Value? {
        if let value = upper.peek(key) { return value }
        return try storedValue(for: key)?.value
    }

    /// The keys that the backend holds or that wait for it, whether their time is over or not, and those that memory alone has
    /// left because the backend has evicted them; nothing is read or removed. O(entries).
    public func storedKeys() throws(StoreError) -> [Key] {
        try requireOpen()
        let names = try attempt { () throws(StoreError) in try lower.keys() }
        var found = Set(names.compactMap { codec.decode(key: $0) })
        found.formUnion(upper.keys)
        for stripe in stripes {
            for (key, entry) in stripe.waiting.withLock({ $0 }) {
                if entry == nil { found.remove(key) } else { found.insert(key) }
            }
        }
        return Array(found)
    }

    /// Whether memory holds a valid value; nothing is counted or moved. O(1).
    public func upperContains(_ key: Key) -> Bool { upper.contains(key) }

    /// Whether one of the tiers holds a valid value; nothing is counted or promoted. O(1) and at most one read.
    public func contains(_ key: Key) throws(StoreError) -> Bool {
        try requireOpen()
        if upper.contains(key) { return true }
        let name = try codec.encode(key: key)
        // No writer is between the tiers meanwhile.
        return try writing(key) { (waiting) throws(StoreError) in
            if upper.updateKeepingLeft(key, { core, hash in core.findLive(key, hash) != ObjectID.max }) { return true }
            return try storedOrWaiting(waiting[key], name).map(isValid) ?? false
        }
    }

    /// The keys that memory has valid values of, in no order. O(entries in memory).
    package var memoryKeys: [Key] { upper.keys }

    /// The keys that have values in either tier, once each, in no order. O(entries), and a read for each of the backend.
    public var keys: [Key] {
        get throws(StoreError) { try listedKeys() }
    }

    /// The number of keys that have values in either tier. As ``keys``.
    public var count: Int {
        get throws(StoreError) { try listedKeys().count }
    }

    private func listedKeys() throws(StoreError) -> [Key] {
        try requireOpen()
        // What waits is looked at before the backend too: it may be written there once the backend has been listed.
        var candidates = Set<Key>()
        for stripe in stripes { candidates.formUnion(stripe.waiting.withLock { Array($0.keys) }) }
        for bytes in try attempt({ () throws(StoreError) in try lower.keys() }) {
            if let key = codec.decode(key: bytes) { candidates.insert(key) }
        }
        candidates.formUnion(upper.keys)
        var found = Set<Key>()
        for key in candidates where try lowerEntry(key) != nil || upper.contains(key) { found.insert(key) }
        for stripe in stripes {
            let waiting = stripe.waiting.withLock { $0 }
            for (key, entry) in waiting {
                if let entry, isValid(entry) { found.insert(key) } else { found.remove(key) }
            }
        }
        return Array(found)
    }

    func readLower(_ key: Key) throws(StoreError) -> (Value, EntryExpiry)? {
        guard let entry = try lowerEntry(key) else {
            count { $0.misses += 1 }
            return nil
        }
        count { $0.hits += 1 }
        return (try codec.decode(value: entry.value), Self.expiry(of: entry))
    }

    /// What waits or is stored under a key and is valid. An entry whose time is over is removed.
    private func lowerEntry(_ key: Key) throws(StoreError) -> StoredEntry? {
        if let waiting = stripe(key).waiting.withLock({ $0[key] }) { return waiting.flatMap { isValid($0) ? $0 : nil } }
        let name = try codec.encode(key: key)
        guard let entry = try attempt({ () throws(StoreError) in try lower.get(name) }) else { return nil }
        if isValid(entry) { return entry }
        return try removeExpired(key, name)
    }

    /// Removes an entry whose time is over, unless it has been written since: that is returned.
    private func removeExpired(_ key: Key, _ name: [UInt8]) throws(StoreError) -> StoredEntry? {
        try writing(key) { (waiting) throws(StoreError) in
            if let newer = waiting[key] { return newer.flatMap { isValid($0) ? $0 : nil } }
            guard let entry = try lower.get(name) else { return nil }
            if isValid(entry) { return entry }
            _ = try lower.remove(name)
            return nil
        }
    }

    /// What waits, or what the backend has if nothing does.
    func storedOrWaiting(_ waiting: Waiting?, _ name: [UInt8]) throws(StoreError) -> StoredEntry? {
        if let waiting { return waiting }
        return try attempt { () throws(StoreError) in try lower.get(name) }
    }

    static func expiry(of entry: StoredEntry) -> EntryExpiry {
        entry.expiresAtNanoseconds.map { EntryExpiry.at(nanosecondsSince1970: $0) } ?? .never
    }

    func isValid(_ entry: StoredEntry) -> Bool {
        entry.expiresAtNanoseconds.map { $0 > upper.settings.clock.wallNanoseconds() } ?? true
    }
}

/// Says that a writer came between a read of the backend and its end, so that it must be repeated.
struct OvertakenRead: Error {}

/// A failure of the backend at a read, told apart from what loaders throw.
struct FailedRead: Error { let reason: StoreError }
