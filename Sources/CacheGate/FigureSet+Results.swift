public import CacheCore
internal import Foundation

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
        place["prefetch"] = result.prefetch
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
        if result.counts != nil, result.failure == nil {
            cell.add(result, isExact: load.threads == 1, timing, lifecycle, machine)
        } else {
            cell.fail(result.failure ?? CellFailure(.failed, "The cell holds neither counts nor a failure."))
        }
        try add(cell, from: source)
    }

    private static func contradiction(_ counts: ReplayCounts) -> String? {
        let pairs = [
            (counts.hits, "hits", counts.requests, "requests"),
            (counts.bytesHit, "bytes hit", counts.bytesRequested, "bytes"),
        ]
        return pairs.first { part, _, all, _ in !(0...max(0, all)).contains(part) }
            .map { part, what, all, whole in "\(part) \(what) of \(all) \(whole)" }
    }

    /// Parameters as on the command line.
    private static func parameters(_ text: String) -> String { text.replacing(";", with: ",") }

    /// A command that a shell takes.
    static func command(_ arguments: [String]) -> String {
        (["assay"] + arguments).map(quoted).joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.wholeMatch(of: /[A-Za-z0-9_=.\/,:%+@-]+/) != nil
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    /// 16 hexadecimal digits that stand for a text: FNV-1a.
    static func digest(_ text: String) -> String {
        String(
            format: "%016lx",
            text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt) { ($0 ^ UInt($1)) &* 0x0000_0100_0000_01b3 })
    }
}

extension BenchLoad {
    /// What differs from one thread and the trace once, as `threads=4, verifies=false`; nil where nothing does. The steps of an open loop
    /// change no figure that is compared.
    fileprivate var words: String? {
        var load = self
        let plain = BenchLoad()
        (load.rates, load.traceSpeeds, load.kneeTarget) = (plain.rates, plain.traceSpeeds, plain.kneeTarget)
        (load.arrivals, load.stepSeconds) = (plain.arrivals, plain.stepSeconds)
        let (mine, usual) = (load.fields, plain.fields)
        let words = mine.filter { usual[$0.key] != $0.value }.map { "\($0.key)=\($0.value)" }.sorted()
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// Each field as JSON.
    private var fields: [String: String] {
        guard let data = try? JSONEncoder().encode(self),
            let fields = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return [:] }
        return fields.compactMapValues { value in
            try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        }.mapValues { String(decoding: $0, as: UTF8.self) }
    }
}

extension FigureCell {
    /// Adds what a cell counted and timed. Counts that are not exact are kept as what nobody can judge from two files.
    fileprivate mutating func add(
        _ result: CellResult, isExact: Bool, _ timing: BenchTiming?, _ lifecycle: LifecycleFigures?, _ machine: Machine
    ) {
        let first = figures.count
        if let counts = result.counts {
            add([
                "requests": counts.requests, "bytes-requested": counts.bytesRequested, "hits": counts.hits,
                "bytes-hit": counts.bytesHit, "evictions": counts.countedEvictions,
                "bytes-written": counts.bytesWritten, "resident-objects": counts.residentObjects,
                "resident-weight": counts.residentWeight,
            ])
            add("cost-missed", counts.costMissed.map { .real($0) })
        }
        if !isExact { for index in figures.indices[first...] { figures[index].kind = .timed } }
        add("bytes-per-entry", result.memory?.bytesPerEntry.map { .real($0) }, on: machine)
        add("allocations-per-request", result.memory?.allocationsPerRequest.map { .real($0) }, on: machine)
        if isExact { add("instructions", timing?.resources?.instructions.map { .count($0) }, on: machine) }
        add("requests-per-second", result.requestsPerSecond.map { .real($0) })
        add("get", result.latency?.get)
        add("put", result.latency?.put)
        for latency in timing?.latency ?? [] { add(latency.operation.rawValue, latency.distribution.summary) }
        add("knee-requests-per-second", timing?.kneeRequestsPerSecond.map { .real($0) })
        add([
            "recover": lifecycle?.recoverNanoseconds, "open": lifecycle?.openNanoseconds,
            "close": lifecycle?.closeNanoseconds,
        ])
    }

    private mutating func add(_ counts: KeyValuePairs<String, Int?>) {
        for (name, count) in counts { add(name, count.map { .count($0) }) }
    }

    /// Adds percentiles, as `get-p99`.
    private mutating func add(_ operation: String, _ latency: LatencySummary?) {
        let name = operation.replacing(" ", with: "-")
        add([
            "\(name)-p50": latency?.p50Nanoseconds, "\(name)-p99": latency?.p99Nanoseconds,
            "\(name)-p99.9": latency?.p999Nanoseconds,
        ])
    }

    /// Adds what a system counted and timed. What only one kind of system tells of itself is kept without a verdict.
    fileprivate mutating func add(_ system: SystemResult, _ environment: EnvironmentDescription) {
        if let counts = system.counts {
            let names: [(SystemOutcome, String)] = [
                (.hit, "hits"), (.refreshed, "refreshed"), (.migrated, "migrated"), (.confirmed, "confirmed"),
                (.miss, "misses"), (.fallback, "fallbacks"), (.unanswered, "unanswered"), (.write, "writes"),
            ]
            for (outcome, name) in names { add(name, .count(counts.outcomes[outcome, default: 0])) }
            add([
                "calls": counts.calls, "origin-requests": counts.originRequests,
                "bytes-answered": counts.bytesAnswered, "bytes-from-origin": counts.bytesFromOrigin,
                "outage-answered": counts.outageAnswered,
            ])
        }
        if let memory = system.memory, let bytes = memory.allocatedBytes, memory.entries > 0 {
            add(
                "bytes-per-entry", .real(Double(bytes) / Double(memory.entries)),
                on: Machine(environment, allocator: memory.meter))
        }
        add("calls-per-second", system.callsPerSecond.map { .real($0) })
        for latency in system.latency { add(latency.operation, latency.distribution.summary) }
    }
}
