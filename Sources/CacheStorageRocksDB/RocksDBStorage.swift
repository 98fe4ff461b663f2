#if RocksDB
    import CRocksDB
    public import CacheCore
    import Synchronization

    /// Keeps entries in a log-structured merge tree, over RocksDB's C interface.
    ///
    /// Values carry their expiry and a checksum beside RocksDB's own. A put appends to a write-ahead log and a table in memory,
    /// which RocksDB sorts into files and merges on threads of its own; ``close()`` waits until memory is in files. A put
    /// that would leave less than two write buffers and 1 MiB of the disk throws `full` and keeps the old value: RocksDB itself
    /// may abort the process when its background work finds no space. Removals still work then. A put that throws because the disk
    /// failed may be in the write-ahead log all the same, and be found after the next opening. Operations run one at a time;
    /// ``count()`` and ``keys()`` walk the tree. A second store in the same directory is refused while the first is open.
    public final class RocksDBStorage: StorageBackend {
        /// What survives the process, by `sync`: SIGKILL always, a power cut with `full`.
        public let claims: StorageClaims
        private let limits: StorageLimits
        private let table: Mutex<RocksDBTable?>

        private static let compressions = [
            "none": rocksdb_no_compression, "snappy": rocksdb_snappy_compression, "lz4": rocksdb_lz4_compression,
            "zstd": rocksdb_zstd_compression,
        ]

        /// Five parameters: when the device is asked, the table in memory, the blocks in memory, compression, and the longest value.
        public static var descriptor: BackendDescriptor {
            BackendDescriptor(
                name: "rocksdb", summary: "A log-structured merge tree in files.",
                citation: "RocksDB 7, over its C interface",
                parameters: [
                    ParameterSpecification(
                        "sync", .choice(default: "none", ["none", "full"]),
                        "Whether a put waits for the device."),
                    ParameterSpecification(
                        "write-buffer-bytes", .integer(default: 64 << 20, 65_536...(1 << 30)),
                        "The table in memory that is sorted into a file when it is full."),
                    ParameterSpecification(
                        "cache-bytes", .integer(default: 8 << 20, 0...(1 << 36)),
                        "The blocks of files that are kept in memory; those of files that are gone stay until others need the room."
                    ),
                    ParameterSpecification(
                        "compression", .choice(default: "snappy", ["none", "snappy", "lz4", "zstd"]),
                        "How blocks of files are compressed."),
                    StorageLimits.valueBytesMaxParameter,
                ], needsDirectory: true)
        }

        /// Opens the database in the configured directory.
        ///
        /// - Throws: `unavailable` if the directory cannot be used or another store has it open; `corrupt` if the files are not
        ///   a sound database.
        public init(_ configuration: BackendConfiguration) throws(StoreError) {
            let parameters = configuration.parameters
            let isSynchronised = parameters.text("sync") == "full"
            claims = StorageClaims(
                valueBytesMax: parameters.integer(StorageLimits.valueBytesMaxParameter.name),
                durability: isSynchronised ? .power : .kill, detectsDamage: true, undoesFailedPuts: false)
            limits = StorageLimits(claims)
            let lock = try FileSystem.claimDirectory(configuration.directory, for: "rocksdb", isDurable: isSynchronised)
            table = Mutex(
                try RocksDBTable(
                    directory: configuration.directory!, lock: lock,
                    settings: RocksDBSettings(
                        isSynchronised: isSynchronised, writeBufferBytes: parameters.integer("write-buffer-bytes"),
                        cacheBytes: parameters.integer("cache-bytes"),
                        compression: Int(Self.compressions[parameters.text("compression")]!))))
        }

        /// The entry under a key.
        ///
        /// - Throws: `corrupt` if its block or its value is damaged; the entry is gone afterwards.
        public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            try withTable { (table) throws(StoreError) in
                guard limits.accepts(key: key) else { return nil }
                do throws(StoreError) {
                    let found = try table.withValue(key) { ValueEnvelope.entry(in: $0, key: key) }
                    guard let found else { return nil }
                    if let entry = found { return entry }
                } catch {
                    guard error.code == .corrupt else { throw error }
                }
                try table.remove(key)
                throw StoreError(.corrupt, "an entry's bytes were damaged; the entry was dropped, store it again")
            }
        }

        /// Stores an entry. A value that is refused drops the old one.
        ///
        /// - Throws: `full` if there is no space, and the old value stays; `valueRefused`, `keyRefused`.
        public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            try withTable { (table) throws(StoreError) in
                try limits.check(key: key)
                guard limits.accepts(value: entry.value) else {
                    try table.remove(key)
                    throw limits.refusal(of: entry.value)
                }
                try table.put(key, ValueEnvelope.bytes(of: entry, key: key))
            }
        }

        /// Removes the entry under a key. Reads it first, because RocksDB does not say whether there was one.
        public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            try withTable { (table) throws(StoreError) in
                guard limits.accepts(key: key), try table.withValue(key, { _ in true }) != nil else { return false }
                try table.remove(key)
                return true
            }
        }

        /// Removes every entry and gives the disk back.
        public func removeAll() throws(StoreError) {
            try withTable { (table) throws(StoreError) in try table.removeAll() }
        }

        /// The number of entries. O(entries).
        public func count() throws(StoreError) -> Int {
            try withTable { (table) throws(StoreError) in
                var count = 0
                try table.forEachKey { _ in count += 1 }
                return count
            }
        }

        /// Every key, in byte order. O(entries).
        public func keys() throws(StoreError) -> [[UInt8]] {
            try withTable { (table) throws(StoreError) in
                var keys: [[UInt8]] = []
                try table.forEachKey { keys.append([UInt8]($0)) }
                return keys
            }
        }

        /// Whether there is an entry under a key. Its value is not checked, so damage shows only at ``get(_:)``.
        public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
            try withTable { (table) throws(StoreError) in
                guard limits.accepts(key: key) else { return false }
                return try table.withValue(key) { _ in true } ?? false
            }
        }

        /// Moves what is in memory into files.
        public func flush() throws(StoreError) {
            try withTable { (table) throws(StoreError) in try table.flush() }
        }

        /// Moves what is in memory into files and lets go of the directory, even if that fails.
        public func close() throws(StoreError) {
            try table.withLock { (table) throws(StoreError) in
                guard let open = table else { return }
                table = nil
                try open.flush()
            }
        }

        private func withTable<Result: Sendable>(
            _ body: (RocksDBTable) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            try table.withLock { (table) throws(StoreError) in
                guard let table else { throw .closed }
                return try body(table)
            }
        }
    }
#endif
