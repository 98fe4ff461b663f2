import CacheCore
import CachePolicies
import Foundation
import Testing
import _CacheTestSupport

/// Every policy against the exact results of other implementations, to the request.
@Suite("Policies against the tables of exact results")
struct OracleTests {
    static let isReady = SharedFolder.exists
    /// Everything, meant for an optimised build; otherwise the four largest traces are left out.
    static let runsAllCells = ProcessInfo.processInfo.environment["ASSAY_ALL_CELLS"] == "1"

    @Test(.enabled(if: isReady, "\(SharedFolder.skippedText)"), arguments: OracleTable.groups)
    func `gives the same counts`(_ group: OracleGroup) throws {
        let call = try PolicyCall(group.ours)
        var equal = 0
        let due = group.cells.filter(Self.isDue)
        for cell in due {
            let columns = try OracleTraces.loadTrace(cell.trace)
            let differences = Self.differences(cell, try call.simulate(columns, cell.capacity))
            if differences.isEmpty { equal += 1 }
            #expect(differences.isEmpty, "\(cell): \(differences.joined(separator: ", "))")
        }
        #expect(!group.cells.isEmpty, "the table has no row of \(group.theirs)")
        #expect((OracleMapping.crashes[group.theirs] != nil) == (group.crashes > 0))
        print(
            "oracle \(group.source) | \(group.theirs) = \(group.ours): \(due.count) of \(group.cells.count) cells "
                + "compared, \(equal) equal, \(group.crashes) without a result in the reference")
    }

    /// Every row of every table is compared, crashed in the reference, or is named here as without a counterpart.
    @Test(.enabled(if: isReady, "\(SharedFolder.skippedText)"))
    func `accounts for every row`() {
        for (table, names) in OracleTable.unmapped.sorted(by: { $0.key < $1.key }) {
            let unmapped = names.values.reduce(0, +)
            print("oracle \(table): \(unmapped) rows of policies without a counterpart: \(names.keys.sorted())")
            let groups = OracleTable.groups.filter { $0.source == table }
            let mapped = groups.reduce(0) { $0 + $1.cells.count + $1.crashes }
            let approximate = OracleTable.approximate[table, default: 0]
            #expect(mapped + approximate + unmapped == OracleMapping.rowCounts[table], "\(table)")
        }
        #expect(OracleTable.unmapped.keys.sorted() == OracleMapping.rowCounts.keys.sorted())
        #expect(Set(OracleTable.groups.map(\.source)) == Set(OracleMapping.rowCounts.keys))
    }

    private static func isDue(_ cell: OracleCell) -> Bool {
        runsAllCells || !["gcc", "loop", "oltp", "w106"].contains(cell.trace)
    }

    private static func differences(_ cell: OracleCell, _ counts: ReplayCounts) -> [String] {
        // The reference adds the newcomer before it evicts, and so counts a refusal as an eviction.
        let refusesNewcomers = cell.ours == "belady:bypass=true"
        let pairs: [(String, Int?, Int)] = [
            ("misses", cell.misses, counts.misses),
            ("missed bytes", cell.missBytes, counts.bytesRequested - counts.bytesHit),
            ("evictions", cell.evictions, refusesNewcomers ? counts.misses - counts.residentObjects : counts.evictions),
            ("resident objects", cell.residentObjects, counts.residentObjects),
            ("resident weight", cell.residentWeight, counts.residentWeight),
        ]
        return pairs.compactMap { name, theirs, ours in
            theirs.flatMap { $0 == ours ? nil : "\(name) \(ours) instead of \($0)" }
        }
    }
}
