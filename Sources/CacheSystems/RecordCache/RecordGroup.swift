public import CacheCore
internal import CacheEngine

/// The entries of a ``RecordCache`` in one group, and the groups inside it: a directory of records.
///
/// A group need not be made, and is there as long as there is something in it. A key and a group may have the same name, and any text is
/// a name: names that Swift holds equal are one, and no two others ever meet, whatever is in them.
public struct RecordGroup: Sendable {
    /// What lies in a group.
    public enum Item: Sendable, Hashable {
        /// A value's key.
        case key(String)
        /// The name of a group inside it.
        case group(String)
    }

    /// The names of the group and of those that it lies in, the outermost first; empty for the outermost of all.
    public let path: [String]
    let store: RecordStore

    init(path: [String], store: RecordStore) {
        self.path = path
        self.store = store
    }

    func place(_ key: String) -> RecordPlace { RecordPlace(path: path, key: key) }

    /// A group inside this one, or one inside that.
    public func group(_ names: String...) -> RecordGroup { RecordGroup(path: path + names, store: store) }

    /// A group inside this one by its path in one text, as `people.friends`. An empty text is this group.
    public func group(dotted path: String) -> RecordGroup {
        RecordGroup(path: self.path + path.split(separator: ".").map(String.init), store: store)
    }

    /// Stores a value in the place of any that is there, or removes that for nil; it is in the store when this returns.
    ///
    /// - Parameter keepsInMemory: whether memory may hold it too; it is kept with the value.
    /// - Throws: ``RecordError/fieldsChanged(type:version:added:missing:)``; what the value's `encode(to:)` throws, and an
    ///   `EncodingError` for parts that lie more than 200 deep in each other; the store's `StoreError`. A value that cannot be encoded, or that the store refuses, leaves none under its key.
    public func set<Value: Codable & Sendable>(
        _ value: Value?, forKey key: String, keepsInMemory: Bool = true
    ) throws {
        guard let value else { return _ = try remove(key) }
        try store.put(value, place(key), keepsInMemory: keepsInMemory)
    }

    /// Stores the first so many of an array's elements, as ``set(_:forKey:keepsInMemory:)`` does.
    public func set<Element: Codable & Sendable>(
        _ values: [Element]?, forKey key: String, itemsMax: Int, keepsInMemory: Bool = true
    ) throws {
        try set(values.map { Array($0.prefix(max(0, itemsMax))) }, forKey: key, keepsInMemory: keepsInMemory)
    }

    /// The value under a key, brought to the version that its types have now; nil if there is none.
    ///
    /// Nil, too, for a record that a step has refused, that was written by a newer version, whose schema is lost, or that is damaged:
    /// ``RecordEvent`` tells them apart, and says which of them stay. As ``RecordData`` any record can be read as it is stored, also one
    /// whose type is no longer there.
    ///
    /// - Throws: ``RecordError/wrongType(stored:asked:)``, ``RecordError/undecodable(type:reason:)``; the store's `StoreError`.
    public func value<Value: Codable & Sendable>(forKey key: String, as type: Value.Type = Value.self) throws -> Value?
    {
        try store.value(place(key), as: type)
    }

    /// Removes the value under a key; returns whether there was one.
    @discardableResult
    public func remove(_ key: String) throws(StoreError) -> Bool {
        let wasThere = try store.remove(place(key))
        store.monitor.note(.removed, place(key))
        return wasThere
    }

    /// Whether something is stored under a key, whether it can be read or not; nothing is migrated. O(1) and at most one read.
    public func contains(_ key: String) throws(StoreError) -> Bool { try store.tiers.contains(place(key)) }

    /// Whether memory holds what is under a key.
    public func isInMemory(_ key: String) -> Bool { store.tiers.upperContains(place(key)) }

    /// Removes every value of this group and of the groups inside it, from memory and the store; returns how many that were.
    ///
    /// Each value by itself: one that is stored meanwhile may stay. O(entries of the store).
    @discardableResult
    public func clear() throws(StoreError) -> Int {
        let removed = try store.clear(path)
        store.monitor.note(.cleared, place(""))
        return removed
    }

    /// The keys of this group, without those of the groups inside it, in no order. O(entries of the store), and no read.
    public func keys() throws(StoreError) -> [String] {
        try store.places(in: path).filter { $0.path.count == path.count }.map(\.key)
    }

    /// The names of the groups directly inside this one that have something in them, in no order. O(entries of the store).
    public func groupNames() throws(StoreError) -> Set<String> {
        Set(try store.places(in: path).lazy.filter { $0.path.count > path.count }.map { $0.path[path.count] })
    }

    /// Calls a function for each key and each group in this one, once each and in no order, until it sets its second parameter.
    ///
    /// They are those of one moment: the function may store, remove and clear. O(entries of the store).
    public func enumerate(_ body: (_ item: Item, _ stops: inout Bool) throws -> Void) throws {
        var items = Set<Item>()
        for place in try store.places(in: path) {
            items.insert(place.path.count == path.count ? .key(place.key) : .group(place.path[path.count]))
        }
        var stops = false
        for item in items {
            try body(item, &stops)
            if stops { return }
        }
    }
}
