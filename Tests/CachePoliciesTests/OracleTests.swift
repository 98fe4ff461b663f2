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

    /// Says which rows of the tables belong to policies that Assay does not have, so that nothing is left out in silence.
    @Test(.enabled(if: SharedFolder.exists, "\(SharedFolder.skippedText)"))
    func `names what is not compared`() {
        for (table, names) in OracleTable.unmapped.sorted(by: { $0.key < $1.key }) {
            let rows = names.values.reduce(0, +)
            print("oracle \(table): \(rows) rows of policies without a counterpart: \(names.keys.sorted())")
            #expect(rows > 0)
        }
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
