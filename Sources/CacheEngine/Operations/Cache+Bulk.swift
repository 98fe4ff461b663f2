// Bulk operations are the operations on the single keys, one after the other, each linearizable by itself.
extension Cache {
    /// The values of those keys that have one; counts a hit or a miss for each key once, in their order, which the policy
    /// sees. O(keys).
    public func values(for keys: some Sequence<Key>) -> [Key: Value] {
        var found: [Key: Value] = [:]
        var asked = Set<Key>()
        for key in keys where asked.insert(key).inserted { found[key] = value(for: key) }
        return found
    }

    /// Stores every value and returns why those were refused that were. Of equal keys the last one counts. O(entries).
    @discardableResult
    public func put(
        contentsOf entries: some Sequence<(Key, Value)>, expiring expiry: EntryExpiry? = nil, tags: [String] = []
    ) -> [Key: RefusalReason] {
        var refused: [Key: RefusalReason] = [:]
        for (key, value) in entries {
            if case .refused(let reason) = put(value, for: key, expiring: expiry, tags: tags) {
                refused[key] = reason
            } else {
                refused[key] = nil
            }
        }
        return refused
    }

    /// Removes keys and returns how many had a value. O(keys).
    @discardableResult
    public func removeAll(_ keys: some Sequence<Key>) -> Int {
        var removed = 0
        for key in keys where remove(key) != nil { removed += 1 }
        return removed
    }
}
