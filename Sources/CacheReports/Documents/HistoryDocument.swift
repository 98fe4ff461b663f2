public import CacheCore

extension HistoryResults: Reportable {
    /// Verdicts on histories, and a timeline of each fault.
    ///
    /// - Throws: `AssayError` with code `usage` for a baseline policy.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        let title =
            histories.count == 1
            ? "\(histories[0].source): \(histories[0].verdict.rawValue)"
            : HumanFormat.counted(histories.count, "history", "histories")
        return ReportDocument(
            title: title, subtitle: "Checked as \(semantics) caches", assayVersion: assayVersion, answer: answer,
            notices: notices, highlights: highlights,
            sections: [.init(id: "verdicts", title: "Verdicts", blocks: [.table(.init(table: verdicts))])]
                + histories.enumerated().compactMap { Self.section($1, index: $0) },
            definitions: Self.definitions, command: commandLine,
            commandNote: "The same command on the same files gives the same verdicts, unless a limit of time decides.",
            files: [.init(label: "JSON", name: "history.json", text: try JSONReport.render(self))])
    }

    private var answer: ReportDocument.Answer? {
        guard !histories.isEmpty else { return nil }
        let (good, bad, open) = (count(.linearizable), count(.notLinearizable), count(.unknown) + count(.unread))
        let sentence =
            bad > 0
            ? "No: the answers of \(bad) of \(histories.count) contradict each other."
            : open > 0
                ? "Nobody knows: \(open) of \(histories.count) have no verdict."
                : "Yes: some order of the operations explains every answer."
        let proof =
            bad > 0
            ? "Proven: each fault has a witness below, a few operations that no order explains"
            : good > 0 ? "Proven: an order was found for each key" : "No proof either way"
        return .init(
            question: histories.count == 1
                ? "Is \(histories[0].source) linearizable?" : "Are these histories linearizable?",
            sentence: sentence, figure: "\(good) of \(histories.count)",
            figureName: "\(histories.count == 1 ? "history" : "histories") linearizable",
            certainty: proof + (open > 0 && (good > 0 || bad > 0) ? "; \(open) without a verdict." : "."))
    }

    private var notices: [ReportDocument.Notice] {
        let texts: [(Int, String)] = [
            (count(.unknown), "ended at a limit before a verdict"), (count(.unread), "could not be read"),
        ]
        return texts.filter { $0.0 > 0 }.map { count, what in
            .init(tone: .warning, text: "\(HumanFormat.counted(count, "history", "histories")) \(what).")
        }
    }

    private var highlights: [ReportDocument.Highlight] {
        HistoryResult.Verdict.allCases.filter { count($0) > 0 }.map { verdict in
            .init(
                tone: verdict == .linearizable ? .good : verdict == .notLinearizable ? .bad : .plain,
                name: verdict.rawValue.prefix(1).uppercased() + verdict.rawValue.dropFirst(),
                figure: "\(count(verdict))", detail: count(verdict) == 1 ? "history" : "histories")
        }
    }

    private var verdicts: DataTable {
        DataTable(
            caption: "Verdicts",
            columns: [
                .init("History", isNumeric: false), .init("Verdict", isNumeric: false), .init("Operations"),
                .init("Keys"), .init("Keys by zones"), .init("Configurations"), .init("Why", isNumeric: false),
            ],
            rows: histories.enumerated().map { index, history in
                [
                    .init(history.source, link: history.fault.map { _ in "history-\(index + 1)" }),
                    .init(history.verdict.rawValue, classes: history.verdict == .notLinearizable ? "bad" : ""),
                    .figure(history.operations), .figure(history.keys), .figure(history.keysByZones),
                    .figure(history.configurations), .init(history.reason ?? "", classes: "prose"),
                ]
            })
    }

    /// A history with a fault; nil for one without.
    private static func section(_ history: HistoryResult, index: Int) -> ReportDocument.Section? {
        guard let fault = history.fault else { return nil }
        let before =
            fault.knowsInitialState
            ? "The witness counts from the empty cache." : "The witness is impossible whatever went before it."
        let others =
            fault.keysAtFault > 1 ? " \(fault.keysAtFault) keys are at fault; this has the fewest operations." : ""
        let table = DataTable(
            caption: "Operations",
            columns: [
                .init("Operation", isNumeric: false), .init("Client"), .init("Call"), .init("Return"),
                .init("Witness", isNumeric: false),
            ],
            rows: fault.operations.map { line in
                [
                    .init(line.text), .figure(line.client), .init("\(line.callTime)", sort: Double(line.callTime)),
                    line.returnTime.map { .init("\($0)", sort: Double($0)) } ?? .init("never", classes: "absent"),
                    .init(line.isWitness ? "yes" : ""),
                ]
            })
        return .init(
            id: "history-\(index + 1)", title: history.source,
            lead: "\(fault.subject): \(history.reason ?? ""). \(before)\(others)",
            blocks: [OperationTimeline.block(fault), .table(.init(title: "Operations", table: table))])
    }

    private static let definitions: [ReportDocument.Definition] = [
        .init(
            "Linearizable",
            """
            Each operation can be given a moment between its call and its return such that a cache which does one \
            operation after the other at these moments gives every answer that was seen (Herlihy and Wing, 1990). Keys \
            are judged one by one.
            """),
        .init(
            "Not linearizable",
            """
            No such moments exist. The page shows the key at fault with the fewest operations.
            """),
        .init(
            "Unknown",
            """
            A limit of time or of configurations was reached before a verdict. A larger --limit may decide.
            """),
        .init(
            "Witness",
            """
            Operations that contradict each other. Reads that are not needed for the contradiction are left out; writes \
            stay, since leaving one out could make a read of its value wrong.
            """),
        .init(
            "No answer",
            """
            The operation never returned, or failed in a way that leaves its outcome open. It may have taken effect at \
            any time after its call, or not at all.
            """),
        .init(
            "exact, evicting, lossy",
            """
            What the cache may do. Exact: nothing but what it is asked. Evicting: drop a value at any moment, after \
            which it must not be seen again. Lossy: also fail to find what it has.
            """),
        .init(
            "Zones, configurations",
            """
            Keys with unique writes are decided by the intervals in which each value certainly ruled (Gibbons and \
            Korach, 1997). The others are searched (Wing and Gong, 1993; Lowe, 2017); a configuration is a set of \
            operations placed so far with the state that they lead to.
            """),
    ]
}
