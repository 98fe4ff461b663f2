import ArgumentParser
import AssayCommand
import CacheConformance
import CacheCore
import Foundation

/// `assay-dev measure-history`: how long the history checker takes on a made-up history.
struct MeasureHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-history",
        abstract:
            "Make up a linearizable history, write it as JSON lines in memory, read it, check it, print the times.")

    @Option(help: ArgumentHelp("How many operations.", valueName: "number"))
    var operations = 1_000_000

    @Option(help: ArgumentHelp("How many keys.", valueName: "number"))
    var keys = 1_000

    @Option(help: ArgumentHelp("How many clients.", valueName: "number"))
    var clients = 8

    @Option(help: "The seed.")
    var seed: UInt64 = 1

    @Flag(help: "Ask compare-and-set too, with few different values, so that every key is searched.")
    var compound = false

    func validate() throws {
        guard operations > 0, keys > 0, clients > 0, operations <= 100_000_000 else {
            throw ValidationError("Give numbers of at least 1, and at most 100000000 operations.")
        }
    }

    func run() throws {
        var sampler = HistorySampler()
        sampler.keys = keys
        sampler.clients = clients
        sampler.kinds = compound ? [.get, .get, .put, .compareAndSet, .remove] : [.get, .get, .get, .put]
        sampler.values = compound ? 5 : nil
        let text = Array(sampler.history(operations: operations, seed: seed).jsonLines.utf8)
        let start = ContinuousClock.now
        let history = try History(text, source: "memory")
        let read = ContinuousClock.now
        let report = try HistoryChecker(limitSeconds: 600).check(history)
        let end = ContinuousClock.now
        Console.print(
            "\(report.operations) operations, \(report.keys) keys, \(report.keysByZones) by zones, "
                + "\(report.configurations) configurations: \(report.verdict.name)\n"
                + "read in \(read - start), checked in \(end - read)")
    }
}
