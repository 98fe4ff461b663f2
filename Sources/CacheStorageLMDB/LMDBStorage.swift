#if LMDB
    import CLMDB
    public import CacheCore
    import Synchronization

    /// Keeps entries in one B+tree of LMDB, a file that is mapped into memory.
    ///
    /// Each put and remove is a transaction of its own. Values carry their expiry and a checksum. Keys have 1 to 511 bytes,
    /// which is LMDB's limit. A put beyond `map-bytes` throws `full` and keeps the old value; removals still work then.
    /// Operations run one at a time and are O(log entries), ``count()`` is O(1) and ``keys()`` walks the tree. A second store
    /// in the same directory is refused while the first is open. Damage to a closed store is found when it is opened, which reads the
    /// file once: the entries that it has hit are gone. LMDB trusts its pages otherwise: after a kill, damage to a value is `corrupt`
    /// and damage to the tree may end the process.
    public final class LMDBStorage: StorageBackend {
        /// What survives the process, by `sync`: SIGKILL always, a power cut with `full`.
        public let claims: StorageClaims
        private let limits: StorageLimits
        private let table: Mutex<LMDBTable?>

        /// Three parameters: when the device is asked, the size of the map, and the longest value.
        public static var descriptor: BackendDescriptor {
            BackendDescriptor(
                name: "lmdb", summary: "A B+tree in a file that is mapped into memory.", citation: "LMDB 0.9",
                parameters: [
                    ParameterSpecification(
                        "sync", .choice(default: "none", ["none", "full"]),
                        "Whether a put waits for the device."),
                    ParameterSpecification(
                        "map-bytes", .integer(default: 1 << 30, (1 << 20)...(1 << 40)),
                        "The bytes that the file may have before a put throws 'full'."),
                    StorageLimits.valueBytesMaxParameter,
                ], needsDirectory: true)
        }

        /// Opens `data.mdb` in the configured directory.
        ///
        /// - Throws: `unavailable` if the directory cannot be used or another store has it open; `corrupt` if the file is not
        ///   a sound database.
        public init(_ configuration: BackendConfiguration) throws(StoreError) {
            let parameters = configuration.parameters
            let sync = parameters.text("sync")
            claims = StorageClaims(
                keyBytesMax: 511, allowsEmptyKey: false,
                valueBytesMax: parameters.integer(StorageLimits.valueBytesMaxParameter.name),
                durability: sync == "full" ? .power : .kill, detectsDamage: true)
            limits = StorageLimits(claims)
            let lock = try FileSystem.claimDirectory(configuration.directory, for: "lmdb", isDurable: sync == "full")
            let flags = sync == "none" ? MDB_NOSYNC : 0
            table = Mutex(
                try LMDBTable(
                    directory: configuration.directory!, lock: lock, mapBytes: parameters.integer("map-bytes"),
                    flags: UInt32(flags)))
        }

        /// The entry under a key.
        ///
        /// - Throws: `corrupt` if its value is damaged; the entry is gone afterwards.
        public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            try withTable { (table) throws(StoreError) in
                guard limits.accepts(key: key) else { return nil }
                let found = try table.read { (transaction) throws(StoreError) in
                    try transaction.withValue(key) { ValueEnvelope.entry(in: $0, key: key) }
                }
                guard let found else { return nil }
                if let entry = found { return entry }
                _ = try table.write(isRemoval: true) { (transaction) throws(StoreError) in
                    try transaction.remove(key)
                }
                throw StoreError(.corrupt, "an entry's value was damaged; the entry was dropped, store it again")
            }
        }

        /// Stores an entry. A value that is refused drops the old one.
        ///
        /// - Throws: `full` if there is no space, and the old value stays; `valueRefused`, `keyRefused`.
        public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            try withTable { (table) throws(StoreError) in
                try limits.check(key: key)
                guard limits.accepts(value: entry.value) else {
                    _ = try table.write(isRemoval: true) { (transaction) throws(StoreError) in
                        try transaction.remove(key)
                    }
                    throw limits.refusal(of: entry.value)
                }
                let value = ValueEnvelope.bytes(of: entry, key: key)
                try table.write { (transaction) throws(StoreError) in try transaction.put(key, value) }
            }
        }

        /// Removes the entry under a key.
        public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            try withTable { (table) throws(StoreError) in
                guard limits.accepts(key: key) else { return false }
                return try table.write(isRemoval: true) { (transaction) throws(StoreError) in
                    try transaction.remove(key)
                }
            }
        }

        /// Removes every entry; the file keeps its length and the pages are used again.
        public func removeAll() throws(StoreError) {
            try withTable { (table) throws(StoreError) in
                try table.write(isRemoval: true) { (transaction) throws(StoreError) in try transaction.removeAll() }
            }
        }

        /// The number of entries. O(1).
        public func count() throws(StoreError) -> Int {
            try withTable { (table) throws(StoreError) in try table.count() }
        }

        /// Every key, in byte order. O(entries).
        public func keys() throws(StoreError) -> [[UInt8]] {
            try withTable { (table) throws(StoreError) in
                try table.read { (transaction) throws(StoreError) in try transaction.keys() }
            }
        }

        /// Whether there is an entry under a key. Its value is not checked, so damage shows only at ``get(_:)``.
        public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
            try withTable { (table) throws(StoreError) in
                guard limits.accepts(key: key) else { return false }
                return try table.read { (transaction) throws(StoreError) in
                    try transaction.withValue(key) { _ in true } ?? false
                }
            }
        }

        /// Waits until everything is on the device.
        public func flush() throws(StoreError) {
            try withTable { (table) throws(StoreError) in try table.synchronise() }
        }

        /// Waits until everything is on the device, writes checksums of the pages, and lets go of the directory. O(bytes of the file).
        public func close() throws(StoreError) {
            table.withLock { table in
                // Without checksums the next opening trusts the pages, as after a kill.
                try? table?.seal()
                table = nil
            }
        }

        private func withTable<Result: Sendable>(
            _ body: (LMDBTable) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            try table.withLock { (table) throws(StoreError) in
                guard let table else { throw .closed }
                return try body(table)
            }
        }
    }
#endif
