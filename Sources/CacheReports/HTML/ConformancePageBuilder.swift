internal import CacheCore

/// Turns what a conformance suite found into the page's model.
struct ConformancePageBuilder {
    private let findings: ConformanceFindings

    init(_ findings: ConformanceFindings) { self.findings = findings }

    private static let outcomes = [
        "pass", "fail", "crashed", "hung", "blocked", "inconclusive", "not claimed", "recorded",
    ]

    /// The whole page.
    func model(css: String, script: String) throws(AssayError) -> PageModel {
        let sections = findings.failures.map(section) + [allChecks]
        let links =
            [PageModel.Link(id: "verdicts", title: "Verdicts")]
            + sections.map {
                PageModel.Link(id: $0.id, title: $0.title.split(separator: " ").first.map(String.init) ?? "")
            }
            + [
                PageModel.Link(id: "again", title: "Run it again"),
                PageModel.Link(id: "definitions", title: "Definitions"),
            ]
        return PageModel(
            title: title, subtitle: "Suite \(findings.suite) · seed \(findings.seed)",
            assayVersion: findings.assayVersion, css: css, script: script, banners: banners, tiles: tiles,
            navigation: links, failuresHTML: nil, winnersHTML: nil, winnersNote: "", legend: [], hasLegend: false,
            sections: sections, tracesHTML: "", policiesHTML: nil,
            command: PageBuilder.commandText(findings.commandLine), environment: [],
            filesBase64: try PageBuilder.embedded(["conformance.json": findings.json]),
            downloads: [.init(file: "conformance.json", label: "JSON")], isCurve: false, isConformance: true,
            verdictsHTML: table.html(), isRun: false)
    }

    private var title: String {
        let negatives = findings.negatives
        guard negatives > 0 else { return "\(findings.subject) fails no check that is due" }
        return "\(findings.subject) fails \(HumanFormat.counted(negatives, "check", "checks"))"
    }

    private var banners: [PageModel.Banner] {
        let ended = findings.count("crashed") + findings.count("hung")
        guard ended > 0 else { return [] }
        return [
            .init(
                kind: "bad",
                text:
                    "The subject's process ended or did not answer in \(HumanFormat.counted(ended, "check", "checks"))."
            )
        ]
    }

    // MARK: Figures

    private var tiles: [PageModel.Tile] {
        let (passed, negatives) = (findings.count("pass"), findings.negatives)
        let judged = passed + negatives
        let due = findings.rows.count - findings.count("not claimed")
        let open = findings.count("blocked") + findings.count("inconclusive")
        return [
            .init(
                kind: negatives > 0 ? "bad" : "good", name: "Score", figure: Self.percent(passed, of: judged),
                detail: "\(passed) of \(judged) checks with a verdict passed"),
            .init(
                kind: "", name: "Claimed", figure: Self.percent(due, of: findings.rows.count),
                detail: "\(due) of \(findings.rows.count) checks are due by the claims"),
            .init(
                kind: negatives > 0 ? "bad" : "good", name: "Failures", figure: "\(negatives)",
                detail: negatives > 0 ? "each with a reproducer below" : "of the checks that are due"),
            .init(
                kind: open > 0 ? "warn" : "", name: "Undecided", figure: "\(open)",
                detail: "blocked or inconclusive, with the reason in the table"),
        ]
    }

    /// Rounded down, so that 100 % means all.
    private static func percent(_ part: Int, of all: Int) -> String {
        guard all > 0 else { return HumanFormat.absent }
        let tenths = part * 1_000 / all
        return "\(tenths / 10).\(tenths % 10) %"
    }

    private var sectionNames: [String] {
        findings.rows.map(\.section).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private var table: DataTable {
        let present = Self.outcomes.filter { findings.count($0) > 0 }
        let rows = sectionNames.map { name -> [DataTable.Cell] in
            let own = findings.rows.filter { $0.section == name }
            let passed = own.count { $0.outcome == "pass" }
            let judged = passed + own.count(where: \.isNegative)
            return [
                DataTable.Cell(name),
                DataTable.Cell(
                    Self.percent(passed, of: judged), sort: judged == 0 ? nil : Double(passed) / Double(judged),
                    classes: judged == 0 ? "absent" : ""),
                DataTable.Cell(
                    Self.percent(own.count { $0.outcome != "not claimed" }, of: own.count),
                    sort: Double(own.count { $0.outcome != "not claimed" }) / Double(own.count)),
            ]
                + present.map { outcome in
                    let count = own.count { $0.outcome == outcome }
                    let isBad = count > 0 && ["fail", "crashed", "hung"].contains(outcome)
                    return DataTable.Cell(
                        count == 0 ? HumanFormat.absent : "\(count)", sort: Double(count),
                        classes: count == 0 ? "absent" : isBad ? "bad" : "")
                }
        }
        return DataTable(
            caption: "Verdicts by section",
            columns: [.init("Section", isNumeric: false), .init("Score"), .init("Claimed")]
                + present.map { .init($0.prefix(1).uppercased() + $0.dropFirst()) },
            rows: rows)
    }

    // MARK: Failures

    private func section(_ failure: ConformanceFindings.Failure) -> PageModel.TraceSection {
        let assertion = findings.rows.first { $0.id == failure.id }?.assertion ?? ""
        let cards = failure.history?.fault.map { [Self.timeline($0)] } ?? []
        return PageModel.TraceSection(
            id: failure.id, title: "\(failure.id) \(assertion)",
            facts: "Observed: \(failure.observed). Permitted: \(failure.permitted). Due to: \(failure.dueTo).",
            cards: cards, hasLiveCards: false, liveTitle: "", liveCards: [],
            tables: failure.reproducers.enumerated().map { index, form in
                PageModel.Fold(title: form.title, tableHTML: Self.code(form.text), isOpen: index == 0)
            })
    }

    private static func timeline(_ fault: HistoryFault) -> PageModel.Card {
        let title = "Timeline of key \(fault.key)"
        return PageModel.Card(
            title: title, note: "one lane a client, one bar an operation from its call to its return",
            chartHTML: OperationTimeline(title: title, fault: fault).svg(),
            keyHTML: """
                <p class="key"><span class="k1"><i></i>witness</span><span class="kf"><i></i>other operations of the key\
                </span><span>thin: no answer</span></p>
                """, tableTitle: nil, tableHTML: nil)
    }

    private static func code(_ text: String) -> String {
        var html = XMLText()
        html.open("div", [("class", "command")])
        html.line(
            "<pre><code>\(XMLText.escaped(text))</code></pre><button type=\"button\" data-copy hidden>Copy</button>")
        html.close("div")
        return html.text
    }

    // MARK: Every check

    private var allChecks: PageModel.TraceSection {
        var folds = sectionNames.map { name in
            let own = findings.rows.filter { $0.section == name }
            return PageModel.Fold(
                title: "\(name): \(HumanFormat.counted(own.count, "check", "checks"))",
                tableHTML: Self.checks(own, name),
                isOpen: own.contains(where: \.isNegative))
        }
        if !findings.unclaimedButPresent.isEmpty {
            let table = DataTable(
                caption: "Unclaimed but present", columns: [.init("What", isNumeric: false)],
                rows: findings.unclaimedButPresent.map { [DataTable.Cell($0, classes: "prose")] })
            folds.append(PageModel.Fold(title: "Unclaimed but present", tableHTML: table.html()))
        }
        return PageModel.TraceSection(
            id: "checks", title: "Checks", facts: "Every check of the suite, section by section.", cards: [],
            hasLiveCards: false, liveTitle: "", liveCards: [], tables: folds)
    }

    private static func checks(_ rows: [ConformanceFindings.Row], _ section: String) -> String {
        DataTable(
            caption: "Checks of section \(section)",
            columns: [
                .init("Check", isNumeric: false), .init("Kind", isNumeric: false), .init("Outcome", isNumeric: false),
                .init("Assertion", isNumeric: false), .init("Detail", isNumeric: false),
            ],
            rows: rows.map { row in
                [
                    DataTable.Cell(row.id), DataTable.Cell(row.kind),
                    DataTable.Cell(row.outcome, classes: row.isNegative ? "bad" : row.outcome == "pass" ? "good" : ""),
                    DataTable.Cell(row.assertion, classes: "prose"), DataTable.Cell(row.detail ?? "", classes: "prose"),
                ]
            }
        ).html()
    }
}
