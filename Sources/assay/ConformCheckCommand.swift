import ArgumentParser
import CacheConformance
import CacheCore
import CacheHarness
import Foundation

/// `assay conform-check`: one check of one backend, for `assay conform`, which starts it as a child process.
struct ConformCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform-check",
        abstract: "Run one conformance check of one backend; the order is read from standard input.",
        shouldDisplay: false)

    func run() throws {
        let order: CheckOrder
        do {
            order = try JSONDecoder().decode(CheckOrder.self, from: Data((readLine() ?? "").utf8))
        } catch {
            throw AssayError(.usage, "this command is started by 'assay conform' alone", cause: "\(error)")
        }
        ParentWatch.endWithParent(removing: order.directory)
        guard let check = ConformanceSuite.cache.check(order.check),
            let backend = try Selection.backends([order.backend]).first
        else { throw AssayError(.usage, "the order names no check or no backend") }
        let store = StorageSubject(backend.entry, parameters: backend.parameters)
        let subject: any CacheSubject = order.claims.map { ClaimedSubject(store, claims: $0) } ?? store
        let answer = check.answer(of: subject, seed: order.seed)
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(answer))
    }
}
