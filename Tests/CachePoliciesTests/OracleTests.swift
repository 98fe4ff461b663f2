import CacheCore
import CachePolicies
import Foundation
import Testing
import _CacheTestSupport

/// Every policy against the exact results of other implementations, to the request.
@Suite("Policies against the tables of exact results")
struct OracleTests {
    static let isReady = SharedFolder.exists && OracleTraces.folder != nil
    /// Everything in an optimised run; otherwise the largest trace and most of the second largest are left out.
    static let runsAllCells = ProcessInfo.processInfo.environment["ASSAY_ALL_CELLS"] == "1"

    @Test(.enabled(if: isReady, "\(SharedFolder.skippedText)"), arguments: OracleTable.groups)
    func `gives the same counts`(_ group: OracleGroup) throws {
        let call = try PolicyCall(group.ours)
        var equal = 0
        let due = group.cells.filter(Self.isDue)
        for cell in due {
            let columns = try OracleTraces.loadTrace(cell.trace)
            let differences = Self.differences(cell, try call.simulate(columns, cell.capacity))
            let reason = OracleDeviations.reason(cell)
            if differences.isEmpty { equal += 1 }
            #expect(differences.isEmpty != (reason != nil), "\(cell): \(differences.joined(separator: ", "))")
        }
        #expect(!group.cells.isEmpty, "the table has no row of \(group.theirs)")
        print(
            "oracle \(group.source) | \(group.theirs) = \(group.ours): \(due.count) of \(group.cells.count) cells "
                + "compared, \(equal) equal, \(group.crashes) without a result in the reference")
    }

    private static func isDue(_ cell: OracleCell) -> Bool {
        runsAllCells || cell.trace != "w106" && (cell.trace != "oltp" || cell.capacity.amount == 1000)
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
