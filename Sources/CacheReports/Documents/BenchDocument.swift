public import CacheCore

extension BenchResults: RecordedHeader {}

extension BenchResults: ReportedResults {
    /// What files of a bench are called, and who writes them.
    public static var kind: ReportKind {
        ReportKind(
            command: "assay bench", json: "bench.json", page: "bench.html", csv: ["bench.csv"], folder: "histograms",
            member: "subjects",
            currentSchemaVersion: currentSchemaVersion)
    }

    /// A row an operation, and three rows a rate of an open loop.
    public func csv() -> [(name: String, text: String)] { [("bench.csv", CSVReport.render(self))] }

    /// A histogram an operation, for the plotter of HdrHistogram.
    public func files() -> [(name: String, text: String)] { HistogramFiles.files(self) }

    /// A bench as a document.
    ///
    /// - Throws: `AssayError` with code `usage` for a baseline policy, since no figure refers to one; with code `internalError` if a
    ///   figure is not a finite number.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        var document = BenchDocument(self).document
        document.files = [
            .init(label: "CSV", name: "bench.csv", text: CSVReport.render(self)),
            .init(label: "JSON", name: "bench.json", text: try JSONReport.renderCompact(self)),
        ]
        return document
    }
}

/// A bench as a document: who serves most requests, or takes most load, and what each subject does and takes.
struct BenchDocument {
    let results: BenchResults
    private let labels: SeriesLabels
    private let isOneCapacity: Bool
    /// How the curve of each subject looks, by its label.
    private var styles: [String: SeriesStyle] = [:]

    init(_ results: BenchResults) {
        self.results = results
        labels = SeriesLabels(results)
        isOneCapacity = Set(results.subjects.map(\.cell.capacityRequested)).count == 1
        var seen: Set<String> = []
        let names = results.subjects.map { label($0.cell) }.filter { seen.insert($0).inserted }
        styles = Dictionary(uniqueKeysWithValues: zip(names, SeriesStyle.assigned(to: names)))
    }

    /// `s3fifo · sqlite · 10%`: policy, backend, and the capacity where it varies.
    func label(_ cell: CellResult) -> String {
        ([labels.label(cell), cell.backend] + (isOneCapacity ? [] : [cell.capacityRequested])).joined(separator: " · ")
    }

    /// How the subject's curves look.
    func style(_ subject: BenchSubject) -> SeriesStyle? { styles[label(subject.cell)] }

    /// The document without files.
    var document: ReportDocument {
        var seen: Set<String> = []
        let traces = (results.traces.map(\.name) + results.subjects.map(\.cell.trace)).filter {
            seen.insert($0).inserted
        }
        let subjects = HumanFormat.counted(results.subjects.count, "cache", "caches")
        return ReportDocument(
            title: "Under load: \(subjects) on "
                + (traces.count == 1 ? traces[0] : HumanFormat.counted(traces.count, "trace", "traces")),
            subtitle: results.subtitle, assayVersion: results.assayVersion, answer: answer(traces), notices: notices,
            highlights: highlights,
            legend: styles.values.sorted { (rate($0.label), $1.id) > (rate($1.label), $0.id) },
            sections: traces.enumerated().map { section($1, index: $0) } + failures + [
                CommonSections.traces(results.traces)
            ] + CommonSections.policies(results.policies) + [results.environmentSection], closing: closing,
            definitions: Self.definitions, command: results.commandLine,
            commandNote: "The same command on the same traces gives the same counts; times depend on the machine.")
    }

    /// The median throughput of a subject over the traces; 0 without one.
    private func rate(_ name: String) -> Double {
        Throughput(name, results.subjects.map(\.cell).filter { label($0) == name })?.median ?? 0
    }

    // MARK: - The answer

    /// Who is first on one trace.
    private struct Standing {
        var trace: String
        /// Those that share the first place.
        var first: [String]
        /// What they reach, in requests a second.
        var rate: Double
        /// The next after them.
        var next: (name: String, rate: Double)?
    }

    private func answer(_ traces: [String]) -> ReportDocument.Answer? {
        let isOpen = results.subjects.contains { $0.timing.map { !$0.steps.isEmpty } ?? false }
        let standings = traces.compactMap { trace in
            let subjects = results.subjects.filter { $0.cell.trace == trace }
            return isOpen ? loadStanding(trace, subjects) : throughputStanding(trace, subjects)
        }
        guard let best = standings.max(by: { $0.rate < $1.rate }) else { return nil }
        let count = Set(results.subjects.map { label($0.cell) }).count
        let question =
            isOpen
            ? (count == 1 ? "How much load can it take?" : "How much load can each take?")
            : (count == 1 ? "How many requests a second does it serve?" : "Which cache serves most requests a second?")
        let what =
            isOpen ? "requests a second \(promise.map { "with \($0)" } ?? "due and kept up with")" : "requests a second"
        return .init(
            question: question,
            sentence: standings.map { sentence($0, isOpen, isAlone: standings.count == 1) }.joined(separator: " "),
            figure: best.rate > 0 ? HumanFormat.short(best.rate) : "none",
            figureName: best.rate == 0
                ? "of the rates that were tried" : standings.count == 1 ? what : "\(what) on \(best.trace)",
            certainty: isOpen ? loadCertainty : throughputCertainty(standings))
    }

    private func throughputStanding(_ trace: String, _ subjects: [BenchSubject]) -> Standing? {
        let placed = Throughput.placed(subjects.compactMap { Throughput(label($0.cell), [$0.cell]) })
        guard let place = placed.first?.places else { return nil }
        let first = placed.prefix { $0.places == place }.map(\.speed)
        return Standing(
            trace: trace, first: first.map(\.key), rate: first.map(\.median).max() ?? 0,
            next: placed.dropFirst(first.count).first.map { ($0.speed.key, $0.speed.median) })
    }

    private func loadStanding(_ trace: String, _ subjects: [BenchSubject]) -> Standing? {
        let held = subjects.compactMap { subject in
            subject.timing.flatMap { timing -> (name: String, rate: Double)? in
                guard !timing.steps.isEmpty else { return nil }
                let kept = timing.steps.filter { !$0.isSaturated }.map(\.requestsPerSecond).max() ?? 0
                return (label(subject.cell), timing.kneeRequestsPerSecond ?? kept)
            }
        }.sorted { $0.rate > $1.rate }
        guard let best = held.first else { return nil }
        // The rate that breaks the promise is sought to within 5 %.
        let first = held.prefix { $0.rate * 1.05 >= best.rate }
        return Standing(
            trace: trace, first: first.map(\.name), rate: best.rate, next: held.dropFirst(first.count).first)
    }

    private func sentence(_ standing: Standing, _ isOpen: Bool, isAlone: Bool) -> String {
        let isOne = standing.first.count == 1
        let shown = standing.first.prefix(4).joined(separator: ", ")
        let names = shown + (standing.first.count > 4 ? " and \(standing.first.count - 4) more" : "")
        let place = isAlone ? "" : "On \(standing.trace): "
        guard standing.rate > 0 else {
            return "\(place)\(names) kept \(promise ?? "up") at no rate that was tried."
        }
        let amount = "\(isOpen ? "take" : "serve")\(isOne ? "s" : " up to") \(HumanFormat.rate(standing.rate))"
        var text = "\(place)\(names) \(amount)" + (isOne ? "" : " and are not told apart")
        if let next = standing.next {
            text +=
                isOne && next.rate > 0
                ? ", \(HumanFormat.fixed(standing.rate / next.rate, 2)) times as many as \(next.name)"
                : "; then \(next.name) with \(HumanFormat.rate(next.rate))"
        }
        return text + "."
    }

    private func throughputCertainty(_ standings: [Standing]) -> String {
        let ranges = results.subjects.compactMap { $0.cell.requestsPerSecond == nil ? nil : $0.cell.throughputRange }
        guard ranges.count == results.subjects.count(where: { $0.cell.requestsPerSecond != nil }) else {
            return "Some were measured in a single pass, so that the spread is not known: nothing is told apart."
        }
        let passes = HumanFormat.counted(ranges.map(\.passes).min() ?? 0, "pass", "passes")
        guard results.subjects.count > 1 else { return "The median of \(passes)." }
        return standings.allSatisfy { $0.first.count == 1 }
            ? "Sure on this machine: of \(passes) each, made in turns, its slowest was faster than every other's fastest."
            : "The medians of \(passes) each, made in turns; those whose passes overlap are not told apart."
    }

    private var loadCertainty: String {
        results.load.kneeTarget == nil
            ? "Each rate was tried once, and rates in between were not: who kept up with the highest may take more."
            : "Each rate was tried once: rates within 5 % of each other are not told apart."
    }

    /// `p99 ≤ 1 ms`, the promise whose highest rate was sought; nil for none.
    var promise: String? {
        results.load.kneeTarget.map { target in
            "\(BenchFigures.percentileName(target.percentile)) ≤ \(HumanFormat.nanoseconds(Double(target.nanoseconds)))"
        }
    }

    // MARK: - Above and below

    private var notices: [ReportDocument.Notice] {
        var notices: [ReportDocument.Notice] = []
        if results.status == .interrupted {
            notices.append(.init(tone: .warning, text: "Interrupted: some subjects are missing."))
        }
        let failed = results.subjects.count { $0.cell.hasFailed }
        if failed > 0 {
            let all = HumanFormat.counted(results.subjects.count, "cache", "caches")
            notices.append(.init(tone: .bad, text: "\(failed) of \(all) failed; the reasons are listed."))
        }
        let remarks = (results.warnings ?? []) + CellNotes.lines(results.subjects.map(\.cell)) { label($0) }
        return notices + remarks.map { .init(tone: .warning, text: $0) }
    }

    private var highlights: [ReportDocument.Highlight] {
        let load = results.load
        var tiles = [
            ReportDocument.Highlight(
                name: "Caches", figure: HumanFormat.count(results.subjects.count),
                detail: HumanFormat.counted(load.threads, "thread", "threads"))
        ]
        let sizes = results.subjects.compactMap { subject in
            subject.cell.memory?.bytesPerEntry.map { (label(subject.cell), $0) }
        }
        if sizes.count > 1, let least = sizes.min(by: { $0.1 < $1.1 }) {
            tiles.append(
                .init(name: "Least memory an entry", figure: "\(HumanFormat.fixed(least.1, 1)) B", detail: least.0))
        }
        if let costs = results.subjects.compactMap(\.timing?.costs).first {
            tiles.append(
                .init(
                    name: "The harness itself", figure: HumanFormat.nanoseconds(costs.harnessNanoseconds),
                    detail: "a request, over a loop that only reads the trace"))
        }
        let failed = results.subjects.count { $0.cell.hasFailed }
        return tiles + [
            .init(
                tone: failed == 0 ? .good : .bad, name: "Failures", figure: "\(failed)",
                detail: failed == 0 ? "every cache has a result" : "reasons are listed")
        ]
    }

    private var closing: [String] {
        var lines: [String] = []
        if let costs = results.subjects.compactMap(\.timing?.costs).first {
            lines.append(
                "measuring costs: " + BenchFigures.costs(costs).map { "\($0.name) \($0.text)" }.joined(separator: ", "))
        }
        let percentiles = results.subjects.compactMap(\.timing).flatMap { timing in
            timing.latency.map(\.distribution) + timing.steps.map(\.response)
        }.flatMap(BenchFigures.percentiles)
        if percentiles.contains(nil) { lines.append(HumanFormat.notMeasured) }
        for subject in results.subjects {
            guard let knee = subject.timing?.kneeRequestsPerSecond, let promise else { continue }
            let rate = knee > 0 ? "up to \(HumanFormat.rate(knee))" : "at no rate that was tried"
            lines.append("\(label(subject.cell).onOneLine): \(promise) holds \(rate)")
        }
        let subjects = HumanFormat.counted(results.subjects.count, "subject", "subjects")
        return lines + ["\(subjects) in \(HumanFormat.duration(results.durationSeconds))"]
    }

    /// Every subject without a result, with its reason; none if there is none.
    private var failures: [ReportDocument.Section] {
        let rows = results.subjects.compactMap { subject -> [DataTable.Cell]? in
            let cell = subject.cell
            guard let failure = cell.failure else { return nil }
            return [
                .init(cell.trace), .init(label(cell)),
                .init(failure.kind.rawValue, classes: cell.hasFailed ? "bad" : "absent"),
                .init(failure.message, classes: "prose"),
            ]
        }
        guard !rows.isEmpty else { return [] }
        let table = DataTable(
            caption: "Without a result",
            columns: ["Trace", "Cache", "Kind", "Reason"].map { .init($0, isNumeric: false) }, rows: rows)
        return [.init(id: "failures", title: "Without a result", blocks: [.table(.init(table: table))])]
    }

    // MARK: - Definitions

    static let definitions: [ReportDocument.Definition] = [
        .init(
            "Throughput",
            """
            Requests a second in a closed loop, in which each thread asks again as soon as it is answered, in passes \
            that read no clock: the median of several that were made in turns with other subjects', and half of what \
            lies between the slowest and the fastest as ±. Subjects whose passes overlap are not ranked. Making the \
            values of misses and verifying those of hits is part of the time; what they cost stands beside it.
            """),
        .init(
            "Latency",
            """
            Calls of the cache in a closed-loop pass of its own, by operation and outcome: a read that hits, one that \
            misses, a write that evicts nothing, one that evicts, a removal. Fast calls are a random sample, one for \
            each operation and outcome, so that rare ones are timed as well. Making and verifying values and the \
            simulated origin are outside of the times. Nothing below the timer floor can be told apart. A percentile is \
            given only where at least 10 timed calls lie beyond it (p50 of 20, p99 of 1,000, p99.9 of 10,000); a dash \
            says that it was not measured.
            """),
        .init(
            "Response, service, lag",
            """
            In an open loop requests are due at a rate, whether or not others are answered. Response is from the moment \
            at which a request was due to its answer, loads included; service is from when it was made; lag is what lies \
            between. A stall counts in full for every request that waits behind it.
            """),
        .init(
            "Saturated",
            """
            The subject fell behind for as long as the step took: its response times would have gone on growing and are \
            no property of it.
            """),
        .init(
            "Knee",
            """
            The highest rate found at which the percentile of the response time was kept; the next rate that broke it is \
            at most 5 % higher.
            """),
        .init(
            "Steady",
            """
            The last quarter of the throughput pass was as fast as the quarter before, within 2 %.
            """),
        .init(
            "Bytes an entry with payload",
            """
            What the subject has allocated when the trace has filled it, over the entries that it then holds: keys, values \
            and everything around them, counted in a process of its own. Large values make it large; “above payload” leaves \
            out keys and values that are kept in memory. What an entry does not need, as an index over all objects of the \
            trace, counts too, so that few entries have much each.
            """),
        .init(
            "Leak",
            """
            What is allocated more after the subject was filled and cleared a second time than after the first.
            """),
        .init(
            "Harness",
            """
            What the loop of the throughput pass adds to one that only reads the trace, for each request, besides the \
            cache and the values. “Of it the harness” and “of p50 the harness” are the part of a throughput, or of a \
            median, that a subject of nothing takes under the same load: what is left is the cache's own.
            """),
    ]
}
