internal import CacheCore
internal import CacheGate

/// Turns figures over commits into the page's model.
struct FigureHistoryPageBuilder {
    /// Series that are drawn; the tables have all.
    private static var drawnSeries: Int { 60 }

    private let history: FigureHistory
    private let rows: FigureHistoryRows

    init(_ history: FigureHistory) {
        self.history = history
        rows = FigureHistoryRows(history)
    }

    /// The whole page, without its style and script.
    func model(assayVersion: String, commandLine: [String]) throws(AssayError) -> PageModel {
        let sections = [changeSection] + figureSections
        let links =
            sections.map { PageModel.Link(id: $0.id, title: $0.title) } + [
                PageModel.Link(id: "again", title: "Run it again"),
                PageModel.Link(id: "definitions", title: "Definitions"),
            ]
        return PageModel(
            title: "Figures over \(HumanFormat.counted(history.commits.count, "commit", "commits"))",
            subtitle: [history.commits.first, history.commits.last].compactMap(\.self)
                .map { "\($0.shortDigest) (\(FigureHistoryRows.day($0)))" }.joined(separator: " to "),
            assayVersion: assayVersion, css: "", script: "",
            banners: history.notes.map { .init(kind: "warn", text: $0) }, tiles: tiles, navigation: links,
            failuresHTML: nil, winnersHTML: nil, winnersNote: "", legend: [], hasLegend: false, sections: sections,
            tracesHTML: "", policiesHTML: nil, command: PageBuilder.commandText(commandLine), environment: [],
            filesBase64: try PageBuilder.embedded(["history.csv": FigureHistoryText.csv(history)]),
            downloads: [.init(file: "history.csv", label: "CSV")], isCurve: false, isFigureHistory: true, isRun: false)
    }

    private var tiles: [PageModel.Tile] {
        let exact = rows.changes.filter { $0.series.kind == .exact }
        let worst = exact.first { $0.verdict == "worse" }
        return [
            .init(
                kind: worst == nil ? "good" : "bad", name: "First commit with a worse exact figure",
                figure: worst.map { String($0.commit.digest.prefix(7)) } ?? "none", detail: worst?.commit.title ?? ""),
            .init(
                kind: "", name: "Changes of exact figures", figure: HumanFormat.count(exact.count),
                detail: "at \(HumanFormat.counted(Set(exact.map(\.commit)).count, "commit", "commits"))"),
            .init(
                kind: "", name: "Other changes", figure: HumanFormat.count(rows.changes.count - exact.count),
                detail: "of counted and timed figures: advisory, never a gate"),
            .init(
                kind: "", name: "Figures", figure: HumanFormat.count(history.series.count),
                detail: "each of one subject under equal conditions"),
        ]
    }

    private var changeSection: PageModel.TraceSection {
        let table = DataTable(
            caption: "Changes",
            columns: [
                .init("Commit", isNumeric: false), .init("Figure", isNumeric: false),
                .init("Subject", isNumeric: false),
                .init("Before"), .init("After"), .init("Change"), .init("Verdict", isNumeric: false),
                .init("By chance"),
                .init("Without results"), .init("Parameters", isNumeric: false), .init("Where", isNumeric: false),
            ],
            rows: rows.changes.map { row in
                [
                    .init(row.commit.shortDigest, sort: Double(row.point.commit), note: row.commit.title),
                    .init(row.series.name), .init(row.series.subject),
                    .init(row.before, sort: row.change.before.number),
                    .init(row.after, sort: row.change.after.number), .init(row.size),
                    .init(row.verdict, classes: row.verdict == "worse" ? "bad" : ""),
                    .init(row.chance, sort: row.change.chance), .figure(row.change.unrecordedCommits),
                    .init(row.parameters, classes: "prose"), .init(row.place, classes: "prose"),
                ]
            }
        ).withoutColumns(thatOnlySay: ["", "0", HumanFormat.absent])
        let all = DataTable(
            caption: "All figures",
            columns: [
                .init("Figure", isNumeric: false), .init("Subject", isNumeric: false), .init("Kind", isNumeric: false),
                .init("Commits"), .init("First"), .init("Last"), .init("Changes"), .init("Where", isNumeric: false),
            ],
            rows: history.series.map { series in
                func value(_ point: FigureHistory.Point?) -> DataTable.Cell {
                    point.map { .init(FigureHistoryRows.amount($0.value, series.unit), sort: $0.value.number) }
                        ?? .init(HumanFormat.absent)
                }
                return [
                    .init(series.name), .init(series.subject), .init(series.kind.rawValue),
                    .figure(series.points.count),
                    value(series.points.first), value(series.points.last), .figure(series.changes.count),
                    .init(FigureHistoryRows.place(of: series), classes: "prose"),
                ]
            })
        return PageModel.TraceSection(
            id: "changes", title: "Changes", facts: rows.summary, cards: [], hasLiveCards: false, liveTitle: "",
            liveCards: [],
            tables: [
                .init(title: "Changes", tableHTML: table.html(), isOpen: true),
                .init(title: "All figures", tableHTML: all.html()),
            ])
    }

    /// A section for each figure, with charts of those series that changed, or of some if none did.
    private var figureSections: [PageModel.TraceSection] {
        let numeric = history.series.filter { $0.points.count > 1 && $0.points.allSatisfy { $0.value.number != nil } }
        let changed = numeric.filter { !$0.changes.isEmpty }
        let drawn = (changed.isEmpty ? numeric : changed).prefix(Self.drawnSeries)
        let names = drawn.map(\.name)
        return names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map { _, name in
            let series = drawn.filter { $0.name == name }
            let left = numeric.count { $0.name == name } - series.count
            return PageModel.TraceSection(
                id: "figure-\(names.firstIndex(of: name) ?? 0)", title: name,
                facts: left == 0
                    ? "" : "\(HumanFormat.counted(left, "series", "series")) more without a chart: see All figures.",
                cards: series.map(card), hasLiveCards: false, liveTitle: "", liveCards: [], tables: [])
        }
    }

    private func card(_ series: FigureHistory.Series) -> PageModel.Card {
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
        return PageModel.Card(
            title: series.subject, note: FigureHistoryRows.place(of: series), chartHTML: chart.svg(),
            tableTitle: "Values",
            tableHTML: table(series))
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

    private func table(_ series: FigureHistory.Series) -> String {
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
                    .init(commit.shortDigest, sort: Double(point.commit), note: commit.title),
                    .init(FigureHistoryRows.day(commit)),
                    .init(FigureHistoryRows.amount(point.value, series.unit), sort: point.value.number),
                    .init(changes.contains(index) ? "here" : ""), .init(point.parameters, classes: "prose"),
                ]
            }
        ).withoutColumns(thatOnlySay: [""]).html()
    }
}
