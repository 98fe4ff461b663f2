#if SQLite
    import CacheCore
    import GRDB
    import GRDBSQLite

    /// Turns SQLite's result codes into what they mean to the owner of a store.
    enum SQLiteFailure {
        /// The typed error for a result code, with the connection's own words.
        static func error(_ code: Int32, connection: OpaquePointer?) -> StoreError {
            let words = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
            return error(code, words, systemError: connection.map(sqlite3_system_errno))
        }

        /// Runs work that throws GRDB's errors, and names the database in what it throws.
        static func typed<Result>(_ file: String, _ body: () throws -> Result) throws(StoreError) -> Result {
            do {
                return try body()
            } catch let failure as DatabaseError {
                let code = failure.extendedResultCode.rawValue
                throw error(
                    code, "\(file): \(failure.message ?? "no message")",
                    systemError: code & 0xFF == SQLITE_CANTOPEN ? systemError(opening: file) : nil)
            } catch let failure as StoreError {
                throw failure
            } catch {
                throw StoreError(.inputOutput, "\(file): \(error)")
            }
        }

        /// The system's error number where a database cannot be opened: GRDB has closed the connection that knew it.
        private static func systemError(opening file: String) -> Int32 {
            var connection: OpaquePointer?
            defer { sqlite3_close_v2(connection) }
            if sqlite3_open_v2(file, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK {
                // Only what is read opens the files beside it.
                sqlite3_exec(connection, "SELECT 1 FROM sqlite_master", nil, nil, nil)
            }
            return sqlite3_system_errno(connection)
        }

        private static func error(_ code: Int32, _ words: String, systemError: Int32?) -> StoreError {
            let number = systemError == 0 ? nil : systemError
            switch code & 0xFF {
            case SQLITE_FULL:
                return StoreError(.full, "no space for the database: \(words); free some", errno: number)
            case SQLITE_CORRUPT:
                return StoreError(
                    .corrupt, "the database is damaged: \(words); move it elsewhere to start afresh", errno: number)
            case SQLITE_ERROR:
                // The statements are always the same: it is the tables that are not those that they are about.
                return StoreError(
                    .corrupt,
                    "the database is damaged, or not one of this store's: \(words); use another directory, or move it",
                    errno: number)
            case SQLITE_NOTADB:
                return StoreError(
                    .corrupt,
                    "the file is damaged, or not a database of SQLite: \(words); use another directory, or move it",
                    errno: number)
            case SQLITE_BUSY, SQLITE_LOCKED:
                return StoreError(
                    .unavailable, "another store has the database open: \(words); close it or use another directory",
                    errno: number)
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
                return StoreError(
                    .unavailable, "the database cannot be used: \(words); check the directory", errno: number)
            case SQLITE_TOOBIG:
                return StoreError(.valueRefused, "the value is longer than SQLite takes: \(words)", errno: number)
            default:
                return StoreError(.inputOutput, "SQLite failed with code \(code): \(words)", errno: number)
            }
        }
    }
#endif
