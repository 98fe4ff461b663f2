public import CacheCore

/// Finds the curves of an order: passes first, then replays and miniature simulations side by side over the processors.
public struct CurveRun: Sendable {
    private let order: CurveOrder
    private let traces: [SweepTrace]
    private let workers: Int
    private let monitor: ReplayMonitor
    private let tasks: [CurveTask]
    /// What is counted of each trace.
    private let measures: [CellMeasures]

    /// A run on at most `workers` threads.
    ///
    /// - Throws: `AssayError` with code `usage` for a method that a policy does not go with, and for a warm-up that leaves
    ///   nothing to count.
    public init(
        _ order: CurveOrder, traces: [SweepTrace], workers: Int, monitor: ReplayMonitor
    ) throws(AssayError) {
        self.order = order
        self.traces = traces
        self.workers = max(1, workers)
        self.monitor = monitor
        var measures: [CellMeasures] = []
        for trace in traces { measures.append(try order.measures.resolved(on: trace, rules: order.rules)) }
        self.measures = measures
        var tasks: [CurveTask] = []
        for (index, trace) in traces.enumerated() {
            for (unit, points) in order.points(on: trace.description) {
                for policy in order.policies {
                    let method = try order.method(
                        for: policy, unit: unit, requests: trace.columns.ids.count, points: points.count,
                        obeying: trace.columns.operations == nil ? nil : trace.description.name)
                    guard
                        method != .shards || unit == .objects || order.rules.resize != .keep
                            || trace.columns.sizeChanges == 0
                    else {
                        throw AssayError(
                            .usage,
                            "In SHARDS a resident takes its new size. Leave --resize out, or use --method exact, miniature or auto.",
                            at: .init("--resize"))
                    }
                    tasks.append(
                        CurveTask(
                            trace: index, policy: policy, unit: unit, points: points, method: method,
                            isOfReads: trace.columns.operations == nil))
                }
            }
        }
        self.tasks = tasks
    }

    /// The number of replayed requests that the run needs at most, for a progress line.
    public var plannedRequests: Int {
        tasks.reduce(0) { sum, task in
            let requests = traces[task.trace].columns.ids.count
            switch task.method {
            case .stack: return sum + requests
            case .shards:
                let whole = task.points.count * requests
                return sum + (order.measuresError ? 2 * requests : requests + min(whole, CurveOrder.replayBudget))
            case .replay, .fit: return sum + task.points.count * requests
            case .miniature:
                // The points that the sample cannot stand for are not known yet.
                let whole = task.points.count * requests
                return sum + requests + (order.measuresError ? whole : min(whole, CurveOrder.replayBudget))
            }
        }
    }

    /// The number of replays that the run needs at most, for a progress line.
    public var plannedReplays: Int {
        tasks.reduce(0) { sum, task in
            switch task.method {
            case .stack: sum
            case .replay, .fit, .shards: sum + task.points.count
            case .miniature: sum + (order.measuresError && !task.hasPass ? 2 : 1) * task.points.count
            }
        }
    }

    /// The curves in the order of traces, units and policies; points that the monitor stopped are missing.
    ///
    /// `onStart` and `onReplay` are called from one task at a time, for each replay that begins and that ends.
    public func run(
        onStart: (CellResult) -> Void = { _ in }, onReplay: (CellResult) -> Void = { _ in }
    ) async -> [CurveResult] {
        let passes = await passes()
        let miniatures = miniatures()
        let sweep = CurveSweep(
            order: order, traces: traces, measures: measures, tasks: tasks, passes: passes, miniatures: miniatures)
        let plan = sweep.plan
        let cells = await Sweep(plan, workers: workers, monitor: monitor) { cell, _ in cell.blank }
            .run(onStart: onStart) { _, cell in onReplay(cell) }
        let found = Dictionary(cells.map { ($0.identity, $0) }) { first, _ in first }
        return tasks.indices.map { sweep.curve($0, found) }
    }

    /// What the passes over each trace found, by task.
    private func passes() async -> [PassFigures] {
        var figures = [PassFigures](repeating: PassFigures(), count: tasks.count)
        await withTaskGroup(of: (Int, PassFigures).self) { group in
            var waiting = tasks.indices.filter { tasks[$0].needsPass(order) }[...]
            func startNext() {
                guard let index = waiting.popFirst() else { return }
                group.addTask { (index, pass(tasks[index])) }
            }
            for _ in 0..<workers { startNext() }
            for await (index, result) in group {
                figures[index] = result
                if !monitor.isStopping { startNext() }
            }
        }
        return figures
    }

    private func pass(_ task: CurveTask) -> PassFigures {
        let columns = traces[task.trace].columns
        let warmUp = measures[task.trace].first
        let amounts = task.points.map(\.capacity.amount)
        var figures = PassFigures()
        if task.method == .shards {
            figures.shardsSeconds = seconds {
                figures.shards = ShardsEstimate(
                    columns, capacities: amounts, unit: task.unit, extent: order.extent, seed: order.seed,
                    warmUp: warmUp, monitor: monitor)
            }
        }
        guard task.method == .stack || order.measuresError, let stackOrder = task.policy.stackOrder else {
            return figures
        }
        figures.stackSeconds = seconds {
            switch task.unit {
            case .objects: figures.stack = StackPass.curve(stackOrder, columns, warmUp: warmUp, monitor: monitor)
            case .bytes:
                figures.bytes = StackPass.byteCurve(columns, capacities: amounts, warmUp: warmUp, monitor: monitor)
            }
        }
        return figures
    }

    private func seconds(_ body: () -> Void) -> Double {
        let start = MonotonicClock.nowNanoseconds()
        body()
        return max(1e-9, Double(MonotonicClock.nowNanoseconds() - start) / 1e9)
    }

    /// A sample of each trace that miniature simulations need.
    private func miniatures() -> [Int: MiniatureTrace] {
        var samples: [Int: MiniatureTrace] = [:]
        for task in tasks where task.method == .miniature && samples[task.trace] == nil && !monitor.isStopping {
            samples[task.trace] = MiniatureTrace(
                traces[task.trace].columns, extent: order.extent, seed: order.seed, rules: order.rules,
                warmUp: measures[task.trace].first)
        }
        return samples
    }
}

/// One curve to be found.
struct CurveTask: Sendable {
    var trace: Int
    var policy: PolicySelection
    var unit: Capacity.Unit
    var points: [CurveCapacity]
    var method: CurveMethod
    /// Whether the trace states reads alone, which passes know.
    var isOfReads: Bool

    /// What the most that can be hit depends on.
    struct RatioScope: Hashable {
        var trace: Int
        var unit: Capacity.Unit
    }

    /// Tasks of equal ones have equal points.
    var ratioScope: RatioScope { RatioScope(trace: trace, unit: unit) }

    /// Whether a pass has a part in it: as the curve or, with errors measured, beside it.
    func needsPass(_ order: CurveOrder) -> Bool {
        switch method {
        case .stack, .shards: true
        case .replay, .fit: false
        case .miniature: order.measuresError && hasPass
        }
    }

    /// Whether one pass finds the exact curve, or most of it.
    var hasPass: Bool {
        isOfReads && (unit == .objects ? policy.stackOrder != nil : policy.stackOrder == .leastRecentlyUsed)
    }
}

/// What the passes of one curve found.
struct PassFigures: Sendable {
    var stack: StackCurve?
    var bytes: ByteStackCurve?
    var shards: ShardsEstimate?
    var stackSeconds: Double?
    var shardsSeconds: Double?

    /// The exact ratios at a capacity; nil if no pass found them or they are not exact there.
    func exact(_ index: Int, _ capacity: Capacity) -> CurveRatios? {
        switch capacity.unit {
        case .objects: return stack.map { CurveRatios($0.hits(at: capacity.amount), $0.requests, $0.bytesRequested) }
        case .bytes:
            guard let bytes, bytes.isExact(at: capacity.amount) else { return nil }
            return CurveRatios(bytes.hits[index], bytes.requests, bytes.bytesRequested)
        }
    }
}

/// Two ratios of one point.
struct CurveRatios: Sendable {
    var hitRatio: Double
    var byteHitRatio: Double

    init(hitRatio: Double, byteHitRatio: Double) {
        self.hitRatio = hitRatio
        self.byteHitRatio = byteHitRatio
    }

    init(_ hits: CurveHits, _ requests: Int, _ bytesRequested: Int) {
        hitRatio = requests == 0 ? 0 : Double(hits.hits) / Double(requests)
        byteHitRatio = bytesRequested == 0 ? 0 : Double(hits.bytesHit) / Double(bytesRequested)
    }
}
