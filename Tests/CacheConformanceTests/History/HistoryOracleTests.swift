import CacheConformance
import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@Suite(
    "Recorded histories get the verdicts of porcupine", .enabled(if: SharedFolder.exists, "\(SharedFolder.skippedText)")
)
struct HistoryOracleTests {
    /// A file with the verdict that another checker gave it.
    struct Recorded: Sendable, CustomTestStringConvertible {
        var file: String
        var isLinearizable: Bool
        var testDescription: String { file }
    }

    static let recorded: [Recorded] = {
        guard SharedFolder.exists, let table = try? SharedFolder.oracle("histories/verdicts.tsv") else { return [] }
        return table.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t")
            return Recorded(file: String(fields[0]), isLinearizable: fields[2] == "true")
        }
    }()

    static func history(_ file: String) throws -> History {
        try History(Array(SharedFolder.oracle("histories/\(file)").utf8), source: file)
    }

    @Test func `the table is read`() { #expect(Self.recorded.count >= 56) }

    @Test(arguments: recorded)
    func `the verdict is the same`(_ recorded: Recorded) throws {
        let report = try HistoryChecker().check(Self.history(recorded.file))
        #expect(report.operations > 20)
        #expect(report.verdict.name == (recorded.isLinearizable ? "linearizable" : "not linearizable"))
        guard case .notLinearizable(let violation) = report.verdict else { return }
        #expect(violation.witness.count > 1 && violation.witness.count < report.operations)
    }

    /// The checker must look at what it reads: wrong answers put into good logs are found.
    @Test(arguments: recorded.filter(\.isLinearizable))
    func `a value from nowhere is found in each`(_ recorded: Recorded) throws {
        var history = try Self.history(recorded.file)
        let reads = history.operations.indices.filter {
            history.operations[$0].kind == .get && !history.operations[$0].isPending
        }
        try #require(!reads.isEmpty)
        history.operations[reads[reads.count / 2]].result = history.valueNames.number(of: "from nowhere")
        #expect(try HistoryChecker().check(history).verdict.name == "not linearizable")
    }

    @Test(arguments: recorded)
    func `the same history in Assay's own form gets the same verdict`(_ recorded: Recorded) throws {
        let history = try Self.history(recorded.file)
        let copy = try History(Array(history.jsonLines.utf8), source: "copy")
        #expect(copy.operations.count == history.operations.count)
        let isLinearizable = try HistoryChecker().check(copy).verdict == .linearizable
        #expect(isLinearizable == recorded.isLinearizable)
    }
}
