public import ArgumentParser
import CacheCore
import CacheHarness
public import CacheTraces
import Foundation

/// The options that say how traces are read: by every command that reads one.
struct TraceReadingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The format of the traces, with parameters, as csv:key=2,size=3,header (default: auto, by content and file name).",
            valueName: "format"), completion: .formats)
    var format: String?

    @Option(
        help: ArgumentHelp(
            "What becomes of malformed rows: stop at the first, or skip up to N of them and say how many and why.",
            valueName: "stop|skip:N"))
    var badRows: BadRows = .stop

    @Flag(
        help: ArgumentHelp(
            "Read all files as one trace, in the order in which they are given. Each has a format of its own unless --format "
                + "names one."))
    var join = false

    @Option(
        help: ArgumentHelp(
            "Where compiled traces are kept, for this user alone (default: the user's cache directory, or without a home "
                + "one among the temporary files).", valueName: "dir"))
    var compiledTraces: String?

    /// An opener that reads so.
    func opener(isQuiet: Bool = false) -> TraceOpener {
        TraceOpener(compiledTraces: compiledTraces, badRows: badRows, isQuiet: isQuiet)
    }

    /// Every name and file that words name: a word that is a file is one, whatever commas and stars it has; others are separated at
    /// their commas, and patterns stand for the files that they match, sorted by name.
    ///
    /// - Throws: `AssayError` with code `usage` for a pattern that matches no file.
    static func names(_ words: [String]) throws(AssayError) -> [String] {
        var names: [String] = []
        for word in words {
            let isFile = FileManager.default.fileExists(atPath: word)
            let parts = word.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                !$0.isEmpty
            }
            for part in isFile || parts.isEmpty ? [word] : parts {
                let isPattern = part.contains { "*?[".contains($0) } && !FileManager.default.fileExists(atPath: part)
                names += isPattern ? try FilePattern.matches(part) : [part]
            }
        }
        return names
    }

    /// What is opened as one trace each.
    func traces(_ names: [String]) -> [[String]] {
        join && !names.isEmpty ? [names] : names.map { [$0] }
    }
}

/// The options that say which traces to read and how.
struct TraceSelection: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Traces, separated by spaces or commas: paths of files, patterns in quotes ('logs/*.csv'), - for standard input, or "
                + "names of workloads (assay list workloads). A tar archive is one trace. A file may grow a hundredfold while it is "
                + "read; the environment variable ASSAY_MAX_EXPANSION says another factor.",
            valueName: "path|name"))
    var trace: [String] = []

    @OptionGroup var reading: TraceReadingOptions

    var format: String? { reading.format }
    var compiledTraces: String? { reading.compiledTraces }

    /// Every trace that is named.
    func names() throws(AssayError) -> [String] { try TraceReadingOptions.names(trace) }

    /// Opens the traces for a sweep.
    func open(isQuiet: Bool) throws(AssayError) -> [SweepTrace] {
        try reading.opener(isQuiet: isQuiet).sweepTraces(reading.traces(names()), format: format)
    }
}

/// The one trace of a command and the options that say how to read it.
struct TraceArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The path of a trace, the name of a workload, or - for standard input. Several paths, or a pattern in quotes, are one "
                + "trace with --join.", valueName: "path|name"))
    var trace: [String]

    @OptionGroup var reading: TraceReadingOptions

    /// Opens the trace.
    func open(isQuiet: Bool = false) throws(AssayError) -> TraceOpener.Opened {
        try reading.openOne(trace, isQuiet: isQuiet)
    }
}

extension TraceReadingOptions {
    /// Opens what the words name as one trace.
    ///
    /// - Throws: `AssayError` with code `usage` if they name several and are not to be joined.
    func openOne(_ words: [String], isQuiet: Bool = false) throws(AssayError) -> TraceOpener.Opened {
        let names = try Self.names(words)
        let traces = traces(names)
        guard traces.count == 1 else { throw Self.severalTraces(traces.count, names.first ?? "trace") }
        return try opener(isQuiet: isQuiet).open(parts: traces[0], format: format)
    }
}

extension TraceReadingOptions {
    /// The error of a command that reads one trace and was given several.
    static func severalTraces(_ count: Int, _ place: String) -> AssayError {
        AssayError(
            .usage,
            "This command reads one trace, and \(count) are named. Name one, or add --join to read the files as one.",
            at: AssayError.Location(place))
    }
}

extension BadRows: ExpressibleByArgument {
    /// Reads `stop` or `skip:N`; nil for any other text.
    public init?(argument: String) {
        guard let badRows = try? BadRows(parsing: argument) else { return nil }
        self = badRows
    }

    /// The text that is read as this.
    public var defaultValueDescription: String { description }
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
