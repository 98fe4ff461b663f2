import ArgumentParser
import CacheCore
import CacheTraces
import Foundation

/// `assay measure-machine`: the speed that no replay of a trace passes on this machine, for `scripts/peers-replay`.
struct MeasureMachineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-machine",
        abstract: "Print how many requests a second this machine could replay at most, as JSON.",
        discussion: """
            The loop that is timed streams the ids of the trace and makes one read per request at a random place of a \
            table of 4 bytes an object, announced as far ahead as in a replay. The fastest of the passes counts.
            """,
        shouldDisplay: false)

    @Option(help: ArgumentHelp("The trace: a path or the name of a workload.", valueName: "path|name"))
    var trace: String

    @Option(help: "The format of the trace, with parameters (default: by file name).")
    var format: String?

    @Option(help: ArgumentHelp("How often the loop runs.", valueName: "number"))
    var passes = 9

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func validate() throws {
        if passes < 1 { throw ValidationError("--passes must be at least 1.") }
    }

    private struct Answer: Encodable {
        var requests: Int
        var objects: Int
        var requestsPerSecond: Double
    }

    func run() throws {
        let columns = try TraceOpener(compiledTraces: compiledTraces).open(trace, format: format).compiled.columns
        let bound = MachineBound(columns)
        var shortest = Duration.seconds(Int64.max)
        for _ in 0..<passes {
            var read = 0
            let time = ContinuousClock().measure { read = bound.pass() }
            precondition(read == columns.ids.count, "each request reads one")
            shortest = min(shortest, time)
        }
        let answer = Answer(
            requests: columns.ids.count, objects: columns.objects.count,
            requestsPerSecond: Double(columns.ids.count) / max(shortest / .seconds(1), 1e-9))
        Console.print(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
    }
}
