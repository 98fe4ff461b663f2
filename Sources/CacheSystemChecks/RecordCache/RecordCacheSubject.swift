public import CacheConformance
public import CacheSystems

/// An open cache of records as its checks drive it. Groups are paths, the outermost name first.
public protocol RecordCacheInstance: AnyObject, Sendable {
    /// Stores a value, or nil.
    func set<Value: Codable & Sendable>(
        _ value: Value?, _ key: String, in group: [String], keepsInMemory: Bool
    ) throws
    /// The value under a key.
    func get<Value: Codable & Sendable>(_ key: String, in group: [String], as type: Value.Type) throws -> Value?
    /// Removes the value under a key.
    func remove(_ key: String, in group: [String]) throws
    /// Removes a group with everything in it.
    func clear(_ group: [String]) throws
    /// Removes everything, and calls a function when that is done.
    func clearAll(then completion: @escaping @Sendable () -> Void) throws
    /// What a group has in it, until there are so many: keys, and names of groups with a slash behind them.
    func list(_ group: [String], atMost: Int) throws -> [String]
    /// Whether memory holds what is under a key.
    func isInMemory(_ key: String, in group: [String]) -> Bool
    /// Empties memory alone.
    func dropMemory()
    /// How many records were migrated.
    var migrations: Int { get }
    /// The names of the fields that were recorded for a type and version; nil if none were.
    func fields(of typeName: String, version: Int) -> Set<String>?
    /// What a record looks like to people.
    func describe(_ record: some CacheRecord) throws -> String
    /// The hash of a record.
    func hash(of record: some CacheRecord) throws -> Int
    /// A copy of a record that has objects in it.
    func copy(_ tree: CheckedRecords.Tree) throws -> CheckedRecords.Tree
    /// Deletes what is recorded of types in the store, as an accident does; holds from the next opening.
    func loseSchemas() throws
    /// Changes a byte in every file, and empties memory.
    func damage() throws
    /// Ends its use.
    func close() throws
}

/// A cache of records as the suite drives it.
public protocol RecordCacheSubject: CacheSubject {
    /// Opens a cache in a directory, by a program of a version, which empties what another version has left but for a group
    /// `protected`; nil for a program that leaves everything.
    func openRecords(in directory: String, program: String?) throws -> any RecordCacheInstance
}
