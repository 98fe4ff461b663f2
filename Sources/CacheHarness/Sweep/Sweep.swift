public import CacheCore

/// Runs the combinations of a plan: simulations side by side over the processors, live runs one at a time.
///
/// One combination's failure is its result and leaves the others alone.
public struct Sweep: Sendable {
    /// Runs one live combination and returns its result.
    public typealias LiveRunner = @Sendable (PlannedCell, SweepTrace) -> CellResult

    private let plan: SweepPlan
    private let workers: Int
    private let monitor: ReplayMonitor
    private let live: LiveRunner

    /// A sweep on at most `workers` threads. `live` runs the combinations that have a backend.
    public init(_ plan: SweepPlan, workers: Int, monitor: ReplayMonitor, live: @escaping LiveRunner) {
        self.plan = plan
        self.workers = max(1, workers)
        self.monitor = monitor
        self.live = live
    }

    /// Runs every combination that `done` has no result for, and hands each result over as it comes, with its index.
    ///
    /// `onResult` is called from one task at a time. Returns all results in the plan's order; combinations that the
    /// monitor stopped are missing.
    public func run(
        done: [Int: CellResult] = [:], onResult: (Int, CellResult) -> Void
    ) async -> [CellResult] {
        var results = done
        let open = plan.cells.indices.filter { done[$0] == nil }
        await simulate(open.filter { plan.cells[$0].backend == nil }) { index, result in
            results[index] = result
            onResult(index, result)
        }
        // Timed work has the machine to itself.
        for index in open where plan.cells[index].backend != nil {
            guard !monitor.isStopping else { break }
            let cell = plan.cells[index]
            let result = inapplicable(cell) ?? live(cell, plan.traces[cell.traceIndex])
            guard !monitor.isStopping else { break }
            results[index] = result
            onResult(index, result)
        }
        return plan.cells.indices.compactMap { results[$0] }
    }

    private func simulate(_ indices: [Int], onResult: (Int, CellResult) -> Void) async {
        await withTaskGroup(of: (Int, CellResult?).self) { group in
            var waiting = indices[...]
            func startNext() {
                guard let index = waiting.popFirst() else { return }
                group.addTask { (index, simulate(plan.cells[index])) }
            }
            for _ in 0..<workers { startNext() }
            for await (index, result) in group {
                if let result { onResult(index, result) }
                if !monitor.isStopping { startNext() }
            }
        }
    }

    /// The result of a combination that has no meaning, nil for all others.
    private func inapplicable(_ cell: PlannedCell) -> CellResult? {
        cell.inapplicability.map { reason in
            var result = cell.blank
            result.failure = CellFailure(.notApplicable, reason)
            return result
        }
    }

    private func simulate(_ cell: PlannedCell) -> CellResult? {
        if let result = inapplicable(cell) { return result }
        var result = cell.blank
        let trace = plan.traces[cell.traceIndex]
        let policy = cell.policy.entry
        do throws(AssayError) {
            let needsFuture = policy.needsFuture || cell.admission?.entry.needsFuture == true
            let columns = needsFuture ? try trace.columnsWithFuture() : trace.columns
            var configuration = PolicyConfiguration(
                capacity: cell.capacity, objects: columns.objects, parameters: cell.policy.parameters,
                seed: result.seed,
                keys: columns.keys)
            configuration.admission = cell.admission
            configuration.honoursExpiry = result.honoursExpiry == true
            let start = MonotonicClock.nowNanoseconds()
            guard let counts = try policy.simulate(columns, configuration, monitor: monitor) else {
                return nil
            }
            let seconds = max(1e-9, Double(MonotonicClock.nowNanoseconds() - start) / 1e9)
            result.counts = counts
            result.requestsPerSecond = Double(counts.requests) / seconds
        } catch {
            result.failure = CellFailure(.failed, error.description)
        }
        return result
    }
}
