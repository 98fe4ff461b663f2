/// The entries of a cache: see ``Cache/entries``.
public struct CacheEntries<Key: Hashable & Sendable, Value: Sendable>: Sequence, Sendable {
    let cache: Cache<Key, Value>

    /// Starts at the first shard.
    public func makeIterator() -> Iterator { Iterator(cache: cache) }

    /// Goes through a cache, a shard at a time.
    public struct Iterator: IteratorProtocol {
        let cache: Cache<Key, Value>
        private var shard = 0
        private var read: [(key: Key, value: Value)] = []
        private var position = 0

        init(cache: Cache<Key, Value>) { self.cache = cache }

        /// The next entry; nil after the last.
        public mutating func next() -> (key: Key, value: Value)? {
            while position == read.count {
                guard shard < cache.shards.count else { return nil }
                read = cache.shards[shard].update { core in core.snapshot() }
                position = 0
                shard += 1
            }
            defer { position += 1 }
            return read[position]
        }
    }
}

extension Cache {
    /// The entries, for iteration: weakly consistent.
    ///
    /// Each shard is read as a whole when iteration comes to it, O(its entries) under its lock. A key appears at most once;
    /// one that has a value throughout appears; what is written or removed meanwhile may appear or not. Nothing is counted,
    /// moved or extended. The cache may be used, and entries removed, while this goes on.
    public var entries: CacheEntries<Key, Value> { CacheEntries(cache: self) }

    /// The keys that have values, in no order. O(entries).
    public var keys: [Key] { entries.map(\.key) }
}
