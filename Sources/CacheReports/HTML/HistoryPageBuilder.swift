internal import CacheCore

/// Turns verdicts on histories into the page's model.
struct HistoryPageBuilder {
    private let results: HistoryResults

    init(_ results: HistoryResults) { self.results = results }

    /// The whole page.
    func model(css: String, script: String) throws(AssayError) -> PageModel {
        let sections = results.histories.enumerated().compactMap { section($1, index: $0) }
        let links =
            sections.map { PageModel.Link(id: $0.id, title: $0.title) } + [
                PageModel.Link(id: "again", title: "Run it again"),
                PageModel.Link(id: "definitions", title: "Definitions"),
            ]
        let command = PageBuilder.commandText(results.commandLine)
        return PageModel(
            title: title, subtitle: "Checked as \(results.semantics) caches", assayVersion: results.assayVersion,
            css: css, script: script, banners: [], tiles: tiles, navigation: links, failuresHTML: nil,
            winnersHTML: nil, winnersNote: "", legend: [], hasLegend: false, sections: sections,
            tracesHTML: "", policiesHTML: nil, command: command, environment: [],
            filesBase64: try PageBuilder.embedded(["history.json": try JSONReport.render(results)]),
            downloads: [.init(file: "history.json", label: "JSON")], isCurve: false, isHistory: true,
            verdictsHTML: verdictTable.html(), isRun: false)
    }

    private var title: String {
        guard results.histories.count == 1 else {
            return HumanFormat.counted(results.histories.count, "history", "histories")
        }
        return "\(results.histories[0].source): \(results.histories[0].verdict.rawValue)"
    }

    private var tiles: [PageModel.Tile] {
        HistoryResult.Verdict.allCases.compactMap { verdict in
            let count = results.count(verdict)
            guard count > 0 else { return nil }
            let kind = verdict == .linearizable ? "good" : verdict == .notLinearizable ? "bad" : ""
            return PageModel.Tile(
                kind: kind, name: verdict.rawValue.prefix(1).uppercased() + verdict.rawValue.dropFirst(),
                figure: "\(count)", detail: count == 1 ? "history" : "histories")
        }
    }

    private var verdictTable: DataTable {
        DataTable(
            caption: "Verdicts",
            columns: [
                .init("History", isNumeric: false), .init("Verdict", isNumeric: false), .init("Operations"),
                .init("Keys"), .init("Keys by zones"), .init("Configurations"), .init("Why", isNumeric: false),
            ],
            rows: results.histories.map { history in
                [
                    DataTable.Cell(history.source),
                    DataTable.Cell(
                        history.verdict.rawValue, classes: history.verdict == .notLinearizable ? "bad" : ""),
                    .figure(history.operations), .figure(history.keys), .figure(history.keysByZones),
                    .figure(history.configurations), DataTable.Cell(history.reason ?? "", classes: "prose"),
                ]
            })
    }

    /// A history with a fault; nil for one without.
    private func section(_ history: HistoryResult, index: Int) -> PageModel.TraceSection? {
        guard let fault = history.fault else { return nil }
        let name = fault.key.isEmpty ? "the register" : "key \(fault.key)"
        let others =
            fault.keysAtFault > 1 ? " \(fault.keysAtFault) keys are at fault; this has the fewest operations." : ""
        let before =
            fault.knowsInitialState
            ? "The witness counts from the empty cache." : "The witness is impossible whatever went before it."
        let chart = OperationTimeline(title: "Timeline of \(name)", fault: fault)
        let card = PageModel.Card(
            title: "Timeline of \(name)", note: "one lane a client, one bar an operation from its call to its return",
            chartHTML: chart.svg(),
            keyHTML: """
                <p class="key"><span class="k1"><i></i>witness</span><span class="kf"><i></i>other operations of the key\
                </span><span>thin: no answer</span></p>
                """, tableTitle: nil, tableHTML: nil)
        return PageModel.TraceSection(
            id: "history-\(index + 1)", title: history.source,
            facts: "\(name): \(history.reason ?? ""). \(before)\(others)", cards: [card], hasLiveCards: false,
            liveTitle: "", liveCards: [], tables: [table(fault)])
    }

    private func table(_ fault: HistoryFault) -> PageModel.Fold {
        let table = DataTable(
            caption: "Operations",
            columns: [
                .init("Operation", isNumeric: false), .init("Client"), .init("Call"), .init("Return"),
                .init("Witness", isNumeric: false),
            ],
            rows: fault.operations.map { line in
                [
                    DataTable.Cell(line.text), .figure(line.client),
                    DataTable.Cell("\(line.callTime)", sort: Double(line.callTime)),
                    line.returnTime.map { DataTable.Cell("\($0)", sort: Double($0)) }
                        ?? DataTable.Cell("never", classes: "absent"),
                    DataTable.Cell(line.isWitness ? "yes" : ""),
                ]
            })
        return PageModel.Fold(title: "Operations", tableHTML: table.html(), isOpen: true)
    }
}
