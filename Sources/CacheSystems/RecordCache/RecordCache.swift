public import CacheCore
public import CacheEngine

/// Keeps records of `Codable` types, in groups that nest, over any store: those that an older version of the program wrote are read as
/// what they have become.
///
/// ```swift
/// let files = try BackendEntry(FileStorage.self).open(directory: "/var/cache/people")
/// let cache = try RecordCache(RecordCacheOptions("people"), policy: lru, storage: files)
/// let friends = cache.group("people", "friends")
/// try friends.set(Person(fullName: "Ada", age: 36), forKey: "ada")
/// let ada = try friends.value(forKey: "ada", as: Person.self)
/// try cache.group("people").clear()
/// ```
///
/// The fields of each ``CacheRecord`` and version are recorded in the store when its first value is (``schemas``). A record of an older
/// version is migrated by the steps of its type when it is read, and stored in its new form. What cannot be migrated is lost alone.
///
/// ### Concurrency
/// May be used from any thread; operations on one key are linearizable, over both tiers. No lock is held while a type is encoded,
/// decoded or migrated. The blocking face waits for the store; from tasks use the asynchronous one, which has the same names.
///
/// ### Copies
/// What is read is independent of what was stored and of what others read: where there are objects in it, it is made anew by every read.
public final class RecordCache: Sendable {
    let store: RecordStore

    /// A cache over a store, with whatever records of its name are in that.
    ///
    /// - Parameter policy: chooses what leaves memory.
    /// - Throws: `AssayError` with code `usage` for a store that is not for several threads; `StoreError` if the store cannot be read or
    ///   cannot list its keys.
    public init(_ options: RecordCacheOptions, policy: PolicyEntry, storage: any StorageBackend) throws {
        store = try RecordStore(options, policy: policy, storage: storage)
    }

    /// The outermost group, in which all others lie.
    public var root: RecordGroup { RecordGroup(path: [], store: store) }
    /// A group by its name and those of the groups that it lies in, the outermost first.
    public func group(_ names: String...) -> RecordGroup { RecordGroup(path: names, store: store) }
    /// A group by its path in one text, as `people.friends`.
    public func group(dotted path: String) -> RecordGroup { root.group(dotted: path) }

    /// The fields of each type and version that has been stored, as its first value had them. Sorted by type and version.
    public var schemas: [RecordSchema] { store.schemas.all }

    /// Removes every record in one step, and the schemas where that is wanted, as when the fields of a version that nobody has
    /// used were changed.
    ///
    /// - Throws: the store's `StoreError`; some may be gone then.
    public func removeAll(schemas: Bool = false) throws(StoreError) {
        try RecordStore.stored(Result { try store.removeAll(schemas: schemas) })
        store.monitor.note(.cleared, root.place(""))
    }

    /// The records in the store. O(entries of the store).
    public func count() throws(StoreError) -> Int { try store.places(in: []).count }
    /// Empties memory alone, as when it gets scarce.
    public func dropMemory() { store.tiers.dropMemory() }
    /// How often each event has happened.
    public var statistics: RecordStatistics { store.monitor.statistics }
    /// What memory has done.
    public var memoryStatistics: CacheStatistics { store.tiers.upperStatistics }
    /// What the store has done.
    public var storeStatistics: LowerTierStatistics { store.tiers.lowerStatistics }
    /// Makes everything stored durable at the store's claimed level.
    public func flush() throws(StoreError) { try store.tiers.flush() }
    /// Ends the cache's use, and closes the store unless ``RecordCacheOptions/closesStore`` says otherwise. Calling it again does nothing.
    public func close() throws(StoreError) { try store.tiers.close() }

    /// What a value is stored as: its schemas are recorded, and nothing else is. For measuring what that costs.
    package func bytes(of value: some Encodable) throws -> [UInt8] {
        try store.bytes(of: RecordEncoder.encoded(value))
    }

    /// The value of what is stored, brought to the version that its types have now.
    package func value<Value: Decodable>(of bytes: [UInt8], as type: Value.Type = Value.self) throws -> Value {
        try RecordDecoder.decoded(RecordReader.value(of: bytes[...], store.schemas), as: type)
    }
}
