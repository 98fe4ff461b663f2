#if LMDB
    import CLMDB
    import CacheCore

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Turns LMDB's result codes into what they mean to the owner of a store.
    enum LMDBFailure {
        /// Throws the typed error for a result code that is not success.
        static func check(_ code: Int32) throws(StoreError) {
            if code != 0 { throw error(code) }
        }

        /// The typed error for a result code.
        static func error(_ code: Int32) -> StoreError {
            let words = String(cString: mdb_strerror(code))
            switch code {
            case MDB_MAP_FULL:
                return StoreError(.full, "the database has its map-bytes: \(words); raise map-bytes")
            case ENOSPC, EDQUOT, EFBIG:
                return StoreError(.full, "no space for the database: \(words); free some", errno: code)
            case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
                return StoreError(.corrupt, "the database is damaged: \(words); move it elsewhere to start afresh")
            case MDB_INVALID:
                return StoreError(
                    .corrupt,
                    "the file is damaged, or not a database of LMDB: \(words); use another directory, or move it")
            case MDB_VERSION_MISMATCH:
                return StoreError(
                    .corrupt,
                    "the database is of another version of LMDB: \(words); use that version or another directory")
            case MDB_PANIC:
                return StoreError(
                    .inputOutput, "an earlier write of the database failed: \(words); close the store and open it again"
                )
            case MDB_BAD_VALSIZE: return StoreError(.keyRefused, "LMDB does not take the key: \(words)")
            case EACCES, EPERM, EROFS, ENOTDIR, ENOENT, EMFILE, ENFILE, EAGAIN, EBUSY:
                return StoreError(
                    .unavailable, "the database cannot be used: \(words); check the directory", errno: code)
            default:
                return StoreError(
                    .inputOutput, "LMDB failed with code \(code): \(words)", errno: code > 0 ? code : nil)
            }
        }
    }
#endif
