import CacheCore
import CacheHarness
import CacheTraces
import CacheWorkloads

/// Turns the options of `assay run`, or a suite file, into a plan with opened traces.
struct PlanBuilder {
    let selection: RunSelection
    let opener: TraceOpener
    /// What is combined and what the traces are called, where that is not for the selection to say.
    private let given: (blocks: [SuiteSpecification.Block], names: [String])?

    /// A builder that says how far reading has come unless it is to be quiet.
    init(selection: RunSelection, quiet: Bool, given: (blocks: [SuiteSpecification.Block], names: [String])? = nil) {
        self.selection = selection
        self.given = given
        opener = selection.traces.reading.opener(isQuiet: quiet)
    }

    /// Opens the traces and combines them with everything else.
    func plan() throws(AssayError) -> SweepPlan {
        // Names are checked before traces are read: a typing mistake should not cost a minute.
        let blocks = try prepared()
        let isJoined = selection.traces.reading.join
        var seen: Set<String> = []
        let names = blocks.flatMap(\.traces).filter { seen.insert($0).inserted || isJoined }
        let parts = selection.traces.reading.traces(names)
        let traces = try opener.sweepTraces(parts, format: selection.format, named: given?.names)
        // All names mean the one trace where they are joined.
        let indices = Dictionary(
            parts.enumerated().flatMap { index, names in names.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        for block in blocks {
            guard let bytes = block.capacities.first(where: { $0.unit == .bytes }) else { continue }
            for name in block.traces {
                if let index = indices[name] { try traces[index].requireSizes(for: bytes) }
            }
        }
        try requireTimesToLive(blocks, traces)
        for trace in traces { try trace.requireWrites(for: selection.rules) }
        let swept = try blocks.map { (block) throws(AssayError) in
            let numbers = isJoined ? [0] : block.traces.compactMap { indices[$0] }
            return SweepBlock(
                traces: numbers, policies: block.policies,
                capacities: block.capacities, backends: block.backends, admissions: block.admissions,
                prefetchers: block.prefetchers, expiries: block.expiries,
                measures: try measures(block.measures, traces, numbers), seeds: block.seeds)
        }
        return SweepPlan(
            traces: traces, blocks: selection.namesPolicies ? swept : [], seed: selection.seed, rules: selection.rules)
    }

    /// What is counted of each trace.
    private func measures(
        _ request: MeasureRequest, _ traces: [SweepTrace], _ numbers: [Int]
    ) throws(AssayError) -> [Int: CellMeasures] {
        var measures: [Int: CellMeasures] = [:]
        for number in numbers {
            measures[number] = try request.resolved(on: traces[number], rules: selection.rules)
        }
        return measures
    }

    /// The complete caches that are named, with every trace of a plan.
    func subjects(_ plan: SweepPlan) throws(AssayError) -> [BenchmarkedCacheSelection.Planned] {
        let texts = selection.capacity.isEmpty ? RunSelection.defaultCapacities : selection.capacity
        var planned = try BenchmarkedCacheSelection.plan(
            BenchmarkedCacheSelection.names(selection.subject), capacities: Selection.capacities(texts),
            traces: plan.traces,
            threads: 1, seed: selection.seed, deadlineSeconds: selection.deadline)
        let request = try selection.warming.request()
        for index in planned.indices {
            let measures = try request.resolved(on: planned[index].trace)
            planned[index].blank.warmUp = measures.warmUp
            if !measures.notes.isEmpty {
                planned[index].blank.notes = (planned[index].blank.notes ?? []) + measures.notes
            }
        }
        guard selection.rules != ReplayRules() else { return planned }
        return planned.map { planned in
            var planned = planned
            planned.blank.rules = selection.rules
            if let reason = planned.trace.hindranceOfLiveRuns(planned.blank) {
                planned.blank.failure = planned.blank.failure ?? CellFailure(.notApplicable, reason)
            }
            return planned
        }
    }

    private func requireTimesToLive(_ blocks: [Prepared], _ traces: [SweepTrace]) throws(AssayError) {
        guard blocks.contains(where: { $0.expiries.contains(true) }) else { return }
        if let trace = traces.first(where: { $0.columns.timesToLive == nil || $0.columns.times == nil }) {
            throw AssayError(
                .usage,
                "\(trace.description.name) does not state when requests are made and how long objects live. "
                    + "Name the columns with --format csv:…,time=1,ttl=4, or leave --expiry out.",
                at: AssayError.Location("--expiry"))
        }
    }

    /// The blocks, whose names are looked up before any trace is read.
    func prepared() throws(AssayError) -> [Prepared] {
        let blocks = try blocks()
        guard selection.warming.warmUp == nil || blocks.contains(where: { $0.warmUp == nil }) else {
            throw AssayError(.usage, "The file says its warm-ups. Leave --warm-up out.", at: .init("--warm-up"))
        }
        return try blocks.map { (block) throws(AssayError) in
            do throws(AssayError) { return try Prepared(block, selection) } catch {
                var error = error
                // Nobody gave the option that an error names where a file said it.
                error.location = block.place ?? error.location
                throw error
            }
        }
    }

    /// A block whose names are known to exist.
    struct Prepared {
        let traces: [String]
        let policies: [PolicySelection]
        let capacities: [CapacityRequest]
        let backends: [BackendSelection?]
        let admissions: [AdmissionSelection?]
        let prefetchers: [PrefetcherSelection?]
        let expiries: [Bool]
        let measures: MeasureRequest
        let seeds: [UInt64]
        /// The block as it was written.
        let specification: SuiteSpecification.Block

        init(_ block: SuiteSpecification.Block, _ selection: RunSelection) throws(AssayError) {
            var measures = try selection.warming.request()
            if let warmUp = block.warmUp { try measures.setWarmUp(warmUp) }
            measures.windows = selection.parts.windows
            measures.byTenant = selection.parts.byTenant
            self.measures = measures
            (traces, specification, seeds) = (block.traces, block, block.seeds ?? [])
            policies = try Selection.policies(block.policies ?? RunSelection.defaultPolicies)
            capacities = try Selection.capacities(block.capacities ?? RunSelection.defaultCapacities)
            admissions = try block.admissions.map(Selection.admissions) ?? [nil]
            prefetchers = try block.prefetchers.map(Selection.prefetchers) ?? [nil]
            expiries = try block.expiry.map(Selection.expiries) ?? [false]
            let simulated = (block.backends ?? []).isEmpty || block.simulate || selection.simulate
            backends = (simulated ? [nil] : []) + (try block.backends.map(Selection.backends) ?? [])
            guard expiries == [false] || backends.allSatisfy({ $0 == nil }) else {
                throw AssayError(
                    .usage, "Expiry is simulated; live runs do not expire objects yet. Leave --backend out.",
                    at: AssayError.Location("--expiry"))
            }
            guard prefetchers.allSatisfy({ $0 == nil }) || backends.allSatisfy({ $0 == nil }) else {
                throw AssayError(
                    .usage, "Prefetching is simulated; live runs fetch nothing ahead. Leave --backend out.",
                    at: AssayError.Location("--prefetch"))
            }
            guard !selection.countsParts || backends.allSatisfy({ $0 == nil }) else {
                throw AssayError(
                    .usage,
                    "Windows and tenants are counted where policies are driven alone, and the suite names backends. Leave "
                        + "--windows and --by-tenant out.", at: AssayError.Location("--suite"))
            }
        }
    }

    private func blocks() throws(AssayError) -> [SuiteSpecification.Block] {
        if let blocks = self.given?.blocks { return blocks }
        guard selection.suite == nil, !selection.trace.isEmpty else {
            guard selection.namesOnlySuite else {
                throw AssayError(.usage, "say which traces: --trace PATH or NAME; see 'assay list workloads'")
            }
            return try opener.catalog.suite(selection.suite ?? RunSelection.defaultSuite).runs.map {
                (block) throws(AssayError) in
                var block = block
                block.traces = try TraceReadingOptions.names(block.traces)
                return block
            }
        }
        func given(_ values: [String]) -> [String]? { values.isEmpty ? nil : values }
        return [
            SuiteSpecification.Block(
                traces: try selection.traces.names(), policies: given(selection.policy),
                capacities: given(selection.capacity),
                admissions: given(selection.admission), prefetchers: given(selection.prefetch),
                expiry: given(selection.expiry),
                backends: given(selection.backend), simulate: selection.simulate)
        ]
    }
}
