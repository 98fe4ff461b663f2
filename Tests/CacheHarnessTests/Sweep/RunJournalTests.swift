import CacheCore
import Foundation
import Testing

@testable import CacheHarness

@Suite("RunJournal: nothing finished is lost")
struct RunJournalTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)").path
    private let order = RunJournal.Order(
        commandLine: ["run", "--seed", "3"], workingDirectory: "/", startedAt: "2026-01-01T00:00:00Z",
        traceDigests: ["a"])

    private func cell(_ capacity: Int) -> CellResult {
        var cell = CellResult(
            trace: "t", policy: "lru", parameters: "", capacity: .objects(capacity), capacityRequested: "\(capacity)",
            seed: 1)
        cell.counts = ReplayCounts()
        return cell
    }

    @Test func `what was appended is loaded again, over several sittings`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try RunJournal(directory: directory, order: order).append(0, cell(1))
        try RunJournal(directory: directory, order: order).append(3, cell(2))
        let loaded = try RunJournal.load(directory)
        #expect(loaded.order == order)
        #expect(loaded.done == [0: cell(1), 3: cell(2)])
    }

    @Test func `a line cut short at any byte costs that line alone`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let journal = try RunJournal(directory: directory, order: order)
        try journal.append(0, cell(1))
        let path = URL(filePath: directory + "/cells.jsonl")
        let first = try Data(contentsOf: path).count
        try journal.append(1, cell(2))
        let whole = try Data(contentsOf: path)
        for length in stride(from: first + 1, to: whole.count - 1, by: 7) {
            try whole.prefix(length).write(to: path)
            #expect(try RunJournal.load(directory).done == [0: cell(1)])
            try RunJournal(directory: directory, order: order).append(2, cell(3))
            #expect(try RunJournal.load(directory).done == [0: cell(1), 2: cell(3)])
        }
    }

    @Test func `a journal that was killed while it was made is begun again or gone on with`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        _ = try RunJournal(directory: directory, order: order)
        // Killed after the first of the two files.
        try FileManager.default.removeItem(atPath: directory + "/run.json")
        #expect(!RunJournal.exists(in: directory))
        try RunJournal(directory: directory, order: order).append(0, cell(1))
        #expect(try RunJournal.load(directory).done == [0: cell(1)])
        // As an older Assay left it, which wrote the order first.
        try FileManager.default.removeItem(atPath: directory + "/cells.jsonl")
        #expect(try RunJournal.load(directory).done == [:])
        try RunJournal(directory: directory, order: order).append(1, cell(2))
        #expect(try RunJournal.load(directory).done == [1: cell(2)])
    }

    @Test func `a combination that lacked a resource of the machine is not done`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let journal = try RunJournal(directory: directory, order: order)
        let errors = [
            AssayError(.inputOutput, "no", cause: StoreError(.inputOutput, "cannot open", errno: EMFILE).description),
            AssayError(.inputOutput, "no", cause: String(cString: strerror(ENOSPC))),
            AssayError(.inputOutput, "no", cause: "something else"),
        ]
        for (index, error) in errors.enumerated() {
            var cell = cell(index + 1)
            cell.failure = CellFailure(error)
            try journal.append(index, cell)
        }
        #expect(try RunJournal.load(directory).done.keys.sorted() == [2])
    }

    @Test func `an ended journal is gone, and loading it says so`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let journal = try RunJournal(directory: directory, order: order)
        #expect(RunJournal.exists(in: directory))
        journal.remove()
        #expect(!RunJournal.exists(in: directory))
        let error = #expect(throws: AssayError.self) { try RunJournal.load(directory) }
        #expect(error?.code == .badInput)
    }

    @Test func `a place that cannot be written is refused at the start`() {
        let error = #expect(throws: AssayError.self) { try RunJournal(directory: "/proc/none", order: order) }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("--out") == true)
    }
}
