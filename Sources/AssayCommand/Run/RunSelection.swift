import ArgumentParser
import CacheCore
import CacheHarness
import CacheTraces

/// The options that say which combinations to run.
struct RunSelection: ParsableArguments {
    @OptionGroup var traces: TraceSelection

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Policies, with parameters, as lru,s3fifo:small=0.05; 'all', which leaves out those that learn, and 'family/*' select several "
                + "(default: all).", valueName: "policies"), completion: .policies)
    var policy: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Capacities: 4096 objects, 64MiB, 5% of the distinct objects, 5%B of the distinct bytes "
                + "(default: 0.5%,1%,2%,5%,10%,20%,40%).", valueName: "capacities"))
    var capacity: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Admission policies before each policy, as always,tinylfu,size:limit=65536 (default: always).",
            valueName: "admissions"), completion: .admissions)
    var admission: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Prefetchers beside each policy, in simulations, as none,obl,mithril,pg:threshold=0.1 (default: none).",
            valueName: "prefetchers"), completion: .prefetchers)
    var prefetch: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Whether objects expire by the times to live that the traces state: ignore, honour or both.",
            valueName: "ignore|honour"))
    var expiry: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Storage backends for live runs, as dictionary,file,log.", valueName: "backends"),
        completion: .backends)
    var backend: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Complete caches with a policy and a store of their own: any cache of 'assay conform', such as a system, redis, or "
                + "'exec:COMMAND' for one in another process. Alone unless --policy, --backend or --simulate is given.",
            valueName: "caches"), completion: .subjects)
    var subject: [String] = []

    @Flag(help: "Drive the policies alone; the default without --backend, and beside the live runs with it.")
    var simulate = false

    @Option(
        help: ArgumentHelp("Run the blocks of a suite file, or of a bundled suite by its name.", valueName: "path|name")
    )
    var suite: String?

    @OptionGroup var simulation: SimulationOptions

    @OptionGroup var rule: RuleSelection

    @OptionGroup var warming: WarmUpSelection

    @OptionGroup var parts: PartSelection

    @Option(help: ArgumentHelp("The size of values in live runs of traces without sizes.", valueName: "bytes"))
    var valueBytes = RunSelection.defaultValueBytes

    @Option(help: ArgumentHelp("How long each pass of a live run may take.", valueName: "seconds"))
    var deadline = RunSelection.defaultDeadline

    var trace: [String] { traces.trace }
    var format: String? { traces.format }
    var compiledTraces: String? { traces.compiledTraces }
    var seed: UInt64 { simulation.seed }
    var jobs: Int? { simulation.jobs }
    var rules: ReplayRules { rule.rules }
    /// Whether anything but the totals of whole traces is counted.
    private var measuresParts: Bool { warming.warmUp != nil || countsParts }
    /// Whether windows or tenants are counted.
    var countsParts: Bool { parts.windows != nil || parts.byTenant }

    func validate() throws {
        guard (0...(1 << 30)).contains(valueBytes) else {
            throw ValidationError("--value-bytes must be from 0 to \(1 << 30).")
        }
        guard deadline > 0, deadline <= 1e9 else {
            throw ValidationError("--deadline must be above 0 and at most 1e9.")
        }
        let choices = [trace, policy, capacity, admission, prefetch, expiry, backend, subject]
        if suite != nil, !choices.allSatisfy(\.isEmpty) {
            throw ValidationError("--suite says itself which traces, policies, capacities, … to run.")
        }
        guard !traces.reading.join || !trace.isEmpty else {
            throw ValidationError("--join makes one trace of those that --trace names. Name them, or leave it out.")
        }
        if !prefetch.isEmpty, !subject.isEmpty {
            throw ValidationError(
                "--prefetch is simulated, and a complete cache fetches what it likes. Leave --subject out.")
        }
        if !namesPolicies, expiry.contains(where: { $0.contains("honour") }) {
            throw ValidationError(
                "--expiry is simulated, and a complete cache is told no times to live. Name --policy, or leave it out.")
        }
        if !namesPolicies, !admission.isEmpty {
            throw ValidationError(
                "--admission stands before policies, and a complete cache admits what it likes. Name --policy, or leave it out."
            )
        }
        if countsParts, !backend.isEmpty || !subject.isEmpty {
            throw ValidationError(
                "--windows and --by-tenant are counted where policies are driven alone. Leave --backend and --subject out."
            )
        }
    }

    /// Whether no option was given that chooses combinations or traces.
    var namesNothing: Bool {
        trace.isEmpty && policy.isEmpty && capacity.isEmpty && admission.isEmpty && prefetch.isEmpty && expiry.isEmpty
            && backend.isEmpty && subject.isEmpty && suite == nil && format == nil
            && compiledTraces == nil && traces.reading.badRows == .stop && jobs == nil && !simulate
            && rules == ReplayRules() && !measuresParts && seed == 1 && valueBytes == Self.defaultValueBytes
            && deadline == Self.defaultDeadline
    }

    /// Whether nothing is given that has no meaning for a system under a workload of its own.
    var namesOnlySystemOptions: Bool {
        [trace, capacity, admission, prefetch, expiry, subject].allSatisfy(\.isEmpty) && suite == nil && format == nil
            && compiledTraces == nil && traces.reading.badRows == .stop && jobs == nil && !simulate
            && rules == ReplayRules() && valueBytes == Self.defaultValueBytes && !measuresParts
    }

    /// Whether at most a suite is named: nothing that a block would combine with a trace.
    var namesOnlySuite: Bool {
        [policy, capacity, admission, prefetch, expiry, backend, subject].allSatisfy(\.isEmpty)
    }

    /// Whether the options name traces and no live run.
    var isSimulated: Bool { !trace.isEmpty && backend.isEmpty && subject.isEmpty }

    /// Whether policies are combined with backends, or run alone: not where complete caches alone are named.
    var namesPolicies: Bool { subject.isEmpty || !policy.isEmpty || !backend.isEmpty || simulate }

    /// What each block runs where it does not say.
    static let defaultCapacities = ["0.5%", "1%", "2%", "5%", "10%", "20%", "40%"]
    static let defaultPolicies = ["all"]
    static let defaultSuite = "bundled"
    static let defaultValueBytes = 256
    static let defaultDeadline = 1800.0
}
