import CacheCore
import CacheHarness
import CacheReports
import CacheWorkloads
import Foundation

/// Runs shards of a sweep in this process.
struct ShardRunner: Sendable {
    /// How an attempt at a shard ended.
    enum Outcome: Sendable {
        /// It has its result now; so many combinations were kept from an attempt before.
        case finished(kept: Int)
        /// It had its result already.
        case wasDone
        /// Another process runs it.
        case elsewhere
        /// It was stopped; what was finished is kept.
        case interrupted
        case failed(AssayError)
    }

    let folder: ShardFolder
    let selection: RunSelection
    let monitor: ReplayMonitor
    let progress: ProgressLine

    private var plan: ShardedPlan { folder.plan }

    /// Runs a shard with so many simulations side by side, unless it is done or another process has it.
    func run(_ index: Int, workers: Int) async -> Outcome {
        do throws(AssayError) {
            if try folder.isDone(index) { return .wasDone }
            guard let claim = try folder.claim(index) else { return .elsewhere }
            defer { withExtendedLifetime(claim) {} }
            // The process that had it until now may have finished it.
            if try folder.isDone(index) { return .wasDone }
            return try await execute(index, workers)
        } catch {
            folder.note(error, of: index)
            return .failed(error)
        }
    }

    private func execute(_ index: Int, _ workers: Int) async throws(AssayError) -> Outcome {
        let started = Date()
        let shard = plan.shards[index]
        let trace = plan.traces[shard.trace]
        let whole = try PlanBuilder(
            selection: selection, quiet: true,
            given: (plan.blocks.map { $0.specification(shard.trace, in: plan) }, [trace.name])
        ).plan()
        guard whole.traces.count == 1, whole.traces[0].description.digest == trace.digest else {
            throw AssayError(
                .badInput,
                "The input is not what it was when the plan was made. Restore it, or plan again in another directory.",
                at: .init(trace.argument),
                cause: "its digest is \(whole.traces.first?.description.digest ?? "none") and not \(trace.digest)")
        }
        let swept = whole.part(shard.part, of: shard.parts)
        let (journal, done) = try journal(index, swept, started)
        let sweep = Sweep(swept, workers: workers, monitor: monitor, countsCosts: true) { cell, _ in cell.blank }
        var journalError: AssayError?
        let cells = await sweep.run(done: done, onStart: progress.start) { position, cell in
            do throws(AssayError) { try journal.append(position, cell) } catch { journalError = journalError ?? error }
            progress.finish(cell)
        }
        guard cells.count == swept.cells.count else {
            if let journalError { throw journalError }
            return .interrupted
        }
        let results = RunResults(
            assayVersion: AssayVersion.text, startedAt: started.ISO8601Format(),
            durationSeconds: Date().timeIntervalSince(started), commandLine: plan.commandLine, seed: plan.seed,
            status: .complete,
            environment: EnvironmentProbe.describe(memoryAllocator: RunSession.memoryAllocator(cells)),
            traces: swept.traces.map(\.description), cells: cells, cellsPlanned: cells.count,
            policies: swept.policies.map { PolicyDescription($0.descriptor) },
            warnings: TimingConditions.ofProcess.warnings())
        let place = ShardResult.Place(plan: plan.digest, index: index, cellsByBlock: swept.cellsByBlock)
        try folder.keep(Data(JSONReport.renderCompact(ShardResult(place: place, results: results)).utf8), of: index)
        journal.remove()
        try? FileManager.default.removeItem(atPath: folder.journal(index))
        return .finished(kept: done.count)
    }

    /// The journal of a shard, and what an attempt before has finished.
    private func journal(
        _ index: Int, _ swept: SweepPlan, _ started: Date
    ) throws(AssayError) -> (RunJournal, [Int: CellResult]) {
        let path = folder.journal(index)
        let order = RunJournal.Order(
            commandLine: plan.commandLine, workingDirectory: plan.workingDirectory,
            startedAt: started.ISO8601Format(), traceDigests: [plan.digest] + swept.traces.map(\.description.digest))
        var done: [Int: CellResult] = [:]
        if let (former, cells) = try? RunJournal.load(path), former.traceDigests == order.traceDigests {
            done = cells.filter { position, cell in
                guard swept.cells.indices.contains(position) else { return false }
                let blank = swept.cells[position].blank
                return blank.identity == cell.identity && blank.seed == cell.seed
            }
        } else {
            // Of another plan or damaged: it would cost more to mend than to run again.
            RunJournal.remove(in: path)
        }
        // A machine that goes down loses a second of work; a process that is killed loses none.
        return (try RunJournal(directory: path, order: order, syncSeconds: 1), done)
    }
}

extension ShardedPlan.Block {
    /// The block for one trace alone; without traces if it does not name that one.
    func specification(_ trace: Int, in plan: ShardedPlan) -> SuiteSpecification.Block {
        let isNamed = traces.contains(trace)
        return SuiteSpecification.Block(
            traces: isNamed ? [plan.traces[trace].argument] : [], policies: policies, capacities: capacities,
            admissions: admissions, expiry: isNamed ? expiry : nil, warmUp: warmUp, seeds: seeds)
    }
}
