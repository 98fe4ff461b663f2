public import CacheCore
public import CacheGate

/// Figures over commits, with the commits at which they changed, as a report.
public struct FigureHistoryReport: Reportable {
    /// The figures.
    public var history: FigureHistory
    /// The Assay version that writes the report.
    public var assayVersion: String
    /// The arguments after `assay`.
    public var commandLine: [String]

    /// A report of figures.
    public init(_ history: FigureHistory, assayVersion: String, commandLine: [String]) {
        self.history = history
        self.assayVersion = assayVersion
        self.commandLine = commandLine
    }

    /// The changes, and a chart of each figure that changed.
    ///
    /// - Throws: `AssayError` with code `usage` for a baseline policy.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        return FigureHistoryRows(history).document(assayVersion: assayVersion, commandLine: commandLine)
    }
}

extension FigureHistoryRows {
    func document(assayVersion: String, commandLine: [String]) -> ReportDocument {
        let (exact, others) = (changes.filter(\.isExact), changes.filter { !$0.isExact })
        return ReportDocument(
            title: "Figures over \(HumanFormat.counted(history.commits.count, "commit", "commits"))",
            subtitle: [history.commits.first, history.commits.last].compactMap(\.self)
                .map { "\($0.shortDigest) (\(Self.day($0)))" }.joined(separator: " to "),
            assayVersion: assayVersion, answer: answer,
            notices: history.notes.map { .init(tone: .warning, text: $0) },
            highlights: [
                .init(
                    name: "Changes of exact figures", figure: HumanFormat.count(exact.count),
                    detail: "at \(HumanFormat.counted(Set(exact.map(\.commit)).count, "commit", "commits"))"),
                .init(
                    name: "Other changes", figure: HumanFormat.count(others.count),
                    detail: "of counted and timed figures: advisory, never a gate"),
                .init(
                    name: "Figures", figure: HumanFormat.count(history.series.count),
                    detail: "each of one subject under equal conditions"),
            ],
            sections: section("exact", "Exact figures", "", exact)
                + section("advisory", "Counted and timed figures", "advisory, never a gate", others) + commitSection
                + figureSections + [allFigures],
            closing: [summary], definitions: Self.definitions, command: commandLine,
            commandNote: "The same command on the same database gives the same page.",
            files: [.init(label: "CSV", name: "history.csv", text: FigureHistoryText.csv(history))])
    }

    private var answer: ReportDocument.Answer? {
        let exact = history.series.count { $0.kind == .exact }
        guard exact > 0 else { return nil }
        let question = "Which commit is the first with a worse exact figure?"
        guard let worst = changes.first(where: { $0.isExact && $0.verdict == "worse" }) else {
            return .init(
                question: question, sentence: "None: no exact figure is worse than it was.", figure: "0",
                figureName: "changes for the worse of \(HumanFormat.counted(exact, "exact figure", "exact figures"))",
                certainty: "Certain for what was recorded: equal code gives equal exact figures.")
        }
        let gap = worst.change.unrecordedCommits ?? 0
        let before =
            gap == 0
            ? ""
            : " \(HumanFormat.counted(gap, "commit", "commits")) just before it may have done it: they have no results."
        let name = [worst.commit.shortDigest, worst.commit.title].filter { !$0.isEmpty }.joined(separator: " ")
        return .init(
            question: question,
            sentence:
                "\(name): \(worst.series.name) of \(worst.series.subject) "
                + "went from \(worst.before) to \(worst.after).",
            figure: worst.size.isEmpty ? worst.after : worst.size,
            figureName: "in \(worst.series.name) of \(worst.series.subject)",
            certainty: "Certain: equal code gives equal exact figures.\(before)")
    }

    // MARK: - Changes

    private func section(
        _ id: String, _ title: String, _ lead: String, _ rows: [Row]
    ) -> [ReportDocument.Section] {
        guard !rows.isEmpty else { return [] }
        let table = DataTable(
            caption: title,
            columns: [
                .init("Commit", isNumeric: false, terminal: 0), .init("Figure", isNumeric: false, terminal: 0),
                .init("Subject", isNumeric: false, terminal: 0), .init("Before", terminal: 0),
                .init("After", terminal: 0), .init("Change", terminal: 0),
                .init("Verdict", isNumeric: false, terminal: 0), .init("By chance", terminal: 1),
                .init("Without results"), .init("Parameters", isNumeric: false, terminal: 2),
                .init("Where", isNumeric: false, terminal: 3),
            ],
            rows: rows.map { row in
                [
                    .init(row.commit.shortDigest, sort: Double(row.point.commit), note: row.commit.title),
                    .init(row.series.name), .init(row.series.subject),
                    .init(row.before, sort: row.change.before.number),
                    .init(row.after, sort: row.change.after.number), .init(row.size),
                    .init(row.verdict, classes: row.verdict == "worse" ? "bad" : ""),
                    .init(row.chance, sort: row.change.chance), .figure(row.change.unrecordedCommits),
                    .init(row.parameters, classes: "prose"), .init(row.place, classes: "prose"),
                ]
            }, failed: Set(rows.indices.filter { rows[$0].verdict == "worse" })
        ).withoutColumns(thatOnlySay: ["", "0", HumanFormat.absent])
        return [.init(id: id, title: title, lead: lead, blocks: [.table(.init(table: table))], isOnTerminal: true)]
    }

    /// The commits that changed something.
    private var commitSection: [ReportDocument.Section] {
        let named = Dictionary(grouping: changes, by: \.point.commit).sorted { $0.key < $1.key }
        guard !named.isEmpty else { return [] }
        let table = DataTable(
            caption: "Commits",
            columns: [
                .init("Commit", isNumeric: false, terminal: 0), .init("Committed", isNumeric: false, terminal: 0),
                .init("Title", isNumeric: false, terminal: 0), .init("Changes", terminal: 1),
                .init("Not known", isNumeric: false, terminal: 0),
            ],
            rows: named.map { index, changes in
                let (commit, gap) = (changes[0].commit, changes.compactMap(\.change.unrecordedCommits).max() ?? 0)
                return [
                    .init(commit.shortDigest, sort: Double(index)), .init(Self.day(commit)),
                    .init(commit.title, classes: "prose"), .figure(changes.count),
                    .init(
                        gap == 0
                            ? "" : "or \(gap == 1 ? "the commit" : "one of \(gap) commits") before it without results",
                        classes: "prose"),
                ]
            }
        ).withoutColumns(thatOnlySay: [""])
        return [.init(id: "commits", title: "Commits", blocks: [.table(.init(table: table))], isOnTerminal: true)]
    }

    private var allFigures: ReportDocument.Section {
        func value(_ point: FigureHistory.Point?, _ unit: String) -> DataTable.Cell {
            point.map { .init(Self.amount($0.value, unit), sort: $0.value.number) } ?? .init(HumanFormat.absent)
        }
        let table = DataTable(
            caption: "All figures",
            columns: [
                .init("Figure", isNumeric: false), .init("Subject", isNumeric: false), .init("Kind", isNumeric: false),
                .init("Commits"), .init("First"), .init("Last"), .init("Changes"), .init("Where", isNumeric: false),
            ],
            rows: history.series.map { series in
                [
                    .init(series.name), .init(series.subject), .init(series.kind.rawValue),
                    .figure(series.points.count), value(series.points.first, series.unit),
                    value(series.points.last, series.unit), .figure(series.changes.count),
                    .init(Self.place(of: series), classes: "prose"),
                ]
            })
        return .init(id: "figures", title: "All figures", blocks: [.table(.init(table: table))])
    }

    // MARK: - Charts

    /// Series that are drawn; the tables have all.
    private static var drawnSeries: Int { 60 }

    /// A section for each figure, with charts of those series that changed, or of some if none did.
    private var figureSections: [ReportDocument.Section] {
        let numeric = history.series.filter { $0.points.count > 1 && $0.points.allSatisfy { $0.value.number != nil } }
        let changed = numeric.filter { !$0.changes.isEmpty }
        let drawn = (changed.isEmpty ? numeric : changed).prefix(Self.drawnSeries)
        let names = drawn.map(\.name)
        return names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map { index, name in
            let series = drawn.filter { $0.name == name }
            let left = numeric.count { $0.name == name } - series.count
            return .init(
                id: "figure-\(index)", title: name,
                lead: left == 0
                    ? "" : "\(HumanFormat.counted(left, "series", "series")) more without a chart: see All figures.",
                blocks: series.map(card))
        }
    }

    private func card(_ series: FigureHistory.Series) -> ReportDocument.Block {
        let values = series.points.map { (x: Double($0.commit), y: $0.value.number ?? 0) }
        var lines = [PlotChart.Line(name: series.subject, colourClass: "k0", points: values)]
        if series.kind != .exact, let last = values.last {
            let starts = [values[0].x] + series.changes.map { values[$0.point].x }
            let levels = series.changes.first.map { [$0.before] + series.changes.map(\.after) } ?? []
            for (index, level) in levels.enumerated() {
                let end = index + 1 < starts.count ? starts[index + 1] : last.x
                lines.append(
                    .init(
                        name: "median", colourClass: "kl", dashes: "6 3",
                        points: [starts[index], end].map { ($0, level.number ?? 0) }, hasMarks: false))
            }
        }
        let span = (values.map(\.y).max() ?? 0) - (values.map(\.y).min() ?? 0)
        let digits = span >= 10 || span == 0 ? 0 : span >= 0.1 ? 2 : 5
        let chart = PlotChart(
            title: "\(series.name) of \(series.subject) over commits",
            x: .init(title: "commit", ticks: ticks(values), format: commit),
            y: .init(title: series.name, includesZero: false) { value in
                if series.unit == "ns" { return HumanFormat.nanoseconds(value) }
                if abs(value) >= 10_000_000 { return HumanFormat.short(value) }
                return digits == 0 ? HumanFormat.count(value) : HumanFormat.fixed(value, digits)
            }, lines: lines,
            markers: series.changes.map { (values[$0.point].x, commit(values[$0.point].x)) })
        return .chart(
            .init(
                title: series.subject, note: Self.place(of: series), chart: chart, key: chart.key, table: table(series),
                tableTitle: "Values"))
    }

    private func commit(_ index: Double) -> String {
        let index = Int(saturating: index)
        return history.commits.indices.contains(index) ? String(history.commits[index].digest.prefix(7)) : ""
    }

    /// At most six commits that are labelled, the first and the last among them.
    private func ticks(_ values: [(x: Double, y: Double)]) -> [Double] {
        let count = min(6, values.count)
        return (0..<count).map { values[$0 * (values.count - 1) / max(1, count - 1)].x }
    }

    private func table(_ series: FigureHistory.Series) -> DataTable {
        let changes = Set(series.changes.map(\.point))
        return DataTable(
            caption: "\(series.name) of \(series.subject)",
            columns: [
                .init("Commit", isNumeric: false), .init("Committed", isNumeric: false), .init("Value"),
                .init("Changed", isNumeric: false), .init("Parameters", isNumeric: false),
            ],
            rows: series.points.enumerated().map { index, point in
                let commit = history.commits[point.commit]
                return [
                    .init(commit.shortDigest, sort: Double(point.commit), note: commit.title), .init(Self.day(commit)),
                    .init(Self.amount(point.value, series.unit), sort: point.value.number),
                    .init(changes.contains(index) ? "here" : ""), .init(point.parameters, classes: "prose"),
                ]
            }
        ).withoutColumns(thatOnlySay: [""])
    }

    private static let definitions: [ReportDocument.Definition] = [
        .init(
            "Exact figure",
            """
            The same code gives the same value: hits, evictions, the outcome of a check. Every other value is a change, \
            and the first commit that has it is named.
            """),
        .init(
            "Counted and timed figures",
            """
            They vary from one recording to the next. A change is a level that moved: ranks before and after some commit \
            differ so much that at most 1 in 100 of 999 seeded shuffles of the same values does as much (Pettitt, 1979; \
            Hawkins and Deng, 2010). The commit is where the absolute deviations from both medians are least. It takes \
            at least 10 commits, 3 of them on each side. Sizes are medians.
            """),
        .init(
            "By chance",
            """
            How often noise alone would look like this change. Of series that never changed, about 1 in 100 shows a \
            change all the same. A machine that is busier for a week looks like a change, too: recorded times tell where \
            to look and are no verdict; `assay gate` measures two builds side by side.
            """),
        .init(
            "Without results",
            """
            Commits before the named one that have no value of this figure. The change may be one of theirs.
            """),
        .init(
            "Order",
            """
            Commits stand in the topological order of the repository where it knows them all, else in the order of their \
            times.
            """),
    ]
}
