public import CacheCore

/// A complete cache as a live run drives it, in the place of a policy over a backend.
///
/// ### Purpose
/// What people use whole is measured as they use it: with its own keys, records, files and choice of who leaves, under the same load, with
/// the same verified values, as the engine over a backend.
///
/// ### Implementers' notes
/// Keys and values are exact bytes. An entry may leave at any time, and a key or a value may be refused; a hit must have what was put last. Calls
/// come from as many threads as the load has.
public protocol BenchmarkedCache: AnyObject, Sendable {
    /// The value under a key; nil if there is none.
    func value(for key: [UInt8]) throws(StoreError) -> [UInt8]?
    /// Stores a value. A key or a value that it refuses, as too long, throws `keyRefused` or `valueRefused`.
    func put(_ value: [UInt8], for key: [UInt8]) throws(StoreError)
    /// Removes the entry under a key; returns whether there was one.
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool
    /// The number of entries; nil where the cache does not say.
    func count() throws(StoreError) -> Int?
    /// How many entries have left to make room so far; nil where the cache does not say.
    func evictions() -> Int?
    /// Removes every entry.
    func removeAll() throws(StoreError)
    /// Releases everything.
    func close() throws(StoreError)
}

/// A complete cache that can be opened.
public struct BenchmarkedCacheEntry: Sendable {
    /// Its name on the command line.
    public let name: String
    /// Whether it keeps its entries in a directory.
    public let needsDirectory: Bool
    private let openBody:
        @Sendable (_ directory: String?, _ capacity: Capacity) throws(StoreError) -> any BenchmarkedCache

    /// A cache of that name; `open` opens it in a directory, if it needs one, with a capacity.
    public init(
        name: String, needsDirectory: Bool,
        open:
            @escaping @Sendable (_ directory: String?, _ capacity: Capacity) throws(StoreError) -> any BenchmarkedCache
    ) {
        self.name = name
        self.needsDirectory = needsDirectory
        openBody = open
    }

    /// Opens it, empty or as it was left in the directory.
    func open(directory: String, capacity: Capacity) throws(StoreError) -> any BenchmarkedCache {
        try openBody(needsDirectory ? directory : nil, capacity)
    }
}
