public import CacheCore
import Synchronization

/// Keeps entries in chunks of a few sizes, cut from pages: few bytes beside key and value, and no object an entry.
///
/// Beside its key and value an entry takes 3 to 9 bytes of lengths and flags, 8 if it expires, 6.3 to 9.4 of index, and
/// what its chunk has too much: at most the growth factor less one of its size, and 15 bytes. An entry that does not fit
/// an eighth of a page has a block of its own. Each shard keeps one page open for each size of chunk that is in use; a
/// page whose entries are all gone is given back, and so is everything with ``removeAll()``.
///
/// Keys are spread over shards with a lock each, so threads rarely wait for each other. Operations are amortised O(key +
/// value); the one that makes a shard's index grow is O(entries of the shard). ``keys()`` and ``removeAll()`` take one
/// shard after the other.
public final class SlabStorage: StorageBackend {
    /// An exact, volatile map that retains everything and may be used from any thread.
    public let claims: StorageClaims
    private let limits: StorageLimits
    private let shards: [Shard]
    private let configuration: Configuration

    private struct Configuration {
        let pageBytes: Int
        let growthFactor: Double
        let bytesMax: Int

        func table() -> SlabTable {
            SlabTable(pageBytes: pageBytes, growthFactor: growthFactor, bytesMax: bytesMax)
        }
    }

    /// A table behind a lock of its own; no table once the store is closed.
    private final class Shard: Sendable {
        let table: Mutex<SlabTable?>

        init(_ table: consuming sending SlabTable) { self.table = Mutex(table) }
    }

    /// Five parameters: the step between chunk sizes, the page, the limit of memory, the shards and the longest value.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "slab", summary: "Chunks of a few sizes in this process's memory, for few bytes an entry.",
            citation: "J. Bonwick, The Slab Allocator, USENIX Summer 1994; memcached's size classes",
            parameters: [
                ParameterSpecification(
                    "growth-factor", .number(default: 1.25, 1.05...4), "Each chunk size over the one before it."),
                ParameterSpecification(
                    "page-bytes", .integer(default: 64 << 10, 4_096...(16 << 20)),
                    "The memory that is cut into chunks of one size; the largest chunk is an eighth of it."),
                ParameterSpecification(
                    "memory-bytes-max", .integer(default: 64 << 30, 65_536...(4 << 40)),
                    "What pages, blocks and index may take together before a put throws 'full'."),
                ParameterSpecification(
                    "shards", .integer(default: 1, 1...64), "Parts with a lock, pages and an index of their own."),
                StorageLimits.valueBytesMaxParameter,
            ], needsDirectory: false)
    }

    /// An empty store; the directory is not used.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        let parameters = configuration.parameters
        claims = StorageClaims(valueBytesMax: parameters.integer(StorageLimits.valueBytesMaxParameter.name))
        limits = StorageLimits(claims)
        let count = parameters.integer("shards")
        let each = Configuration(
            pageBytes: parameters.integer("page-bytes") / 16 * 16, growthFactor: parameters.number("growth-factor"),
            bytesMax: parameters.integer("memory-bytes-max") / count)
        self.configuration = each
        shards = (0..<count).map { _ in Shard(each.table()) }
    }

    /// The bytes that the store takes from the system for its entries.
    package var byteCount: Int {
        shards.reduce(0) { sum, shard in sum + ((try? Self.withTable(of: shard) { $0.byteCount }) ?? 0) }
    }

    /// The entry under a key.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try withTable(of: key) { (table, key) in
            table.withValue(key) { StoredEntry([UInt8]($0), expiresAtNanoseconds: $1) }
        }
    }

    /// Whether there is an entry under a key.
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withTable(of: key) { (table, key) in table.withValue(key) { _, _ in true } ?? false }
    }

    /// Stores an entry. A value that is refused, or for which there is no memory, drops the old one.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try withTable(of: key) { (table, bytes) throws(StoreError) in
            try limits.check(key: key)
            guard limits.accepts(value: entry.value) else {
                _ = table.remove(bytes)
                throw limits.refusal(of: entry.value)
            }
            let isStored = entry.value.withUnsafeBytes {
                table.put(bytes, $0, expiry: entry.expiresAtNanoseconds)
            }
            guard isStored else {
                throw StoreError(
                    .full, "the store has its \(configuration.bytesMax * shards.count) bytes; raise memory-bytes-max")
            }
        }
    }

    /// Removes the entry under a key.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withTable(of: key) { (table, key) in table.remove(key) }
    }

    /// Removes every entry and gives the memory back.
    public func removeAll() throws(StoreError) {
        for shard in shards {
            try Self.withTable(of: shard) { $0.removeAll() }
        }
    }

    /// The number of entries. O(shards).
    public func count() throws(StoreError) -> Int {
        var count = 0
        for shard in shards { count += try Self.withTable(of: shard) { $0.count } }
        return count
    }

    /// Every key. O(entries).
    public func keys() throws(StoreError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for shard in shards {
            keys += try Self.withTable(of: shard) { table in
                var keys: [[UInt8]] = []
                keys.reserveCapacity(table.count)
                table.forEach { key, _ in keys.append([UInt8](key)) }
                return keys
            }
        }
        return keys
    }

    /// Releases the memory.
    public func close() throws(StoreError) {
        for shard in shards { shard.table.withLock { $0 = nil } }
    }

    private func withTable<Result: Sendable>(
        of key: [UInt8],
        _ body: (inout SlabTable, UnsafeRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try key.withRawBytes { (bytes) throws(StoreError) in
            let shard = shards[shards.count == 1 ? 0 : Int(SlabTable.hash(bytes) % UInt64(shards.count))]
            return try Self.withTable(of: shard) { (table) throws(StoreError) in try body(&table, bytes) }
        }
    }

    private static func withTable<Result: Sendable>(
        of shard: Shard, _ body: (inout SlabTable) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try shard.table.withLock { (table) throws(StoreError) in
            guard table != nil else { throw .closed }
            return try body(&table!)
        }
    }
}
