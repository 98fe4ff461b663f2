internal import CacheCore
internal import Synchronization

// How the shards and the backend are kept together: what is taken over at opening, and what could not be removed.
extension StoredCache {
    /// Does something with the shard of a key, under its lock.
    ///
    /// The shard follows from the key's bytes, not from its `hashValue`, which differs in each process: a full cache that
    /// is opened again finds each entry in the shard that had room for it.
    func update<Result, Failure: Error>(
        _ key: Key, _ name: [UInt8], _ body: (inout ShardCore<Key, Int>, UInt32) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = name.withUnsafeBytes { Checksum64.checksum(of: $0) }
        let shard = index.shards[Int(truncatingIfNeeded: place) & index.shardMask]
        let hash = UInt32(truncatingIfNeeded: index.hash(key) &>> 32)
        return try shard.update { (core) throws(Failure) in try body(&core, hash) }
    }

    static func requireOpen(_ isClosed: Bool) throws(StoreError) { if isClosed { throw .closed } }

    /// Takes over what the backend holds, in the order of the keys' bytes: that of a hash table or a directory is another in each process,
    /// and so would be who leaves first.
    func adopt() throws(StoreError) {
        guard storage.claims.iterates else { return }
        for name in try storage.keys().sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let key = codec.decode(key: name), let entry = try undamaged(name) else { continue }
            let moment = expires ? entry.expiresAtNanoseconds : nil
            let expiry = moment.map { EntryExpiry.at(nanosecondsSince1970: $0) } ?? .never
            let size = name.count + entry.value.count
            let details = index.settings.details(key, size, expiry, [])
            let outcome = update(key, name) { core, hash in core.put(key, hash, size, details) }
            if case .refused = outcome { _ = try storage.remove(name) }
        }
        _ = index.resetStatistics()
    }

    /// The entry under a name; nil for one that is damaged, which the backend drops.
    private func undamaged(_ name: [UInt8]) throws(StoreError) -> StoredEntry? {
        do throws(StoreError) { return try storage.get(name) } catch {
            if error.code == .corrupt { return nil }
            throw error
        }
    }

    func removeFromStorage(_ key: Key) {
        do { _ = try storage.remove(codec.encode(key: key)) } catch { remains.withLock { _ = $0.insert(key) } }
    }

    func retryRemovals() {
        // Under their lock, so that nobody writes one of these keys anew before it has been removed.
        remains.withLock { keys in
            for key in keys where (try? storage.remove(codec.encode(key: key))) != nil { keys.remove(key) }
        }
    }
}
