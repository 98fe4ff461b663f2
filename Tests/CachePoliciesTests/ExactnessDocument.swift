import Foundation
import _CacheTestSupport

/// `docs/exactness.md`: prose, and tables that are made from a run of the tests, each between two comments.
enum ExactnessDocument {
    static let url = SharedFolder.packageRoot.appending(path: "docs/exactness.md")
    static let blocks = ["published", "compared", "excluded"]

    typealias Source = (table: String, title: String, mapping: [(theirs: String, ours: String)])

    /// What each table is, and what of a cell is compared.
    static let sources: [Source] = [
        ("caffeine", "Caffeine's simulator", OracleMapping.caffeineAndAdmission),
        ("caffeine-weighted", "Caffeine's simulator, in bytes", OracleMapping.caffeineAndAdmission),
        ("libcachesim", "libCacheSim 0.3.5", OracleMapping.libCacheSim),
        ("libcachesim-truth", "libCacheSim's own test table", OracleMapping.upstreamTruth),
        bundled,
    ]
    static let bundled: Source = (
        OracleTable.bundled, "libCacheSim 0.3.5, on the traces of this repository", OracleMapping.libCacheSim
    )

    /// A pair of names as a row of the document begins.
    static func rowStart(_ theirs: String, _ ours: String) -> String {
        "| `\(theirs.trimmingCharacters(in: .whitespaces))` | `\(ours)` |"
    }

    /// The tables of what is compared; without outcomes, as they are when every cell is compared and equal.
    static func compared(_ outcomes: [String: OracleOutcome]?) -> String {
        sources.map { section($0, outcomes) }.joined(separator: "\n")
    }

    /// The table of one source, with its heading.
    static func section(_ source: Source, _ outcomes: [String: OracleOutcome]?) -> String {
        let rows = OracleTable.groups.filter { $0.source == source.table }.map { group in
            let outcome =
                outcomes.map { $0[group.testDescription] ?? OracleOutcome() }
                ?? OracleOutcome(compared: group.cells.count, equal: group.cells.count)
            return ComparedRow(group, outcome)
        }
        let totals = [
            rows.map(\.inTable), rows.map(\.outcome.compared), rows.map(\.outcome.equal), rows.map(\.crashes),
        ].map { $0.reduce(0, +) }
        let head = "### \(source.title)\n\n| theirs | ours | rows | compared | equal | no result | remarks |\n"
        return head + "|---|---|--:|--:|--:|--:|---|\n" + rows.map(\.text).joined()
            + "| all | | \(totals.map(String.init).joined(separator: " | ")) | |\n"
    }

    /// The table of results that papers print.
    static func published(_ isReached: ((PublishedResult) -> Bool)?) -> String {
        let groups = Dictionary(grouping: PublishedResult.all) { rowStart($0.source, $0.policy) }
        let rows = groups.sorted { $0.key < $1.key }.map { start, results in
            let equal = isReached.map { results.count(where: $0) } ?? results.count
            return "\(start) \(results.count) | \(equal) |\n"
        }
        return "| result | ours | compared | equal |\n|---|---|--:|--:|\n" + rows.joined()
    }

    /// The list of what has no counterpart.
    static func excluded() -> String {
        let rows = OracleTable.unmapped.sorted { $0.key < $1.key }.flatMap { table, names in
            Dictionary(grouping: names.sorted { $0.key < $1.key }) { name, _ in
                OracleExclusion.all.first { $0.covers(name, in: table) }?.reason ?? ""
            }.sorted { $0.value[0].key < $1.value[0].key }.map { excludedRow(table, $0.value, $0.key) }
        }
        return "| table | theirs, with their rows | rows | reason |\n|---|---|--:|---|\n" + rows.joined()
    }

    private static func excludedRow(_ table: String, _ names: [(key: String, value: Int)], _ reason: String) -> String {
        let list = names.map { "`\($0.key.trimmingCharacters(in: .whitespaces))` \($0.value)" }.joined(separator: ", ")
        return "| \(table) | \(list) | \(names.reduce(0) { $0 + $1.value }) | \(reason) |\n"
    }

    /// The lines between the comments of a block; nil without the comments.
    static func lines(of block: String, in document: String) -> [String]? {
        guard let range = range(of: block, in: document) else { return nil }
        return document[range].split(separator: "\n").map(String.init)
    }

    /// The document with other lines in a block.
    static func replacing(_ block: String, by text: String, in document: String) -> String? {
        range(of: block, in: document).map { document.replacingCharacters(in: $0, with: "\n\(text)\n") }
    }

    /// What a document lacks or has too much of a block that must read as `text`.
    static func complaints(about document: String, block: String, expecting text: String) -> [String] {
        guard let lines = lines(of: block, in: document) else {
            return ["the comments of the block \(block) are missing"]
        }
        let expected = text.split(separator: "\n").map(String.init)
        let (missing, surplus) = (Set(expected).subtracting(lines), Set(lines).subtracting(expected))
        let order =
            missing.isEmpty && surplus.isEmpty && lines != expected ? ["the rows of \(block) are out of order"] : []
        return missing.sorted().map { "missing: \($0)" } + surplus.sorted().map { "not so: \($0)" } + order
    }

    /// The mappings that have no row, and the rows that no mapping has: what can be told without the tables.
    static func complaintsAboutNames(in document: String) -> [String] {
        guard let lines = lines(of: "compared", in: document) else { return ["the block of comparisons is missing"] }
        let rows = lines.filter { $0.hasPrefix("| `") }
        // The rows in bytes are some of those in objects.
        let starts = sources.flatMap(\.mapping).map { rowStart($0.theirs, $0.ours) }
        let without = starts.filter { start in !rows.contains { $0.hasPrefix(start) } }
        let unknown = rows.filter { row in !starts.contains { row.hasPrefix($0) } }
        return Set(without).sorted().map { "missing: \($0)" } + unknown.map { "not mapped: \($0)" }
            + rows.filter { !isWhole($0) }.map { "not wholly compared and equal: \($0)" }
    }

    /// Whether a row says that all its cells with a result were compared and equal.
    private static func isWhole(_ row: String) -> Bool {
        let numbers = row.split(separator: "|").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        return numbers.count == 4 && numbers[1] == numbers[2] && numbers[0] == numbers[1] + numbers[3]
    }

    private static func range(of block: String, in document: String) -> Range<String.Index>? {
        guard let start = document.range(of: "<!-- made by a test: \(block) -->\n"),
            let end = document.range(of: "<!-- end of \(block) -->", range: start.upperBound..<document.endIndex)
        else { return nil }
        return start.upperBound..<end.lowerBound
    }
}

/// One row of what is compared.
private struct ComparedRow {
    let group: OracleGroup
    let outcome: OracleOutcome
    var crashes: Int { group.crashes }
    var inTable: Int { group.cells.count + group.crashes }

    init(_ group: OracleGroup, _ outcome: OracleOutcome) {
        self.group = group
        self.outcome = outcome
    }

    var text: String {
        let numbers = [inTable, outcome.compared, outcome.equal, crashes].map(String.init).joined(separator: " | ")
        let refusals = OracleTests.countsRefusals(group.ours) ? "Refusals count as evictions." : nil
        let crash = crashes > 0 ? OracleMapping.crashes[group.theirs] : nil
        let remarks = [crash, refusals, OracleMapping.remarks[group.ours]].compactMap(\.self).joined(separator: " ")
        return "\(ExactnessDocument.rowStart(group.theirs, group.ours)) \(numbers) | \(remarks) |\n"
    }
}
