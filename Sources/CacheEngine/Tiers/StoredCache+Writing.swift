public import CacheCore
internal import Synchronization

// What is stored, in memory and in the backend by one step.
extension StoredCache {
    /// Stores a value, in the place of any that is there. O(1), one write, and one removal for each victim.
    @discardableResult
    public func put(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil
    ) throws(StoreError) -> PutOutcome {
        try putCountingEvictions(value, for: key, expiring: expiry).outcome
    }

    /// Stores a value as ``put(_:for:expiring:)`` does, and says how many entries that evicted.
    package func putCountingEvictions(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil
    ) throws(StoreError) -> (outcome: PutOutcome, evictions: Int) {
        try put(value, for: key, expiring: expiry, loadedBy: nil)
    }

    /// Stores a value; one that was loaded if nothing has overtaken its load.
    @_specialize(where Key == [UInt8], Value == [UInt8])
    func put(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry?, loadedBy load: UInt64?
    ) throws(StoreError) -> (outcome: PutOutcome, evictions: Int) {
        let name = try codec.encode(key: key)
        let bytes: [UInt8]
        do { bytes = try codec.encode(value: value) } catch {
            if load == nil { try remove(key) }
            throw error
        }
        let details = index.settings.details(key, name.count + bytes.count, expiry, [])
        let entry = StoredEntry(bytes, expiresAtNanoseconds: index.settings.wallTime(of: details.deadline))
        return try write(entry, key, name, details, loadedBy: load)
    }

    /// Stores bytes that carry a moment of expiry, which does not end them here.
    func put(_ entry: StoredEntry, for key: Key) throws(StoreError) -> PutOutcome {
        let name = try codec.encode(key: key)
        let details = index.settings.details(key, name.count + entry.value.count, .never, [])
        return try write(entry, key, name, details).outcome
    }

    private func write(
        _ entry: StoredEntry, _ key: Key, _ name: [UInt8], _ details: EntryDetails, loadedBy load: UInt64? = nil
    ) throws(StoreError) -> (outcome: PutOutcome, evictions: Int) {
        let size = name.count + entry.value.count
        return try change(key) { () throws(StoreError) -> (PutOutcome, Int) in
            if let load {
                guard loads.update(key, { core, _ in core.isCurrent(load, of: key) }) else {
                    return (.refused(.notAdmitted), 0)
                }
            } else {
                overtake(key)
            }
            let (outcome, evictions) = index.update(key) { core, hash in
                let evictedBefore = core.counts.evicted
                let outcome = core.put(key, hash, size, details)
                // Here, since it may be evicted again as soon as others may write.
                if outcome.isStored { lost.withLock { _ = $0.remove(key) } }
                return (outcome, core.counts.evicted - evictedBefore)
            }
            guard outcome.isStored else { return (outcome, evictions) }
            // The victims make room in the backend too.
            removeLost(whileWriting: key)
            do throws(StoreError) { try storage.put(entry, for: name) } catch {
                index.remove(key)
                throw error
            }
            return (outcome, evictions)
        }
    }
}
