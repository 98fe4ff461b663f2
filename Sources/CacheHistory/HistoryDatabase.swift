#if SQLite
    public import CacheCore
    public import CacheGate
    internal import Foundation
    internal import GRDB

    /// Figures of recorded results by commit, in an SQLite database.
    public final class HistoryDatabase {
        /// Results as they are added: a file's figures at a commit.
        public struct Entry: Sendable, Hashable {
            /// The commit that was measured.
            public var commit: FigureHistory.Commit
            /// Where it was measured; empty if nobody knows.
            public var machine: String
            /// When the results were recorded, as they say.
            public var recordedAt: String
            /// What tells the results from others of the same commit: a digest of their file.
            public var digest: String
            /// What they hold.
            public var figures: [ResultFigure]

            /// Results at a commit.
            public init(
                commit: FigureHistory.Commit, machine: String, recordedAt: String, digest: String,
                figures: [ResultFigure]
            ) {
                self.commit = commit
                self.machine = machine
                self.recordedAt = recordedAt
                self.digest = digest
                self.figures = figures
            }
        }

        /// The version of the schema that this code reads and writes.
        public static var currentSchemaVersion: Int { 1 }
        /// What marks a database as one of these, in its header: `ASHI`.
        private static var applicationID: Int { 0x4153_4849 }

        private let queue: DatabaseQueue
        private let path: String

        /// Opens a database, which is made if it is missing and `isWritten`.
        ///
        /// - Throws: `AssayError` with code `inputOutput` if it cannot be opened or is missing, and `badInput` if it is damaged, of
        ///   another program or of a later Assay.
        public init(_ path: String, isWritten: Bool) throws(AssayError) {
            self.path = path
            guard isWritten || FileManager.default.fileExists(atPath: path) else {
                throw AssayError(
                    .inputOutput,
                    "There is no history here. Add results with 'assay history add', or name another by --database.",
                    at: .init(path))
            }
            var configuration = Configuration()
            configuration.readonly = !isWritten
            configuration.busyMode = .timeout(10)
            configuration.foreignKeysEnabled = true
            queue = try Self.typed(path) { try DatabaseQueue(path: path, configuration: configuration) }
            try Self.typed(path) { [queue] in
                if isWritten {
                    try queue.write { try Self.prepare($0, path, isWritten: true) }
                } else {
                    try queue.read { try Self.prepare($0, path, isWritten: false) }
                }
            }
        }

        /// Adds entries, all or none, and tells of each whether it is new: the same results of a commit are kept once.
        ///
        /// - Throws: `AssayError` with code `badInput` for a figure that is no finite number, and as the initialiser does.
        public func add(_ entries: [Entry]) throws(AssayError) -> [Bool] {
            try Self.typed(path) { [queue] in
                try queue.write { database in try entries.map { try Self.add($0, database) } }
            }
        }

        /// Every entry without its figures, with how many they are, in the order of their addition.
        ///
        /// - Throws: `AssayError` as the initialiser does.
        public func entries() throws(AssayError) -> [(entry: Entry, figures: Int)] {
            try read { database in
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT revision, time, title, machine, recorded_at, entries.digest AS source,
                        (SELECT count(*) FROM figures WHERE entry = entries.id) AS figures
                        FROM entries JOIN commits ON commits.id = "commit" ORDER BY entries.id
                        """
                ).map { row in
                    let commit = FigureHistory.Commit(digest: row["revision"], time: row["time"], title: row["title"])
                    let entry = Entry(
                        commit: commit, machine: row["machine"], recordedAt: row["recorded_at"], digest: row["source"],
                        figures: [])
                    return (entry, row["figures"])
                }
            }
        }

        /// The recorded figures, the oldest entry first.
        ///
        /// - Parameters:
        ///   - name: Only figures of this name; nil for all.
        ///   - subject: Only those of this subject; nil for all.
        /// - Throws: `AssayError` as the initialiser does.
        public func figures(named name: String? = nil, of subject: String? = nil) throws(AssayError) -> [RecordedFigure]
        {
            try read { [path] database in
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT revision, machine, subject, parameters, place, name, unit, kind, better, value
                        FROM figures JOIN series ON series.id = series JOIN entries ON entries.id = entry
                        JOIN commits ON commits.id = "commit"
                        WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR subject = ?2) ORDER BY entries.id
                        """, arguments: [name, subject]
                ).map { row in
                    guard let figure = Self.figure(row) else { throw Self.damaged(path, cause: "a figure is not one") }
                    return RecordedFigure(commit: row["revision"], machine: row["machine"], figure: figure)
                }
            }
        }

        /// The names of all figures, or of all subjects, in order.
        ///
        /// - Throws: `AssayError` as the initialiser does.
        public func names(ofSubjects isSubjects: Bool) throws(AssayError) -> [String] {
            let column = isSubjects ? "subject" : "name"
            return try read { try String.fetchAll($0, sql: "SELECT DISTINCT \(column) FROM series ORDER BY 1") }
        }

        private func read<Result>(_ body: (Database) throws -> Result) throws(AssayError) -> Result {
            try Self.typed(path) { [queue] in try queue.read(body) }
        }

        // MARK: - Rows

        private static func add(_ entry: Entry, _ database: Database) throws -> Bool {
            let commit = entry.commit
            try database.execute(
                sql: """
                    INSERT INTO commits (revision, time, title) VALUES (?, ?, ?) ON CONFLICT (revision) DO UPDATE
                    SET time = excluded.time, title = excluded.title WHERE excluded.title <> ''
                    """, arguments: [commit.digest, commit.time, commit.title])
            try database.execute(
                sql: """
                    INSERT INTO entries ("commit", machine, recorded_at, digest)
                    SELECT id, ?2, ?3, ?4 FROM commits WHERE revision = ?1 ON CONFLICT DO NOTHING
                    """, arguments: [commit.digest, entry.machine, entry.recordedAt, entry.digest])
            guard database.changesCount > 0 else { return false }
            let id = database.lastInsertedRowID
            for figure in entry.figures {
                try database.execute(
                    sql: """
                        INSERT INTO series (subject, place, name, unit, kind, better) VALUES (?, ?, ?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET kind = excluded.kind, better = excluded.better
                        """,
                    arguments: [
                        figure.subject, try text(figure.place), figure.name, figure.unit, figure.kind.rawValue,
                        figure.better.rawValue,
                    ])
                try database.execute(
                    sql: """
                        INSERT INTO figures (entry, series, parameters, value)
                        SELECT ?1, id, ?2, ?3 FROM series WHERE subject = ?4 AND place = ?5 AND name = ?6 AND unit = ?7
                        """,
                    arguments: [
                        id, figure.parameters, try databaseValue(figure), figure.subject, try text(figure.place),
                        figure.name,
                        figure.unit,
                    ])
            }
            return true
        }

        private static func text(_ place: [String: String]) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(place), as: UTF8.self)
        }

        private static func databaseValue(_ figure: ResultFigure) throws(AssayError) -> DatabaseValue {
            switch figure.value {
            case .count(let count): return count.databaseValue
            case .word(let word): return word.databaseValue
            case .real(let real):
                guard real.isFinite else {
                    throw AssayError(
                        .badInput,
                        "The figure \(figure.name) of \(figure.subject) is \(real). Record the results again.")
                }
                return real.databaseValue
            }
        }

        private static func figure(_ row: Row) -> ResultFigure? {
            let value: ResultFigure.Value
            switch (row["value"] as DatabaseValue).storage {
            case .int64(let count): value = .count(Int(count))
            case .double(let real): value = .real(real)
            case .string(let word): value = .word(word)
            case .null, .blob: return nil
            }
            let place = try? JSONDecoder().decode([String: String].self, from: Data((row["place"] as String).utf8))
            guard let place, let kind = ResultFigure.Kind(rawValue: row["kind"]),
                let better = ResultFigure.Better(rawValue: row["better"])
            else { return nil }
            return ResultFigure(
                subject: row["subject"], parameters: row["parameters"], place: place, name: row["name"],
                unit: row["unit"],
                value: value, kind: kind, better: better)
        }
    }

    // MARK: - Schema and errors

    extension HistoryDatabase {
        private static let schema = [
            """
            CREATE TABLE commits (
                id INTEGER PRIMARY KEY, revision TEXT NOT NULL UNIQUE, time INTEGER NOT NULL, title TEXT NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE entries (
                id INTEGER PRIMARY KEY, "commit" INTEGER NOT NULL REFERENCES commits, machine TEXT NOT NULL,
                recorded_at TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE ("commit", digest)
            ) STRICT
            """,
            """
            CREATE TABLE series (
                id INTEGER PRIMARY KEY, subject TEXT NOT NULL, place TEXT NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL,
                kind TEXT NOT NULL, better TEXT NOT NULL, UNIQUE (subject, place, name, unit)
            ) STRICT
            """,
            """
            CREATE TABLE figures (
                entry INTEGER NOT NULL REFERENCES entries, series INTEGER NOT NULL REFERENCES series,
                parameters TEXT NOT NULL, value ANY NOT NULL
            ) STRICT
            """, "CREATE INDEX figures_by_entry ON figures (entry)",
        ]

        /// Makes the tables of a new database, and refuses one that is damaged or not of this kind and version.
        private static func prepare(_ database: Database, _ path: String, isWritten: Bool) throws {
            let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
            if isEmpty, application == 0, isWritten {
                let marks = [
                    "PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(currentSchemaVersion)",
                ]
                for statement in schema + marks { try database.execute(sql: statement) }
                return
            }
            guard application == applicationID else {
                throw AssayError(
                    .badInput,
                    "This is a database of another program, and stays as it is. Name another file by --database.",
                    at: .init(path))
            }
            guard version == currentSchemaVersion else {
                throw AssayError(
                    .badInput,
                    "This history has schema version \(version), and this Assay knows \(currentSchemaVersion). Use the Assay that "
                        + "wrote it.", at: .init(path))
            }
            let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
            guard found == "ok" else { throw damaged(path, cause: found) }
            // Columns of other types would be read as what they are not.
            let tables = try String.fetchAll(
                database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
            guard tables == schema else { throw damaged(path, cause: "its tables are others") }
        }

        private static func damaged(_ path: String, cause: String) -> AssayError {
            AssayError(
                .badInput,
                "This is no database of SQLite, or a damaged one. Restore it from a copy, or move it away and add the results again.",
                at: .init(path), cause: cause)
        }

        /// Runs work that throws GRDB's errors, and says what they mean.
        private static func typed<Result>(_ path: String, _ body: () throws -> Result) throws(AssayError) -> Result {
            do {
                return try body()
            } catch let failure as AssayError {
                throw failure
            } catch let failure as DatabaseError {
                let words = failure.message ?? "code \(failure.extendedResultCode.rawValue)"
                switch failure.resultCode {
                case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR: throw damaged(path, cause: words)
                case .SQLITE_BUSY, .SQLITE_LOCKED:
                    throw AssayError(
                        .unavailable, "Another process writes this history. Try again when it has ended.",
                        at: .init(path),
                        cause: words)
                default:
                    throw AssayError(
                        .inputOutput, "The history cannot be used. Check its folder, its permissions and the space.",
                        at: .init(path), cause: words)
                }
            } catch {
                throw AssayError(.inputOutput, "The history cannot be used.", at: .init(path), cause: "\(error)")
            }
        }
    }
#endif
