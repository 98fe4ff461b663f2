import ArgumentParser
import AssayCommand
import CacheCore
import CacheHarness
import CacheTraces
import Foundation

/// `assay-dev measure-peer`: one pass of one cache of this process, for `scripts/peers-live`.
struct MeasurePeerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-peer",
        abstract:
            "Put one cache of this process under a load, or make diskcache's benchmark, and print figures as JSON.")

    @Option(
        help: ArgumentHelp(
            "The cache: \(PeerRun.Subject.allCases.map(\.rawValue).joined(separator: ", ")), or a backend with "
                + "--operations.", valueName: "cache"))
    var subject: String

    @Option(
        help: ArgumentHelp(
            "What is done: \(PeerRun.Pass.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "pass"))
    var pass = "replay"

    @Option(help: ArgumentHelp("The trace: a path or the name of a workload.", valueName: "path|name"))
    var trace = "zipf-1.0"

    @Option(help: ArgumentHelp("The policy of the engine's cache.", valueName: "policy"))
    var policy = "lru"

    @Option(help: ArgumentHelp("The entries that there is room for.", valueName: "number"))
    var capacity = 10_000

    @Option(help: ArgumentHelp("The length of a value.", valueName: "bytes"))
    var valueBytes = 256

    @Option(help: ArgumentHelp("Requests of the pass, after a warm-up of one trace.", valueName: "number"))
    var requests = 1_000_000

    @Option(help: ArgumentHelp("Threads.", valueName: "number"))
    var threads = 1

    @Option(help: ArgumentHelp("A file of operations of diskcache's benchmark.", valueName: "path"))
    var operations: String?

    @Option(help: ArgumentHelp("The directory of the store.", valueName: "dir"))
    var directory: String?

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func validate() throws {
        guard capacity > 0, requests > 0, valueBytes > 0, (1...64).contains(threads) else {
            throw ValidationError("Give numbers of at least 1, and at most 64 threads.")
        }
        if (operations == nil) != (directory == nil) {
            throw ValidationError("--operations and --directory go together.")
        }
    }

    func run() throws {
        let selection = try Selection.policies([policy])[0]
        if let operations, let directory {
            let backend = try Selection.backends([subject])[0]
            let run = try PeerStoreRun(
                policy: selection.entry, backend: backend.entry, parameters: backend.parameters, directory: directory,
                operations: operations)
            return try print(run.run())
        }
        guard let cache = PeerRun.Subject(rawValue: subject), let pass = PeerRun.Pass(rawValue: pass) else {
            throw ValidationError("'\(subject)' or '\(pass)' is unknown; see --help.")
        }
        let columns = try TraceOpener(compiledTraces: compiledTraces, isQuiet: true).open(trace, format: nil).compiled
            .columns
        let run = PeerRun(
            cache, policy: selection.entry, columns: columns, capacity: capacity, valueBytes: valueBytes,
            threads: threads)
        try print(run.run(pass, requests: requests))
    }

    private func print(_ figures: some Encodable) throws {
        Console.print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
    }
}
