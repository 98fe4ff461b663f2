import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import CacheTraces
import CacheWorkloads
import Foundation

/// `assay sweep plan`: writes what a sweep is to do.
struct SweepPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write the shards of a sweep, with the digest of each input and the expected time and memory.",
        discussion: """
            PLAN.yaml is a suite file as 'assay run --suite' takes it: runs, each with traces (paths, patterns, workloads), \
            policies, capacities, admissions, expiry, warm-up and seeds. Without it the options of 'assay run' say the same. A shard \
            reads one trace and replays all its combinations, or a part of them where those would take longer than --shard-minutes. \
            Times and memory are predicted by the constants in plan.json; they order the shards and fill in scripts. --calibrate \
            measures the time of a replay on this machine, over the plan's policies.

            Each input is read once for its digest. 'assay sweep run' refuses an input that has another one.
            """)

    @Argument(help: "A suite file.", completion: .file(extensions: ["yaml", "yml"]))
    var plan: String?

    @OptionGroup var selection: RunSelection

    @OptionGroup var plugins: PluginSelection

    @Option(help: ArgumentHelp("The directory of the sweep.", valueName: "dir"))
    var out: String

    @Option(
        help: ArgumentHelp(
            "The most time of one processor that a shard is expected to take, unless one combination takes longer.",
            valueName: "minutes"))
    var shardMinutes: Double = 60

    @Option(
        help: ArgumentHelp(
            "Replay the plan's policies on this trace or workload, one like those of the plan, and predict times from that.",
            valueName: "trace"))
    var calibrate: String?

    func validate() throws {
        guard shardMinutes > 0, shardMinutes <= 1e6 else {
            throw ValidationError("--shard-minutes must be above 0 and at most 1e6.")
        }
        guard selection.backend.isEmpty, selection.subject.isEmpty, !selection.simulate,
            selection.valueBytes == RunSelection.defaultValueBytes, selection.deadline == RunSelection.defaultDeadline
        else {
            throw ValidationError(
                "A sweep drives policies alone, since shards side by side disturb each other's times: --backend, --subject, --simulate, "
                    + "--value-bytes and --deadline belong to 'assay run'.")
        }
        guard !selection.traces.reading.join else {
            throw ValidationError(
                "--join makes one trace of several files, and a sweep takes each by itself. Join them first: assay trace convert."
            )
        }
        guard selection.jobs == nil else { throw ValidationError("--jobs belongs to 'assay sweep run'.") }
        guard plan == nil || selection.suite == nil && selection.trace.isEmpty else {
            throw ValidationError("The plan's file says which traces to run. Leave --suite and --trace out.")
        }
    }

    func run() async throws {
        var selection = selection
        if let plan {
            selection.suite = plan.contains("/") ? plan : "./" + plan
            try selection.validate()
        }
        let directory = URL(filePath: out).path
        let planner = SweepPlanner(selection: selection)
        let calibration = if let calibrate { try await planner.calibrated(on: calibrate) } else { ShardCalibration() }
        let planned = try planner.plan(
            commandLine: Assay.arguments, shardSeconds: shardMinutes * 60, calibration: calibration)
        let folder = try ShardFolder(creating: directory, planned)
        let seconds = planned.shards.reduce(0) { $0 + $1.seconds }
        let memory = planned.shards.map { $0.traceBytes + $0.replayBytes }.max() ?? 0
        Console.print(
            "planned \(HumanFormat.counted(planned.shards.count, "shard", "shards")): "
                + "\(HumanFormat.counted(planned.combinations, "combination", "combinations")) of "
                + "\(HumanFormat.counted(planned.traces.count, "trace", "traces"))")
        Console.print(
            "expected: \(HumanFormat.duration(seconds)) of one processor, \(HumanFormat.bytes(memory)) for the largest shard"
        )
        if calibrate != nil {
            let time = Int(min(1e12, calibration.replayNanosecondsPerRequest.rounded()))
            Console.print("measured: \(time) ns a request in the mean of the plan's policies")
        } else if try Selection.policies(planned.blocks.flatMap(\.policies)).contains(where: \.entry.descriptor.learns)
        {
            Console.print("policies that learn may take a thousand times what is expected: --calibrate measures it")
        }
        Console.print("run it with: assay sweep run \(out)")
        Console.print("wrote \(folder.path)/plan.json")
    }
}

/// Makes the shards of a plan.
struct SweepPlanner {
    let selection: RunSelection

    /// The plan, whose inputs are read once for their digests and not compiled.
    ///
    /// - Throws: `AssayError` for what `assay run` would refuse before it reads a trace, for backends, and for an input that cannot be
    ///   read again.
    func plan(
        commandLine: [String], shardSeconds: Double, calibration: ShardCalibration = ShardCalibration()
    ) throws(AssayError) -> ShardedPlan {
        let builder = PlanBuilder(selection: selection, quiet: true)
        let blocks = try builder.prepared()
        guard blocks.allSatisfy({ $0.backends.allSatisfy { $0 == nil } }) else {
            throw AssayError(
                .usage,
                "The plan names backends, and a sweep drives policies alone. Leave them out, or run it with 'assay run --suite'.",
                at: selection.suite.map { .init($0) })
        }
        guard blocks.allSatisfy({ $0.prefetchers.allSatisfy { $0 == nil } }) else {
            throw AssayError(
                .usage, "A sweep of shards fetches nothing ahead. Leave prefetchers out, or run them with 'assay run'.",
                at: .init(selection.suite ?? "--prefetch"))
        }
        var numbers: [String: Int] = [:]
        for name in blocks.flatMap(\.traces) where numbers[name] == nil { numbers[name] = numbers.count }
        let arguments = numbers.sorted { $0.value < $1.value }.map(\.key)
        var inputs: [(forecast: TraceForecast, names: [String])] = []
        for argument in arguments { inputs.append(try builder.opener.forecast(argument, format: selection.format)) }
        let names = TraceNames.unique(inputs.map(\.names))
        let traces = zip(arguments, zip(inputs, names)).map { argument, input in
            let forecast = input.0.forecast
            let estimate = calibration.estimate(
                ofFileBytes: forecast.sourceBytes ?? 0, isCompressed: forecast.isCompressed)
            return (
                trace: ShardedPlan.Trace(
                    argument: argument, name: input.1, digest: forecast.digest,
                    requests: forecast.requests ?? estimate.requests, objects: forecast.objects ?? estimate.objects,
                    basis: forecast.requests == nil ? .size : .stated),
                isCompiled: forecast.isCompiled
            )
        }
        return try ShardedPlan(
            assayVersion: AssayVersion.text, commandLine: commandLine,
            workingDirectory: FileManager.default.currentDirectoryPath, seed: selection.seed,
            blocks: blocks.map { block in
                ShardedPlan.Block(
                    traces: block.traces.reduce(into: []) { traces, name in
                        if let number = numbers[name] { traces.append(number) }
                    },
                    policies: block.policies.map(\.text),
                    capacities: Selection.parts(
                        of: block.specification.capacities ?? RunSelection.defaultCapacities),
                    admissions: block.admissions.map { $0?.text ?? "always" },
                    expiry: block.expiries.map { $0 ? "honour" : "ignore" }, warmUp: block.specification.warmUp,
                    seeds: block.specification.seeds)
            }, inputs: traces, shardSeconds: shardSeconds, calibration: calibration)
    }

    /// The constants with the mean time of a replay on this machine, one after the other: of each policy at 1 % and 10 % of the objects of
    /// a trace.
    ///
    /// - Throws: `AssayError` for a trace that cannot be read, with code `usage` if no policy of the plan has a result on it.
    func calibrated(on trace: String) async throws -> ShardCalibration {
        let policies = try PlanBuilder(selection: selection, quiet: true).prepared().flatMap { $0.policies.map(\.text) }
        let block = SuiteSpecification.Block(
            traces: [trace], policies: Set(policies).sorted(), capacities: ["1%", "10%"], admissions: nil, expiry: nil,
            warmUp: nil, seeds: nil)
        var bare = try RunSelection.parse(["--trace", trace])
        bare.traces.reading = selection.traces.reading
        let plan = try PlanBuilder(selection: bare, quiet: true, given: ([block], [trace])).plan()
        let cells = await Sweep(plan, workers: 1, monitor: ReplayMonitor()) { cell, _ in cell.blank }.run { _, _ in }
        let times = cells.compactMap(\.requestsPerSecond).filter { $0 > 0 }.map { 1e9 / $0 }
        guard !times.isEmpty else {
            throw AssayError(
                .usage, "No policy of the plan has a result on this trace. Choose another.", at: .init("--calibrate"))
        }
        var calibration = ShardCalibration()
        calibration.name = "measured on \(trace)"
        calibration.replayNanosecondsPerRequest = times.reduce(0, +) / Double(times.count)
        return calibration
    }
}
