public import CacheCore

/// A trace as a sweep needs it: its columns, its description, and its future and keys on demand.
public struct SweepTrace: Sendable {
    /// What reports say about the trace.
    public var description: TraceDescription
    /// The columns without the future.
    public var columns: RequestColumns
    /// The columns with the position of each object's next request; computed at the first call.
    public var columnsWithFuture: @Sendable () throws(AssayError) -> RequestColumns
    /// The path of the compiled trace, which processes that measure open; nil where there is none.
    public var compiledPath: String?
    /// The names of the tenants, by their numbers in the columns; empty if the trace states none.
    public var tenants: [String]

    /// A trace from its columns.
    public init(
        description: TraceDescription, columns: RequestColumns, tenants: [String] = [],
        columnsWithFuture: @escaping @Sendable () throws(AssayError) -> RequestColumns
    ) {
        self.description = description
        self.columns = columns
        self.tenants = tenants
        self.columnsWithFuture = columnsWithFuture
    }
}

extension SweepTrace {
    /// Why a live run of this trace cannot keep to a combination's rules; nil if it can.
    package func hindranceOfLiveRuns(_ blank: CellResult) -> String? {
        guard let rules = blank.rules else { return nil }
        if rules.counted == .all, columns.operations != nil {
            return "A live run counts reads alone. Leave --count out."
        }
        if rules.resize == .keep, columns.sizeChanges > 0, blank.capacityUnit == .bytes {
            return "A live cache gives an entry whose size changes its new weight. Leave --resize out."
        }
        return nil
    }
}

/// A policy with the parameters it is to run with.
public struct PolicySelection: Sendable {
    /// The policy.
    public var entry: PolicyEntry
    /// Its parameters.
    public var parameters: ParameterValues

    /// A policy with parameters.
    public init(_ entry: PolicyEntry, _ parameters: ParameterValues) {
        self.entry = entry
        self.parameters = parameters
    }

    /// `name` or `name:parameter=value`: what to write to select it again.
    public var text: String { selectionText(entry.descriptor.name, parameters) }
}

/// A backend with the parameters it is to open with.
public struct BackendSelection: Sendable {
    /// The backend.
    public var entry: BackendEntry
    /// Its parameters.
    public var parameters: ParameterValues

    /// A backend with parameters.
    public init(_ entry: BackendEntry, _ parameters: ParameterValues) {
        self.entry = entry
        self.parameters = parameters
    }

    /// `name` or `name:parameter=value`: what to write to select it again.
    public var text: String { selectionText(entry.descriptor.name, parameters) }
}

/// One combination that is to be run.
public struct PlannedCell: Sendable {
    /// The index of the trace in the plan.
    public var traceIndex: Int
    /// The policy.
    public var policy: PolicySelection
    /// What may enter; nil for everything.
    public var admission: AdmissionSelection?
    /// What fetches objects before they are requested; nil for nothing.
    public var prefetcher: PrefetcherSelection?
    /// The backend; nil drives the policy alone.
    public var backend: BackendSelection?
    /// The capacity for this trace.
    public var capacity: Capacity
    /// What is counted.
    public var measures = CellMeasures()
    /// The result before it has figures.
    public var blank: CellResult

    /// Why the combination has no meaning, nil if it has one.
    package func inapplicability(on trace: SweepTrace) -> String? {
        if let reason = inapplicability { return reason }
        if let admission {
            let stated: [(AdmissionColumn, Bool)] = [
                (.sizes, trace.description.hasSizes), (.costs, trace.columns.costs != nil),
                (.timesToLive, trace.columns.timesToLive != nil),
            ]
            if let (column, _) = stated.first(where: { !$0.1 && admission.columns.contains($0.0) }) {
                return "\(admission.text) looks at \(column.rawValue), which the trace does not state."
            }
        }
        if let reason = policy.entry.hindrance(by: trace.columns, admission: admission) { return reason }
        let reason = policy.entry.hindrance(
            by: trace.columns, prefetcher: prefetcher, admission: admission,
            honoursExpiry: blank.honoursExpiry == true)
        if let reason { return reason }
        return backend == nil ? nil : trace.hindranceOfLiveRuns(blank)
    }

    private var inapplicability: String? {
        if let reason = policy.entry.descriptor.objectsOnly, !policy.entry.isApplicable(to: capacity.unit) {
            return reason
        }
        if backend != nil, policy.entry.needsFuture, !policy.entry.isBound {
            return "It needs the future, which a live cache does not know."
        }
        if backend != nil, policy.entry.descriptor.learns {
            return "It is simulated only: all requests to a live cache would wait while it trains."
        }
        if backend != nil, let unknown = admission?.unknownToCaches(in: capacity.unit) {
            return "\(admission!.entry.descriptor.name) looks at what a live cache does not know: \(unknown)."
        }
        if backend != nil, policy.entry.descriptor.isUnbounded, capacity.unit == .bytes {
            return "It keeps everything, and a live cache that weighs its entries keeps to its capacity."
        }
        guard policy.entry.isBound else { return nil }
        if backend != nil { return "A bound on what policies can reach drives no cache." }
        if admission != nil { return "A bound on what policies can reach admits as it likes." }
        if measures != CellMeasures() { return PolicyEntry.boundsWholeTraces }
        return blank.honoursExpiry == true ? "The bound does not know expiry." : nil
    }
}

/// A block of a plan: these traces, with these policies, at these capacities, over these backends.
public struct SweepBlock: Sendable {
    /// Indices of the plan's traces.
    public var traces: [Int]
    /// The policies.
    public var policies: [PolicySelection]
    /// The capacities, absolute or as shares of each trace's footprint.
    public var capacities: [CapacityRequest]
    /// The backends; nil among them drives the policies alone.
    public var backends: [BackendSelection?]
    /// The admission policies; nil among them lets everything in.
    public var admissions: [AdmissionSelection?]
    /// The prefetchers, for simulations; nil among them fetches nothing.
    public var prefetchers: [PrefetcherSelection?]
    /// Whether objects expire, for simulations: false, true, or both.
    public var expiries: [Bool]
    /// What is counted, by trace; where a trace has no entry, its totals.
    public var measures: [Int: CellMeasures]
    /// The seeds of everything random, each of which is run; empty for the plan's own.
    public var seeds: [UInt64]

    /// A block that combines everything with everything.
    public init(
        traces: [Int], policies: [PolicySelection], capacities: [CapacityRequest], backends: [BackendSelection?],
        admissions: [AdmissionSelection?] = [nil], prefetchers: [PrefetcherSelection?] = [nil],
        expiries: [Bool] = [false], measures: [Int: CellMeasures] = [:],
        seeds: [UInt64] = []
    ) {
        self.traces = traces
        self.policies = policies
        self.capacities = capacities
        self.backends = backends
        self.admissions = admissions
        self.prefetchers = prefetchers
        self.expiries = expiries
        self.measures = measures
        self.seeds = seeds
    }
}

/// Every combination of its blocks, in the order in which reports show them.
public struct SweepPlan: Sendable {
    /// The traces.
    public let traces: [SweepTrace]
    /// The combinations, each once.
    public let cells: [PlannedCell]
    /// How many of the combinations come from each block, in its order.
    public let cellsByBlock: [Int]

    /// The combinations of all blocks. A combination that two blocks name is run once.
    ///
    /// - Parameter rules: What replays make of operations and of sizes that change.
    public init(traces: [SweepTrace], blocks: [SweepBlock], seed: UInt64, rules: ReplayRules = ReplayRules()) {
        self.traces = traces
        var cells: [PlannedCell] = []
        var cellsByBlock: [Int] = []
        var seen: Set<String> = []
        for block in blocks {
            let first = cells.count
            for trace in block.traces {
                for seed in block.seeds.isEmpty ? [seed] : block.seeds {
                    for cell in Self.combinations(of: block, trace, traces[trace], seed, rules)
                    where seen.insert("\(cell.blank.identity) | \(seed)").inserted {
                        cells.append(cell)
                    }
                }
            }
            cellsByBlock.append(cells.count - first)
        }
        self.cells = cells
        self.cellsByBlock = cellsByBlock
    }

    private init(traces: [SweepTrace], cells: [PlannedCell], cellsByBlock: [Int]) {
        (self.traces, self.cells, self.cellsByBlock) = (traces, cells, cellsByBlock)
    }

    /// One of `parts` consecutive parts of the combinations, which have about equally many.
    ///
    /// - Parameter part: From 0 to `parts - 1`.
    public func part(_ part: Int, of parts: Int) -> SweepPlan {
        let range = cells.count * part / parts..<cells.count * (part + 1) / parts
        var first = 0
        let counts = cellsByBlock.map { count in
            defer { first += count }
            return range.clamped(to: first..<first + count).count
        }
        return SweepPlan(traces: traces, cells: Array(cells[range]), cellsByBlock: counts)
    }

    /// The policies that occur, each once, in the order of the plan.
    public var policies: [PolicyEntry] {
        var seen: Set<String> = []
        return cells.map(\.policy.entry).filter { seen.insert($0.descriptor.name).inserted }
    }

    private static func combinations(
        of block: SweepBlock, _ traceIndex: Int, _ trace: SweepTrace, _ seed: UInt64,
        _ rules: ReplayRules
    ) -> [PlannedCell] {
        var cells: [PlannedCell] = []
        let measures = block.measures[traceIndex] ?? CellMeasures()
        for backend in block.backends {
            for policy in block.policies {
                for admission in block.admissions {
                    for prefetcher in block.prefetchers {
                        for expires in block.expiries {
                            for request in block.capacities {
                                let capacity = request.resolved(
                                    footprintObjects: trace.description.objects,
                                    footprintBytes: trace.description.footprintBytes)
                                let parameters = policy.parameters.description
                                var blank = CellResult(
                                    trace: trace.description.name, policy: policy.entry.descriptor.name,
                                    parameters: parameters, admission: admission?.text ?? "always",
                                    honoursExpiry: expires,
                                    rules: rules.effective(
                                        on: trace.columns, parameters: backend == nil ? parameters : "",
                                        unit: capacity.unit),
                                    backend: backend?.text ?? CellResult.simulationBackend,
                                    capacity: capacity, capacityRequested: request.description, seed: seed)
                                blank.prefetch = prefetcher?.text
                                blank.warmUp = measures.warmUp
                                blank.notes = measures.notes.isEmpty ? nil : measures.notes
                                cells.append(
                                    PlannedCell(
                                        traceIndex: traceIndex, policy: policy, admission: admission,
                                        prefetcher: prefetcher, backend: backend, capacity: capacity,
                                        measures: measures, blank: blank))
                            }
                        }
                    }
                }
            }
        }
        return cells
    }

    /// Requests to be replayed in the simulations that `isDone` does not name: the unit of their progress.
    public func simulatedRequests(isDone: (Int) -> Bool = { _ in false }) -> Int {
        cells.indices.reduce(0) { sum, index in
            guard cells[index].backend == nil, !isDone(index) else { return sum }
            return sum + traces[cells[index].traceIndex].columns.ids.count
        }
    }
}
