#if SQLite
    import CacheCore
    import CacheGate
    import CacheHistory
    import Foundation
    import Testing
    import _CacheTestSupport

    @Suite("The database of the history")
    struct HistoryDatabaseTests {
        private let directory: TemporaryDirectory
        private var path: String { directory.path + "/history.sqlite" }

        init() throws { directory = try TemporaryDirectory() }

        private func entry(_ number: Int, digest: String = "d", title: String? = nil) -> HistoryDatabase.Entry {
            var commit = RecordedSample.commit(number)
            commit.title = title ?? commit.title
            return HistoryDatabase.Entry(
                commit: commit, machine: "m", recordedAt: "2026-11-26T09:30:00Z", digest: digest,
                figures: [
                    RecordedSample.figure(.count(.max), parameters: "small=0.1"),
                    RecordedSample.figure(
                        .real(0.1 + 0.2), name: "ratio", kind: .timed, place: ["a": "1", "b": "\"é"]),
                    RecordedSample.figure(.word("passed"), name: "check"),
                ])
        }

        private func add(_ entries: [HistoryDatabase.Entry]) throws -> [Bool] {
            try HistoryDatabase(path, isWritten: true).add(entries)
        }

        private func read() throws -> HistoryDatabase { try HistoryDatabase(path, isWritten: false) }

        /// Overwrites bytes of the file.
        private func overwrite(_ bytes: [UInt8], at offset: Int) throws {
            var data = try Data(contentsOf: URL(filePath: path))
            data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            try data.write(to: URL(filePath: path))
        }

        @Test func `what was added is read again, to the last bit`() throws {
            #expect(try add([entry(1), entry(2)]) == [true, true])
            let figures = try read().figures()
            #expect(figures.map(\.figure) == entry(1).figures + entry(2).figures)
            #expect(figures.map(\.commit) == [1, 1, 1, 2, 2, 2].map { RecordedSample.commit($0).digest })
            #expect(try read().figures(named: "ratio", of: "s3fifo").count == 2)
            #expect(try read().figures(named: "ratio", of: "lru").isEmpty)
            #expect(try read().names(ofSubjects: false) == ["check", "hits", "ratio"])
        }

        @Test func `the same results of a commit are no second entry`() throws {
            #expect(try add([entry(1), entry(1), entry(1, digest: "other"), entry(2)]) == [true, false, true, true])
            #expect(try add([entry(1), entry(2)]) == [false, false])
            #expect(try read().entries().map(\.figures) == [3, 3, 3])
        }

        @Test func `a title that is learned later stays`() throws {
            _ = try add([entry(1, title: ""), entry(1, digest: "2", title: "Title"), entry(1, digest: "3", title: "")])
            #expect(Set(try read().entries().map(\.entry.commit.title)) == ["Title"])
        }

        @Test func `entries are added all or none`() throws {
            var bad = entry(2)
            bad.figures.append(RecordedSample.figure(.real(.nan)))
            let error = #expect(throws: AssayError.self) { try add([entry(1), bad]) }
            #expect(error?.code == .badInput)
            #expect(try read().entries().isEmpty)
        }

        @Test func `a missing database is told, and not made by reading`() {
            let error = #expect(throws: AssayError.self) { try read() }
            #expect(error?.code == .inputOutput && error?.message.contains("assay history add") == true)
            #expect(directory.files().isEmpty)
        }

        @Test(arguments: [true, false])
        func `a file that is no database is told and stays as it is`(isWritten: Bool) throws {
            let text = Data(String(repeating: "no database\n", count: 200).utf8)
            try text.write(to: URL(filePath: path))
            let error = #expect(throws: AssayError.self) { try HistoryDatabase(path, isWritten: isWritten) }
            #expect(error?.code == .badInput && error?.message.contains("Restore it") == true)
            #expect(try Data(contentsOf: URL(filePath: path)) == text)
        }

        @Test func `a database of another program and one of a later version are refused`() throws {
            _ = try add([entry(1)])
            // The header's fields of SQLite: user_version at 60, application_id at 68.
            try overwrite([0, 0, 0, 2], at: 60)
            #expect(throws: AssayError.self) { try read() }
            #expect(#expect(throws: AssayError.self) { try add([entry(2)]) }?.message.contains("version 2") == true)
            try overwrite([0, 0, 0, 1], at: 60)
            #expect(try read().entries().count == 1)
            try overwrite([0, 0, 0, 9], at: 68)
            let error = #expect(throws: AssayError.self) { try add([entry(2)]) }
            #expect(error?.code == .badInput && error?.message.contains("another program") == true)
        }

        @Test(arguments: 0..<24)
        func `a damaged page is a typed error or does no harm`(step: Int) throws {
            _ = try add((0..<20).map { entry($0) })
            let size = try Data(contentsOf: URL(filePath: path)).count
            try overwrite((0..<512).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ step) }, at: step * (size - 512) / 23)
            do throws(AssayError) {
                let database = try HistoryDatabase(path, isWritten: false)
                _ = try database.entries()
                _ = try database.figures()
            } catch {
                #expect(error.code == .badInput)
            }
        }

        @Test func `tables of other columns are refused`() throws {
            _ = try add([entry(1)])
            let data = try Data(contentsOf: URL(filePath: path))
            let range = try #require(data.range(of: Data("machine TEXT".utf8)))
            try overwrite(Array("machine BLOB".utf8), at: range.lowerBound)
            #expect(#expect(throws: AssayError.self) { try read() }?.code == .badInput)
        }
    }
#endif
