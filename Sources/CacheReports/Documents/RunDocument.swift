public import CacheCore

extension RunResults: ReportedResults, RecordedHeader {
    /// What the files of this kind are called.
    public static var kind: ReportKind {
        .init(
            command: "assay run", json: "results.json", page: "report.html",
            csv: ["results.csv", "windows.csv", "tenants.csv"], member: "cells",
            currentSchemaVersion: currentSchemaVersion)
    }

    /// The hits of each policy, the best one first.
    ///
    /// - Throws: `AssayError` with code `usage` if the baseline policy is not among these results.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try RunDocument(self, baselinePolicy: options.baselinePolicy).document()
    }

    /// A row a cell; a row a window or tenant of each where they were counted.
    public func csv() -> [(name: String, text: String)] {
        [
            ("results.csv", CSVReport.render(self)), ("windows.csv", CSVReport.windows(self)),
            ("tenants.csv", CSVReport.tenants(self)),
        ].compactMap { name, text in text.map { (name, $0) } }
    }
}

/// What a run says: which policy hits most, and by how much.
struct RunDocument {
    let results: RunResults
    let labels: SeriesLabels
    let styles: [SeriesKey: SeriesStyle]
    let standings: Standings

    /// - Throws: `AssayError` with code `usage` if the baseline policy did not run.
    init(_ results: RunResults, baselinePolicy: String?) throws(AssayError) {
        self.results = results
        labels = SeriesLabels(results)
        styles = SeriesStyle.assigned(to: labels)
        standings = Standings(results, labels, baseline: try labels.baseline(baselinePolicy))
    }

    func document() throws(AssayError) -> ReportDocument {
        let names = results.traceNames
        let traces = names.enumerated().map { RunTraceSection(self, trace: $1, index: $0).section }
        let sections = best + traces + failures + [CommonSections.traces(results.traces)]
        return ReportDocument(
            title: title(names), subtitle: results.subtitle, assayVersion: results.assayVersion, answer: answer,
            notices: notices, highlights: highlights, legend: legend,
            sections: sections + CommonSections.policies(results.policies ?? []) + [results.environmentSection],
            closing: closing, definitions: definitions, command: results.commandLine,
            commandNote: """
                The same command on the same traces gives the same counts; times depend on the machine. `assay report \
                results.json` renders the reports again, and `assay gate` holds another run against this one.
                """,
            files: [
                .init(label: "CSV", name: "results.csv", text: CSVReport.render(results)),
                .init(label: "JSON", name: "results.json", text: try JSONReport.renderCompact(results)),
            ])
    }

    private func title(_ traces: [String]) -> String {
        let count = Set(labels.keys.map(\.policy)).count
        let policies = count == 0 ? "No results" : HumanFormat.counted(count, "policy", "policies")
        guard traces.count != 1 else { return "\(policies) on \(traces[0])" }
        return "\(policies) on \(HumanFormat.counted(traces.count, "trace", "traces"))"
    }

    /// A capacity for people.
    func capacityText(_ cell: CellResult) -> String {
        cell.capacityUnit == .objects ? HumanFormat.count(cell.capacity) : HumanFormat.bytes(cell.capacity)
    }

    /// The curves, the one with the highest mean hit ratio over all its cells first.
    private var legend: [SeriesStyle] {
        let ratios = Dictionary(grouping: results.cells.filter { $0.failure == nil }) { SeriesKey($0) }.mapValues {
            let values = $0.compactMap { $0.counts?.hitRatio }
            return values.reduce(0, +) / Double(max(1, values.count))
        }
        return labels.keys.sorted { ratios[$0] ?? -1 > ratios[$1] ?? -1 }.compactMap { styles[$0] }
    }

    // MARK: - First screen

    private var failedCount: Int { results.cells.count { $0.hasFailed } }
    private var inapplicableCount: Int { results.cells.count { $0.failure != nil && !$0.hasFailed } }

    /// The policy that is best at most capacities, of several the one with the higher mean hit ratio, beside the baseline policy.
    private var answer: ReportDocument.Answer? {
        let contests = standings.contests.filter { $0.counts.hits > 0 }
        guard labels.keys.count > 1, let most = standings.wins.first?.count, !contests.isEmpty else { return nil }
        // A policy may have no result somewhere: whoever is compared, is over the capacities at which both have one.
        func shared(_ keys: [SeriesKey]) -> [Standings.CapacityComparison] {
            contests.filter { contest in keys.allSatisfy { contest.hitRatios[$0] != nil } }
        }
        func mean(_ key: SeriesKey, beside other: SeriesKey? = nil) -> Double {
            let ratios = shared([key] + [other].compactMap(\.self)).compactMap { $0.hitRatios[key] }
            return ratios.reduce(0, +) / Double(max(1, ratios.count))
        }
        let winners = standings.wins.filter { $0.count == most }.map(\.key).sorted { mean($0) > mean($1) }
        let names = HumanFormat.list(winners.map(labels.label))
        let verb = winners.count > 1 ? "have the most hits" : "has the most hits"
        let place =
            contests.count == 1
            ? "" : "\(winners.count > 1 ? ", each" : "") at \(most) of \(contests.count) capacities"
        let rivals = Set(contests.flatMap(\.hitRatios.keys)).count
        let scope = rivals > 1 ? "Of \(rivals) policies, " : ""
        let leader = labels.label(winners[0])
        let over = contests.count == 1 ? "" : "mean "
        let baseline = standings.baseline.flatMap { key in
            key != winners[0] && !shared([winners[0], key]).isEmpty ? key : nil
        }
        let gain = baseline.map {
            "; \(HumanFormat.points(mean(winners[0], beside: $0) - mean($0, beside: winners[0]))) points over "
                + labels.label($0)
        }
        let compared = shared([winners[0]] + [baseline].compactMap(\.self)).count
        let part = compared == contests.count ? "" : ", over \(compared) of \(contests.count) capacities"
        return .init(
            question: "Which policy has the most hits?", sentence: "\(scope)\(names) \(verb)\(place).",
            figure: HumanFormat.percent(mean(winners[0], beside: baseline)),
            figureName: "\(over)hit ratio of \(leader)\(gain ?? "")\(part)",
            certainty: certainty)
    }

    private var certainty: String {
        let missing =
            results.cells.count { $0.failure != nil } + max(0, (results.cellsPlanned ?? 0) - results.cells.count)
        let seeds = "Counts are exact for these traces, with seed \(results.seed)."
        return missing == 0 ? seeds : "\(seeds) \(HumanFormat.counted(missing, "cell has", "cells have")) no result."
    }

    private var notices: [ReportDocument.Notice] {
        var notices: [ReportDocument.Notice] = []
        if results.status == .interrupted {
            let planned = results.cellsPlanned.map { " of \(HumanFormat.count($0))" } ?? ""
            notices.append(
                .init(
                    tone: .warning,
                    text: "Interrupted: \(HumanFormat.count(results.cells.count))\(planned) cells finished; "
                        + "the others are missing here."))
        }
        // They are about times. Hits are exact whatever the machine did beside.
        let hasChart = results.cells.contains {
            $0.backend == CellResult.simulationBackend && $0.requestsPerSecond != nil
        }
        notices += (results.warnings ?? []).map {
            .init(tone: .warning, text: "Warning: \($0)", isBesideChart: hasChart)
        }
        if failedCount > 0 {
            notices.append(
                .init(
                    tone: .bad,
                    text: "\(failedCount) of \(HumanFormat.counted(results.cells.count, "cell", "cells")) "
                        + "failed; their reasons stand under “Without a result”."))
        }
        let notes = CellNotes.lines(results.cells) { "\(labels.label($0)) over \($0.backend)" }
        return notices + notes.map { .init(tone: .plain, text: $0) }
    }

    private var highlights: [ReportDocument.Highlight] {
        let live = results.cells.count { $0.backend != CellResult.simulationBackend }
        let capacities =
            Dictionary(grouping: results.cells, by: \.trace).map { Set($0.value.map(\.capacityRequested)).count }.max()
            ?? 0
        let planned = results.cellsPlanned.flatMap { $0 > results.cells.count ? " of \(HumanFormat.count($0))" : nil }
        let requests = results.cells.reduce(0) { $0 + ($1.counts?.requests ?? 0) }
        let rest = inapplicableCount > 0 ? "\(HumanFormat.count(inapplicableCount)) more not applicable" : nil
        return [
            .init(
                name: "Cells", figure: HumanFormat.count(results.cells.count) + (planned ?? ""),
                detail: "\(HumanFormat.counted(capacities, "capacity", "capacities")) a trace"
                    + (live > 0 ? ", \(live) live" : ", simulated")),
            .init(
                name: "Requests replayed", figure: HumanFormat.short(Double(requests)),
                detail: "in \(HumanFormat.duration(results.durationSeconds)), seed \(results.seed)"),
            .init(
                tone: failedCount == 0 ? .good : .bad, name: "Failures", figure: "\(failedCount)",
                detail: rest
                    ?? (failedCount == 0 ? "every finished cell has a result" : "reasons under “Without a result”")),
        ]
    }

    private var closing: [String] {
        var text = "\(HumanFormat.counted(results.cells.count, "cell", "cells")) in "
        text += HumanFormat.duration(results.durationSeconds)
        text += failedCount == 0 ? ", no failures" : ", \(failedCount) failed"
        if inapplicableCount > 0 { text += ", \(inapplicableCount) not applicable" }
        let lacksPercentiles = results.cells.compactMap(\.latency).contains {
            $0.get.p99Nanoseconds == nil || $0.put.p99Nanoseconds == nil
        }
        return (lacksPercentiles ? [HumanFormat.notMeasured] : []) + [
            text, "* highest hit ratio of its capacity and backend; policies that know the future are not marked.",
        ]
    }

    // MARK: - Over all traces

    /// The best policy of each trace at each capacity, the ranks of all, and what the best ones cost.
    private var best: [ReportDocument.Section] {
        guard !standings.contests.isEmpty else { return [] }
        let bounds = labels.keys.filter(labels.isBound).map(labels.label)
        let knowing = bounds.count == 1 ? "which knows the future" : "which know the future"
        let without = bounds.isEmpty ? "" : " Without \(bounds.joined(separator: ", ")), \(knowing)."
        return [
            .init(
                id: "best", title: "Best policy",
                lead: "The policy with the most hits, its hit ratio, and the capacity.\(without)",
                blocks: [.table(.init(table: winners))] + [heat].compactMap(\.self))
        ]
    }

    /// A row a trace, a column a capacity.
    private var winners: DataTable {
        let rows = results.traceNames.flatMap { trace in
            Capacity.Unit.allCases.compactMap { unit -> (String, [Standings.CapacityComparison])? in
                let contests = standings.contests.filter { $0.trace == trace && $0.unit == unit }
                let isMixed = standings.contests.contains { $0.trace == trace && $0.unit != unit }
                return contests.isEmpty ? nil : (isMixed ? "\(trace), \(unit.rawValue)" : trace, contests)
            }
        }
        let titles = rows.map { $0.1.map(\.sizeTitle) }
        let isShared = Set(titles).count == 1
        let width = titles.map(\.count).max() ?? 0
        return DataTable(
            caption: "Best policy by trace and capacity",
            columns: [.init("Trace", isNumeric: false)]
                + (0..<width).map { .init(isShared ? titles[0][$0] : "Size \($0 + 1)", isNumeric: false) },
            rows: rows.map { trace, contests in
                [.init(trace)] + contests.map(winnerCell) + Array(repeating: .init(""), count: width - contests.count)
            }, isSortable: false, classes: "winners")
    }

    private func winnerCell(_ contest: Standings.CapacityComparison) -> DataTable.Cell {
        guard let first = contest.winners.first, let style = styles[first] else { return .init(HumanFormat.absent) }
        guard contest.counts.hits > 0 else { return .init("no hits", classes: "absent", note: contest.sizeWithUnit) }
        let others = contest.winners.count > 1 ? " and \(contest.winners.count - 1) more" : ""
        return .init(
            style.label + others, swatch: style,
            note: "\(HumanFormat.percent(contest.counts.hitRatio, digits: 1)) · \(contest.sizeWithUnit)")
    }

    /// The hit ratio of each policy on each trace, by capacity; nil for a single trace or policy.
    private var heat: ReportDocument.Block? {
        let names = results.traceNames
        let keys = labels.keys.filter { !labels.isBound($0) }
        let titles = standings.contests.map(\.sizeTitle).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let columns = titles.map { title in
            names.map { trace in standings.contests.first { $0.trace == trace && $0.sizeTitle == title } }
        }
        // A capacity that one trace alone has compares nothing.
        let views = zip(titles, columns).filter { $1.count { $0 != nil } > 1 }
        guard keys.count > 1, !views.isEmpty else { return nil }
        func meanRank(_ key: SeriesKey) -> Double {
            let ranks = views.flatMap { $0.1.compactMap { $0?.rank(of: key) } }
            return ranks.isEmpty ? .infinity : ranks.reduce(0, +) / Double(ranks.count)
        }
        let means = Dictionary(uniqueKeysWithValues: keys.map { ($0, meanRank($0)) })
        let order = keys.sorted { means[$0] ?? 0 < means[$1] ?? 0 }
        return .heat(
            .init(
                title: "Every policy on every trace",
                note:
                    "The hit ratio, or the rank by it. Rows are in the order of their mean rank over all traces and capacities.",
                rowTitle: "Policy", rows: order.map(labels.label), columns: names,
                views: views.map { title, contests in
                    (title, order.map { key in contests.map { $0?.hitRatios[key] } })
                }))
    }

    /// Every cell without a result, with its reason; none if there is none.
    private var failures: [ReportDocument.Section] {
        let rows = results.cells.compactMap { cell -> [DataTable.Cell]? in
            guard let failure = cell.failure else { return nil }
            return [
                .init(cell.trace), .init(labels.label(cell)), .init(cell.backend),
                .init(capacityText(cell), sort: Double(cell.capacity)),
                .init(failure.kind.rawValue, classes: cell.hasFailed ? "bad" : "absent"),
                .init(failure.message, classes: "prose"),
            ]
        }
        guard !rows.isEmpty else { return [] }
        let table = DataTable(
            caption: "Cells without a result",
            columns: [
                .init("Trace", isNumeric: false), .init("Policy", isNumeric: false), .init("Backend", isNumeric: false),
                .init("Capacity"), .init("Kind", isNumeric: false), .init("Reason", isNumeric: false),
            ], rows: rows)
        return [.init(id: "failures", title: "Without a result", blocks: [.table(.init(table: table))])]
    }
}
