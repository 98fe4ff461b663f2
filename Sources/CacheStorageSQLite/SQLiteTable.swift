#if SQLite
    import CacheCore
    import Foundation
    import GRDB

    /// One open database with its prepared statements. Used by one thread at a time.
    final class SQLiteTable {
        private let queue: DatabaseQueue
        private var statements: Statements?

        private struct Statements {
            let get: SQLiteStatement
            let put: SQLiteStatement
            let remove: SQLiteStatement
            let removeAll: SQLiteStatement
            let contains: SQLiteStatement
            let count: SQLiteStatement
            let keys: SQLiteStatement

            init(_ database: Database) throws {
                get = try SQLiteStatement(database, "SELECT value FROM sealed WHERE key = ?1")
                put = try SQLiteStatement(database, SQLiteTable.insertion)
                remove = try SQLiteStatement(database, "DELETE FROM sealed WHERE key = ?1")
                removeAll = try SQLiteStatement(database, "DELETE FROM sealed")
                contains = try SQLiteStatement(database, "SELECT 1 FROM sealed WHERE key = ?1")
                count = try SQLiteStatement(database, "SELECT count(*) FROM sealed")
                keys = try SQLiteStatement(database, "SELECT key, mark FROM sealed")
            }
        }

        /// Opens or makes the database in a directory, which is made if it is missing.
        init(directory: String, synchronous: String) throws(StoreError) {
            do {
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            } catch {
                throw StoreError(
                    .unavailable, "cannot make the directory \(directory); choose one that can be written")
            }
            let file = directory + "/cache.sqlite"
            queue = try SQLiteFailure.typed(file) {
                try DatabaseQueue(path: file, configuration: Self.configuration(synchronous: synchronous))
            }
            statements = try SQLiteFailure.typed(file) { [queue] in try queue.inDatabase { try Self.prepare($0) } }
        }

        deinit {
            // Statements must be finalised before their connection closes.
            statements = nil
        }

        /// Closes the database; what the write-ahead log holds is moved into it.
        func close() throws(StoreError) {
            statements = nil
            try SQLiteFailure.typed(queue.path) { try queue.close() }
        }

        /// The entry under a key.
        ///
        /// - Throws: `corrupt` if its bytes are not what was stored; the entry is gone afterwards.
        func entry(of key: [UInt8]) throws(StoreError) -> StoredEntry? {
            let found = try run(\.get) { (statement) throws(StoreError) in
                try statement.query(key) { row in row.withBlob(0) { ValueEnvelope.entry(in: $0, key: key) } }
            }
            guard let found else { return nil }
            if let entry = found { return entry }
            _ = try remove(key)
            throw StoreError(.corrupt, "an entry's value was damaged; the entry was dropped, store it again")
        }

        /// Stores an entry in a transaction of its own.
        func put(_ entry: StoredEntry, _ key: [UInt8]) throws(StoreError) {
            _ = try run(\.put) { (statement) throws(StoreError) in
                try statement.change(key, value: ValueEnvelope.bytes(of: entry, key: key), integer: Self.mark(of: key))
            }
        }

        /// Removes a row in a transaction of its own and returns whether there was one.
        func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            try run(\.remove) { (statement) throws(StoreError) in try statement.change(key) > 0 }
        }

        /// Removes every row.
        func removeAll() throws(StoreError) {
            _ = try run(\.removeAll) { (statement) throws(StoreError) in try statement.change(nil) }
        }

        /// Whether there is a row under a key.
        func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
            try run(\.contains) { (statement) throws(StoreError) in try statement.query(key) { _ in true } } ?? false
        }

        /// The number of rows.
        func count() throws(StoreError) -> Int {
            try run(\.count) { (statement) throws(StoreError) in
                try statement.query(nil) { row in Int(row.integer(0) ?? 0) }
            } ?? 0
        }

        /// Every key that is what was stored.
        func keys() throws(StoreError) -> [[UInt8]] {
            var keys: [[UInt8]] = []
            _ = try run(\.keys) { (statement) throws(StoreError) in
                try statement.forEachRow { row in
                    let key = row.blob(0)
                    if row.integer(1) == Self.mark(of: key) { keys.append(key) }
                }
            }
            return keys
        }

        private func run<Result>(
            _ statement: KeyPath<Statements, SQLiteStatement>, _ body: (SQLiteStatement) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            guard let statements else { throw .closed }
            // The queue guards the connection for GRDB; typed errors travel beside it because it rethrows untyped ones.
            let result: Swift.Result<Result, StoreError> = queue.inDatabase { _ in
                Swift.Result { () throws(StoreError) in try body(statements[keyPath: statement]) }
            }
            return try result.get()
        }

        private static func configuration(synchronous: String) -> Configuration {
            var configuration = Configuration()
            configuration.label = "assay.storage.sqlite"
            configuration.busyMode = .immediateError
            configuration.prepareDatabase { database in
                // The lock keeps other stores out, and spares the shared-memory index and two locks a transaction.
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                try database.execute(sql: "PRAGMA synchronous = \(synchronous.uppercased())")
            }
            return configuration
        }

        private static let insertion = "REPLACE INTO sealed (key, value, mark) VALUES (?1, ?2, ?3)"

        /// A checksum of a key, by which one that was damaged is known without its value.
        private static func mark(of key: [UInt8]) -> Int64 {
            Int64(bitPattern: key.withRawBytes { Checksum64.checksum(of: $0) })
        }

        private static func prepare(_ database: Database) throws -> Statements {
            // The value comes last, so that the mark is read without it.
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS sealed
                    (key BLOB PRIMARY KEY NOT NULL, mark INTEGER NOT NULL, value BLOB NOT NULL) WITHOUT ROWID
                    """)
            try sealEntries(of: database)
            return try Statements(database)
        }

        /// Takes over what an earlier version stored, without checksums, in one transaction. A row that is no entry is dropped.
        private static func sealEntries(of database: Database) throws {
            let search = try SQLiteStatement(database, "SELECT 1 FROM sqlite_master WHERE name = 'entries'")
            guard try search.query(nil, { _ in true }) == true else { return }
            try database.inTransaction {
                let insert = try SQLiteStatement(database, insertion)
                let rows = try GRDB.Row.fetchCursor(database, sql: "SELECT key, value, expires FROM entries")
                while let row = try rows.next() {
                    // A damaged row can have any type in any column; GRDB's subscripts of other types trap on those.
                    let columns: [DatabaseValue] = [row[0], row[1], row[2]]
                    guard let key = Data.fromDatabaseValue(columns[0]), let value = Data.fromDatabaseValue(columns[1])
                    else { continue }
                    let expiry = Int64.fromDatabaseValue(columns[2])
                    guard expiry != nil || columns[2].isNull else { continue }
                    let entry = StoredEntry([UInt8](value), expiresAtNanoseconds: expiry)
                    let name = [UInt8](key)
                    _ = try insert.change(
                        name, value: ValueEnvelope.bytes(of: entry, key: name), integer: mark(of: name))
                }
                try database.execute(sql: "DROP TABLE entries")
                return .commit
            }
        }
    }
#endif
