import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation
import Synchronization

/// One execution of `assay run`: from options to reports.
struct RunSession {
    /// Which combinations to run.
    var selection: RunSelection
    /// Where the reports go.
    var directory: ReportDirectory
    /// Whether results of other traces that are there may be replaced.
    var force = false
    /// The arguments that started the run, for the reports and for resuming.
    var commandLine: [String]
    /// Whether to stay silent but for the paths.
    var quiet: Bool
    /// The interrupted run that this one goes on with.
    var resumed: (order: RunJournal.Order, done: [Int: CellResult])?

    func run() async throws {
        let started = Date()
        let monitor = ReplayMonitor()
        let interrupt = Interrupt(monitor)
        defer { withExtendedLifetime(interrupt) {} }
        defer { withExtendedLifetime(directory) {} }
        try refuseUnfinishedRun()

        let builder = PlanBuilder(selection: selection, quiet: quiet)
        let plan = try builder.plan()
        let subjects = try builder.subjects(plan)
        if resumed == nil {
            let digests = plan.traces.map(\.description.digest)
            try directory.keepEarlier(RunResults.kind.json, of: digests, force: force)
        }
        let order = try order(plan, started)
        // Only now that the new run can begin: until here an unfinished one can still be gone on with.
        if resumed == nil { RunJournal.remove(in: directory.path) }
        let journal = try RunJournal(directory: directory.path, order: order)
        let floor = Mutex<Double?>(nil)
        let (cells, journalError) = await sweep(plan, subjects, monitor, journal, floor)

        var environment = EnvironmentProbe.describe(memoryAllocator: Self.memoryAllocator(cells))
        environment.timerFloorNanoseconds = floor.withLock { $0 }
        let planned = plan.cells.count + subjects.count
        let results = RunResults(
            assayVersion: AssayVersion.text, startedAt: started.ISO8601Format(),
            durationSeconds: Date().timeIntervalSince(started), commandLine: commandLine, seed: selection.seed,
            status: cells.count == planned ? .complete : .interrupted, environment: environment,
            traces: plan.traces.map(\.description), cells: cells, cellsPlanned: planned,
            policies: plan.policies.map { PolicyDescription($0.descriptor) },
            warnings: TimingConditions.ofProcess.warnings(
                repeated: cells.compactMap(\.throughputRange).map { [$0.least, $0.most] }))
        try finish(results, journal, journalError)
    }

    private func refuseUnfinishedRun() throws(AssayError) {
        guard resumed == nil, !force, RunJournal.exists(in: directory.path) else { return }
        throw AssayError(
            .usage,
            "an interrupted run is here: go on with 'assay run --resume \(directory.path)', choose another --out, or drop it "
                + "with --force", at: .init(directory.path))
    }

    private func order(_ plan: SweepPlan, _ started: Date) throws(AssayError) -> RunJournal.Order {
        let digests = plan.traces.map(\.description.digest)
        guard let resumed else {
            return RunJournal.Order(
                commandLine: commandLine, workingDirectory: FileManager.default.currentDirectoryPath,
                startedAt: started.ISO8601Format(), traceDigests: digests)
        }
        guard resumed.order.traceDigests == digests else {
            throw AssayError(
                .badInput, "a trace has changed since the run was interrupted; start it anew with another --out",
                at: .init(directory.path))
        }
        return resumed.order
    }

    private func sweep(
        _ plan: SweepPlan, _ subjects: [BenchmarkedCacheSelection.Planned], _ monitor: ReplayMonitor,
        _ journal: RunJournal,
        _ floor: borrowing Mutex<Double?>
    ) async -> ([CellResult], AssayError?) {
        // By identity: another Assay, or an edited suite, may plan other combinations at the same place.
        let identities = plan.cells.map(\.blank.identity) + subjects.map(\.blank.identity)
        let done =
            resumed?.done.filter { identities.indices.contains($0.key) && identities[$0.key] == $0.value.identity }
            ?? [:]
        let progress = ProgressLine(
            totalCells: identities.count - done.count, totalRequests: plan.simulatedRequests { done[$0] != nil },
            monitor: monitor, isEnabled: !quiet)
        var load = BenchLoad()
        load.onMiss = selection.rules.onMiss
        let live = LiveMeasurement(
            LiveMeasurement.Options(
                seed: selection.seed,
                valueBytes: selection.valueBytes, deadlineSeconds: selection.deadline, load: load),
            monitor: monitor, progress: progress)
        let sweep = Sweep(
            plan, workers: selection.jobs ?? ProcessInfo.processInfo.activeProcessorCount, monitor: monitor,
            countsCosts: true, repeats: true, live: live.measure)
        var journalError: AssayError?
        func keep(_ index: Int, _ cell: CellResult) {
            do throws(AssayError) { try journal.append(index, cell) } catch { journalError = journalError ?? error }
            progress.finish(cell)
        }
        var cells = await sweep.run(done: done, onStart: progress.start, onResult: keep)
        for (index, subject) in zip(plan.cells.count..., subjects) {
            if let cell = done[index] {
                cells.append(cell)
                continue
            }
            guard !monitor.isStopping else { break }
            let cell = live.bench(subject).cell
            guard !monitor.isStopping else { break }
            cells.append(cell)
            keep(index, cell)
        }
        progress.end()
        if let measured = live.timerFloorNanoseconds { floor.withLock { $0 = measured } }
        return (cells, journalError)
    }

    /// Prints and writes what was found, and ends with the verdict.
    private func finish(_ results: RunResults, _ journal: RunJournal, _ journalError: AssayError?) throws {
        // Files first: whatever happens to the terminal, the results are kept.
        let paths = Result { () throws(AssayError) in
            try BuiltinReports.write(results, to: directory.path, reports: Plugins.current.reports)
        }
        let failures = results.cells.compactMap(\.failure)
        let isLacking = failures.contains { $0.kind == .lackedResource }
        if results.status == .complete, !isLacking, case .success = paths { journal.remove() }
        if !quiet {
            Console.print(try results.document())
        }
        if let journalError { Console.error("assay: \(journalError)") }
        Console.printReports(try paths.get())
        if results.status == .interrupted {
            Console.error("assay: interrupted; go on with: assay run --resume \(directory.path)")
            throw ExitCode(130)
        }
        try AssayError.throwVerdict(
            failures, of: "\(results.cells.count) combinations",
            again: "run these alone with: assay run --resume \(directory.path)")
    }

    static func memoryAllocator(_ cells: [CellResult]) -> String {
        let meters = Set(cells.compactMap(\.memory?.meter))
        return meters.isEmpty ? "not measured: no live runs" : meters.sorted().joined(separator: ", ")
    }
}
