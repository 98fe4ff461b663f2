public import CacheCore

/// Finds advice for traces, one after the other, each with its replays side by side over the processors.
public struct AdviceRun: Sendable {
    private let order: AdviceOrder
    private let traces: [SweepTrace]
    private let workers: Int
    private let monitor: ReplayMonitor

    /// A run on at most `workers` threads.
    ///
    /// - Throws: `AssayError` with code `usage` for a policy that knows the future, a target that is no ratio, a budget
    ///   below the smallest object of a trace, or a byte hit ratio where every size is 0.
    public init(
        _ order: AdviceOrder, traces: [SweepTrace], workers: Int, monitor: ReplayMonitor
    ) throws(AssayError) {
        self.order = order
        self.traces = traces
        self.workers = max(1, workers)
        self.monitor = monitor
        for policy in order.policies {
            guard let reason = policy.hindrance else { continue }
            throw AssayError(
                .usage,
                "\(policy.text) \(reason), so that no cache can be run with it. Leave it out: the answer shows how far "
                    + "from the optimum it is.", at: .init("--policy"))
        }
        for case let admission? in order.admissions where admission.entry.needsFuture {
            throw AssayError(
                .usage, "\(admission.text) knows the future, so that no cache can be run with it. Leave it out.",
                at: .init("--admission"))
        }
        let hasNoBytes = traces.first { $0.description.bytesRequested == 0 }
        if order.metric == .byteHitRatio, let trace = hasNoBytes {
            throw AssayError(
                .usage,
                "Every size in \(trace.description.name) is 0, so that it has no byte hit ratio. Leave --byte-hit-ratio out, "
                    + "or name the right column of sizes with --format.", at: .init("--byte-hit-ratio"))
        }
        if case .target(let ratio) = order.goal, !(ratio > 0 && ratio <= 1) {
            throw AssayError(
                .usage, "A target is a ratio above 0 and at most 1, as 0.9.", at: .init("--target-hit-ratio"))
        }
        if case .budget(let request) = order.goal, request.unit == .bytes {
            for trace in traces { try requireRoom(for: request, trace) }
        }
    }

    /// Refuses a budget that holds not even one object.
    private func requireRoom(for request: CapacityRequest, _ trace: SweepTrace) throws(AssayError) {
        let description = trace.description
        let budget = request.resolved(
            footprintObjects: description.objects, footprintBytes: description.footprintBytes)
        let smallest = order.objectBytes ?? TraceTotals(trace.columns, order.rules).smallestSize
        guard budget.amount < smallest else { return }
        throw AssayError(
            .usage,
            "A budget of \(budget) does not hold one object of \(description.name): the smallest takes \(smallest) bytes. "
                + "Give a larger one.", at: .init("--budget"))
    }

    /// The advice for each trace, in order; for traces that the monitor stopped it is marked as interrupted.
    ///
    /// - Parameters:
    ///   - onTrace: Called when the search on a trace begins.
    ///   - onReplay: Called from one task at a time for each replay that ends.
    public func run(
        onTrace: (String) -> Void = { _ in }, onReplay: @escaping (CellResult) -> Void = { _ in }
    ) async -> [Advice] {
        var all: [Advice] = []
        for trace in traces {
            onTrace(trace.description.name)
            all.append(
                await Advisor(order, trace, workers: workers, monitor: monitor, onReplay: onReplay).advise())
        }
        return all
    }
}

extension PolicySelection {
    /// Whether a cache can be run with the policy, so that it can be advised; bounds cannot.
    public var canBeAdvised: Bool { hindrance == nil }

    /// Why no cache can be run with it, nil if one can.
    fileprivate var hindrance: String? {
        if entry.needsFuture || entry.isBound { return "knows the future" }
        if entry.descriptor.learns { return "is simulated only" }
        return entry.descriptor.isUnbounded ? "keeps everything whatever the capacity" : nil
    }
}
