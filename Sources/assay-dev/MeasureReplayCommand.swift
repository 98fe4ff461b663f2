import ArgumentParser
import AssayCommand
import CacheCore
import CacheHarness
import CacheTraces

/// `assay-dev measure-replay`: replays and nothing else, on the main thread, for `scripts/count-instructions`.
///
/// `assay run` would need threads, on which valgrind fails, and reports, whose cost would have to be told apart.
struct MeasureReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-replay",
        abstract: "Replay a trace through one policy and print the hits.")

    @Option(help: ArgumentHelp("The trace: a path or the name of a workload.", valueName: "path|name"))
    var trace: String

    @Option(help: ArgumentHelp("The policy, with parameters.", valueName: "policy"))
    var policy: String

    @Option(help: ArgumentHelp("The capacity in objects.", valueName: "number"))
    var capacity: Int

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    @OptionGroup var plugins: PluginSelection

    func validate() throws {
        guard (1...Capacity.largestAmount).contains(capacity) else {
            throw ValidationError("--capacity must be from 1 to \(Capacity.largestAmount).")
        }
    }

    func run() throws {
        let compiled = try TraceOpener(compiledTraces: compiledTraces).open(trace, format: nil).compiled
        let selection = try Selection.policies([policy])[0]
        let columns = selection.entry.needsFuture ? try compiled.columnsWithFuture() : compiled.columns
        let configuration = PolicyConfiguration(
            capacity: .objects(capacity), objects: columns.objects, parameters: selection.parameters,
            keys: columns.keys)
        Console.print("\(try selection.entry.simulate(columns, configuration)?.hits ?? 0)")
    }
}
