public import CacheCore
import Synchronization

/// Keeps entries in a log: files that are only appended to, with an index in memory.
///
/// Every put and remove appends a record with checksums; a get reads one record. The oldest file is emptied into the newest
/// when all files together have more than `amplification-max` times the bytes of what is alive and 256 KiB, so a put costs
/// O(key + value) amortised, and now and then the time to copy a file of `segment-bytes`. A record that a crash cut off is
/// removed at the next opening and never returned; a damaged one makes ``get(_:)`` throw `corrupt` once, or is absent, and
/// everything around it stays readable. Each record says twice which key it is about, so that one damaged byte brings no older
/// value and nothing removed back; where both are damaged and later records follow, everything older is dropped.
/// Records that the first version wrote say it once: one of them whose header or key is damaged, and that others follow in its
/// file, costs everything older in all files.
/// On a full disk removals still work.
///
/// Opening reads a hint file for each segment, with its keys and no values; a segment that has none, such as the last one
/// after a kill, is read itself. The index takes about 40 bytes an entry beside its key. Operations run one at a time. A
/// second store in the same directory is refused while the first is open.
public final class LogStorage: StorageBackend {
    /// What survives the process is what `durability` says.
    public let claims: StorageClaims
    private let limits: StorageLimits
    private let state: Mutex<State?>

    private struct State: ~Copyable {
        var table: LogTable
        let lock: Int32

        deinit { FileSystem.unlock(lock) }
    }

    /// Four parameters: durability, the size of a file, the limit of garbage and the longest value.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "log", summary: "Records in append-only files, with an index in memory.",
            citation: "J. Sheehy and D. Smith, Bitcask, Basho 2010",
            parameters: [
                ParameterSpecification(
                    "durability", .choice(default: "kill", ["exit", "kill", "power"]),
                    "What an acknowledged put survives: an orderly exit, SIGKILL, or a power cut."),
                ParameterSpecification(
                    "segment-bytes", .integer(default: 16 << 20, 65_536...(1 << 30)),
                    "The size at which a new file is begun."),
                ParameterSpecification(
                    "amplification-max", .number(default: 2, 1.1...100),
                    "The bytes on disk over those of live records above which files are compacted."),
                StorageLimits.valueBytesMaxParameter,
            ], needsDirectory: true)
    }

    /// Opens the log in the configured directory.
    ///
    /// - Throws: `unavailable` if the directory cannot be used or another store has it open; `full` if a file must be made
    ///   and there is no space.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        let parameters = configuration.parameters
        let settings = LogSettings(
            durability: DurabilityLevel(rawValue: parameters.text("durability"))!,
            segmentBytes: parameters.integer("segment-bytes"), amplificationMax: parameters.number("amplification-max"))
        claims = StorageClaims(
            valueBytesMax: parameters.integer(StorageLimits.valueBytesMaxParameter.name),
            durability: settings.durability, compacts: true, detectsDamage: true)
        limits = StorageLimits(claims)
        let lock = try FileSystem.claimDirectory(
            configuration.directory, for: "log", isDurable: settings.durability == .power)
        do throws(StoreError) {
            state = Mutex(
                State(table: try LogTable(directory: configuration.directory!, settings: settings), lock: lock))
        } catch {
            FileSystem.unlock(lock)
            throw error
        }
    }

    /// The entry under a key.
    ///
    /// - Throws: `corrupt` if its record is damaged; the entry is gone afterwards.
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

    /// Removes the entry under a key; needs no space.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withTable(key) { (table, key) throws(StoreError) in try table.remove(key) }
    }

    /// Removes every entry and deletes the files.
    public func removeAll() throws(StoreError) {
        try withTable { (table) throws(StoreError) in try table.removeAll() }
    }

    /// The number of entries. O(1).
    public func count() throws(StoreError) -> Int { try withTable { $0.index.count } }

    /// Every key. O(entries); reads no file.
    public func keys() throws(StoreError) -> [[UInt8]] { try withTable { $0.index.keys() } }

    /// Whether there is a record for a key. It is not read, so damage shows only at ``get(_:)``.
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withTable(key) { (table, key) in table.index.location(of: key) != nil }
    }

    /// Writes what waits in memory with `durability=exit`.
    public func flush() throws(StoreError) {
        try withTable { (table) throws(StoreError) in try table.flush() }
    }

    /// Writes what waits in memory and lets go of the directory, even if that fails.
    public func close() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            guard state != nil else { return }
            defer { state = nil }
            try state!.table.close()
        }
    }

    private func withTable<Result: Sendable>(
        _ body: (inout LogTable) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try state.withLock { (state) throws(StoreError) in
            guard state != nil else { throw .closed }
            return try body(&state!.table)
        }
    }

    private func withTable<Result: Sendable>(
        _ key: [UInt8], _ body: (inout LogTable, UnsafeRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withTable { (table) throws(StoreError) in
            try key.withRawBytes { (bytes) throws(StoreError) in try body(&table, bytes) }
        }
    }
}
