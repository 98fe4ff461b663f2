/// The entries of a cache: see ``Cache/entries``.
public struct CacheEntries<Key: Hashable & Sendable, Value: Sendable>: Sequence, Sendable {
    let cache: Cache<Key, Value>

    /// Reads the cache.
    public func makeIterator() -> Iterator { Iterator(entries: cache.update { core in core.snapshot() }) }

    /// Goes through the entries that there were when it was made.
    public struct Iterator: IteratorProtocol {
        let entries: [(key: Key, value: Value)]
        private var position = 0

        init(entries: [(key: Key, value: Value)]) { self.entries = entries }

        /// The next entry; nil after the last.
        public mutating func next() -> (key: Key, value: Value)? {
            guard position < entries.count else { return nil }
            defer { position += 1 }
            return entries[position]
        }
    }
}

extension Cache {
    /// The entries, for iteration: those that there are at one moment, when it begins.
    ///
    /// O(entries) under the lock, once. Nothing is counted, moved or extended. The cache may be used, and entries removed, while this goes
    /// on.
    public var entries: CacheEntries<Key, Value> { CacheEntries(cache: self) }

    /// The keys that have values, in no order. O(entries).
    public var keys: [Key] { entries.map(\.key) }
}
