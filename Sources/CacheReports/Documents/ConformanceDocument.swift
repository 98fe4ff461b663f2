public import CacheCore

extension ConformanceFindings: Reportable {
    /// Verdicts by section, each failure with its reproducers, and every check.
    ///
    /// - Throws: `AssayError` with code `usage` for a baseline policy.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        return ReportDocument(
            title: negatives == 0
                ? "\(title) fails no check that is due"
                : "\(title) fails \(HumanFormat.counted(negatives, "check", "checks"))",
            subtitle: "Suite \(suite)\(profile.map { ", profile \($0)" } ?? "") · seed \(seed)"
                + (title == subject ? "" : " · \(subject)"), assayVersion: assayVersion, answer: answer,
            notices: notices,
            highlights: highlights,
            sections: [.init(id: "verdicts", title: "Verdicts", blocks: [.table(.init(table: matrix))])]
                + causesSection + deviationSections + failures.map(section) + [checks],
            definitions: Self.definitions, command: commandLine,
            commandNote: "The same command asks the same questions; what several threads do differs from run to run.",
            files: [.init(label: "JSON", name: "conformance.json", text: json)])
    }

    // MARK: - The answer

    private var judged: Int { count("pass") + negatives }
    private var due: Int { rows.count - count("not claimed") }
    private var undecided: Int { count("blocked") + count("inconclusive") }

    private var answer: ReportDocument.Answer {
        let failed = rows.filter(\.isNegative).map(\.id)
        let more = failed.count > 5 ? " and \(failed.count - 5) more" : ""
        let sentence =
            judged == 0
            ? "Nobody knows: no check has a verdict."
            : failed.isEmpty
                ? "Yes, as far as it was asked: every check with a verdict passed."
                : "No: it fails \(failed.prefix(5).joined(separator: ", "))\(more)."
        let open =
            undecided == 0 ? "" : "; \(HumanFormat.counted(undecided, "check is", "checks are")) undecided"
        return .init(
            question: "Does \(title) pass every check that is due?", sentence: sentence,
            figure: Self.percent(count("pass"), of: judged),
            figureName: "of the \(HumanFormat.counted(judged, "check", "checks")) with a verdict passed",
            certainty:
                "A failure is proven by its reproducer. A pass is no proof: the claims make \(due) of \(rows.count) "
                + "checks due\(open), and random programs were drawn from seed \(seed).")
    }

    private var notices: [ReportDocument.Notice] {
        let ended = count("crashed") + count("hung")
        var notices: [ReportDocument.Notice] = []
        if negatives > 0 {
            notices.append(
                .init(
                    tone: .bad,
                    text: "\(HumanFormat.counted(negatives, "check", "checks")) of \(judged) failed; "
                        + "\(HumanFormat.counted(failures.count, "failure", "failures")) with a reproducer below."))
        }
        if ended > 0 {
            notices.append(
                .init(
                    tone: .bad,
                    text:
                        "The subject's process ended or did not answer in \(HumanFormat.counted(ended, "check", "checks"))."
                ))
        }
        return notices
    }

    private var highlights: [ReportDocument.Highlight] {
        [
            .init(
                name: "Claimed", figure: Self.percent(due, of: rows.count),
                detail: "\(due) of \(rows.count) checks are due by the claims"),
            .init(
                tone: negatives > 0 ? .bad : .good, name: "Failures", figure: "\(negatives)",
                detail: "of the checks that are due"),
            .init(
                tone: undecided > 0 ? .warning : .plain, name: "Undecided", figure: "\(undecided)",
                detail: "blocked or inconclusive, with the reason in the table"),
        ]
            + (deviations.isEmpty
                ? []
                : [
                    .init(
                        tone: .warning, name: "Deviations", figure: "\(deviations.count)",
                        detail: "documented, and so held against it by no check")
                ])
    }

    private var deviationSections: [ReportDocument.Section] {
        guard !deviations.isEmpty else { return [] }
        let table = DataTable(
            caption: "Documented deviations",
            columns: [.init("Deviation", isNumeric: false), .init("What the subject does", isNumeric: false)],
            rows: deviations.map { [.init($0.name), .init($0.sentence, classes: "prose")] })
        return [
            .init(
                id: "deviations", title: "Documented deviations",
                lead: "What the subject states to do otherwise than most caches. The checks follow it.",
                blocks: [.table(.init(table: table))])
        ]
    }

    /// Rounded down, so that 100 % means all.
    private static func percent(_ part: Int, of all: Int) -> String {
        guard all > 0 else { return HumanFormat.absent }
        let tenths = part * 1_000 / all
        return "\(tenths / 10).\(tenths % 10) %"
    }

    // MARK: - Verdicts by section

    private static let outcomes = [
        "pass", "fail", "crashed", "hung", "blocked", "inconclusive", "not claimed", "recorded",
    ]

    private var sectionNames: [String] {
        rows.map(\.section).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private var matrix: DataTable {
        let present = Self.outcomes.filter { count($0) > 0 }
        return DataTable(
            caption: "Verdicts by section",
            columns: [
                .init("Section", isNumeric: false), .init("About", isNumeric: false), .init("Score"), .init("Claimed"),
            ]
                + present.map { .init($0.prefix(1).uppercased() + $0.dropFirst()) },
            rows: sectionNames.map { name -> [DataTable.Cell] in
                let own = rows.filter { $0.section == name }
                func share(_ part: Int, of all: Int) -> DataTable.Cell {
                    .init(
                        Self.percent(part, of: all), sort: all == 0 ? nil : Double(part) / Double(all),
                        classes: all == 0 ? "absent" : "")
                }
                let passed = own.count { $0.outcome == "pass" }
                return [
                    .init(name), .init(sectionTitles[name] ?? "", classes: "prose"),
                    share(passed, of: passed + own.count(where: \.isNegative)),
                    share(own.count { $0.outcome != "not claimed" }, of: own.count),
                ]
                    + present.map { outcome -> DataTable.Cell in
                        let some = own.filter { $0.outcome == outcome }
                        return .init(
                            some.isEmpty ? HumanFormat.absent : "\(some.count)", sort: Double(some.count),
                            classes: some.isEmpty ? "absent" : some[0].isNegative ? "bad" : "")
                    }
            }
        ).withoutColumns(thatOnlySay: [""])
    }

    // MARK: - Failures and checks

    private var causesSection: [ReportDocument.Section] {
        guard !causes.isEmpty else { return [] }
        let columns = ["Likely cause", "Seen by", "Also failed", "Blocked"].map {
            DataTable.Column($0, isNumeric: false)
        }
        let rows = causes.map { cause -> [DataTable.Cell] in
            [
                .init(cause.title, classes: "prose"),
                .init(cause.checks[0], link: failures.contains { $0.id == cause.checks[0] } ? cause.checks[0] : nil),
                .init(cause.checks.dropFirst().joined(separator: ", "), classes: "prose"),
                .init(cause.blocked.joined(separator: ", "), classes: "prose"),
            ]
        }
        return [
            .init(
                id: "causes", title: "Likely causes",
                lead:
                    "Failures that another explains, or that have their program's last operation and the kind of difference "
                    + "in common, stand together. A hint and no proof.",
                blocks: [
                    .table(
                        .init(
                            table: DataTable(
                                caption: "Likely causes", columns: columns, rows: rows
                            ).withoutColumns(thatOnlySay: [""])))
                ])
        ]
    }

    private func section(_ failure: Failure) -> ReportDocument.Section {
        let assertion = rows.first { $0.id == failure.id }?.assertion ?? ""
        var blocks: [ReportDocument.Block] = []
        if let fault = failure.history?.fault { blocks.append(OperationTimeline.block(fault)) }
        for (index, form) in failure.reproducers.enumerated() {
            blocks.append(.code(.init(title: form.title, isOpen: index == 0, text: form.text)))
        }
        return .init(
            id: failure.id, title: "\(failure.name) \(assertion)", shortTitle: failure.name,
            lead: "Observed: \(failure.observed). Permitted: \(failure.permitted). Claim: \(failure.dueTo)."
                + failure.remarks.map { " Note: \($0)." }.joined(),
            blocks: blocks)
    }

    private var checks: ReportDocument.Section {
        var blocks = sectionNames.map { name -> ReportDocument.Block in
            let own = rows.filter { $0.section == name }
            let about = sectionTitles[name].map { " · \($0)" } ?? ""
            return .table(
                .init(
                    title: "\(name)\(about): \(HumanFormat.counted(own.count, "check", "checks"))",
                    isOpen: own.contains(where: \.isNegative), table: table(own, name)))
        }
        if !unclaimedButPresent.isEmpty {
            let table = DataTable(
                caption: "Unclaimed but present", columns: [.init("What", isNumeric: false)],
                rows: unclaimedButPresent.map { [.init($0, classes: "prose")] })
            blocks.append(.table(.init(title: "Unclaimed but present", isOpen: false, table: table)))
        }
        return .init(
            id: "checks", title: "Checks", lead: "Every check of the suite, section by section.", blocks: blocks)
    }

    private func table(_ rows: [Row], _ section: String) -> DataTable {
        DataTable(
            caption: "Checks of section \(section)",
            columns: ["Check", "Kind", "Outcome", "Assertion", "Detail"].map { .init($0, isNumeric: false) },
            rows: rows.map { row in
                [
                    .init(row.id, link: failures.contains { $0.id == row.id } ? row.id : nil), .init(row.kind),
                    .init(
                        row.known == nil ? row.outcome : "\(row.outcome), known",
                        classes: row.isNegative ? "bad" : row.outcome == "pass" ? "good" : ""),
                    .init(row.assertion, classes: "prose"),
                    .init((row.known.map { "Known: \($0). " } ?? "") + (row.detail ?? ""), classes: "prose"),
                ]
            })
    }

    private static let definitions: [ReportDocument.Definition] = [
        .init(
            "Score",
            """
            Checks that passed, over those that passed, failed, crashed or hung. To be read beside the claimed part: a \
            subject that claims little has little to fail.
            """),
        .init(
            "Claimed",
            """
            The part of all checks that the subject's claims make due. What it does not claim is not held against it.
            """),
        .init(
            "Required, claimed",
            """
            A required check is due for every subject, a claimed one for those that claim what it is about.
            """),
        .init("Optimal, survey", "Recorded, without a verdict."),
        .init(
            "Blocked",
            """
            The question could not be put: something it needs is missing, or the witness that gives a negative answer \
            its meaning did not appear. Or it failed, and the failure of a check that it builds on explains that.
            """),
        .init("Inconclusive", "A limit was reached before an answer."),
        .init("Crashed, hung", "The subject's process ended, or gave no answer within the deadline."),
        .init(
            "Reproducer",
            """
            The smallest program that was found to fail: fewer operations, fewer keys, smaller values and times do not. \
            `assay conform --replay` runs its JSON.
            """),
        .init(
            "Witness",
            """
            Operations of several clients that contradict each other. The others of the same key are shown beside them.
            """),
    ]
}
