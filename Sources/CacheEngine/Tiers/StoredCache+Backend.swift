internal import CacheCore
internal import Synchronization

// How memory and the backend are kept together: what is taken over at opening, and what is still to be removed.
extension StoredCache {
    private func stripe(_ key: Key) -> Stripe { stripes[Int(index.shortHash(key)) & (stripes.count - 1)] }

    /// Does something while nobody else works on a key, and afterwards removes from the backend what has left memory.
    func change<Result>(_ key: Key, _ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        defer { removeLost() }
        return try stripe(key).lock.withLock { _ throws(StoreError) in
            try requireOpen()
            return try body()
        }
    }

    /// Does something while nobody works on any key.
    func withStripes<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        for stripe in stripes { stripe.lock._unsafeLock() }
        defer { for stripe in stripes { stripe.lock._unsafeUnlock() } }
        try body()
    }

    /// Takes over what the backend holds, in the order of the keys' bytes: that of a hash table or a directory is another in each process,
    /// and so would be who leaves first.
    func adopt() throws(StoreError) {
        guard storage.claims.iterates else { return }
        for name in try storage.keys().sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let key = codec.decode(key: name), let entry = try undamaged(name) else { continue }
            let moment = expires ? entry.expiresAtNanoseconds : nil
            let expiry = moment.map { EntryExpiry.at(nanosecondsSince1970: $0) } ?? .never
            let outcome = index.put(name.count + entry.value.count, for: key, expiring: expiry)
            if case .refused = outcome { _ = try storage.remove(name) }
        }
        removeLost()
        _ = index.resetStatistics()
    }

    /// The entry under a name; nil for one that is damaged, which the backend drops.
    private func undamaged(_ name: [UInt8]) throws(StoreError) -> StoredEntry? {
        do throws(StoreError) { return try storage.get(name) } catch {
            if error.code == .corrupt { return nil }
            throw error
        }
    }

    /// Lets a load of a key that is under way not store its value. Under the key's lock.
    func overtake(_ key: Key) {
        loads.update(key) { core, _ in if !core.flights.isEmpty { core.flights.removeValue(forKey: key) } }
    }

    /// Takes an entry out of memory that the backend has not.
    func forget(_ key: Key) {
        index.update(key) { core, hash in
            let id = core.findLive(key, hash)
            if id != ObjectID.max { core.drop(id, .removed) }
        }
    }

    /// Notes that a value has left memory without another in its place. Under the index's lock.
    func lose(_ key: Key) {
        lost.withLock { _ = $0.insert(key) }
        hasLost.store(true, ordering: .releasing)
    }

    /// Removes from the backend what has left memory.
    ///
    /// Whoever works on a key goes on here when it is done: what is busy is left to that one, unless the caller `waits`. Nobody waits
    /// while a key is `written`, since two that write might wait for one another.
    func removeLost(waits: Bool = false, whileWriting written: Key? = nil) {
        guard hasLost.load(ordering: .acquiring) else { return }
        let own = written.map(stripe)
        // One victim is what most writes leave: it costs no list.
        if let only = lost.withLock({ $0.count == 1 ? $0.first : nil }), only != written,
            removeLost(only, own, waits: waits) == true, noteNothingLost()
        {
            return
        }
        var (failed, busy) = (Set<Key>(), Set<ObjectIdentifier>())
        var keys: [Key] = []
        repeat {
            keys = lost.withLock { $0 }.filter { key in
                key != written && !failed.contains(key) && !busy.contains(ObjectIdentifier(stripe(key)))
            }
            for key in keys {
                let isRemoved = removeLost(key, own, waits: waits)
                if isRemoved == false {
                    failed.insert(key)
                } else if isRemoved == nil {
                    busy.insert(ObjectIdentifier(stripe(key)))
                }
            }
        } while !keys.isEmpty
        _ = noteNothingLost()
    }

    /// Lets later operations pass by if nothing is left to remove; returns whether that is so.
    private func noteNothingLost() -> Bool {
        lost.withLock { keys in
            if keys.isEmpty { hasLost.store(false, ordering: .releasing) }
            return keys.isEmpty
        }
    }

    /// Removes a key from the backend under its lock, which the caller may have; nil if that is busy, unless the caller waits.
    private func removeLost(_ key: Key, _ own: Stripe?, waits: Bool) -> Bool? {
        let stripe = stripe(key)
        if stripe === own { return removeLost(key) }
        if waits { return stripe.lock.withLock { _ in removeLost(key) } }
        return stripe.lock.withLockIfAvailable { _ in removeLost(key) }
    }

    /// Removes a key from the backend, unless it has been written anew; false if the backend fails. Under the key's lock.
    private func removeLost(_ key: Key) -> Bool {
        guard lost.withLock({ $0.contains(key) }) else { return true }
        do { _ = try storage.remove(codec.encode(key: key)) } catch { return false }
        lost.withLock { _ = $0.remove(key) }
        return true
    }
}
