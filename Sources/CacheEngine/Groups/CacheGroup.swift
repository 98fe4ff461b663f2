/// A key in a group: what a cache with groups has for keys.
public struct GroupedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    /// The names of the group and of those that it lies in, the outermost first. Any strings, the empty one too.
    public let path: [String]
    /// The key in the group.
    public let key: Key

    /// A key in a group.
    public init(path: [String], key: Key) {
        self.path = path
        self.key = key
    }
}

extension Cache {
    /// A group of this cache. It need not be made: it is there as long as it has entries. O(1).
    public func group<Inner: Hashable & Sendable>(_ name: String) -> CacheGroup<Inner, Value>
    where Key == GroupedKey<Inner> { CacheGroup(cache: self, path: [name]) }

    /// The names of the outermost groups that have entries. O(entries).
    public func groupNames<Inner: Hashable & Sendable>() -> Set<String> where Key == GroupedKey<Inner> {
        CacheGroup(cache: self, path: []).groupNames
    }
}

/// The entries of a cache that lie in one group or in a group inside of it: a name space that can be cleared at once.
///
/// The same key in two groups is two entries; removing a group leaves every other alone, however their names are spelled.
/// All groups share the capacity and the policy of their cache.
public struct CacheGroup<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The cache.
    public let cache: Cache<GroupedKey<Key>, Value>
    /// The names of the group and of those that it lies in, the outermost first.
    public let path: [String]
    private let groupTags: [String]

    init(cache: Cache<GroupedKey<Key>, Value>, path: [String]) {
        self.cache = cache
        self.path = path
        // The tag of a group says the length of every name, so that no group's is another's or a user's by chance: in
        // characters, of which equal names have equally many however they are spelled.
        groupTags = path.indices.map { Self.tag(path[...$0]) }
    }

    private static func tag(_ path: ArraySlice<String>) -> String {
        path.reduce("group\u{0}\(path.count)") { $0 + "\u{0}\($1.count)\u{0}" + $1 }
    }

    private func grouped(_ key: Key) -> GroupedKey<Key> { GroupedKey(path: path, key: key) }

    /// A group inside this one. O(depth).
    public func group(_ name: String) -> CacheGroup { CacheGroup(cache: cache, path: path + [name]) }

    /// As ``Cache/value(for:)``.
    public func value(for key: Key) -> Value? { cache.value(for: grouped(key)) }
    /// As ``Cache/contains(_:)``.
    public func contains(_ key: Key) -> Bool { cache.contains(grouped(key)) }
    /// As ``Cache/remove(_:)``.
    @discardableResult
    public func remove(_ key: Key) -> Bool { cache.remove(grouped(key)) }
    /// As ``Cache/removeValue(for:)``.
    @discardableResult
    public func removeValue(for key: Key) -> Value? { cache.removeValue(for: grouped(key)) }

    /// As ``Cache/put(_:for:expiring:tags:)``.
    @discardableResult
    public func put(
        _ value: Value, for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = []
    ) -> PutOutcome { cache.put(value, for: grouped(key), expiring: expiry, tags: tags + groupTags) }

    /// As ``Cache/value(for:expiring:tags:loader:)``. Removing the group while the value is loaded wins.
    public func value(
        for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = [],
        loader: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        try await cache.value(for: grouped(key), expiring: expiry, tags: tags + groupTags) { try await loader($0.key) }
    }

    /// The value of a key, loaded if it is missing and may have none; the blocking face.
    ///
    /// As ``Cache/blockingOptionalValue(for:expiring:tags:loader:)``.
    public func blockingOptionalValue(
        for key: Key, expiring expiry: EntryExpiry? = nil, tags: [String] = [], loader: (Key) throws -> Value?
    ) throws -> Value? {
        try cache.blockingOptionalValue(for: grouped(key), expiring: expiry, tags: tags + groupTags) {
            try loader($0.key)
        }
    }

    /// Removes every entry of this group and of those inside it; returns how many had a value. O(entries of the group).
    @discardableResult
    public func removeAll() -> Int { cache.removeAll(taggedWith: Self.tag(path[...])) }

    /// The entries of this group and of those inside it. O(1).
    public var count: Int { cache.count(taggedWith: Self.tag(path[...])) }

    /// The keys of this group, without those of groups inside it, in no order. O(entries of the group).
    public var keys: [Key] {
        cache.keys(taggedWith: Self.tag(path[...])).filter { $0.path == path }.map(\.key)
    }

    /// The names of the groups directly inside this one that have entries. O(entries of the group), O(entries) for all.
    public var groupNames: Set<String> {
        let keys = path.isEmpty ? cache.keys : cache.keys(taggedWith: Self.tag(path[...]))
        return Set(keys.compactMap { $0.path.count > path.count ? $0.path[path.count] : nil })
    }
}
