import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// `assay bench`: real caches under load, each in processes of its own.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Put real caches under load; measure throughput, latency, memory and what they cost.",
        discussion: """
            Every combination of policy, backend and capacity is driven by the trace with real bytes, every hit of which \
            is verified. Passes are separate: throughput reads no clock; latency times calls by operation and outcome, \
            a random sample of them where they are fast; memory is counted in a process that does nothing else; a store \
            in a directory is filled, killed, recovered, closed and opened, each timed.

            A closed loop asks again as soon as it is answered, and so hides how long others would have waited. With \
            --rate requests are due at a rate, or at the trace's own times, and response times count from when they were due.

            EXAMPLES
              assay bench --trace sqlite-pages --policy lru,s3fifo --backend dictionary,log --capacity 10%
              assay bench --trace zipf-1.0 --threads 2 --requests 5000000 --warm-up steady
              assay bench --trace zipf-1.0 --backend file --rate 2000,4000,8000 --miss-cost lognormal:1ms,sigma=0.5
              assay bench --trace mine.csv --format csv:time=1,key=2 --rate trace,trace:10x --step-seconds 30
              assay bench --trace zipf-1.0 --backend redis:start --threads 4 --find-knee p99=1ms
              assay bench --trace zipf-1.0 --subject method-cache,expiring-disk-cache,http-cache
              assay bench --trace zipf-1.0 --subject 'exec:python3 my_cache.py' --capacity 5%
            """)

    @OptionGroup var traces: TraceSelection

    @OptionGroup var plugins: PluginSelection

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Policies, with parameters, as lru,s3fifo:small=0.05 (default: lru).", valueName: "policies"),
        completion: .policies)
    var policy: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Storage backends, as dictionary,file (default: dictionary).", valueName: "backends"),
        completion: .backends)
    var backend: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Complete caches with a policy and a store of their own: any cache of 'assay conform', such as a system, redis, or "
                + "'exec:COMMAND' for one in another process.",
            valueName: "caches"), completion: .subjects)
    var subject: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Capacities: 4096 objects, 64MiB, 5% of the distinct objects, 5%B of the distinct bytes (default: 10%).",
            valueName: "capacities"))
    var capacity: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Admission policies before each policy, as always,tinylfu (default: always).", valueName: "admissions"),
        completion: .admissions)
    var admission: [String] = []

    @OptionGroup var load: LoadSelection

    @Option(help: ArgumentHelp("The size of values for traces without sizes.", valueName: "bytes"))
    var valueBytes = 256

    @Option(
        help: ArgumentHelp(
            "Throughput passes of each combination, in turns with the others' from the second on.", valueName: "number")
    )
    var repetitions = 3

    @Option(help: ArgumentHelp("The seed of everything random.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("How long each pass may take.", valueName: "seconds"))
    var deadline: Double = 1800

    @Option(help: ArgumentHelp("The directory for the reports (default: Reports/<date>-<time>).", valueName: "dir"))
    var out: String?

    @Flag(help: "Replace results of other traces that are in --out.")
    var force = false

    @Flag(help: "No progress line, no table; only the paths of the reports.")
    var quiet = false

    func validate() throws {
        guard !traces.trace.isEmpty else { throw ValidationError("Say which traces: --trace PATH or NAME.") }
        guard (0...(1 << 30)).contains(valueBytes) else {
            throw ValidationError("--value-bytes must be from 0 to \(1 << 30).")
        }
        guard admission.isEmpty || subject.isEmpty || !policy.isEmpty || !backend.isEmpty else {
            throw ValidationError(
                "--admission stands before policies, and a complete cache admits what it likes. Name --policy, or leave it out."
            )
        }
        guard (1...1000).contains(repetitions) else {
            throw ValidationError("--repetitions must be from 1 to 1000.")
        }
        guard deadline > 0, deadline <= 1e9 else {
            throw ValidationError("--deadline must be above 0 and at most 1e9.")
        }
    }

    func run() async throws {
        let started = Date()
        let monitor = ReplayMonitor()
        let interrupt = Interrupt(monitor)
        defer { withExtendedLifetime(interrupt) {} }
        let directory = try ReportDirectory(out)
        let (plan, capacities) = try plan()
        try directory.keepEarlier(
            BenchResults.kind.json, of: plan.traces.map(\.description.digest), force: force)
        let wholes = try BenchmarkedCacheSelection.plan(
            BenchmarkedCacheSelection.names(subject), capacities: capacities, traces: plan.traces,
            threads: load.threads,
            seed: seed, deadlineSeconds: deadline)
        let total = plan.cells.count + wholes.count
        let progress = ProgressLine(
            totalCells: total * repetitions, totalRequests: 0, unit: "measurements", monitor: monitor, isEnabled: !quiet
        )
        let measurement = LiveMeasurement(
            LiveMeasurement.Options(
                seed: seed, valueBytes: valueBytes,
                deadlineSeconds: deadline, load: load.load, measuresLeak: true, measuresLifecycle: true),
            monitor: monitor, progress: progress)
        var subjects: [BenchSubject] = []
        var ordered: [LiveMeasurement.Subject] = []
        func add(_ order: LiveMeasurement.Subject, _ measure: () -> BenchSubject) {
            guard !monitor.isStopping else { return }
            let subject = measure()
            guard !monitor.isStopping else { return }
            subjects.append(subject)
            ordered.append(order)
            progress.finish(subject.cell)
        }
        for var cell in plan.cells {
            let trace = plan.traces[cell.traceIndex]
            cell.blank.notes = trace.pacingNotes(load.load)
            add(measurement.subject(cell, trace)) { measurement.bench(cell, trace) }
        }
        for var planned in wholes {
            if let notes = planned.trace.pacingNotes(load.load) {
                planned.blank.notes = (planned.blank.notes ?? []) + notes
            }
            add(measurement.subject(planned)) { measurement.bench(planned) }
        }
        repeatThroughput(&subjects, ordered, measurement, monitor, progress)
        progress.end()
        var environment = EnvironmentProbe.describe(memoryAllocator: Self.memoryAllocator(subjects))
        environment.timerFloorNanoseconds = measurement.timerFloorNanoseconds
        try finish(
            BenchResults(
                assayVersion: AssayVersion.text, startedAt: started.ISO8601Format(),
                durationSeconds: Date().timeIntervalSince(started),
                commandLine: Assay.arguments, seed: seed,
                status: subjects.count == total ? .complete : .interrupted, environment: environment,
                warnings: TimingConditions.ofProcess.warnings(
                    repeated: subjects.compactMap(\.cell.throughputRange).map { [$0.least, $0.most] })
                    + Self.unsteady(subjects),
                traces: plan.traces.map(\.description), load: load.load, subjects: subjects,
                policies: plan.policies.map { PolicyDescription($0.descriptor) }), directory)
    }

    /// Makes throughput passes again, in turns, so that what disturbs the machine for a while disturbs every combination.
    private func repeatThroughput(
        _ subjects: inout [BenchSubject], _ ordered: [LiveMeasurement.Subject], _ measurement: LiveMeasurement,
        _ monitor: ReplayMonitor, _ progress: ProgressLine
    ) {
        var rates = subjects.map { [$0.cell.requestsPerSecond].compactMap(\.self) }
        for _ in 1..<repetitions {
            for index in subjects.indices where !monitor.isStopping {
                // A pass that fails is a note, and not a failure of the subject.
                var pass: ProgressState.Finding?
                defer { progress.finishOne(pass) }
                guard subjects[index].cell.failure == nil else { continue }
                do throws(CellFailure) {
                    let rate = try measurement.repeatThroughput(ordered[index])
                    rates[index].append(rate)
                    pass = ProgressState.Finding(subjects[index].cell)
                    pass?.requestsPerSecond = rate
                } catch {
                    guard !monitor.isStopping else { return }
                    let note = "a repeated throughput pass \(error.kind.rawValue): \(error.message)"
                    subjects[index].cell.notes = (subjects[index].cell.notes ?? []) + [note]
                }
            }
        }
        for index in subjects.indices where !rates[index].isEmpty { subjects[index].cell.setThroughput(rates[index]) }
    }

    /// A warning of subjects whose throughput was still changing at the end of its pass.
    private static func unsteady(_ subjects: [BenchSubject]) -> [String] {
        let count = subjects.count { $0.timing?.isSteady == false }
        guard count > 0 else { return [] }
        return [
            "The throughput of \(count) of \(subjects.count) was not steady at the end of the pass: try --warm-up steady and more "
                + "--requests."
        ]
    }

    /// The combinations of policies and backends, of which there are none where complete caches alone are named, and the capacities.
    private func plan() throws(AssayError) -> (SweepPlan, [CapacityRequest]) {
        let policies = try Selection.policies(policy.isEmpty ? ["lru"] : policy)
        let capacities = try Selection.capacities(capacity.isEmpty ? ["10%"] : capacity)
        let backends = try Selection.backends(backend.isEmpty ? ["dictionary"] : backend)
        let admissions = try admission.isEmpty ? [nil] : Selection.admissions(admission)
        let opened = try traces.open(isQuiet: quiet)
        if let bytes = capacities.first(where: { $0.unit == .bytes }) {
            for trace in opened { try trace.requireSizes(for: bytes) }
        }
        for trace in opened { try trace.requireWhatIsFollowed(by: load.load) }
        let combines = subject.isEmpty || !policy.isEmpty || !backend.isEmpty
        let block = SweepBlock(
            traces: Array(opened.indices), policies: policies, capacities: capacities, backends: backends,
            admissions: admissions)
        return (SweepPlan(traces: opened, blocks: combines ? [block] : [], seed: seed), capacities)
    }

    private static func memoryAllocator(_ subjects: [BenchSubject]) -> String {
        subjects.lazy.compactMap(\.cell.memory?.meter).first ?? "not measured"
    }

    /// Prints and writes what was found, and ends with the verdict.
    private func finish(_ results: BenchResults, _ directory: ReportDirectory) throws {
        let paths = Result { () throws(AssayError) in
            if LiveMeasurement.measuresAll { return try ReportFiles.write(results, to: directory.path) }
            let path = URL(filePath: directory.path).appending(path: BenchResults.kind.json).path
            try ReportFile.write(JSONReport.render(results), to: path)
            return [path]
        }
        if !quiet {
            Console.print(try results.document())
        }
        Console.printReports(try paths.get())
        if results.status == .interrupted { throw ExitCode(130) }
        try AssayError.throwVerdict(
            results.subjects.compactMap(\.cell.failure), of: "\(results.subjects.count) subjects")
    }
}
