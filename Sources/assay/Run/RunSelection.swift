import ArgumentParser
import CacheCore
import CacheHarness

/// The options that say which combinations to run.
struct RunSelection: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Traces: paths of files or names of workloads (assay list workloads).", valueName: "path|name"))
    var trace: [String] = []

    @Option(
        help: ArgumentHelp(
            "The format of the traces, with parameters, as csv:key=2,size=3,header (default: by file name).",
            valueName: "format"))
    var format: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Policies, with parameters, as lru,s3fifo:small=0.05; 'all' and 'family/*' select several (default: all).",
            valueName: "policies"))
    var policy: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Capacities: 4096 objects, 64MiB, 5% of the distinct objects, 5%B of the distinct bytes "
                + "(default: 0.5%,1%,2%,5%,10%,20%,40%).", valueName: "capacities"))
    var capacity: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Storage backends for live runs, as dictionary,file,sqlite.", valueName: "backends"))
    var backend: [String] = []

    @Flag(help: "Drive the policies alone; the default without --backend, and beside the live runs with it.")
    var simulate = false

    @Option(
        help: ArgumentHelp("Run the blocks of a suite file, or of a bundled suite by its name.", valueName: "path|name")
    )
    var suite: String?

    @Option(help: ArgumentHelp("The seed of everything random.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Simulations side by side (default: one a processor).", valueName: "number"))
    var jobs: Int?

    @Option(help: ArgumentHelp("The size of values in live runs of traces without sizes.", valueName: "bytes"))
    var valueBytes = 256

    @Option(help: ArgumentHelp("How long each pass of a live run may take.", valueName: "seconds"))
    var deadline: Double = 1800

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
        guard (0...(1 << 30)).contains(valueBytes) else {
            throw ValidationError("--value-bytes must be from 0 to \(1 << 30).")
        }
        guard deadline > 0 else { throw ValidationError("--deadline must be greater than 0.") }
        if suite != nil, !(trace.isEmpty && policy.isEmpty && capacity.isEmpty && backend.isEmpty) {
            throw ValidationError("--suite says itself which traces, policies, capacities and backends to run.")
        }
    }

    /// Whether no option was given that chooses combinations or traces.
    var namesNothing: Bool {
        trace.isEmpty && policy.isEmpty && capacity.isEmpty && backend.isEmpty && suite == nil && format == nil
            && compiledTraces == nil && jobs == nil && !simulate
    }

    /// What each block runs where it does not say.
    static let defaultCapacities = ["0.5%", "1%", "2%", "5%", "10%", "20%", "40%"]
    static let defaultPolicies = ["all"]
    static let defaultSuite = "bundled"
}
