public import CacheCore

extension FigureSet {
    /// The figures of a run.
    ///
    /// - Throws: `AssayError` with code `badInput` for what no run can have written: a cell whose trace is not described,
    ///   counts that contradict each other, a cell that is there twice.
    public init(_ results: RunResults, from source: String) throws(AssayError) {
        self.init(source: source)
        note(results.status)
        let names = add(results.traces)
        // Two shares may resolve to one capacity and are two cells all the same.
        for cell in results.cells.sorted(by: { ($0.capacityRequested, $0.seed) < ($1.capacityRequested, $1.seed) }) {
            let machine = Machine(results.environment, allocator: cell.memory?.meter)
            try add(cell, "run", names, machine, results.commandLine)
        }
    }

    /// The figures of a bench. What several threads count depends on their timing, so that it is no exact figure.
    ///
    /// - Throws: `AssayError` with code `badInput` as for a run.
    public init(_ results: BenchResults, from source: String) throws(AssayError) {
        self.init(source: source)
        note(results.status)
        let names = add(results.traces)
        for subject in results.subjects.sorted(by: { $0.cell.capacityRequested < $1.cell.capacityRequested }) {
            let machine = Machine(results.environment, allocator: subject.cell.memory?.meter)
            try add(
                subject.cell, "bench", names, machine, results.commandLine, load: results.load,
                timing: subject.timing, lifecycle: subject.lifecycle)
        }
    }

    /// The figures of curves. Points that are found exactly are comparable however that was; an estimate is to one of its kind.
    ///
    /// - Throws: `AssayError` with code `badInput` as for a run.
    public init(_ results: CurveResults, from source: String) throws(AssayError) {
        self.init(source: source)
        note(results.status)
        let names = add(results.traces)
        for curve in results.curves {
            var place = try Self.place("curve", curve.trace, names, source)
            place["warm-up"] = curve.warmUp.map { "\($0.requests) requests" }
            place["rules"] = results.rules.map(\.text)
            func blank(_ place: [String: String]) -> FigureCell {
                var cell = FigureCell(
                    subject: curve.policy, parameters: Self.parameters(curve.parameters), place: place)
                (cell.seed, cell.command) = (results.seed, Self.command(results.commandLine))
                return cell
            }
            var previous: FigureCell.Identity?
            for point in curve.points {
                place["capacity"] = "\(point.capacity) \(curve.capacityUnit.rawValue)"
                place["method"] = point.method.isExact ? nil : point.method.rawValue
                var cell = blank(place)
                // Two shares of a small trace can be one capacity, and then are one point.
                if previous == cell.identity { continue }
                previous = cell.identity
                cell.add("hit-ratio", .real(point.hitRatio))
                cell.add("byte-hit-ratio", .real(point.byteHitRatio))
                try add(cell, from: source)
            }
            guard let failure = curve.failure, failure.kind != .notApplicable else { continue }
            (place["capacity"], place["method"]) = (nil, nil)
            var cell = blank(place)
            cell.fail(failure)
            try add(cell, from: source)
        }
    }

    /// The figures of systems under their workloads.
    ///
    /// - Throws: `AssayError` with code `badInput` if a cell is there twice.
    public init(_ results: SystemResults, from source: String) throws(AssayError) {
        self.init(source: source)
        note(results.status)
        for system in results.systems {
            let workload = FigureTrace(
                name: system.workload, contentDigest: Self.digest("\(system.settings);scale=\(results.scale)"))
            add(workload)
            var cell = FigureCell(
                subject: system.system, parameters: "",
                place: [
                    "kind": "systems", "trace": workload.name, "trace-digest": workload.placeDigest,
                    "policy": system.policy, "backend": system.backend,
                ])
            (cell.seed, cell.command) = (results.seed, Self.command(results.commandLine))
            if let failure = system.failure { cell.fail(failure) } else { cell.add(system, results.environment) }
            try add(cell, from: source)
        }
    }

    private mutating func note(_ status: RunResults.Status) {
        if status == .interrupted { notes.append("\(source) was interrupted: it lacks cells") }
    }

    private mutating func add(_ descriptions: [TraceDescription]) -> [String: FigureTrace] {
        var names: [String: FigureTrace] = [:]
        for trace in descriptions {
            let known = FigureTrace(trace)
            names[trace.name] = known
            add(known)
        }
        return names
    }

    private static func place(
        _ kind: String, _ trace: String, _ names: [String: FigureTrace], _ source: String
    ) throws(AssayError) -> [String: String] {
        guard let known = names[trace] else {
            throw AssayError(
                .badInput, "The trace '\(trace)' of a cell is not described. Record the results again.",
                at: .init(source))
        }
        return ["kind": kind, "trace": known.name, "trace-digest": known.placeDigest]
    }

    private mutating func add(
        _ result: CellResult, _ kind: String, _ names: [String: FigureTrace], _ machine: Machine,
        _ commandLine: [String], load: BenchLoad = BenchLoad(), timing: BenchTiming? = nil,
        lifecycle: LifecycleFigures? = nil
    ) throws(AssayError) {
        if result.failure?.kind == .notApplicable { return }
        var place = try Self.place(kind, result.trace, names, source)
        place["capacity"] = "\(result.capacity) \(result.capacityUnit.rawValue)"
        if result.backend != CellResult.simulationBackend { place["backend"] = result.backend }
        if result.admission != "always", !result.admission.isEmpty { place["admission"] = result.admission }
        if result.honoursExpiry == true { place["expiry"] = "honoured" }
        place["rules"] = result.rules.map(\.text)
        place["warm-up"] = result.warmUp.map { "\($0.requests) requests" }
        place["load"] = load.words
        var cell = FigureCell(
            subject: result.policy, parameters: Self.parameters(result.parameters), place: place)
        if let twin = self.cell(cell.identity), twin.askedAs != result.capacityRequested {
            cell.identity.place["asked-as"] = result.capacityRequested
        }
        cell.askedAs = result.capacityRequested
        (cell.seed, cell.command) = (result.seed, Self.command(commandLine))
        if let reason = result.counts.flatMap(Self.contradiction) {
            throw AssayError(
                .badInput, "\(cell.identity): \(reason). Record the results again with 'assay \(kind)'.",
                at: .init(source))
        }
        let isDecided = result.counts != nil && result.failure == nil
        if isDecided {
            cell.add(result, isExact: load.threads == 1, timing, lifecycle, machine)
        } else {
            cell.fail(result.failure ?? CellFailure(.failed, "The cell holds neither counts nor a failure."))
        }
        try add(cell, from: source)
    }

    private static func contradiction(_ counts: ReplayCounts) -> String? {
        if !(0...max(0, counts.requests)).contains(counts.hits) {
            return "\(counts.hits) hits of \(counts.requests) requests"
        }
        if !(0...max(0, counts.bytesRequested)).contains(counts.bytesHit) {
            return "\(counts.bytesHit) bytes hit of \(counts.bytesRequested)"
        }
        return nil
    }

    /// Parameters as on the command line.
    private static func parameters(_ text: String) -> String { text.replacing(";", with: ",") }

    /// A command that a shell takes.
    static func command(_ arguments: [String]) -> String {
        (["assay"] + arguments).map(quoted).joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || "-_=./,:%+@".utf8.contains(byte)
            }
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    /// 16 hexadecimal digits that stand for a text: FNV-1a.
    static func digest(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension BenchLoad {
    /// What differs from one thread and the trace once, as `shards=4, threads=4`; nil where nothing does.
    fileprivate var words: String? {
        let plain = BenchLoad()
        var words: [String] = []
        func note(_ name: String, _ isPlain: Bool, _ value: Any) {
            if !isPlain { words.append("\(name)=\(value)") }
        }
        note("threads", threads == plain.threads, threads)
        note("shards", shards == plain.shards, shards)
        note("requests", requests == plain.requests, requests ?? 0)
        switch warmUp {
        case .requests(let count): note("warm-up", count == 0, count)
        case .steady: words.append("warm-up=steady")
        }
        note("loading", loading == plain.loading, loading.rawValue)
        note("on-miss", onMiss == plain.onMiss, onMiss?.rawValue ?? "")
        note("miss-cost", missCost.medianNanoseconds == 0, "\(missCost.medianNanoseconds)ns")
        note("miss-sigma", missCost.sigma == 0, missCost.sigma)
        note("cost-unit", missCost.traceUnitNanoseconds == nil, "\(missCost.traceUnitNanoseconds ?? 0)ns")
        note("remove-share", removeShare == plain.removeShare, removeShare)
        note("compression", compressionRatio == plain.compressionRatio, compressionRatio)
        note("verifies", verifies == plain.verifies, verifies)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension FigureCell {
    /// Adds what a cell counted and timed. Counts that are not exact are kept as what nobody can judge from two files.
    fileprivate mutating func add(
        _ result: CellResult, isExact: Bool, _ timing: BenchTiming?, _ lifecycle: LifecycleFigures?, _ machine: Machine
    ) {
        let first = figures.count
        if let counts = result.counts {
            add("requests", .count(counts.requests))
            add("bytes-requested", .count(counts.bytesRequested))
            add("hits", .count(counts.hits))
            add("bytes-hit", .count(counts.bytesHit))
            add("cost-missed", counts.costMissed.map { .real($0) })
            add("evictions", counts.countedEvictions.map { .count($0) })
            add("bytes-written", .count(counts.bytesWritten))
            add("resident-objects", .count(counts.residentObjects))
            add("resident-weight", .count(counts.residentWeight))
        }
        if !isExact { for index in figures.indices[first...] { figures[index].kind = .timed } }
        add("bytes-per-entry", result.memory?.bytesPerEntry.map { .real($0) }, on: machine)
        add("allocations-per-request", result.memory?.allocationsPerRequest.map { .real($0) }, on: machine)
        add("requests-per-second", result.requestsPerSecond.map { .real($0) })
        for (operation, latency) in [("get", result.latency?.get), ("put", result.latency?.put)] {
            add(operation, latency)
        }
        if isExact { add("instructions", timing?.resources?.instructions.map { .count($0) }, on: machine) }
        for latency in timing?.latency ?? [] {
            add(latency.operation.rawValue.replacing(" ", with: "-"), latency.distribution.summary)
        }
        add("knee-requests-per-second", timing?.kneeRequestsPerSecond.map { .real($0) })
        add("recover", lifecycle.map { .count($0.recoverNanoseconds) })
        add("open", lifecycle.map { .count($0.openNanoseconds) })
        add("close", lifecycle.map { .count($0.closeNanoseconds) })
    }

    /// Adds percentiles, as `get-p99`.
    private mutating func add(_ operation: String, _ latency: LatencySummary?) {
        add("\(operation)-p50", latency?.p50Nanoseconds.map { .count($0) })
        add("\(operation)-p99", latency?.p99Nanoseconds.map { .count($0) })
        add("\(operation)-p99.9", latency?.p999Nanoseconds.map { .count($0) })
    }

    /// Adds what a system counted and timed. What only one kind of system tells of itself is kept without a verdict.
    fileprivate mutating func add(_ system: SystemResult, _ environment: EnvironmentDescription) {
        if let counts = system.counts {
            let names: [(SystemOutcome, String)] = [
                (.hit, "hits"), (.refreshed, "refreshed"), (.migrated, "migrated"), (.confirmed, "confirmed"),
                (.miss, "misses"), (.fallback, "fallbacks"), (.unanswered, "unanswered"), (.write, "writes"),
            ]
            add("calls", .count(counts.calls))
            for (outcome, name) in names { add(name, .count(counts.outcomes[outcome, default: 0])) }
            add("origin-requests", .count(counts.originRequests))
            add("bytes-answered", .count(counts.bytesAnswered))
            add("bytes-from-origin", .count(counts.bytesFromOrigin))
            add("outage-answered", .count(counts.outageAnswered))
        }
        if let memory = system.memory, let bytes = memory.allocatedBytes, memory.entries > 0 {
            add(
                "bytes-per-entry", .real(Double(bytes) / Double(memory.entries)),
                on: Machine(environment, allocator: memory.meter))
        }
        add("calls-per-second", system.callsPerSecond.map { .real($0) })
        for latency in system.latency {
            add(latency.operation.replacing(" ", with: "-"), latency.distribution.summary)
        }
    }
}
