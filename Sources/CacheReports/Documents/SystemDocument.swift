public import CacheCore

extension SystemResults: RecordedHeader {}

extension SystemResults: ReportedResults {
    /// What files of a run of systems are called, and who writes them.
    public static var kind: ReportKind {
        ReportKind(
            command: "assay run --system", json: "systems.json", page: "systems.html", csv: ["systems.csv"],
            member: "systems", currentSchemaVersion: currentSchemaVersion)
    }

    /// A row an operation or figure.
    public func csv() -> [(name: String, text: String)] { [("systems.csv", CSVReport.render(self))] }

    /// A run of systems as a document.
    ///
    /// - Throws: `AssayError` with code `usage` for a baseline policy, since no figure refers to one; with code `internalError` if a
    ///   figure is not a finite number.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        var document = SystemDocument(results: self).document
        document.files = [
            .init(label: "CSV", name: "systems.csv", text: CSVReport.render(self)),
            .init(label: "JSON", name: "systems.json", text: try JSONReport.render(self)),
        ]
        return document
    }
}

/// A run of systems as a document: all of them in one table and three charts, and what only each of them has.
struct SystemDocument {
    let results: SystemResults

    /// The document without files.
    var document: ReportDocument {
        let systems = Set(results.systems.map(\.system))
        return ReportDocument(
            title: systems.count == 1
                ? "\(results.systems[0].system) under its workload" : "\(systems.count) systems under their workloads",
            subtitle: results.subtitle, assayVersion: results.assayVersion, answer: answer, notices: notices,
            highlights: highlights,
            sections: [overview] + results.systems.enumerated().map { section($1, index: $0) } + failures + [
                results.environmentSection
            ],
            closing: [
                "\(HumanFormat.counted(results.systems.count, "workload", "workloads")) in "
                    + HumanFormat.duration(results.durationSeconds)
            ], definitions: Self.definitions, command: results.commandLine,
            commandNote: "The same command on the same workloads gives the same counts; times depend on the machine.")
    }

    private func label(_ system: SystemResult) -> String { SystemFigureText.label(system, among: results) }

    private var measured: [(label: String, counts: SystemCounts)] {
        results.systems.compactMap { system in system.counts.map { (label(system), $0) } }
    }

    /// What the origins were spared; nil where nothing was measured.
    private var answer: ReportDocument.Answer? {
        let measured = measured.sorted { $0.counts.originRequestsSaved > $1.counts.originRequestsSaved }
        guard let most = measured.first, let least = measured.last else { return nil }
        let (asked, without) = origin
        func saved(_ one: (label: String, counts: SystemCounts)) -> String {
            HumanFormat.percent(one.counts.originRequestsSaved)
        }
        let sentence =
            measured.count == 1
            ? "\(most.label) saves its origin \(saved(most)) of the requests, and answers "
                + "\(HumanFormat.percent(most.counts.hitRatio)) of its callers without waiting."
            : "From \(saved(least)) of the requests (\(least.label)) to \(saved(most)) (\(most.label))."
        return .init(
            question: measured.count == 1 ? "What does it save its origin?" : "What does each save its origin?",
            sentence: sentence,
            figure: HumanFormat.percent(without == 0 ? 0 : 1 - Double(asked) / Double(without), digits: 1),
            figureName: "of \(HumanFormat.short(Double(without))) requests to the origin saved",
            certainty: "Counts are exact and the same each time, and every answer was verified"
                + (measured.count == 1 ? "." : "; the workloads differ, so that this is no ranking."))
    }

    /// The requests that all origins got, and those that they would have got without the caches.
    private var origin: (asked: Int, without: Int) {
        measured.reduce((0, 0)) { ($0.0 + $1.counts.originRequests, $0.1 + $1.counts.originRequestsWithout) }
    }

    private var failed: [SystemResult] { results.systems.filter { $0.failure != nil } }

    private var notices: [ReportDocument.Notice] {
        var notices: [ReportDocument.Notice] = []
        if results.status == .interrupted {
            let finished = "\(results.systems.count) of \(results.systemsPlanned)"
            notices.append(
                .init(
                    tone: .warning,
                    text: "Interrupted: \(finished) workloads finished; the others are missing here."))
        }
        if !failed.isEmpty {
            let all = HumanFormat.counted(results.systems.count, "workload", "workloads")
            notices.append(.init(tone: .bad, text: "\(failed.count) of \(all) failed; the reasons are listed."))
        }
        return notices
    }

    private var highlights: [ReportDocument.Highlight] {
        let outages = measured.reduce((0, 0)) { ($0.0 + $1.counts.outageAnswered, $0.1 + $1.counts.outageRequests) }
        let planned = results.systemsPlanned > results.systems.count ? " of \(results.systemsPlanned)" : ""
        let (asked, without) = origin
        return [
            .init(
                name: "Workloads", figure: "\(results.systems.count)\(planned)",
                detail: "seed \(results.seed), scale \(HumanFormat.short(results.scale))"),
            .init(
                name: "Requests", figure: HumanFormat.short(Double(measured.reduce(0) { $0 + $1.counts.requests })),
                detail: "every answer verified"),
            .init(
                name: "Origin requests", figure: HumanFormat.short(Double(asked)),
                detail: "\(HumanFormat.short(Double(without))) without the caches"),
            .init(
                name: "Answered in outages",
                figure: outages.1 == 0
                    ? HumanFormat.absent : HumanFormat.percent(Double(outages.0) / Double(outages.1), digits: 1),
                detail: "of \(HumanFormat.counted(outages.1, "request", "requests"))"),
            .init(
                tone: failed.isEmpty ? .good : .bad, name: "Failures", figure: "\(failed.count)",
                detail: failed.isEmpty ? "every finished workload has a result" : "reasons are listed"),
        ]
    }

    // MARK: - All

    private var overview: ReportDocument.Section {
        let terminal = [
            "Requests": 5, "Origin requests": 6, "Bytes saved": 1, "Waiting saved": 7, "Calls a second": 2,
            "Hit p99": 4, "Miss p99": 8, "Miss p50": 3,
        ]
        let names = results.systems.first.map { SystemFigureText.overview($0).map(\.name) } ?? []
        var table = DataTable(
            caption: "All workloads",
            columns: [.init("Workload", isNumeric: false, terminal: 0)]
                + ["System", "Policy", "Backend"].map { .init($0, isNumeric: false) }
                + names.map { .init($0, terminal: terminal[$0] ?? 0) },
            rows: results.systems.map { system in
                [.init(label(system)), .init(system.system), .init(system.policy), .init(system.backend)]
                    + SystemFigureText.overview(system).map {
                        .init($0.text, sort: $0.value, classes: $0.text == HumanFormat.absent ? "absent" : "")
                    }
            })
        for (row, system) in results.systems.enumerated() {
            guard let failure = system.failure else { continue }
            table.failed.insert(row)
            table.remarks[row] = "\(failure.kind.rawValue): \(failure.message)"
        }
        let isAlone = results.systems.count == 1
        let charts =
            measured.count < 2
            ? []
            : [
                chart("Hit ratio", "requests that what is kept answered without waiting") { $0.hitRatio },
                chart("Origin requests saved", "of those of a program without the cache") { $0.originRequestsSaved },
                chart("Bytes saved", "of those that the origin would have sent") { $0.bytesSaved },
            ]
        return .init(
            id: "all", title: isAlone ? "In short" : "All systems",
            blocks: (isAlone
                ? []
                : [
                    .text(
                        "Each system under the workload that shows its point. The workloads differ, so that figures of "
                            + "different ones are not held against each other."
                    )
                ]) + [.table(.init(table: table.withoutColumns(thatOnlySay: [HumanFormat.absent])))] + charts,
            isOnTerminal: true)
    }

    private func chart(_ title: String, _ note: String, _ figure: (SystemCounts) -> Double) -> ReportDocument.Block {
        let bars = measured.enumerated().map { index, one in
            let text = HumanFormat.percent(figure(one.counts))
            return BarChart.Bar(
                label: one.label, colourClass: "k\(index % 8 + 1)", parts: [max(0, figure(one.counts))], text: text,
                tip: "\(one.label): \(text)")
        }
        return .chart(
            .init(
                title: title, note: note,
                chart: BarChart(title: title, bars: bars, hasLabelsAbove: measured.contains { $0.label.count > 24 }),
                table: DataTable(
                    caption: title, columns: [.init("Workload", isNumeric: false), .init(title)],
                    rows: measured.map { one in
                        [.init(one.label), .figure(figure(one.counts)) { HumanFormat.percent($0) }]
                    })))
    }

    // MARK: - Each

    private func section(_ system: SystemResult, index: Int) -> ReportDocument.Section {
        let figures = SystemFigureText.pairs(system)
        var blocks: [ReportDocument.Block] = [.text(system.description)]
        if let failure = system.failure { blocks.append(.text("It \(failure.kind.rawValue): \(failure.message)")) }
        if !figures.isEmpty { blocks.append(.pairs(figures)) }
        if !system.latency.isEmpty {
            let isAlone = results.systems.count == 1
            blocks.append(.table(.init(title: isAlone ? nil : "Latency", isOpen: isAlone, table: latency(system))))
        }
        return .init(
            id: "workload-\(index + 1)", title: label(system), lead: system.system, blocks: blocks + [settings(system)],
            isOnTerminal: system.failure == nil)
    }

    private func latency(_ system: SystemResult) -> DataTable {
        let figures = BenchFigures.percentilePlaces.map(\.name) + ["Slowest", "Timed", "Calls"]
        let terminal = [0, 3, 0, 2, 4, 5, 6, 7, 8]
        return DataTable(
            caption: "\(label(system)): latency",
            columns: [.init("Latency of", isNumeric: false, terminal: 0)]
                + zip(figures, terminal).map { .init($0, terminal: $1) },
            rows: system.latency.map { latency in
                let distribution = latency.distribution
                return [.init(latency.operation)]
                    + BenchFigures.percentiles(distribution).map { .figure($0, HumanFormat.nanoseconds) }
                    + [.figure(distribution.summary.samples), .figure(distribution.summary.operations)]
            }
        ).withoutColumns(thatOnlySay: [HumanFormat.absent])
    }

    private func settings(_ system: SystemResult) -> ReportDocument.Block {
        let settings = system.settings.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1) }
        let table = DataTable(
            caption: "\(label(system)): settings",
            columns: ["Setting", "Value"].map { .init($0, isNumeric: false) },
            rows: settings.map { [.init(String($0[0])), .init($0.count > 1 ? String($0[1]) : "")] })
        return .table(.init(title: "Settings of the workload", isOpen: false, table: table))
    }

    /// Every workload without a result, with its reason; none if there is none.
    private var failures: [ReportDocument.Section] {
        guard !failed.isEmpty else { return [] }
        let table = DataTable(
            caption: "Without a result",
            columns: ["Workload", "System", "Kind", "Reason"].map { .init($0, isNumeric: false) },
            rows: failed.map { system in
                [
                    .init(label(system)), .init(system.system),
                    .init(system.failure?.kind.rawValue ?? "", classes: "bad"),
                    .init(system.failure?.message ?? "", classes: "prose"),
                ]
            })
        return [.init(id: "failures", title: "Without a result", blocks: [.table(.init(table: table))])]
    }

    // MARK: - Definitions

    static let definitions: [ReportDocument.Definition] = [
        .init(
            "Hit ratio",
            """
            The share of the requests that what is kept answered without waiting for the origin: hits, refreshed and \
            migrated. Writes are no requests.
            """),
        .init(
            "Hit, refreshed, migrated",
            """
            Hit: answered by what is kept, and nobody else was asked. Refreshed: answered by it at once, and the origin \
            was asked as well. Migrated: answered by a record of an older version, which was brought to the form of \
            today.
            """),
        .init(
            "Confirmed, miss, fallback, unanswered",
            """
            Confirmed: the origin said that what is kept still holds, and sent no body. Miss: the origin answered. \
            Fallback: the origin was asked and failed, and what is kept answered instead. Unanswered: nobody did.
            """),
        .init(
            "Origin requests saved",
            """
            One minus the requests that the origin got over those that it would have got from a program without the \
            cache, which asks once for each request. Negative where the cache asks more often. For functions the origin \
            is the function itself; for records it is whoever has them when they cannot be migrated.
            """),
        .init("Bytes saved", "The same for the bytes that came from the origin."),
        .init(
            "Waiting saved",
            """
            The same for the origin's time, which is virtual: it is counted and not waited for, as are the hours and \
            days of a workload. A request to an origin that is away takes ten seconds until it is given up.
            """),
        .init(
            "Answered in outages",
            """
            The share of the requests that were answered although the origin was away or there was no connection. \
            Without the cache it is 0.
            """),
        .init(
            "Calls a second",
            """
            Calls, writes included, on one thread in a pass that reads no clock. Verifying every answer is part of the \
            time, and so is the work of a function that is called; waiting for an origin is not.
            """),
        .init(
            "Compared with",
            """
            The same calls made in another way, in blocks between those of the same pass. The ratio is what to read: \
            above 1 the system is faster.
            """),
        .init(
            "Latency",
            """
            Real time of calls in a pass of its own, by what became of them. Fast calls are a random sample, one for \
            each outcome. A percentile is given only where at least 10 timed calls lie beyond it; a dash says that it \
            was not measured. The origin's virtual time is no part of it, and nothing below the timer floor can be told \
            apart. What a workload does beside its calls, as opening the system again, has rows of its own.
            """),
        .init(
            "Memory",
            """
            Bytes that are allocated at the end of the workload beyond those before the system was opened, in a process \
            of its own, and their peak at 64 looks; the growth of the resident set.
            """),
        .init("Disk", "Allocated blocks and files of the system after it was closed."),
        .init(
            "Opening again",
            """
            How long it took to open the system on what it had left, and how many entries were there.
            """),
        .init(
            "Figures of its own",
            """
            What only this kind of system has: first of the workload, then of small experiments beside it, in a process \
            of their own. What is compared there takes turns, and times are medians of rounds: read them against each \
            other; they are this machine's, with this backend. Counts and shares are the same each time.
            """),
        .init(
            "Verified",
            """
            Every answer is compared with what its origin would have said, byte for byte. One that is wrong is a failure \
            of the system, and no figure.
            """),
    ]
}
