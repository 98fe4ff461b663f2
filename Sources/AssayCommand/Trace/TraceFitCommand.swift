import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import CacheTraces
import CacheWorkloads
import Foundation

/// `assay trace fit`: a synthetic workload that behaves like a trace, and how well.
struct TraceFitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit",
        abstract: "Fit a synthetic workload to a trace, and hold its hit ratio curve against the trace's.",
        discussion: """
            The workload file is what to share instead of the trace: it has histograms and shares, and no key of the trace and \
            no order of its keys. It is read, generated, and replayed by LRU beside the trace, at the same capacities; the \
            difference is in the table, in curve.csv and in curve.html.

            KEPT  how often requests have each LRU stack distance, in up to some 400 classes; how many objects are asked for \
            how often; sizes and times to live by object; shares of writes and deletes; requests a second on average; tenants, \
            each by itself under another name
            LOST  which object is asked for when; how sizes and times to live go with popularity; phases, such as nights; costs; \
            sizes of one object that change

            MODELS
              reuse  histograms of distances and of popularity: LRU's curve is that of the trace within about half a point
              zipf   one exponent, and independent requests: a file of ten lines, right only for traces that are like that

            EXAMPLES
              assay trace fit access.log --workload shop.yaml
              assay run --trace shop.yaml --policy lru,s3fifo
              assay trace fit mine.csv --format csv:key=2,size=3 --model zipf --workload mine.yaml --out fit
            """)

    @Argument(help: TraceReadingOptions.argument)
    var trace: String

    @Option(
        help: ArgumentHelp(
            "The workload file to write, which ends in .yaml (default: NAME-fit.yaml).", valueName: "file"))
    var workload: String?

    @Option(
        help: ArgumentHelp("What is fitted: reuse or zipf (default: reuse).", valueName: "model"), transform: Self.model
    )
    var model: TraceFit.Model = .reuse

    @Option(help: ArgumentHelp("The number of capacities that are compared (default: 40).", valueName: "number"))
    var points = 40

    @Flag(help: "Compare capacities in bytes rather than objects.")
    var bytes = false

    @Option(help: ArgumentHelp("The directory for the reports (default: Reports/<date>-<time>).", valueName: "dir"))
    var out: String?

    @Flag(help: "Replace the workload file, and results of other traces that are in --out.")
    var force = false

    @Flag(help: "No progress line, no table; only the figures of the fit and the paths.")
    var quiet = false

    @OptionGroup var simulation: SimulationOptions

    @OptionGroup var reading: TraceReadingOptions

    func validate() throws {
        guard (1...100_000).contains(points) else { throw ValidationError("--points must be from 1 to 100000.") }
    }

    private static func model(_ text: String) throws -> TraceFit.Model {
        if let model = TraceFit.Model(rawValue: text) { return model }
        let known = TraceFit.Model.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(text)' is not a model; choose from \(known).")
    }

    func run() async throws {
        let started = Date()
        let opener = reading.opener(isQuiet: quiet)
        let names = reading.traces(try TraceReadingOptions.names([trace]))
        guard names.count == 1 else { throw TraceReadingOptions.severalTraces(names.count, trace) }
        let original = try opener.sweepTraces(names, format: reading.format)[0]
        if bytes { try original.requireSizes(for: "--bytes") }
        let path = workload ?? "\(original.description.name)-fit.yaml"
        let directory = try ReportDirectory(out)
        try directory.keepEarlier(CurveResults.kind.json, of: [original.description.digest], force: force)
        let fit = TraceFit(model) { (columns) throws(AssayError) in try FitComparison.distanceCounts(columns) }
        let made = Workload(
            name: URL(filePath: path).deletingPathExtension().lastPathComponent,
            description: "A synthetic workload that was fitted to a trace. No key of the trace is in it.",
            origin: "assay trace fit", licence: "that of the trace's owner",
            specification: try fit.specification(of: original.columns, seed: simulation.seed))
        try WorkloadOutput.write(made, to: path, replaces: force)
        let fitted = try opener.sweepTraces([[URL(filePath: path).path]], format: nil)[0]
        let comparison = try await FitComparison(
            original, fitted, points: points, unit: bytes ? .bytes : .objects, simulation)
        try report(comparison, path, directory, started)
    }

    private func report(
        _ comparison: FitComparison, _ path: String, _ directory: ReportDirectory, _ started: Date
    ) throws {
        let results = CurveResults(
            assayVersion: AssayVersion.text, startedAt: started.ISO8601Format(),
            durationSeconds: Date().timeIntervalSince(started),
            commandLine: Assay.arguments, seed: simulation.seed, status: .complete,
            environment: EnvironmentProbe.describe(memoryAllocator: "not measured: no live runs"),
            traces: [comparison.description], curves: comparison.curves, policies: comparison.policies)
        let paths = try ReportFiles.write(results, to: directory.path)
        if !quiet {
            Console.print(try results.document())
        }
        Console.print(comparison.sentences(path).joined(separator: "\n"))
        Console.print(([path] + paths).joined(separator: "\n"))
    }
}
