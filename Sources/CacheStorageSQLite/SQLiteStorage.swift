#if SQLite
    public import CacheCore
    import Synchronization

    /// Keeps entries in one table of an SQLite database in WAL mode, over GRDB.
    ///
    /// Each put and remove is a transaction of its own. Values carry their expiry and a checksum: one that was damaged on the disk
    /// makes ``get(_:)`` throw `corrupt` once. A database of an earlier version, without checksums, is brought to this one when it is
    /// opened. The database is locked for as long as the store is open, so a second
    /// store in the same directory is refused. Operations run one at a time. O(log entries) each; ``count()`` and
    /// ``keys()`` walk the table.
    public final class SQLiteStorage: StorageBackend {
        /// What survives the process, by `synchronous`: SIGKILL always, a power cut with `full`.
        public let claims: StorageClaims
        private let table: Mutex<SQLiteTable?>

        /// Two parameters: SQLite's `synchronous` pragma, and the longest value.
        public static var descriptor: BackendDescriptor {
            BackendDescriptor(
                name: "sqlite", summary: "A table of an SQLite database in WAL mode.",
                citation: "SQLite 3, over GRDB 7",
                parameters: [
                    ParameterSpecification(
                        "synchronous", .choice(default: "normal", ["off", "normal", "full"]),
                        "SQLite's pragma: when the device is asked to make transactions durable."),
                    ParameterSpecification(
                        "value-bytes-max", .integer(default: 64 << 20, 1...(900 << 20)),
                        "The longest value that is accepted, in bytes."),
                ],
                needsDirectory: true)
        }

        /// Opens `cache.sqlite` in the configured directory.
        ///
        /// - Throws: `unavailable` if the directory cannot be used or another store has it open; `corrupt` if the file is not
        ///   a sound database.
        public init(_ configuration: BackendConfiguration) throws(StoreError) {
            guard let directory = configuration.directory, !directory.isEmpty else {
                throw StoreError(.unavailable, "the sqlite backend needs a directory; name one")
            }
            let synchronous = configuration.parameters.text("synchronous")
            claims = StorageClaims(
                valueBytesMax: configuration.parameters.integer("value-bytes-max"),
                durability: synchronous == "full" ? .power : .kill, detectsDamage: true)
            table = Mutex(try SQLiteTable(directory: directory, synchronous: synchronous))
        }

        /// The entry under a key.
        ///
        /// - Throws: `corrupt` if its value is damaged; the entry is gone afterwards.
        public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            try withTable { (table) throws(StoreError) in try table.entry(of: key) }
        }

        /// Stores an entry. Whatever the reason why a value cannot be stored, the old one under its key is dropped.
        public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            try withTable { (table) throws(StoreError) in
                guard key.count <= claims.keyBytesMax else {
                    throw StoreError(
                        .keyRefused,
                        "the key has \(key.count) bytes and the limit is \(claims.keyBytesMax); use a shorter key")
                }
                guard entry.value.count <= claims.valueBytesMax else {
                    _ = try table.remove(key)
                    throw StoreError(
                        .valueRefused,
                        "the value has \(entry.value.count) bytes and the limit is \(claims.valueBytesMax); "
                            + "raise value-bytes-max or split it")
                }
                do throws(StoreError) {
                    try table.put(entry, key)
                } catch {
                    _ = try? table.remove(key)
                    throw error
                }
            }
        }

        /// Removes the entry under a key.
        public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            try withTable { (table) throws(StoreError) in try table.remove(key) }
        }

        /// Removes every entry.
        public func removeAll() throws(StoreError) {
            try withTable { (table) throws(StoreError) in try table.removeAll() }
        }

        /// The number of entries. O(entries).
        public func count() throws(StoreError) -> Int {
            try withTable { (table) throws(StoreError) in try table.count() }
        }

        /// Every key, in byte order. O(entries).
        public func keys() throws(StoreError) -> [[UInt8]] {
            try withTable { (table) throws(StoreError) in try table.keys() }
        }

        /// Whether there is a row under a key; its value is not read.
        public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
            try withTable { (table) throws(StoreError) in try table.contains(key) }
        }

        /// Moves the write-ahead log into the database and closes it.
        public func close() throws(StoreError) {
            try table.withLock { (table) throws(StoreError) in
                guard let open = table else { return }
                table = nil
                try open.close()
            }
        }

        private func withTable<Result: Sendable>(
            _ body: (SQLiteTable) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            try table.withLock { (table) throws(StoreError) in
                guard let table else { throw .closed }
                return try body(table)
            }
        }
    }
#endif
