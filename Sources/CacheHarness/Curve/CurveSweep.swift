internal import CacheCore

/// The replays that passes leave to be done, and the curves that both make together.
struct CurveSweep {
    let order: CurveOrder
    let traces: [SweepTrace]
    /// What is counted of each trace.
    let measures: [CellMeasures]
    let tasks: [CurveTask]
    let passes: [PassFigures]
    let miniatures: [Int: MiniatureTrace]
    /// Where a task's sample cannot stand for the whole trace, by place among its points.
    private let hindrances: [[Int: MiniatureTrace.Hindrance]]
    /// What no cache can pass, for the tasks that are simulated in miniature.
    private let ceilings: [Int: HitCeiling]

    init(
        order: CurveOrder, traces: [SweepTrace], measures: [CellMeasures], tasks: [CurveTask], passes: [PassFigures],
        miniatures: [Int: MiniatureTrace]
    ) {
        self.order = order
        self.traces = traces
        self.measures = measures
        self.tasks = tasks
        self.passes = passes
        self.miniatures = miniatures
        var hindrances: [[Int: MiniatureTrace.Hindrance]] = []
        var ceilings: [Int: HitCeiling] = [:]
        var known: [CurveTask.RatioScope: (hindrances: [Int: MiniatureTrace.Hindrance], ceiling: HitCeiling)] = [:]
        for (index, task) in tasks.enumerated() {
            guard task.method == .miniature, let sample = miniatures[task.trace] else {
                hindrances.append(passes[index].shards?.hindrances(of: task, traces[task.trace].description) ?? [:])
                continue
            }
            let found =
                known[task.ratioScope]
                ?? (
                    Dictionary(
                        uniqueKeysWithValues: task.points.enumerated().compactMap { place, point in
                            sample.hindrance(at: point.capacity).map { (place, $0) }
                        }),
                    HitCeiling(
                        traces[task.trace].columns, capacities: task.points.map(\.capacity.amount), unit: task.unit,
                        rules: order.rules, warmUp: measures[task.trace].first)
                )
            known[task.ratioScope] = found
            hindrances.append(found.hindrances)
            ceilings[index] = found.ceiling
        }
        self.hindrances = hindrances
        self.ceilings = ceilings
    }

    /// Replays at the points that no pass has settled, of the traces and of their samples.
    var plan: SweepPlan {
        var all = traces
        var places: [Int: Int] = [:]
        for (index, sample) in miniatures.sorted(by: { $0.key < $1.key }) {
            places[index] = all.count
            all.append(sampledTrace(index, sample))
        }
        var blocks: [SweepBlock] = []
        for index in tasks.indices {
            let task = tasks[index]
            blocks.append(block(task, on: task.trace, measures[task.trace], capacities: replayed(index)))
            if task.method == .miniature, let place = places[task.trace], let sample = miniatures[task.trace] {
                let carried = task.points.indices.filter { hindrances[index][$0] == nil }
                blocks.append(
                    block(
                        task, on: place, sampledMeasures(sample),
                        capacities: carried.map { sample.scaled(task.points[$0].capacity) }))
            }
        }
        return SweepPlan(
            traces: all, blocks: blocks.filter { !$0.capacities.isEmpty }, seed: order.seed, rules: order.rules)
    }

    private func sampledTrace(_ index: Int, _ sample: MiniatureTrace) -> SweepTrace {
        var description = traces[index].description
        description.name = sampledName(index)
        return SweepTrace(description: description, columns: sample.columns) { () throws(AssayError) in sample.columns }
    }

    /// Never shown: tells a sample's replays from the whole trace's.
    private func sampledName(_ index: Int) -> String { "\(index) | sample of \(traces[index].description.name)" }

    private func block(
        _ task: CurveTask, on trace: Int, _ measures: CellMeasures, capacities: [Capacity]
    ) -> SweepBlock {
        SweepBlock(
            traces: [trace], policies: [task.policy], capacities: capacities.map { .absolute($0) }, backends: [nil],
            measures: [trace: measures])
    }

    /// What is counted of a sample.
    private func sampledMeasures(_ sample: MiniatureTrace) -> CellMeasures {
        var measures = CellMeasures()
        if sample.warmUp > 0 { measures.warmUp = CellWarmUp(requested: "", requests: sample.warmUp) }
        return measures
    }

    /// The capacities at which the whole trace is replayed.
    private func replayed(_ index: Int) -> [Capacity] {
        let task = tasks[index]
        let isExact = task.method.isExact || order.measuresError
        guard isExact || replaysHindered(index) else { return [] }
        return task.points.indices.filter { isExact || hindrances[index][$0] != nil }
            .filter { passes[index].exact($0, task.points[$0].capacity) == nil }
            .filter { _ in task.method != .stack || hasFinishedPass(index) }
            .map { task.points[$0].capacity }
    }

    /// Whether the points that a sample cannot stand for are replayed with the whole trace: where that does not take long.
    private func replaysHindered(_ index: Int) -> Bool {
        hindrances[index].count * traces[tasks[index].trace].columns.ids.count <= CurveOrder.replayBudget
    }

    /// A pass that was stopped leaves its points out rather than to replays.
    private func hasFinishedPass(_ index: Int) -> Bool { passes[index].stack != nil || passes[index].bytes != nil }

    /// The curve of a task from its pass and from the replays, by identity.
    func curve(_ index: Int, _ cells: [String: CellResult]) -> CurveResult {
        let task = tasks[index]
        let name = traces[task.trace].description.name
        var curve = CurveResult(
            trace: name, policy: task.policy.entry.descriptor.name, parameters: task.policy.parameters.description,
            capacityUnit: task.unit, method: task.method)
        curve.warmUp = measures[task.trace].warmUp
        func cell(
            _ trace: String, _ columns: RequestColumns, _ measures: CellMeasures, _ capacity: Capacity
        ) -> CellResult? {
            let rules = order.rules.effective(on: columns, parameters: curve.parameters, unit: task.unit)
            var blank = CellResult(
                trace: trace, policy: curve.policy, parameters: curve.parameters, rules: rules, capacity: capacity,
                capacityRequested: "", seed: order.seed)
            blank.warmUp = measures.warmUp
            return cells[blank.identity]
        }
        var replays: [CellResult] = []
        for (place, point) in task.points.enumerated() {
            let pass = passes[index].exact(place, point.capacity)
            let whole = pass == nil ? cell(name, traces[task.trace].columns, measures[task.trace], point.capacity) : nil
            let exact = pass ?? whole?.counts.map { CurveRatios(hitRatio: $0.hitRatio, byteHitRatio: $0.byteHitRatio) }
            let isHindered = hindrances[index][place] != nil
            let isExact = task.method.isExact || isHindered
            let small =
                task.method == .miniature && !isHindered
                ? miniatures[task.trace].flatMap {
                    cell(sampledName(task.trace), $0.columns, sampledMeasures($0), $0.scaled(point.capacity))
                } : nil
            if isExact, let whole { replays.append(whole) }
            if let small { replays.append(small) }
            curve.failure = curve.failure ?? whole?.failure ?? small?.failure
            guard let ratios = isExact ? exact : estimate(index, place, small) else { continue }
            let method = !isExact ? task.method : pass == nil ? .replay : .stack
            curve.points.append(
                CurvePoint(
                    capacity: point.capacity.amount, capacityRequested: point.requested, method: method,
                    hitRatio: ratios.hitRatio, byteHitRatio: ratios.byteHitRatio,
                    exactHitRatio: task.method.isExact || !order.measuresError ? nil : exact?.hitRatio))
        }
        curve.notes = notes(index)
        if hindrances[index].count == task.points.count, !order.measuresError, !replaysHindered(index),
            let reason = curve.notes?.joined(separator: "; ")
        {
            curve.failure = curve.failure ?? CellFailure(.failed, reason)
        }
        let remarks = measures[task.trace].notes.map { String($0.dropLast()) }
        if !remarks.isEmpty { curve.notes = (curve.notes ?? []) + remarks }
        describe(&curve, index, replays)
        return curve
    }

    private func estimate(_ index: Int, _ place: Int, _ small: CellResult?) -> CurveRatios? {
        switch tasks[index].method {
        case .stack, .replay, .fit: return nil
        case .shards:
            guard let shards = passes[index].shards, shards.sampledRequests > 0 else { return nil }
            return CurveRatios(hitRatio: shards.hitRatios[place], byteHitRatio: shards.byteHitRatios[place])
        case .miniature:
            guard let counts = small?.counts, let sample = miniatures[tasks[index].trace],
                let ceiling = ceilings[index]
            else { return nil }
            return sample.ratios(counts, ceiling: ceiling.ratios(at: place))
        }
    }

    /// What became of the points that the sample cannot stand for, and why; nil where it stands for all.
    private func notes(_ index: Int) -> [String]? {
        let task = tasks[index]
        let isReplayed = order.measuresError || replaysHindered(index)
        let notes = [MiniatureTrace.Hindrance.small, .narrow].compactMap { hindrance -> String? in
            let capacities = hindrances[index].filter { $0.value == hindrance }.keys.sorted()
                .map { task.points[$0].capacity.description }
            guard let first = capacities.first, let last = capacities.last else { return nil }
            let points =
                capacities.count == 1 ? "1 point (\(first))" : "\(capacities.count) points (\(first) to \(last))"
            let fate =
                isReplayed
                ? "found with the whole trace" : "left out: give a higher --rate or more --samples, or --method exact"
            return "\(points) \(fate); \(hindrance.reason)"
        }
        return notes.isEmpty ? nil : notes
    }

    /// Adds sample, times and the reason of a curve without points.
    private func describe(_ curve: inout CurveResult, _ index: Int, _ replays: [CellResult]) {
        let task = tasks[index]
        let figures = passes[index]
        var seen: Set<String> = []
        let replaySeconds = replays.filter { seen.insert($0.identity).inserted }.compactMap { cell in
            cell.requestsPerSecond.map { rate in
                let sample = cell.trace == curve.trace ? nil : miniatures[task.trace]
                return Double((sample?.columns ?? traces[task.trace].columns).ids.count) / rate
            }
        }.reduce(0, +)
        let passSeconds: Double? =
            switch task.method {
            case .shards: figures.shardsSeconds
            case .stack: figures.stackSeconds
            default: 0
            }
        curve.passSeconds = (passSeconds ?? 0) + replaySeconds
        if task.method == .stack || task.method == .shards, let passSeconds, passSeconds > 0 {
            curve.requestsPerSecond = Double(traces[task.trace].columns.ids.count) / passSeconds
        }
        if let shards = figures.shards {
            curve.sample = CurveSample(
                rate: shards.rate, objects: shards.sampledObjects, requests: shards.sampledRequests)
        } else if task.method == .miniature {
            curve.sample = miniatures[task.trace].map {
                CurveSample(rate: $0.rate, objects: $0.columns.objects.count, requests: $0.columns.ids.count)
            }
        }
        let isEmpty = task.method == .miniature ? curve.sample == nil : figures.shards?.sampledRequests == 0
        if isEmpty {
            curve.failure = CellFailure(
                .failed, "the sample holds no request; give a higher --rate or more --samples")
        }
    }
}

extension ShardsEstimate {
    /// The points that the sample says too little of, by place; none where it holds every object or nothing at all.
    fileprivate func hindrances(
        of task: CurveTask, _ trace: TraceDescription
    ) -> [Int: MiniatureTrace.Hindrance] {
        guard rate < 1, sampledRequests > 0 else { return [:] }
        let footprint = Double(task.unit == .objects ? trace.objects : trace.footprintBytes)
        var found: [Int: MiniatureTrace.Hindrance] = [:]
        for (place, point) in task.points.enumerated() {
            let share = Double(point.capacity.amount) / footprint
            // From the footprint on all but first requests hit, and these are known.
            guard share < 1, share * Double(sampledObjects) < Double(MiniatureTrace.leastObjects) else { continue }
            found[place] = .small
        }
        return found
    }
}

extension MiniatureTrace.Hindrance {
    /// The reason, for people.
    fileprivate var reason: String {
        switch self {
        case .small: "fewer than \(MiniatureTrace.leastObjects) sampled objects say little"
        case .narrow: "more than 1 % of the requests ask for objects that are larger than the miniature"
        }
    }
}
