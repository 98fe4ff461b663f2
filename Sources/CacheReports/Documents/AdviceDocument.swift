public import CacheCore

extension AdviceResults: RecordedHeader {}

extension AdviceResults: ReportedResults {
    /// What `assay advise` writes.
    public static var kind: ReportKind {
        .init(
            command: "assay advise", json: "advice.json", page: "advice.html", csv: ["advice.csv"], member: "advice",
            currentSchemaVersion: currentSchemaVersion)
    }

    /// A row a candidate and a bound.
    public func csv() -> [(name: String, text: String)] { [("advice.csv", CSVReport.render(self))] }

    /// The choice, the runners-up, how sure it is, and what more would buy.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number; with code `usage` for a baseline
    ///   policy.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        var document = AdviceDocument(self).document
        document.files =
            csv().map { .init(label: "CSV", name: $0.name, text: $0.text) }
            + [.init(label: "JSON", name: Self.kind.json, text: try JSONReport.render(self))]
        return document
    }
}

/// Advice as a document, without its files.
struct AdviceDocument {
    /// Candidates that are drawn; the table has all.
    private static var drawnCandidates: Int { 8 }
    /// Candidates that a terminal shows.
    private static var shownCandidates: Int { 10 }

    private let results: AdviceResults
    /// The curves that are drawn on some trace.
    private let styles: [SeriesKey: SeriesStyle]
    private let legend: [SeriesStyle]

    init(_ results: AdviceResults) {
        self.results = results
        let labels = SeriesLabels(results)
        let drawn = Set(results.advice.flatMap(Self.drawn).map(SeriesKey.init))
        styles = SeriesStyle.assigned(to: labels).filter { drawn.contains($0.key) }
        legend = labels.keys.compactMap { [styles] in styles[$0] }
    }

    private static func drawn(_ advice: Advice) -> ArraySlice<AdviceCandidate> {
        advice.candidates.filter { $0.points.count > 1 }.prefix(drawnCandidates)
    }

    private func text(_ advice: Advice) -> AdviceText { AdviceText(results: results, advice: advice) }

    var document: ReportDocument {
        let replays = results.advice.reduce(0) { $0 + $1.replays }
        return ReportDocument(
            title: title, subtitle: results.subtitle, assayVersion: results.assayVersion, answer: answer,
            answersFirst: true, notices: notices, highlights: highlights, legend: legend,
            sections: results.advice.enumerated().map { section($1, index: $0) }
                + [CommonSections.traces(results.traces)] + CommonSections.policies(results.policies)
                + [results.environmentSection],
            closing: [
                "\(HumanFormat.counted(replays, "replay", "replays")) in \(HumanFormat.duration(results.durationSeconds))"
            ],
            definitions: Self.definitions, command: results.commandLine,
            commandNote: "The same command on the same traces gives the same counts; times depend on the machine.")
    }

    // MARK: - The answer

    private var traceNames: String {
        results.traces.count == 1 ? results.traces[0].name : "\(results.traces.count) traces"
    }

    private var metric: String { results.question.metric.rawValue }

    /// What was asked for; a share of a footprint is another budget on each trace.
    private var budget: String {
        (results.advice.count == 1 ? text(results.advice[0]).budget : results.question.budget) ?? "a budget"
    }

    private var title: String {
        guard let target = results.question.target else {
            return "The best \(metric) within \(budget) on \(traceNames)"
        }
        return "A \(metric) of \(HumanFormat.percent(target, digits: 1)) on \(traceNames)"
    }

    private var question: String {
        guard let target = results.question.target else {
            return "Which policy has the best \(metric) within \(budget) on \(traceNames)?"
        }
        return
            "What is the least that reaches a \(metric) of \(HumanFormat.percent(target, digits: 1)) on \(traceNames)?"
    }

    private var answer: ReportDocument.Answer? {
        guard results.advice.count == 1, let advice = results.advice.first else { return answerOfSeveral }
        let text = text(advice)
        guard let choice = advice.choice, let capacity = choice.capacity else {
            return .init(
                question: question, sentence: text.answer, figure: text.ratio(advice.unlimited),
                figureName: "\(metric) of a cache that keeps everything",
                certainty: advice.outcome == .interrupted
                    ? "Not sure at all: it is not finished." : "Certain: counted, not estimated.\(text.scope)")
        }
        let found = text.certainty(choice)
        let isTarget = results.question.target != nil
        return .init(
            question: question, sentence: text.answer,
            figure: isTarget ? text.amount(capacity) : text.ratio(choice.figures),
            figureName: isTarget ? "with \(AdviceText.name(choice))" : "\(metric) of \(AdviceText.name(choice))",
            certainty: "\(found.prefix(1).uppercased() + found.dropFirst())."
                + (text.verdict.map { " The choice is \($0)." } ?? "") + text.scope, saysFigure: true)
    }

    private var answerOfSeveral: ReportDocument.Answer? {
        guard !results.advice.isEmpty else { return nil }
        let chosen = results.advice.filter(Self.isGood)
        let choices = chosen.prefix(4).map { advice in
            "\(advice.trace): \(advice.choice.map(AdviceText.name) ?? "")"
                + (advice.choice?.capacity.map { " with \(text(advice).amount($0))" } ?? "")
        }
        let more = chosen.count > choices.count ? ", and \(chosen.count - choices.count) more below" : ""
        let verdicts = Dictionary(grouping: chosen.compactMap(\.evidence?.verdict.rawValue)) { $0 }
            .map { "\($0.key) on \($0.value.count)" }.sorted().joined(separator: ", ")
        return .init(
            question: question,
            sentence: choices.isEmpty
                ? "Nothing does on any of these traces." : choices.joined(separator: "; ") + more + ".",
            figure: "\(chosen.count) of \(results.advice.count)", figureName: "traces with an answer",
            certainty: (verdicts.isEmpty
                ? "Each trace says how it was found." : "The choices are \(verdicts) of these traces.")
                + text(results.advice[0]).scope)
    }

    private static func isGood(_ advice: Advice) -> Bool { advice.outcome == .reached || advice.outcome == .best }

    private var notices: [ReportDocument.Notice] {
        var notices: [ReportDocument.Notice] = []
        if results.status == .interrupted {
            notices.append(
                .init(tone: .warning, text: "Interrupted: what stands here may be unproven or missing."))
        }
        if results.advice.count > 1 {
            notices += results.advice.filter { !Self.isGood($0) && $0.outcome != .interrupted }.map {
                .init(tone: .bad, text: "\($0.trace): \(text($0).answer)")
            }
        }
        let failures = results.advice.flatMap(\.candidates).compactMap(\.failure).count { $0.kind != .notApplicable }
        if failures > 0 {
            let count = HumanFormat.counted(failures, "candidate", "candidates")
            notices.append(.init(tone: .bad, text: "\(count) failed; the reasons stand beside their names below."))
        }
        return notices
    }

    private var highlights: [ReportDocument.Highlight] {
        guard results.advice.count == 1, let advice = results.advice.first else { return results.advice.map(highlight) }
        guard let choice = advice.choice, let capacity = choice.capacity else { return [] }
        let text = text(advice)
        var highlights: [ReportDocument.Highlight] = [
            .init(
                name: "Capacity", figure: text.amount(capacity),
                detail: text.details(choice, capacity)),
            .init(
                tone: Self.isGood(advice) ? .good : .bad, name: text.metricName, figure: text.ratio(choice.figures),
                detail: "a cache that keeps everything has \(text.ratio(advice.unlimited))"),
        ]
        if let bound = advice.bounds.first, let figures = choice.figures {
            let gap = bound.figures.ratio(text.metric) - figures.ratio(text.metric)
            highlights.append(
                .init(
                    name: bound.side == .optimum ? "Below the optimum" : "Below a bound on all policies",
                    figure: "\(HumanFormat.fixed(gap * 100, 2)) points",
                    detail: "\(bound.selection) has \(text.ratio(bound.figures)) at this capacity"))
        }
        return highlights
    }

    private func highlight(_ advice: Advice) -> ReportDocument.Highlight {
        let text = text(advice)
        return .init(
            tone: Self.isGood(advice) ? .plain : .bad, name: advice.trace,
            figure: advice.choice.map(AdviceText.name) ?? HumanFormat.absent,
            detail: advice.choice?.capacity.map { "\(text.amount($0)), \(text.ratio(advice.choice?.figures))" }
                ?? advice.outcome.rawValue)
    }

    // MARK: - Traces

    private func section(_ advice: Advice, index: Int) -> ReportDocument.Section {
        let text = text(advice)
        let trace = results.traces.first { $0.name == advice.trace }
        // With one trace, the document's own answer says this.
        let isOne = results.advice.count == 1
        var blocks = (isOne ? [] : [text.answer]).map(ReportDocument.Block.text)
        blocks += (trace.map(TraceRemarks(rules: results.rules).sentences) ?? []).map(ReportDocument.Block.text)
        if let chart = chart(text) { blocks.append(.chart(chart)) }
        blocks.append(.heading("Candidates"))
        blocks.append(.table(.init(table: candidates(text))))
        blocks += [text.caution].compactMap(\.self).map(ReportDocument.Block.text)
        blocks += evidence(text, isOne: isOne) + steps(text)
        if !text.bounds.isEmpty {
            blocks += [.heading("What no policy can beat")] + text.bounds.map(ReportDocument.Block.text)
        }
        return .init(
            id: "trace-\(index + 1)", title: advice.trace, lead: trace.map(CommonSections.facts) ?? "",
            blocks: blocks, showsCurves: true, isOnTerminal: true)
    }

    /// The capacities that were looked at, with the target as a level and the choice marked.
    private func chart(_ text: AdviceText) -> ReportDocument.ChartBlock? {
        let drawn = Self.drawn(text.advice)
        let capacities = Set(drawn.flatMap { $0.points.map(\.capacity) }).sorted()
        guard capacities.count > 1 else { return nil }
        let lines = drawn.compactMap { candidate in
            styles[SeriesKey(candidate)].map { style in
                let values = Dictionary(candidate.points.map { ($0.capacity, $0.figures.ratio(text.metric)) }) { $1 }
                return LineChart.Line(style: style, values: capacities.map { values[$0] })
            }
        }
        let title = "\(text.metricName) at the capacities that were looked at"
        var chart = LineChart(
            title: "\(text.advice.trace): \(title.prefix(1).lowercased() + title.dropFirst())", quantity: .ratio,
            capacities: capacities, unit: text.advice.capacityUnit, lines: lines, bridgesGaps: true,
            level: results.question.target)
        if let choice = text.advice.choice, let capacity = choice.capacity,
            let line = lines.firstIndex(where: { $0.style.id == styles[SeriesKey(choice)]?.id })
        {
            chart.ring = (line, capacity, "the choice")
        }
        let table = DataTable(
            caption: chart.title, columns: [.init("Capacity")] + lines.map { .init($0.style.label) },
            rows: capacities.enumerated().map { index, capacity in
                [.init(text.short(capacity, beside: capacities), sort: Double(capacity))]
                    + lines.map { .figure($0.values[index]) { HumanFormat.percent($0) } }
            })
        return .init(
            title: title, note: results.question.target == nil ? "" : "The dashed level is the target.", chart: chart,
            table: table)
    }

    private func candidates(_ text: AdviceText) -> DataTable {
        let advice = text.advice
        let hasBytes = results.traces.contains { $0.name == advice.trace && $0.bytesRequested > 0 && $0.hasSizes }
        let hasChoice = advice.choice != nil
        let rows = advice.candidates.enumerated().map { place, candidate -> [DataTable.Cell] in
            func ratio(_ value: Double?) -> DataTable.Cell { .figure(value) { HumanFormat.percent($0) } }
            let figures = candidate.certainty == .bracket && advice.outcome == .reached ? nil : candidate.figures
            return [
                .init(
                    AdviceText.name(candidate), swatch: styles[SeriesKey(candidate)],
                    note: hasChoice && place == 0 ? "the choice" : nil),
                .init(text.capacity(candidate), sort: candidate.capacity.map(Double.init)),
                .figure(text.hasPrices ? candidate.price : nil, text.price), ratio(figures?.hitRatio),
                ratio(hasBytes ? figures?.byteHitRatio : nil), ratio(candidate.atChoicePrice?.ratio(text.metric)),
                .init(candidate.failure == nil ? text.certainty(candidate) : HumanFormat.absent),
                .init(
                    candidate.failure?.message ?? HumanFormat.absent,
                    classes: candidate.failure == nil ? "absent" : "prose"),
            ]
        }
        let failures = advice.candidates.enumerated().compactMap { place, candidate in
            candidate.failure.map { (place, $0) }
        }
        return DataTable(
            caption: "\(advice.trace): candidates",
            columns: [
                .init("Policy", isNumeric: false, terminal: 0), .init("Capacity", terminal: 0),
                .init("Takes", terminal: 0), .init("Hit ratio", terminal: 0), .init("Byte hit ratio", terminal: 3),
                .init("\(text.metricName) at the chosen \(text.hasPrices ? "price" : "capacity")", terminal: 1),
                .init("How the capacity was found", isNumeric: false, terminal: 2),
                .init("Why not", isNumeric: false),
            ], rows: rows, best: hasChoice ? [0] : [],
            failed: Set(failures.filter { $0.1.kind != .notApplicable }.map(\.0)),
            remarks: Dictionary(failures.map { ($0, "\($1.kind.rawValue): \($1.message)") }) { $1 },
            terminalRows: Self.shownCandidates
        ).withoutColumns(thatOnlySay: [HumanFormat.absent])
    }

    private func evidence(_ text: AdviceText, isOne: Bool) -> [ReportDocument.Block] {
        guard text.advice.choice != nil, let evidence = text.advice.evidence else { return [] }
        let verdict = isOne ? nil : text.verdict.map { "The choice is \($0)." }
        let said: [ReportDocument.Block] =
            [.heading("How sure it is")] + ([verdict].compactMap(\.self) + text.grounds).map(ReportDocument.Block.text)
        let rivals = evidence.rivals.filter { text.advice.candidates.indices.contains($0.candidate) }
        guard !rivals.isEmpty else { return said }
        let table = DataTable(
            caption: "\(text.advice.trace): the choice's lead at the same price, in percentage points",
            columns: [
                .init("Lead over", isNumeric: false, terminal: 0), .init("Points", terminal: 0),
                .init("95 % from", terminal: 0), .init("To", terminal: 0), .init("Windows ahead", terminal: 1),
                .init("Windows behind", terminal: 1),
            ],
            rows: rivals.map { rival in
                let candidate = text.advice.candidates[rival.candidate]
                func points(_ value: Double) -> DataTable.Cell { .figure(value) { HumanFormat.points($0) } }
                return [
                    .init(AdviceText.name(candidate), swatch: styles[SeriesKey(candidate)]), points(rival.lead),
                    points(rival.interval.low), points(rival.interval.high), .figure(rival.windowsAhead),
                    .figure(rival.windowsBehind),
                ]
            })
        return said + [.table(.init(table: table))]
    }

    private func steps(_ text: AdviceText) -> [ReportDocument.Block] {
        let steps = text.advice.steps
        guard let choice = text.advice.choice, steps.count > 1 else { return [] }
        let table = DataTable(
            caption: "\(text.advice.trace): the choice at other capacities",
            columns: [
                .init("With", terminal: 0), .init("Takes"), .init(text.metricName, terminal: 0),
                .init("Points", terminal: 0),
                .init(text.slopeUnit.prefix(1).uppercased() + text.slopeUnit.dropFirst(), terminal: 1),
            ],
            rows: steps.map { step in
                [
                    .init(
                        text.amount(step.capacity, beside: steps.map(\.capacity)), sort: Double(step.capacity),
                        note: step.capacity == choice.capacity ? "the choice" : nil),
                    .figure(text.hasPrices ? step.price : nil, text.price),
                    .figure(step.figures.ratio(text.metric)) { HumanFormat.percent($0) },
                    .figure(text.gain(step)) { HumanFormat.points($0) },
                    .figure(text.slope(step)) { HumanFormat.count($0.rounded()) },
                ]
            }, best: Set(steps.indices.filter { steps[$0].capacity == choice.capacity })
        ).withoutColumns(thatOnlySay: [HumanFormat.absent])
        return [.heading("What more or less would buy"), .table(.init(table: table))]
    }
}
