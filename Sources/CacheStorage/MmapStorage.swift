public import CacheCore
import Synchronization

/// Keeps entries in one file that is mapped into memory.
///
/// A put writes a free piece of the file and makes it an entry with one store, then frees what it replaced: after SIGKILL
/// an entry is whole or not there, and with `sync=full` also after a power cut. Pieces are split and, when space runs
/// short, joined again; the file grows up to `capacity-bytes`, and a put that finds no room throws `full`. The file system
/// promises blocks before they are touched, so a full disk is such an error too and not a signal; where another
/// process cuts the file shorter while it is open, or the disk fails, the next touch ends this process with a message that names
/// the file and status 74.
///
/// Opening reads the headers and keys of all entries and no values. Each entry takes 56 bytes of header and up to 31 of
/// rounding in the file, and 6.3 to 9.4 bytes of index in memory. A damaged value makes ``get(_:)`` throw `corrupt` once; a
/// damaged header makes its entry absent. A power cut with `sync=none` costs what was not on the device, and the rest stays:
/// also where it was the file's first page. Operations are O(key + value), a put amortised so, and run one at a time. A second
/// store in the same directory is refused while the first is open. The file is in the byte order of its machine.
public final class MmapStorage: StorageBackend {
    /// What survives the process is what `durability` says.
    public let claims: StorageClaims
    private let limits: StorageLimits
    private let state: Mutex<State?>

    private struct State: ~Copyable {
        var table: MappedTable
        let lock: Int32

        deinit { FileSystem.unlock(lock) }
    }

    /// Four parameters: the capacity, the step of growth, waiting for the device, and the longest value.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "mmap", summary: "One file that is mapped into memory, in pieces that are reused.",
            citation: "POSIX.1-2017 mmap, msync, posix_fallocate",
            parameters: [
                ParameterSpecification(
                    "capacity-bytes", .integer(default: 1 << 30, 65_536...(64 << 30)),
                    "The bytes that the file may have before a put throws 'full'."),
                ParameterSpecification(
                    "grow-bytes", .integer(default: 1 << 20, 4_096...(1 << 30)), "The least by which the file grows."),
                ParameterSpecification(
                    "sync", .choice(default: "none", ["none", "full"]),
                    "Whether a put waits for the device: not at all, or for the entry and what it replaces."),
                StorageLimits.valueBytesMaxParameter,
            ], needsDirectory: true)
    }

    /// Opens `cache.map` in the configured directory.
    ///
    /// - Throws: `unavailable` if the directory cannot be used or another store has it open; `full` if there is no space for
    ///   a new file; `corrupt` if the file is none of ours, which is left as it is.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        let parameters = configuration.parameters
        let isSynchronised = parameters.text("sync") == "full"
        claims = StorageClaims(
            valueBytesMax: parameters.integer(StorageLimits.valueBytesMaxParameter.name),
            durability: isSynchronised ? .power : .kill, compacts: true, detectsDamage: true)
        limits = StorageLimits(claims)
        let lock = try FileSystem.claimDirectory(configuration.directory, for: "mmap", isDurable: isSynchronised)
        do throws(StoreError) {
            let directory = configuration.directory!
            let region = try MappedRegion(
                FileSystem.characters(directory + "/cache.map"),
                capacity: (parameters.integer("capacity-bytes") + 4_095) / 4_096 * 4_096)
            let table = try MappedTable(
                region, growBytes: parameters.integer("grow-bytes"), isSynchronised: isSynchronised)
            if isSynchronised { try FileSystem.synchroniseDirectory(FileSystem.characters(directory)) }
            state = Mutex(State(table: table, lock: lock))
        } catch {
            FileSystem.unlock(lock)
            throw error
        }
    }

    /// The entry under a key.
    ///
    /// - Throws: `corrupt` if its value is damaged; the entry is gone afterwards.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try withTable(key) { (table, key) throws(StoreError) in try table.entry(key) }
    }

    /// Stores an entry. Whatever the reason why a value cannot be stored, the old one under its key is dropped.
    ///
    /// - Throws: `full` if there is no space, `valueRefused`, `keyRefused`.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try withTable(key) { (table, bytes) throws(StoreError) in
            try limits.check(key: key)
            guard limits.accepts(value: entry.value) else {
                _ = try table.remove(bytes)
                throw limits.refusal(of: entry.value)
            }
            try table.put(entry, bytes)
        }
    }

    /// Removes the entry under a key; its piece of the file is free again.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withTable(key) { (table, key) throws(StoreError) in try table.remove(key) }
    }

    /// Removes every entry and gives the file's blocks back.
    public func removeAll() throws(StoreError) {
        try withTable { (table) throws(StoreError) in try table.removeAll() }
    }

    /// The number of entries. O(1).
    public func count() throws(StoreError) -> Int { try withTable { $0.index.count } }

    /// Every key. O(entries); reads no values.
    public func keys() throws(StoreError) -> [[UInt8]] { try withTable { $0.keys() } }

    /// Whether there is an entry under a key. Its value is not checked, so damage shows only at ``get(_:)``.
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withTable(key) { (table, key) in table.contains(key) }
    }

    /// Unmaps the file and lets go of the directory.
    public func close() throws(StoreError) {
        state.withLock { $0 = nil }
    }

    private func withTable<Result: Sendable>(
        _ body: (inout MappedTable) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try state.withLock { (state) throws(StoreError) in
            guard state != nil else { throw .closed }
            return try body(&state!.table)
        }
    }

    private func withTable<Result: Sendable>(
        _ key: [UInt8], _ body: (inout MappedTable, UnsafeRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withTable { (table) throws(StoreError) in
            try key.withRawBytes { (bytes) throws(StoreError) in try body(&table, bytes) }
        }
    }
}
