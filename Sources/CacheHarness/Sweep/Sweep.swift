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
    private let countsCosts: Bool
    private let repeats: Bool

    /// The most replays of one combination, and how long they may take together before no further one is made, in seconds.
    private static var repetitions: (most: Int, seconds: Double) { (5, 0.05) }

    /// A sweep on at most `workers` threads. `live` runs the combinations that have a backend.
    ///
    /// - Parameters:
    ///   - countsCosts: Whether to add up what misses cost on traces that state it, which takes a slower replay.
    ///   - repeats: Whether short simulations are made again, so that their throughput has a spread.
    public init(
        _ plan: SweepPlan, workers: Int, monitor: ReplayMonitor, countsCosts: Bool = false, repeats: Bool = false,
        live: @escaping LiveRunner
    ) {
        self.repeats = repeats
        self.plan = plan
        self.countsCosts = countsCosts
        self.workers = max(1, workers)
        self.monitor = monitor
        self.live = live
    }

    /// Runs every combination that `done` has no result for, and hands each result over as it comes, with its index.
    ///
    /// `onStart` and `onResult` are called from one task at a time; `onStart` with what has no result yet. Returns all results in the plan's order; combinations that the
    /// monitor stopped are missing.
    public func run(
        done: [Int: CellResult] = [:], onStart: (CellResult) -> Void = { _ in },
        onResult: (Int, CellResult) -> Void
    ) async -> [CellResult] {
        var results = done
        let open = plan.cells.indices.filter { done[$0] == nil }
        await simulate(open.filter { plan.cells[$0].backend == nil }, onStart: onStart) { index, result in
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

    private func simulate(
        _ indices: [Int], onStart: (CellResult) -> Void, onResult: (Int, CellResult) -> Void
    ) async {
        await withTaskGroup(of: (Int, CellResult?).self) { group in
            var waiting = indices[...]
            func startNext() {
                guard let index = waiting.popFirst() else { return }
                onStart(plan.cells[index].blank)
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
        cell.inapplicability(on: plan.traces[cell.traceIndex]).map { reason in
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
            configuration.prefetcher = cell.prefetcher
            configuration.honoursExpiry = result.honoursExpiry == true
            configuration.rules = result.rules ?? ReplayRules()
            configuration.countsCosts = countsCosts
            var parts = cell.measures.parts
            let isStepped = policy.isStepped(columns, configuration, parts)
            func pass(_ monitor: ReplayMonitor) throws(AssayError) -> (counts: ReplayCounts, seconds: Double)? {
                parts = cell.measures.parts
                let start = MonotonicClock.nowNanoseconds()
                guard let counts = try policy.simulate(columns, configuration, monitor: monitor, parts: parts) else {
                    return nil
                }
                return (counts, max(1e-9, Double(MonotonicClock.nowNanoseconds() - start) / 1e9))
            }
            guard let first = try pass(monitor) else { return nil }
            cell.measures.fill(&result, first.counts, parts)
            var seconds = [first.seconds]
            let (most, limit) = repeats ? Self.repetitions : (1, 0)
            while seconds.count < most, seconds.reduce(first.seconds, +) <= limit {
                // A monitor of its own: repetitions are no progress.
                guard let again = try pass(ReplayMonitor()) else { break }
                seconds.append(again.seconds)
                guard again.counts == first.counts else {
                    throw AssayError(.internalError, "Two replays of one combination count differently.")
                }
            }
            // The first of several finds memory and predictors cold.
            if seconds.count > 2 { seconds.removeFirst() }
            if isStepped {
                let note = cell.prefetcher == nil ? CellResult.steppedNote : CellResult.prefetchedNote
                result.notes = (result.notes ?? []) + [note]
            }
            result.setThroughput(seconds.map { Double(columns.ids.count) / $0 })
        } catch {
            result.failure = CellFailure(.failed, error.description)
        }
        return result
    }
}

extension CellResult {
    /// Notes the rates of one or more passes, which `rates` must not be empty of.
    package mutating func setThroughput(_ rates: [Double]) {
        let sorted = rates.sorted()
        requestsPerSecond = rates.median
        guard sorted.count > 1 else { return }
        throughputRange = ThroughputRange(least: sorted[0], most: sorted[sorted.count - 1], passes: sorted.count)
    }
}
