#if LMDB
    import CLMDB
    import CacheCore

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// One open environment with its one database. Used by one thread at a time.
    final class LMDBTable {
        /// A transaction as the bodies of ``write(_:)`` and ``read(_:)`` use it.
        struct Transaction {
            let handle: OpaquePointer
            let database: MDB_dbi
        }

        /// Nil while it could not be opened again.
        private var environment: OpaquePointer?
        private let lock: Int32
        private var database: MDB_dbi = 0
        /// A read transaction that is renewed for each use, which costs less than a new one.
        private var reader: OpaquePointer?
        private let mapBytes: Int
        private let flags: UInt32
        private let directory: String

        /// Opens or makes the database in a directory that `lock` claims.
        init(directory: String, lock: Int32, mapBytes: Int, flags: UInt32) throws(StoreError) {
            self.lock = lock
            self.mapBytes = mapBytes
            // The lock of the directory stands for LMDB's own: one store, one thread at a time.
            self.flags = flags | UInt32(MDB_NOLOCK) | UInt32(MDB_NORDAHEAD)
            self.directory = directory
            try LMDBPages.verify(directory, mapBytes: mapBytes)
            try open()
        }

        deinit {
            leave()
            FileSystem.unlock(lock)
        }

        private func open() throws(StoreError) {
            try LMDBFailure.check(mdb_env_create(&environment))
            do throws(StoreError) {
                try LMDBFailure.check(mdb_env_set_mapsize(environment, mapBytes))
                try LMDBFailure.check(mdb_env_open(environment, directory, flags, 0o600))
                try checkLength(directory + "/data.mdb")
                var handle: OpaquePointer?
                try LMDBFailure.check(mdb_txn_begin(environment, nil, 0, &handle))
                let code = mdb_dbi_open(handle, nil, 0, &database)
                guard code == 0 else {
                    mdb_txn_abort(handle)
                    throw LMDBFailure.error(code)
                }
                try LMDBFailure.check(mdb_txn_commit(handle))
            } catch {
                leave()
                throw error
            }
        }

        private func leave() {
            if let reader { mdb_txn_abort(reader) }
            if let environment { mdb_env_close(environment) }
            (reader, environment) = (nil, nil)
        }

        /// Writes checksums of the pages, by which the next opening knows damage. Nothing is written afterwards.
        func seal() throws(StoreError) {
            try synchronise()
            let sizes = try sizes()
            try LMDBPages.write(
                directory, pageBytes: sizes.page, pages: sizes.lastPage + 1, lastTransaction: sizes.lastTransaction)
        }

        private func sizes() throws(StoreError) -> (page: Int, lastPage: Int, lastTransaction: Int) {
            var information = MDB_envinfo()
            var status = MDB_stat()
            try LMDBFailure.check(mdb_env_info(environment, &information))
            try LMDBFailure.check(mdb_env_stat(environment, &status))
            return (Int(status.ms_psize), information.me_last_pgno, information.me_last_txnid)
        }

        /// Begins a transaction.
        ///
        /// After a failed write of its first pages LMDB refuses every transaction until it is opened again, though the file is
        /// sound: so it is opened again.
        private func begin(_ flags: UInt32) throws(StoreError) -> OpaquePointer? {
            var handle: OpaquePointer?
            var code = environment == nil ? MDB_PANIC : mdb_txn_begin(environment, nil, flags, &handle)
            if code == MDB_PANIC {
                leave()
                try open()
                code = mdb_txn_begin(environment, nil, flags, &handle)
            }
            try LMDBFailure.check(code)
            return handle
        }

        /// Runs a body on what is committed.
        func read<Result>(_ body: (Transaction) throws(StoreError) -> Result) throws(StoreError) -> Result {
            if let old = reader, mdb_txn_renew(old) != 0 {
                mdb_txn_abort(old)
                reader = nil
            }
            if reader == nil { reader = try begin(UInt32(MDB_RDONLY)) }
            defer { mdb_txn_reset(reader) }
            return try body(Transaction(handle: reader!, database: database))
        }

        /// Runs a body in a transaction of its own, which nothing of stays if it throws.
        ///
        /// A removal has to copy pages before it frees any; with `isRemoval` the map may be larger meanwhile, so that a
        /// full store can be emptied.
        func write<Result>(
            isRemoval: Bool = false, _ body: (Transaction) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            do throws(StoreError) {
                return try attempt(body)
            } catch {
                guard isRemoval, error.code == .full else { throw error }
                // If the failed attempt left an environment that takes no transactions, this opens another.
                mdb_txn_abort(try begin(0))
                try LMDBFailure.check(mdb_env_set_mapsize(environment, mapBytes + max(4 << 20, mapBytes / 8)))
                defer { if let environment { mdb_env_set_mapsize(environment, mapBytes) } }
                return try attempt(body)
            }
        }

        /// The number of entries.
        func count() throws(StoreError) -> Int {
            try read { (transaction) throws(StoreError) in
                var status = MDB_stat()
                try LMDBFailure.check(mdb_stat(transaction.handle, transaction.database, &status))
                return status.ms_entries
            }
        }

        /// Waits until everything is on the device.
        func synchronise() throws(StoreError) {
            guard let environment else { throw LMDBFailure.error(MDB_PANIC) }
            try LMDBFailure.check(mdb_env_sync(environment, 1))
        }

        private func attempt<Result>(
            _ body: (Transaction) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            let handle = try begin(0)
            let result: Result
            do throws(StoreError) {
                result = try body(Transaction(handle: handle!, database: database))
            } catch {
                mdb_txn_abort(handle)
                throw error
            }
            let code = mdb_txn_commit(handle)
            // LMDB calls a write that the disk took a part of a failure of the device.
            if code == EIO, try FileSystem.freeBytes(FileSystem.characters(directory)) < 1 << 20 {
                throw LMDBFailure.error(ENOSPC)
            }
            try LMDBFailure.check(code)
            return result
        }

        /// LMDB reads its pages through a mapping; one beyond the end of a file that was cut would end the process.
        private func checkLength(_ path: String) throws(StoreError) {
            let sizes = try sizes()
            var descriptor: mdb_filehandle_t = 0
            try LMDBFailure.check(mdb_env_get_fd(environment, &descriptor))
            let size = try FileSystem.size(descriptor, path: FileSystem.characters(path))
            guard size >= (sizes.lastPage + 1) * sizes.page else {
                throw StoreError(.corrupt, "the database is shorter than it says; move it elsewhere to start afresh")
            }
        }
    }

    extension LMDBTable.Transaction {
        /// Calls `body` with the bytes under a key, nil if there are none.
        func withValue<Result>(
            _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
        ) throws(StoreError) -> Result? {
            try key.withRawBytes { (bytes) throws(StoreError) in
                var name = Self.value(bytes)
                var found = MDB_val()
                let code = mdb_get(handle, database, &name, &found)
                if code == MDB_NOTFOUND { return nil }
                try LMDBFailure.check(code)
                return try body(UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size))
            }
        }

        /// Stores bytes under a key.
        func put(_ key: [UInt8], _ value: [UInt8]) throws(StoreError) {
            try key.withRawBytes { (key) throws(StoreError) in
                try value.withRawBytes { (value) throws(StoreError) in
                    var name = Self.value(key)
                    var stored = Self.value(value)
                    try LMDBFailure.check(mdb_put(handle, database, &name, &stored, 0))
                }
            }
        }

        /// Removes what is under a key and returns whether there was something.
        func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            try key.withRawBytes { (bytes) throws(StoreError) in
                var name = Self.value(bytes)
                let code = mdb_del(handle, database, &name, nil)
                if code == MDB_NOTFOUND { return false }
                try LMDBFailure.check(code)
                return true
            }
        }

        /// Removes everything.
        func removeAll() throws(StoreError) { try LMDBFailure.check(mdb_drop(handle, database, 0)) }

        /// Every key, in byte order.
        func keys() throws(StoreError) -> [[UInt8]] {
            var cursor: OpaquePointer?
            try LMDBFailure.check(mdb_cursor_open(handle, database, &cursor))
            defer { mdb_cursor_close(cursor) }
            var keys: [[UInt8]] = []
            var key = MDB_val()
            while true {
                let code = mdb_cursor_get(cursor, &key, nil, MDB_NEXT)
                if code == MDB_NOTFOUND { return keys }
                try LMDBFailure.check(code)
                keys.append([UInt8](UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)))
            }
        }

        private static func value(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
            MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
    }
#endif
