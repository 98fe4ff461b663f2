import ArgumentParser
import AssayCommand
import CacheCore
import CacheTraces
import Foundation

/// `assay-dev measure-machine`: the speed that no replay of a trace passes on this machine, for `scripts/peers-replay`.
struct MeasureMachineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-machine",
        abstract: "Print how many requests a second this machine could replay at most, as JSON.",
        discussion: """
            The loops that are timed stream the ids of the trace and make one read per request at a random place of a \
            table of 4 bytes an object: one announces its reads as far ahead as a replay, in the other each waits for the \
            one before. The fastest of the passes counts.
            """)

    @Option(help: ArgumentHelp("The trace: a path or the name of a workload.", valueName: "path|name"))
    var trace: String

    @Option(help: "The format of the trace, with parameters (default: auto, by content and file name).")
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
        var dependentRequestsPerSecond: Double
    }

    func run() throws {
        let columns = try TraceOpener(compiledTraces: compiledTraces).open(trace, format: format).compiled.columns
        let bound = ReplayRoofline(columns)
        let answer = Answer(
            requests: columns.ids.count, objects: columns.objects.count,
            requestsPerSecond: speed(columns.ids.count) { bound.pass() },
            dependentRequestsPerSecond: speed(columns.ids.count) { bound.dependentPass() })
        Console.print(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
    }

    /// The requests a second of the fastest pass.
    private func speed(_ requests: Int, _ pass: () -> Int) -> Double {
        var shortest = Duration.seconds(Int64.max)
        for _ in 0..<passes {
            var read = 0
            let time = ContinuousClock().measure { read = pass() }
            precondition(read == requests, "each request reads one")
            shortest = min(shortest, time)
        }
        return Double(requests) / max(shortest / .seconds(1), 1e-9)
    }
}
