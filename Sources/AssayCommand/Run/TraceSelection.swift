import ArgumentParser
import Foundation

/// The options that say which traces to read and how.
struct TraceSelection: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Traces, separated by spaces or commas: paths of files or names of workloads (assay list workloads). A file may grow "
                + "a hundredfold while it is read; the environment variable ASSAY_MAX_EXPANSION says another factor.",
            valueName: "path|name"))
    var trace: [String] = []

    @Option(
        help: ArgumentHelp(
            "The format of the traces, with parameters, as csv:key=2,size=3,header (default: auto, by content and file name).",
            valueName: "format"), completion: .formats)
    var format: String?

    @Option(
        help: ArgumentHelp(
            "Where compiled traces are kept, for this user alone (default: the user's cache directory, or without a home "
                + "one among the temporary files).", valueName: "dir"))
    var compiledTraces: String?

    /// Every trace that is named: a word that is a file is one, whatever commas it has; others are separated at their commas.
    var names: [String] {
        trace.flatMap { word -> [String] in
            guard word.contains(","), !FileManager.default.fileExists(atPath: word) else { return [word] }
            let parts = word.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                !$0.isEmpty
            }
            return parts.isEmpty ? [word] : parts
        }
    }
}

/// The options of everything that simulates.
struct SimulationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The seed of everything random.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Simulations side by side (default: one a processor).", valueName: "number"))
    var jobs: Int?

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
    }
}
