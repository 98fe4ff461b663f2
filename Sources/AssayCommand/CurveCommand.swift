import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// `assay curve`: hit ratio against capacity, exact where one pass or replays can tell, estimated from samples elsewhere.
struct CurveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curve",
        abstract: "Draw hit ratio curves over all capacities, exactly or from samples, as CSV, JSON and HTML.",
        discussion: """
            For LRU one pass over the trace gives the exact hits at every capacity, in the time of a few replays; in \
            objects also for MRU, LIFO, size, belady with and without bypass, and lfu:history=perfect. Other policies are \
            replayed at each point, which is exact too, or simulated in miniature on a sample of the objects; SHARDS \
            estimates LRU from a sample. Both take what a sample has more or less \
            than its share of the requests for requests of the hottest objects (SHARDS-adj), which lowers the error \
            where popularity is skewed but is most of it where popularity is even. Every point says how it was found, \
            and --measure-error holds each estimate against the exact figure.

            A trace that states writes or deletes is replayed, exactly or in miniature, for passes and SHARDS know reads \
            alone.

            METHODS
              auto       one pass where the policy allows it; replays while requests times points stay below 200 \
            million; miniature simulations otherwise
              exact      one pass where the policy allows it, replays otherwise
              shards     LRU from a sample: of fixed size (--samples) or at a fixed rate (--rate)
              miniature  every policy from a sample, whose rate --rate gives or --samples over the trace's objects; points \
            whose miniature would hold fewer than 100 objects are replayed whole, or left out where that takes long

            EXAMPLES
              assay curve --trace build-files --policy lru,s3fifo,arc
              assay curve --trace zipf-20m --policy lru --capacity 1%,10%,50% --method exact
              assay curve --trace zipf-20m --policy lru,sieve --method miniature --rate 0.01 --measure-error
              assay curve --trace mine.csv --format csv:key=2,size=3,header --policy lru --bytes
            """)

    @OptionGroup var traces: TraceSelection

    @OptionGroup var plugins: PluginSelection

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Policies, with parameters, as lru,s3fifo:small=0.05; 'all' and 'family/*' select several (default: lru).",
            valueName: "policies"), completion: .policies)
    var policy: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "The points: 4096 objects, 64MiB, 5% of the distinct objects, 5%B of the distinct bytes.",
            valueName: "capacities"))
    var capacity: [String] = []

    @Option(
        help: ArgumentHelp(
            "That many points at equal factors from 0.01 % of the footprint to all of it (default: 40).",
            valueName: "number"))
    var points: Int?

    @Flag(help: "Let --points count bytes rather than objects.")
    var bytes = false

    @Option(
        help: ArgumentHelp(
            "How points are found: auto, exact, shards or miniature (default: auto).", valueName: "method"),
        transform: Self.method)
    var method: CurveOrder.Method = .auto

    @Option(
        help: ArgumentHelp("The share of the objects that estimates follow, as 1% or 0.01.", valueName: "share"),
        transform: Selection.share)
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "The number of objects that estimates follow (default: 8192, where --rate is not given).",
            valueName: "number"))
    var samples: Int?

    @Flag(help: "Find the exact figures beside the estimates and say how far these are off.")
    var measureError = false

    @OptionGroup var simulation: SimulationOptions

    @OptionGroup var rule: RuleSelection

    @OptionGroup var warming: WarmUpSelection

    @Option(help: ArgumentHelp("The directory for the reports (default: Reports/<date>-<time>).", valueName: "dir"))
    var out: String?

    @Flag(help: "Replace results of other traces that are in --out.")
    var force = false

    @Flag(help: "No progress line, no table; only the paths of the reports.")
    var quiet = false

    func validate() throws {
        guard !traces.trace.isEmpty else { throw ValidationError("Say which traces: --trace PATH or NAME.") }
        if let points, !(1...100_000).contains(points) {
            throw ValidationError("--points must be from 1 to 100000.")
        }
        guard capacity.isEmpty || (points == nil && !bytes) else {
            throw ValidationError(
                "--capacity says itself which points and what they count; leave --points and --bytes out.")
        }
        if let rate, rate == 0 { throw ValidationError("--rate must be above 0.") }
        if let samples, samples < 1 { throw ValidationError("--samples must be at least 1.") }
        guard rate == nil || samples == nil else {
            throw ValidationError("--rate and --samples both say how large the sample is; give one.")
        }
        guard method != .exact || (rate == nil && samples == nil && !measureError) else {
            throw ValidationError("--method exact takes no sample: leave --rate, --samples and --measure-error out.")
        }
    }

    func run() async throws {
        let started = Date()
        let monitor = ReplayMonitor()
        let interrupt = Interrupt(monitor)
        defer { withExtendedLifetime(interrupt) {} }
        let order = try order()
        let directory = try ReportDirectory(out)
        let opened = try openTraces(order)
        try directory.keepEarlier(CurveResults.kind.json, of: opened.map(\.description.digest), force: force)
        let run = try CurveRun(
            order, traces: opened, workers: simulation.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            monitor: monitor)
        let progress = ProgressLine(
            totalCells: run.plannedReplays, totalRequests: run.plannedRequests, monitor: monitor,
            isEnabled: !quiet)
        let curves = await run.run(onStart: progress.start, onReplay: progress.finish)
        progress.end()
        if rate != nil || samples != nil || measureError, !curves.isEmpty, curves.allSatisfy(\.method.isExact) {
            Console.error(
                "assay: every curve was found exactly, so that no sample was taken; --method shards or miniature takes one"
            )
        }
        var seen: Set<String> = []
        var results = CurveResults(
            assayVersion: AssayVersion.text, startedAt: started.ISO8601Format(),
            durationSeconds: Date().timeIntervalSince(started),
            commandLine: Assay.arguments, seed: simulation.seed,
            status: monitor.isStopping ? .interrupted : .complete,
            environment: EnvironmentProbe.describe(memoryAllocator: "not measured: no live runs"),
            traces: opened.map(\.description), curves: curves,
            policies: order.policies.map(\.entry.descriptor).filter { seen.insert($0.name).inserted }
                .map(PolicyDescription.init))
        results.rules = order.rules == ReplayRules() ? nil : order.rules
        try finish(results, directory)
    }

    private static func method(_ text: String) throws -> CurveOrder.Method {
        if let method = CurveOrder.Method(rawValue: text) { return method }
        let known = CurveOrder.Method.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(text)' is not a method; choose from \(known).")
    }

    private func order() throws(AssayError) -> CurveOrder {
        var order = CurveOrder(
            policies: try Selection.policies(policy.isEmpty ? ["lru"] : policy),
            capacities: capacity.isEmpty ? [] : try Selection.capacities(capacity), pointCount: points ?? 40,
            pointUnit: bytes ? .bytes : .objects, method: method,
            extent: rate.map(SampleExtent.rate) ?? .objects(samples ?? 8192), measuresError: measureError,
            seed: simulation.seed)
        order.rules = rule.rules
        order.measures = try warming.request()
        return order
    }

    private func openTraces(_ order: CurveOrder) throws(AssayError) -> [SweepTrace] {
        let opened = try traces.open(isQuiet: quiet)
        let inBytes = bytes ? "--bytes" : order.capacities.first { $0.unit == .bytes }?.description
        if let inBytes {
            for trace in opened { try trace.requireSizes(for: inBytes) }
        }
        for trace in opened { try trace.requireWrites(for: order.rules) }
        return opened
    }

    private func finish(_ results: CurveResults, _ directory: ReportDirectory) throws {
        let paths = Result { () throws(AssayError) in
            try ReportFiles.write(results, to: directory.path)
        }
        if !quiet {
            Console.print(try results.document())
        }
        Console.printReports(try paths.get())
        if results.status == .interrupted { throw ExitCode(130) }
        let failures = results.curves.compactMap(\.failure)
        guard let failure = failures.first(where: { $0.kind != .notApplicable }) else { return }
        throw AssayError(.verdict, "not every curve could be found: \(failure.message)")
    }
}
