import CacheCore
import CacheHarness
import CacheTraces
import CacheWorkloads

/// Turns the options of `assay run`, or a suite file, into a plan with opened traces.
struct PlanBuilder {
    let selection: RunSelection
    private let opener: TraceOpener

    /// A builder that says how far reading has come unless it is to be quiet.
    init(selection: RunSelection, quiet: Bool) {
        self.selection = selection
        opener = TraceOpener(compiledTraces: selection.compiledTraces, isQuiet: quiet)
    }

    /// Opens the traces and combines them with everything else.
    func plan() throws(AssayError) -> SweepPlan {
        // Names are checked before traces are read: a typing mistake should not cost a minute.
        let blocks = try blocks().map(Prepared.init)
        var traces: [SweepTrace] = []
        var indices: [String: Int] = [:]
        for name in blocks.flatMap(\.traces) where indices[name] == nil {
            indices[name] = traces.count
            traces.append(try open(name, takenNames: traces.map(\.description.name)))
        }
        for block in blocks {
            guard let bytes = block.capacities.first(where: { $0.unit == .bytes }) else { continue }
            for trace in block.traces.compactMap({ indices[$0].map { traces[$0].description } }) where !trace.hasSizes {
                throw AssayError(
                    .usage,
                    "\(trace.name) carries no sizes, so it has no capacity in bytes such as \(bytes). "
                        + "Give objects (4096) or a share of them (1%), or name its size column with --format.",
                    at: AssayError.Location("--capacity"))
            }
        }
        let swept = blocks.map { block in
            SweepBlock(
                traces: block.traces.compactMap { indices[$0] }, policies: block.policies,
                capacities: block.capacities, backends: block.backends)
        }
        return SweepPlan(traces: traces, blocks: swept, seed: selection.seed)
    }

    /// A block whose names are known to exist.
    private struct Prepared {
        let traces: [String]
        let policies: [PolicySelection]
        let capacities: [CapacityRequest]
        let backends: [BackendSelection?]

        init(_ block: SuiteSpecification.Block) throws(AssayError) {
            traces = block.traces
            policies = try Selection.policies(block.policies ?? RunSelection.defaultPolicies)
            capacities = try Selection.capacities(block.capacities ?? RunSelection.defaultCapacities)
            let simulated = (block.backends ?? []).isEmpty || block.simulate
            backends = (simulated ? [nil] : []) + (try block.backends.map(Selection.backends) ?? [])
        }
    }

    private func blocks() throws(AssayError) -> [SuiteSpecification.Block] {
        guard selection.suite == nil, !selection.trace.isEmpty else {
            guard selection.policy.isEmpty && selection.capacity.isEmpty && selection.backend.isEmpty else {
                throw AssayError(.usage, "say which traces: --trace PATH or NAME; see 'assay list workloads'")
            }
            return try opener.catalog.suite(selection.suite ?? RunSelection.defaultSuite).runs
        }
        func given(_ values: [String]) -> [String]? { values.isEmpty ? nil : values }
        return [
            SuiteSpecification.Block(
                traces: selection.trace, policies: given(selection.policy), capacities: given(selection.capacity),
                backends: given(selection.backend), simulate: selection.simulate)
        ]
    }

    private func open(_ name: String, takenNames: [String]) throws(AssayError) -> SweepTrace {
        let opened = try opener.open(name, format: selection.format)
        var description = opened.description
        // Two files of the same name in different folders must stay two traces in the reports.
        if takenNames.contains(description.name) { description.name = description.argument }
        var number = 2
        while takenNames.contains(description.name) {
            description.name = "\(description.argument) (\(number))"
            number += 1
        }
        let compiled = opened.compiled
        return SweepTrace(description: description, columns: compiled.columns) { () throws(AssayError) in
            try compiled.columnsWithFuture()
        }
    }
}
