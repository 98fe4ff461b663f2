import CacheCore
import CachePolicies
import Foundation
import Testing
import _CacheTestSupport

/// One exact result of another implementation, and the policy of ours that must give it.
struct OracleCell: Sendable, CustomStringConvertible {
    var source: String
    var trace: String
    var capacity: Capacity
    /// The policy as the other implementation names it, with its parameters.
    var theirs: String
    /// The policy as Assay names it: `name:parameter=value,…`.
    var ours: String
    var misses: Int
    var missBytes: Int?
    var evictions: Int?
    var residentObjects: Int?
    var residentWeight: Int?

    var description: String { "\(source) \(trace) \(theirs) @ \(capacity)" }
}

/// The cells of one policy of one source.
struct OracleGroup: Sendable, CustomTestStringConvertible {
    var source: String
    var theirs: String
    var ours: String
    var cells: [OracleCell]
    /// Rows without a result because the reference itself crashed there.
    var crashes: Int

    var testDescription: String { "\(source) \(theirs) = \(ours)" }
}

/// The tables of exact results, read once.
enum OracleTable {
    /// Every group whose policy Assay has.
    static let groups = sharedGroups + bundledGroups
    /// Those of the tables in the shared folder.
    static let sharedGroups: [OracleGroup] =
        SharedFolder.exists ? caffeine() + caffeineWeighted() + libCacheSim() + upstreamTruth() : []
    /// Those of the table that is part of this repository.
    static let bundledGroups: [OracleGroup] = libCacheSimBundled()

    /// The table that is part of this repository.
    static let bundled = "libcachesim-bundled"
    /// The folder with it and with the workloads that only it needs.
    static let bundledFolder = SharedFolder.packageRoot.appending(path: "Tests/oracle")
    /// Its rows, made by `scripts/peers/oracle_cells.py`.
    static let bundledRows = rows(
        of: (try? String(contentsOf: bundledFolder.appending(path: "libcachesim.tsv"), encoding: .utf8)) ?? "",
        separator: "\t")

    /// For each table the policies that no group covers, with their numbers of rows.
    static var unmapped: [String: [String: Int]] {
        func count(_ rows: [[String: String]], _ theirs: ([String: String]) -> String, _ mapped: [String])
            -> [String: Int]
        {
            let names = rows.map(theirs).filter { !mapped.contains($0) }
            return Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        }
        let caffeine = OracleMapping.caffeineAndAdmission.map(\.theirs)
        return [
            "caffeine": count(rows("caffeine.tsv", separator: "\t"), { $0["policy"] ?? "" }, caffeine),
            "caffeine-weighted": count(
                rows("caffeine-weighted-adaptsize.tsv", separator: "\t"), { $0["policy"] ?? "" }, caffeine),
            "libcachesim": count(
                rows("libcachesim.csv", separator: ","), { "\($0["algo"] ?? "") \($0["params"] ?? "")" },
                OracleMapping.libCacheSim.map(\.theirs)),
            "libcachesim-truth": count(
                rows("libcachesim-upstream-truth.csv", separator: ","), { $0["test_name"] ?? "" },
                OracleMapping.upstreamTruth.map(\.theirs)),
            bundled: count(bundledRows, bundledName, OracleMapping.libCacheSim.map(\.theirs)),
        ]
    }

    /// Rows of a table in the shared folder, by column name.
    static func rows(_ name: String, separator: Character) -> [[String: String]] {
        (try? SharedFolder.oracle(name)).map { rows(of: $0, separator: separator) } ?? []
    }

    /// Rows of a table with a header line, by column name. Lines that begin with `#` say what it is.
    private static func rows(of text: String, separator: Character) -> [[String: String]] {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
        guard let names = lines.first else { return [] }
        let header = names.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        return lines.dropFirst().map { line in
            let fields = line.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
            return Dictionary(uniqueKeysWithValues: zip(header, fields))
        }
    }

    private static func group(
        _ source: String, _ mapping: [(theirs: String, ours: String)], _ rows: [[String: String]],
        name: ([String: String]) -> String, cell: ([String: String], OracleCell) -> OracleCell?
    ) -> [OracleGroup] {
        mapping.map { pair in
            let matching = rows.filter { name($0) == pair.theirs }
            let cells = matching.compactMap { row in
                cell(
                    row,
                    OracleCell(
                        source: source, trace: row["trace"] ?? "adaptsize", capacity: .objects(1), theirs: pair.theirs,
                        ours: pair.ours, misses: 0))
            }
            return OracleGroup(
                source: source, theirs: pair.theirs, ours: pair.ours, cells: cells,
                crashes: matching.count - cells.count)
        }
    }

    private static func caffeine() -> [OracleGroup] {
        group(
            "caffeine", OracleMapping.caffeineAndAdmission, rows("caffeine.tsv", separator: "\t"),
            name: { $0["policy"] ?? "" },
            cell: { row, cell in
                var cell = cell
                cell.capacity = .objects(row.integer("capacity"))
                cell.misses = row.integer("misses")
                cell.evictions = row.integer("evictions")
                if cell.ours.hasPrefix("tiny-cache") {
                    cell.capacity = .objects((row.integer("capacity") + 63) / 64 * 64)
                    if cell.ours.contains("window") { cell.evictions = nil }
                }
                return cell
            })
    }

    private static func caffeineWeighted() -> [OracleGroup] {
        group(
            "caffeine-weighted", OracleMapping.caffeineAndAdmission,
            rows("caffeine-weighted-adaptsize.tsv", separator: "\t"),
            name: { $0["policy"] ?? "" },
            cell: { row, cell in
                var cell = cell
                cell.capacity = .bytes(row.integer("capacity_bytes"))
                cell.misses = row.integer("misses")
                cell.evictions = row.integer("evictions")
                return cell
            }
        ).filter { !$0.cells.isEmpty }
    }

    private static func libCacheSim() -> [OracleGroup] {
        group(
            "libcachesim", OracleMapping.libCacheSim, rows("libcachesim.csv", separator: ","),
            name: { "\($0["algo"] ?? "") \($0["params"] ?? "")" },
            cell: { row, cell in
                guard row["error"]?.isEmpty == true else { return nil }
                var cell = cell
                let inBytes = row["ignore_obj_size"] == "0"
                cell.capacity = Capacity(row.integer("cache_size"), inBytes ? .bytes : .objects)
                cell.misses = row.integer("n_miss")
                cell.missBytes = inBytes ? row.integer("miss_byte") : nil
                cell.residentObjects = row.integer("n_obj_end")
                cell.residentWeight = row.integer("occupied_end")
                return cell
            })
    }

    private static func libCacheSimBundled() -> [OracleGroup] {
        group(
            bundled, OracleMapping.libCacheSim, bundledRows, name: bundledName,
            cell: { row, cell in
                guard row["error"]?.isEmpty == true else { return nil }
                var cell = cell
                let inBytes = row["unit"] == "bytes"
                cell.capacity = Capacity(row.integer("capacity"), inBytes ? .bytes : .objects)
                cell.misses = row.integer("misses")
                cell.missBytes = inBytes ? row.integer("missed_bytes") : nil
                cell.residentObjects = row.integer("objects")
                cell.residentWeight = inBytes ? row.integer("weight") : nil
                return cell
            }
        ).filter { !$0.cells.isEmpty }
    }

    /// A policy without parameters is named with a blank behind it in `OracleMapping`.
    static func bundledName(_ row: [String: String]) -> String {
        let name = row["theirs"] ?? ""
        return name.contains(" ") ? name : name + " "
    }

    private static func upstreamTruth() -> [OracleGroup] {
        group(
            "libcachesim-truth", OracleMapping.upstreamTruth, rows("libcachesim-upstream-truth.csv", separator: ","),
            name: { $0["test_name"] ?? "" },
            cell: { row, cell in
                var cell = cell
                cell.capacity = .bytes(row.integer("cache_size"))
                cell.misses = row.integer("miss_cnt")
                cell.missBytes = row.integer("miss_byte")
                return cell
            })
    }
}

extension [String: String] {
    fileprivate func integer(_ name: String) -> Int {
        guard let value = self[name].flatMap({ Int($0) }) else { fatalError("column \(name) is missing in \(self)") }
        return value
    }
}
