#if SQLite
    import CacheCore
    import GRDB
    import GRDBSQLite

    /// A prepared statement that binds and reads bytes without copies in between.
    ///
    /// GRDB prepares it and owns its connection; stepping goes to SQLite directly, because GRDB's own way costs an array of
    /// arguments and a `Data` an operation.
    final class SQLiteStatement {
        private let statement: Statement
        private var handle: OpaquePointer { statement.sqliteStatement }

        /// A row while it is the current one.
        struct Row {
            fileprivate let handle: OpaquePointer

            /// The bytes of a column.
            func blob(_ column: Int32) -> [UInt8] { withBlob(column) { [UInt8]($0) } }

            /// Calls `body` with the bytes of a column, which are there as long as the row.
            func withBlob<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
                let start = sqlite3_column_blob(handle, column)
                let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
                return body(UnsafeRawBufferPointer(start: start, count: count))
            }

            /// The whole number in a column, nil for NULL.
            func integer(_ column: Int32) -> Int64? {
                sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
            }
        }

        /// Prepares `sql`, whose parameters are a key, a value and a whole number in this order.
        init(_ database: Database, _ sql: String) throws {
            statement = try database.makeStatement(sql: sql)
        }

        /// The first row for a key as `read` sees it, nil if there is none.
        func query<Result>(_ key: [UInt8]?, _ read: (Row) -> Result) throws(StoreError) -> Result? {
            try withKey(key) { (handle) throws(StoreError) in
                try Self.step(handle) ? read(Row(handle: handle)) : nil
            }
        }

        /// Calls `body` with every row.
        func forEachRow(_ body: (Row) -> Void) throws(StoreError) {
            try withKey(nil) { (handle) throws(StoreError) in
                while try Self.step(handle) { body(Row(handle: handle)) }
            }
        }

        /// Runs a change and returns how many rows it touched.
        func change(_ key: [UInt8]?, value: [UInt8]? = nil, integer: Int64? = nil) throws(StoreError) -> Int {
            try withKey(key) { (handle) throws(StoreError) in
                if let value {
                    return try withBytes(value) { (bytes) throws(StoreError) in
                        Self.bind(bytes, at: 2, handle)
                        if let integer { sqlite3_bind_int64(handle, 3, integer) }
                        return try Self.changes(handle)
                    }
                }
                return try Self.changes(handle)
            }
        }

        private static func changes(_ handle: OpaquePointer) throws(StoreError) -> Int {
            _ = try step(handle)
            return Int(sqlite3_changes(sqlite3_db_handle(handle)))
        }

        private static func step(_ handle: OpaquePointer) throws(StoreError) -> Bool {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            case let code: throw SQLiteFailure.error(code, connection: sqlite3_db_handle(handle))
            }
        }

        /// Binds the key for the time of `body` and leaves the statement ready for the next use.
        private func withKey<Result>(
            _ key: [UInt8]?, _ body: (OpaquePointer) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            let handle = handle
            defer {
                sqlite3_reset(handle)
                sqlite3_clear_bindings(handle)
            }
            guard let key else { return try body(handle) }
            return try withBytes(key) { (bytes) throws(StoreError) in
                Self.bind(bytes, at: 1, handle)
                return try body(handle)
            }
        }

        private func withBytes<Result>(
            _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            try bytes.withUnsafeBufferPointer(body)
        }

        /// Binds bytes that outlive the statement's run; an empty blob would be NULL if it were bound by its address.
        private static func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32, _ handle: OpaquePointer) {
            if bytes.isEmpty {
                sqlite3_bind_zeroblob(handle, index, 0)
            } else {
                sqlite3_bind_blob64(handle, index, bytes.baseAddress, sqlite3_uint64(bytes.count), nil)
            }
        }
    }
#endif
