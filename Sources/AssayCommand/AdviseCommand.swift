import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// `assay advise`: the smallest capacity and the policy that reach a hit ratio, or the policy that does best in a budget.
struct AdviseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Say which policy and capacity reach a hit ratio, or do best within a budget, and how sure that is.",
        discussion: """
            Replays each trace through the policies until the answer stands, confirms it by an exact replay, and says how \
            each capacity was found: by one pass over all capacities, by replaying every smaller one, or by bisection, \
            which a policy whose hits do not always grow with the capacity may mislead. Beside the choice stand the \
            runners-up, how far the choice can be trusted (20 windows and the halves of the trace, other seeds), what no \
            policy can beat, and what more capacity would buy.

            Capacities count objects unless --bytes or a budget in bytes says otherwise. For a trace without sizes, \
            --object-size says what an object takes. Ratios count every request, the first ones too; where the trace \
            states writes, --count says which.

            The status is 2 if the target is out of reach or nothing hits, 0 if there is a choice.

            EXAMPLES
              assay advise --trace build-files --target-hit-ratio 0.9
              assay advise --trace sqlite-pages --budget 2MiB --object-size 4KiB --policy-memory
              assay advise --trace mine.csv --format csv:key=2,size=3 --budget 64MiB --byte-hit-ratio --out Reports/advice
              assay advise --trace zipf-0.8-sizes --target-hit-ratio 0.8 --bytes --policy all --admission always,tinylfu
            """)

    @OptionGroup var traces: TraceSelection

    @OptionGroup var plugins: PluginSelection

    @Option(
        help: ArgumentHelp("Find the least capacity with at least this hit ratio, as 90% or 0.9.", valueName: "ratio"),
        transform: Selection.share)
    var targetHitRatio: Double?

    @Option(
        help: ArgumentHelp(
            "Find the best policy for at most this: 4096 objects, 2GiB, 5% of the objects, 5%B of the bytes.",
            valueName: "capacity"),
        transform: { text in try located("--budget") { () throws(AssayError) in try CapacityRequest(parsing: text) } })
    var budget: CapacityRequest?

    @Flag(help: "Judge by bytes hit over bytes requested rather than by hits over requests.")
    var byteHitRatio = false

    @Flag(help: "Let the capacity for --target-hit-ratio count bytes rather than objects.")
    var bytes = false

    @Option(
        help: ArgumentHelp(
            "What every object takes, as 4096 or 4KiB, so that a budget in bytes holds that many objects.",
            valueName: "bytes"),
        transform: Self.size)
    var objectSize: Int?

    @Flag(
        help: """
            Count a policy's own bookkeeping against the budget: what 'assay list policies' states an object, for as many as fit \
            and for their ghosts.
            """)
    var policyMemory = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Policies to choose from, as lru,s3fifo:small=0.05; 'all' and 'family/*' select several (default: "
                + "\(Self.defaultPolicies.joined(separator: ","))).", valueName: "policies"), completion: .policies)
    var policy: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Admission policies before each policy, as always,tinylfu (default: always).", valueName: "admissions"),
        completion: .admissions)
    var admission: [String] = []

    @Flag(
        help:
            "Replay every capacity that could be smaller, however long that takes, where there are at most 1048576 of them."
    )
    var exhaustive = false

    @OptionGroup var simulation: SimulationOptions

    @OptionGroup var rule: RuleSelection

    @Option(
        help: ArgumentHelp(
            "Write advice.json, advice.csv and advice.html there (default: print the answer only).", valueName: "dir"))
    var out: String?

    @Flag(help: "Print the answer as JSON, and nothing else on standard output.")
    var json = false

    @Flag(help: "Replace results of other traces that are in --out.")
    var force = false

    @Flag(help: "No progress line, no table; only the paths of the reports.")
    var quiet = false

    /// Policies that are in use or that recent work recommends, one of each kind.
    static let defaultPolicies = [
        "lru", "fifo", "clock", "sieve", "lfu", "lfuda", "2q", "slru", "s3fifo", "arc", "lirs", "w-tinylfu", "gdsf",
        "lhd",
    ]

    func validate() throws {
        guard !traces.trace.isEmpty else { throw ValidationError("Say which traces: --trace PATH or NAME.") }
        guard (targetHitRatio == nil) != (budget == nil) else {
            throw ValidationError("Say what is wanted: --target-hit-ratio 0.9 or --budget 2GiB, one of them.")
        }
        if targetHitRatio == 0 { throw ValidationError("--target-hit-ratio must be above 0, as 90% or 0.9.") }
        guard !bytes || budget == nil else {
            throw ValidationError("--budget says itself what it counts (4096 objects, 2GiB); leave --bytes out.")
        }
        guard !bytes || objectSize == nil else {
            throw ValidationError("--bytes weighs each object by its own size, --object-size gives all the same one.")
        }
        if let budget, objectSize != nil, budget.unit == .objects {
            throw ValidationError("--object-size goes with a budget in bytes, as --budget 2GiB.")
        }
        if case .share? = budget, objectSize != nil {
            throw ValidationError("--object-size goes with an absolute budget in bytes, as --budget 2GiB.")
        }
        guard !policyMemory || bytes || objectSize != nil || budget.map({ $0.unit == .bytes }) == true else {
            throw ValidationError(
                "--policy-memory counts bytes: "
                    + (budget == nil
                        ? "say --bytes, or what an object takes with --object-size 4KiB."
                        : "ask in bytes, as --budget 2GiB."))
        }
        guard !force || out != nil else { throw ValidationError("--force is for --out.") }
        guard !json || !quiet else { throw ValidationError("--json prints the answer, --quiet does not; give one.") }
    }

    func run() async throws {
        let started = Date()
        let monitor = ReplayMonitor()
        let interrupt = Interrupt(monitor)
        defer { withExtendedLifetime(interrupt) {} }
        let order = try order()
        let directory = try out.map { (given) throws(AssayError) in try ReportDirectory(given) }
        let opened = try openTraces()
        try directory?.keepEarlier(AdviceResults.kind.json, of: opened.map(\.description.digest), force: force)
        let run = try AdviceRun(
            order, traces: opened, workers: simulation.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            monitor: monitor)
        let progress = ProgressLine(monitor: monitor, isEnabled: !quiet)
        let advice = await run.run(onTrace: progress.show, onReplay: progress.finish)
        progress.end()
        let known = order.policies + [order.bounds.optimum, order.bounds.above, order.bounds.below].compactMap(\.self)
        var seen: Set<String> = []
        var results = AdviceResults(
            assayVersion: AssayVersion.text, startedAt: started.ISO8601Format(),
            durationSeconds: Date().timeIntervalSince(started),
            commandLine: Assay.arguments, seed: simulation.seed,
            status: monitor.isStopping ? .interrupted : .complete,
            environment: EnvironmentProbe.describe(memoryAllocator: "not measured: no live runs"),
            traces: opened.map(\.description), question: order.question, advice: advice,
            policies: known.map(\.entry.descriptor).filter { seen.insert($0.name).inserted }
                .map(PolicyDescription.init))
        results.rules = order.rules == ReplayRules() ? nil : order.rules
        try finish(results, directory)
    }

    private func order() throws(AssayError) -> AdviceOrder {
        let texts = policy.isEmpty ? Self.defaultPolicies : policy
        var policies: [PolicySelection] = []
        for item in texts.flatMap(Selection.items) {
            let selected = try Selection.policies([item])
            // A group leaves out those that cannot be run; one that is named is refused with the reason.
            policies += selected.count == 1 ? selected : selected.filter(\.canBeAdvised)
        }
        guard !policies.isEmpty else {
            throw AssayError(.usage, "--policy names nothing to choose from. See 'assay list policies'.")
        }
        var order = AdviceOrder(
            policies: policies, admissions: admission.isEmpty ? [nil] : try Selection.admissions(admission),
            goal: targetHitRatio.map { .target($0) } ?? .budget(budget ?? .absolute(.objects(1))),
            metric: byteHitRatio ? .byteHitRatio : .hitRatio, unit: bytes ? .bytes : .objects,
            objectBytes: objectSize, countsPolicyMemory: policyMemory,
            bounds: AdviceBounds(
                optimum: try Selection.policies(["belady:bypass=true"]).first,
                above: try Selection.policies(["pfoo-l"]).first, below: try Selection.policies(["pfoo-u"]).first),
            seed: simulation.seed)
        order.rules = rule.rules
        if exhaustive { order.proofRequests = .max }
        return order
    }

    private func openTraces() throws(AssayError) -> [SweepTrace] {
        let opened = try traces.open(isQuiet: quiet || json)
        for trace in opened { try trace.requireWrites(for: rule.rules) }
        guard objectSize == nil, bytes || byteHitRatio || budget?.unit == .bytes else { return opened }
        for trace in opened where !trace.description.hasSizes {
            let name = trace.description.name
            guard bytes || budget?.unit == .bytes else {
                throw AssayError(
                    .usage,
                    "\(name) carries no sizes, so that its byte hit ratio is its hit ratio. Leave --byte-hit-ratio "
                        + "out, or name its size column with --format.", at: .init("--byte-hit-ratio"))
            }
            throw AssayError(
                .usage,
                "\(name) carries no sizes. Say what an object takes with --object-size 4KiB, name its size column with "
                    + "--format, or ask in objects.", at: .init(bytes ? "--bytes" : "--budget"))
        }
        return opened
    }

    private func finish(_ results: AdviceResults, _ directory: ReportDirectory?) throws {
        let paths = Result { () throws(AssayError) in
            try directory.map { (held) throws(AssayError) in try ReportFiles.write(results, to: held.path) } ?? []
        }
        if json {
            Console.print(try JSONReport.render(results), terminator: "")
        } else if !quiet {
            Console.print(try results.document())
        }
        let written = try paths.get()
        Console.printReports(written, isSilent: json)
        if results.status == .interrupted { throw ExitCode(130) }
        try throwVerdict(results)
    }

    /// Ends with the verdict: a target out of reach, nothing that hits, or a policy that failed.
    private func throwVerdict(_ results: AdviceResults) throws(AssayError) {
        for advice in results.advice {
            switch advice.outcome {
            case .reached, .best, .interrupted: continue
            case .unreachable, .notReached: throw AssayError(.verdict, "the target is out of reach on \(advice.trace)")
            case .nothing: throw AssayError(.verdict, Self.nothing(advice))
            }
        }
        let failures = results.advice.flatMap(\.candidates).compactMap(\.failure)
        if let failure = failures.first(where: { $0.kind != .notApplicable }) {
            throw AssayError(.verdict, "not every policy could be replayed: \(failure.message)")
        }
    }

    /// Why nothing hits: where no candidate could be tried, the first one's reason.
    private static func nothing(_ advice: Advice) -> String {
        let failures = advice.candidates.compactMap(\.failure)
        guard let first = failures.first, failures.count == advice.candidates.count else {
            return "nothing hits on \(advice.trace)"
        }
        return "no policy can be tried on \(advice.trace): \(first.message)"
    }

    /// A number of bytes, with or without a unit.
    private static func size(_ text: String) throws -> Int {
        try located("--object-size") { () throws(AssayError) in
            guard case .absolute(let capacity) = try CapacityRequest(parsing: text) else {
                throw AssayError(.usage, "'\(text)' is no size. Write bytes, as 4096 or 4KiB.")
            }
            return capacity.amount
        }
    }

    /// Errors of an option as the parser shows them.
    private static func located<Value>(_ option: String, _ read: () throws(AssayError) -> Value) throws -> Value {
        do throws(AssayError) {
            return try read()
        } catch {
            throw ValidationError("\(option): \(error.message)")
        }
    }
}
