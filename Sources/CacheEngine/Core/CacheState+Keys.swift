public import CacheCore

extension CacheState {
    /// Takes a key's entry away, and overtakes whoever loads it. O(1).
    @inlinable
    mutating func remove(_ key: Key, _ hash: UInt32) -> Value? {
        if !flights.isEmpty { flights.removeValue(forKey: key) }
        let id = findLive(key, hash)
        guard id != ObjectID.max else {
            forget(key, hash)
            tell(key, .remove, .miss)
            return nil
        }
        let value = table.values[Int(id)]
        tell(key, .remove, .hit, weight: weight(id))
        drop(id, .removed)
        return value
    }

    /// Takes away what is kept of a key that has no value to be served: knowledge, or a stale value.
    @inlinable
    mutating func forget(_ key: Key, _ hash: UInt32) {
        let id = table.find(key, hash: hash)
        guard id != ObjectID.max, table.states[Int(id)].isResident else { return }
        drop(id, .expired)
    }

    /// Takes away every entry with a tag, and overtakes loads whose values would bear it. O(entries with the tag).
    @usableFromInline
    mutating func removeAll(taggedWith name: String) -> Int {
        if !flights.isEmpty { flights = flights.filter { !$0.value.tags.contains(name) } }
        guard tags != nil else { return 0 }
        sweep()
        let now = settings.now()
        var removed = 0
        for id in tags?.ids(of: name) ?? [] {
            let isLive = deadline(id) > now && table.states[Int(id)].hasValue
            if isLive { tell(table.keys[Int(id)], .remove, .hit, weight: weight(id)) }
            drop(id, isLive ? .removed : .expired)
            removed += isLive ? 1 : 0
        }
        return removed
    }

    /// The entries with a tag that have values. O(entries with the tag).
    func valued(taggedWith name: String) -> [ObjectID] {
        (tags?.ids(of: name) ?? []).filter { table.states[Int($0)].hasValue }
    }

    /// The keys and values that a read could be served from now. O(ids).
    @usableFromInline
    mutating func snapshot() -> [(key: Key, value: Value)] {
        sweep()
        let now = timers == nil ? Int64.min : settings.now()
        var entries: [(key: Key, value: Value)] = []
        entries.reserveCapacity(liveCount)
        for id in 0..<table.firstUnused where table.states[id].hasValue {
            guard deadline(ObjectID(id)) > now, policy.contains(ObjectID(id)) else { continue }
            entries.append((table.keys[id], table.values[id]))
        }
        return entries
    }
}
