import Foundation
import Testing
import _CacheTestSupport

/// What `docs/exactness.md` claims against what the tests find.
///
/// A release run with `ASSAY_ALL_CELLS=1` compares every figure, and with `ASSAY_UPDATE_GOLDEN=1` too writes them. Any
/// other run takes for granted that the cells are equal, which other tests see to, and compares the rest; without the
/// tables, the names.
@Suite("The document on exactness")
struct ExactnessDocumentTests {
    private static let document = (try? String(contentsOf: ExactnessDocument.url, encoding: .utf8)) ?? ""
    private static let updates = ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] == "1"

    @Test func `has a row for each pair of names and no other`() {
        if Self.updates { return }
        #expect(ExactnessDocument.complaintsAboutNames(in: Self.document) == [])
    }

    @Test func `states what the table of this repository holds`() {
        if Self.updates { return }
        #expect(Self.document.contains(ExactnessDocument.section(ExactnessDocument.bundled, nil)))
    }

    @Test(.enabled(if: OracleTests.isReady, "\(SharedFolder.skippedText)"))
    func `states what the tests find`() async throws {
        let found = try await Self.found()
        guard Self.updates else {
            for (block, text) in found {
                let complaints = ExactnessDocument.complaints(about: Self.document, block: block, expecting: text)
                #expect(complaints == [], "run the tests as scripts/test does, with ASSAY_UPDATE_GOLDEN=1")
            }
            return
        }
        try #require(Thoroughness.isFull, "only a run with ASSAY_ALL_CELLS=1 has every figure")
        var document = Self.document
        for (block, text) in found {
            document = try #require(ExactnessDocument.replacing(block, by: text, in: document))
        }
        try document.write(to: ExactnessDocument.url, atomically: true, encoding: .utf8)
    }

    /// Every row that is not compared has one reason, and every reason a row.
    @Test(.enabled(if: OracleTests.isReady, "\(SharedFolder.skippedText)"))
    func `gives a reason for each row without a counterpart`() {
        let rows = OracleTable.unmapped.flatMap { table, names in names.keys.map { (table, $0) } }
        for (table, name) in rows {
            #expect(OracleExclusion.all.count { $0.covers(name, in: table) } == 1, "\(table): \(name)")
        }
        for exclusion in OracleExclusion.all {
            for pattern in exclusion.names {
                let alone = OracleExclusion(table: exclusion.table, names: [pattern], reason: "")
                let isNeeded = rows.contains { alone.covers($0.1, in: $0.0) }
                #expect(isNeeded, "\(pattern) has a counterpart by now: take it off the exclusions")
            }
        }
    }

    @Test func `maps each name of a table once`() {
        for source in ExactnessDocument.sources {
            let names = source.mapping.map(\.theirs)
            #expect(Set(names).count == names.count, "\(source.table)")
        }
    }

    /// Broken documents are noticed: one that lacks a row, has another number, one row too many, or lost its comments.
    @Test func `finds what is wrong with a document`() throws {
        let lines = try #require(ExactnessDocument.lines(of: "compared", in: Self.document))
        let text = lines.joined(separator: "\n")
        let row = try #require(lines.first { $0.hasPrefix("| `adaptive.Arc`") })
        let other = row.replacingOccurrences(of: "| 0 |", with: "| 1 |")
        #expect(row != other)
        let broken = [
            Self.document.replacingOccurrences(of: row + "\n", with: ""),
            Self.document.replacingOccurrences(of: row, with: other),
            Self.document.replacingOccurrences(of: row, with: row + "\n| `x` | `lru` | 1 | 1 | 1 | 0 | |"),
            Self.document.replacingOccurrences(of: "<!-- end of compared -->", with: ""),
        ]
        #expect(ExactnessDocument.complaints(about: Self.document, block: "compared", expecting: text) == [])
        for document in broken {
            #expect(ExactnessDocument.complaints(about: document, block: "compared", expecting: text) != [])
            #expect(ExactnessDocument.complaintsAboutNames(in: document) != [])
        }
        let reversed = lines.reversed().joined(separator: "\n")
        #expect(ExactnessDocument.complaints(about: Self.document, block: "compared", expecting: reversed) != [])
    }

    private static func found() async throws -> [(String, String)] {
        guard Thoroughness.isFull else {
            return [
                ("published", ExactnessDocument.published(nil)), ("compared", ExactnessDocument.compared(nil)),
                ("excluded", ExactnessDocument.excluded()),
            ]
        }
        var outcomes: [String: OracleOutcome] = [:]
        for group in OracleTable.groups { outcomes[group.testDescription] = try await OracleOutcome.of(group) }
        return [
            ("published", ExactnessDocument.published { (try? $0.isReached()) ?? false }),
            ("compared", ExactnessDocument.compared(outcomes)), ("excluded", ExactnessDocument.excluded()),
        ]
    }
}
