import CacheCore
import CacheHarness
import CacheTraces

extension TraceOpener {
    /// Opens traces, each of one file or several, for a sweep, under names that are unique and the same whatever their order.
    ///
    /// - Parameter named: What they are called; nil to find names for them.
    func sweepTraces(
        _ traces: [[String]], format: String?, named: [String]? = nil
    ) throws(AssayError) -> [SweepTrace] {
        var opened: [Opened] = []
        for parts in traces { opened.append(try open(parts: parts, format: format)) }
        return zip(opened, named ?? TraceNames.unique(opened.map(\.names))).map { opened, name in
            var description = opened.description
            description.name = name
            let compiled = opened.compiled
            var trace = SweepTrace(
                description: description, columns: compiled.columns, tenants: compiled.tenantNames
            ) { () throws(AssayError) in
                try compiled.columnsWithFuture()
            }
            trace.compiledPath = compiled.path
            return trace
        }
    }
}

extension SweepTrace {
    /// Refuses a capacity in bytes for a trace without sizes.
    func requireSizes(for capacity: some CustomStringConvertible) throws(AssayError) {
        guard !description.hasSizes else { return }
        throw AssayError(
            .usage,
            "\(description.name) carries no sizes, so it has no capacity in bytes such as \(capacity). "
                + "Give objects (4096) or a share of them (1%), or name its size column with --format.",
            at: AssayError.Location("--capacity"))
    }

    /// Refuses a load that follows what the trace does not state.
    func requireWhatIsFollowed(by load: BenchLoad) throws(AssayError) {
        if load.loading == .trace, !columns.statesWrites {
            throw AssayError(
                .usage,
                "\(description.name) states no writes, so nothing would ever be stored. Name its column with "
                    + "--format csv:key=1,op=2 or the like, or choose look-aside or read-through.",
                at: AssayError.Location("--loading"))
        }
        if load.removeShare > 0, columns.operations != nil {
            throw AssayError(
                .usage, "\(description.name) states itself what is removed. Leave --removals out.",
                at: AssayError.Location("--removals"))
        }
        if load.traceSpeeds != nil, columns.times == nil {
            throw AssayError(
                .usage,
                "\(description.name) states no times, or one for all requests. Name their column with --format "
                    + "csv:key=1,time=2 or the like, or give rates as requests a second.",
                at: AssayError.Location("--rate"))
        }
        if load.missCost.traceUnitNanoseconds != nil, columns.costs == nil {
            throw AssayError(
                .usage,
                "\(description.name) states no costs. Name their column with --format csv:key=1,cost=2 or the like, or give "
                    + "a fixed or a log-normal cost.",
                at: AssayError.Location("--miss-cost"))
        }
    }

    /// What a reader of figures at the trace's own times must know; nil for nothing.
    func pacingNotes(_ load: BenchLoad) -> [String]? {
        let early = load.traceSpeeds == nil ? 0 : columns.earlyRequests
        guard early > 0 else { return nil }
        return [
            "Requests of the trace that are earlier than one before them: \(early). They were due together with that one."
        ]
    }
}
