#if RocksDB
    import CRocksDB
    import CacheCore

    /// One open RocksDB database. Used by one thread at a time.
    final class RocksDBTable {
        private let database: OpaquePointer
        private let lock: Int32
        private let path: [CChar]
        /// What must be free before a put: two tables in memory may be on their way to files.
        private let reservedBytes: Int
        private let writeOptions = rocksdb_writeoptions_create()!
        private let readOptions = rocksdb_readoptions_create()!

        /// Opens or makes the database in a directory that `lock` claims.
        init(directory: String, lock: Int32, settings: RocksDBSettings) throws(StoreError) {
            let options = rocksdb_options_create()!
            defer { rocksdb_options_destroy(options) }
            rocksdb_options_set_create_if_missing(options, 1)
            rocksdb_options_set_info_log_level(options, 3)
            rocksdb_options_set_keep_log_file_num(options, 1)
            rocksdb_options_set_write_buffer_size(options, settings.writeBufferBytes)
            rocksdb_options_set_compression(options, Int32(settings.compression))
            Self.setCache(settings.cacheBytes, of: options)
            // A log that is damaged before its end is an error: going on without the rest would bring older values back.
            rocksdb_options_set_wal_recovery_mode(options, Int32(rocksdb_tolerate_corrupted_tail_records_recovery))
            do throws(StoreError) {
                database = try Self.checked(isOpening: true) { rocksdb_open(options, directory, $0) }!
            } catch {
                rocksdb_writeoptions_destroy(writeOptions)
                rocksdb_readoptions_destroy(readOptions)
                FileSystem.unlock(lock)
                throw error
            }
            self.lock = lock
            path = FileSystem.characters(directory)
            reservedBytes = 2 * settings.writeBufferBytes + (1 << 20)
            rocksdb_writeoptions_set_sync(writeOptions, settings.isSynchronised ? 1 : 0)
        }

        private static func setCache(_ bytes: Int, of options: OpaquePointer) {
            let (blocks, cache) = (rocksdb_block_based_options_create(), rocksdb_cache_create_lru(bytes))
            defer {
                rocksdb_block_based_options_destroy(blocks)
                rocksdb_cache_destroy(cache)
            }
            rocksdb_block_based_options_set_block_cache(blocks, cache)
            rocksdb_options_set_block_based_table_factory(options, blocks)
        }

        deinit {
            rocksdb_writeoptions_destroy(writeOptions)
            rocksdb_readoptions_destroy(readOptions)
            rocksdb_close(database)
            FileSystem.unlock(lock)
        }

        /// Calls `body` with the bytes under a key, nil if there are none.
        func withValue<Result>(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result) throws(StoreError)
            -> Result?
        {
            let slice = try Self.checked { error in
                Self.withCharacters(key) { rocksdb_get_pinned(database, readOptions, $0, $1, error) }
            }
            guard let slice else { return nil }
            defer { rocksdb_pinnableslice_destroy(slice) }
            var count = 0
            let start = rocksdb_pinnableslice_value(slice, &count)
            return body(UnsafeRawBufferPointer(start: start, count: count))
        }

        /// Stores bytes under a key.
        ///
        /// Space is asked for before: when a write of RocksDB itself finds none, a thread of its may abort the process.
        func put(_ key: [UInt8], _ value: [UInt8]) throws(StoreError) {
            guard try FileSystem.freeBytes(path) >= reservedBytes + 2 * (key.count + value.count) else {
                throw StoreError(
                    .full,
                    "less than \(reservedBytes) bytes are free for the database; free some, or lower write-buffer-bytes"
                )
            }
            try Self.checked { error in
                Self.withCharacters(key) { key, keyBytes in
                    Self.withCharacters(value) { rocksdb_put(database, writeOptions, key, keyBytes, $0, $1, error) }
                }
            }
        }

        /// Removes what is under a key.
        func remove(_ key: [UInt8]) throws(StoreError) {
            try Self.checked { error in
                Self.withCharacters(key) { rocksdb_delete(database, writeOptions, $0, $1, error) }
            }
        }

        /// Removes everything at once, and gives the disk back, also what was removed before takes of it.
        func removeAll() throws(StoreError) {
            if let first = try edge(rocksdb_iter_seek_to_first), let last = try edge(rocksdb_iter_seek_to_last) {
                try removeRange(first, last)
            }
            rocksdb_compact_range(database, nil, 0, nil, 0)
            // What the merge has left over is deleted by whichever thread looks next: let that be this one.
            try Self.checked { rocksdb_disable_file_deletions(database, $0) }
            try Self.checked { rocksdb_enable_file_deletions(database, 0, $0) }
        }

        private func removeRange(_ first: [UInt8], _ last: [UInt8]) throws(StoreError) {
            // The range ends before its end; a zero more is the least key behind the last.
            let end = last + [0]
            let batch = rocksdb_writebatch_create()
            defer { rocksdb_writebatch_destroy(batch) }
            Self.withCharacters(first) { start, startBytes in
                Self.withCharacters(end) { rocksdb_writebatch_delete_range(batch, start, startBytes, $0, $1) }
            }
            try Self.checked { rocksdb_write(database, writeOptions, batch, $0) }
        }

        /// Calls `body` with every key, in byte order.
        func forEachKey(_ body: (UnsafeRawBufferPointer) -> Void) throws(StoreError) {
            let iterator = rocksdb_create_iterator(database, readOptions)!
            defer { rocksdb_iter_destroy(iterator) }
            rocksdb_iter_seek_to_first(iterator)
            while rocksdb_iter_valid(iterator) != 0 {
                var count = 0
                let start = rocksdb_iter_key(iterator, &count)
                body(UnsafeRawBufferPointer(start: start, count: count))
                rocksdb_iter_next(iterator)
            }
            try Self.checked { rocksdb_iter_get_error(iterator, $0) }
        }

        /// Moves what is in memory into sorted files, whose every block has a checksum.
        func flush() throws(StoreError) {
            let options = rocksdb_flushoptions_create()
            defer { rocksdb_flushoptions_destroy(options) }
            try Self.checked { rocksdb_flush(database, options, $0) }
        }

        /// The key at one end, nil if there is none.
        private func edge(_ seek: (OpaquePointer) -> Void) throws(StoreError) -> [UInt8]? {
            let iterator = rocksdb_create_iterator(database, readOptions)!
            defer { rocksdb_iter_destroy(iterator) }
            seek(iterator)
            guard rocksdb_iter_valid(iterator) != 0 else {
                try Self.checked { rocksdb_iter_get_error(iterator, $0) }
                return nil
            }
            var count = 0
            let start = rocksdb_iter_key(iterator, &count)
            return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
        }

        private static func withCharacters<Result>(
            _ bytes: [UInt8], _ body: (UnsafePointer<CChar>?, Int) -> Result
        ) -> Result {
            bytes.withRawBytes { body($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
        }

        /// Runs a call that reports failure through a pointer to a message.
        private static func checked<Result>(
            isOpening: Bool = false, _ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
        ) throws(StoreError) -> Result {
            var message: UnsafeMutablePointer<CChar>?
            let result = call(&message)
            guard let message else { return result }
            defer { rocksdb_free(message) }
            throw RocksDBFailure.error(String(cString: message), isOpening: isOpening)
        }
    }

    /// What a database is opened with.
    struct RocksDBSettings {
        var isSynchronised: Bool
        var writeBufferBytes: Int
        var cacheBytes: Int
        var compression: Int
    }
#endif
