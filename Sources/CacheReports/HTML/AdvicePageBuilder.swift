internal import CacheCore

/// Turns advice into the page's model.
struct AdvicePageBuilder {
    /// Candidates that are drawn; the table has all.
    private static var drawnCandidates: Int { 8 }

    private let results: AdviceResults
    private let labels: SeriesLabels
    private let styles: [SeriesKey: SeriesStyle]
    /// Builds what a page says of any run: traces, policies, environment.
    private let frame: PageBuilder

    init(_ results: AdviceResults) {
        self.results = results
        labels = SeriesLabels(results)
        styles = SeriesStyle.assigned(to: labels)
        frame = PageBuilder(
            RunResults(
                assayVersion: results.assayVersion, startedAt: results.startedAt,
                durationSeconds: results.durationSeconds, commandLine: results.commandLine, seed: results.seed,
                status: results.status, environment: results.environment, traces: results.traces, cells: [],
                policies: results.policies))
    }

    /// The whole page.
    func model(css: String, script: String) throws(AssayError) -> PageModel {
        let sections = results.advice.enumerated().map { section($1, index: $0) }
        let links =
            sections.map { PageModel.Link(id: $0.id, title: $0.title) }
            + [
                PageModel.Link(id: "traces", title: "Traces"), PageModel.Link(id: "again", title: "Run it again"),
                PageModel.Link(id: "environment", title: "Environment"),
                PageModel.Link(id: "definitions", title: "Definitions"),
            ]
        return PageModel(
            title: title, subtitle: frame.subtitle, assayVersion: results.assayVersion, css: css, script: script,
            banners: banners, tiles: tiles, navigation: links, failuresHTML: nil, winnersHTML: nil, winnersNote: "",
            legend: legend, hasLegend: legend.count > 1,
            symbolsHTML: SeriesStyle.symbols(styles.values), sections: sections, tracesHTML: frame.traces,
            policiesHTML: frame.policies, command: frame.command, environment: frame.environment,
            filesBase64: try PageBuilder.embedded([
                "advice.json": try JSONReport.render(results), "advice.csv": CSVReport.render(results),
            ]), downloads: [.init(file: "advice.csv", label: "CSV"), .init(file: "advice.json", label: "JSON")],
            isCurve: false, isAdvice: true, isRun: false)
    }

    /// The candidates that are drawn on some trace; narrow charts carry no names.
    private var legend: [PageModel.LegendItem] {
        let drawn = Set(results.advice.flatMap(drawn).compactMap { styles[SeriesKey($0)]?.id })
        return PageBuilder.legend(labels, styles).filter { drawn.contains($0.id) }
    }

    private func drawn(_ advice: Advice) -> ArraySlice<AdviceCandidate> {
        advice.candidates.filter { $0.points.count > 1 }.prefix(Self.drawnCandidates)
    }

    private func text(_ advice: Advice) -> AdviceText { AdviceText(results: results, advice: advice) }

    private var title: String {
        let traces = results.traces.count == 1 ? results.traces[0].name : "\(results.traces.count) traces"
        let metric = results.question.metric.rawValue
        if let target = results.question.target {
            return "A \(metric) of \(HumanFormat.percent(target, digits: 1)) on \(traces)"
        }
        // A share of a footprint is another budget on each trace.
        let budget = results.advice.count == 1 ? text(results.advice[0]).budget : results.question.budget
        return "The best \(metric) within \(budget ?? "a budget") on \(traces)"
    }

    private var banners: [PageModel.Banner] {
        var banners: [PageModel.Banner] = []
        if results.status == .interrupted {
            banners.append(.init(kind: "warn", text: "Interrupted: what stands here may be unproven or missing."))
        }
        for advice in results.advice where [.unreachable, .notReached, .nothing].contains(advice.outcome) {
            banners.append(.init(kind: "bad", text: "\(advice.trace): \(text(advice).answer)"))
        }
        return banners
    }

    private var tiles: [PageModel.Tile] {
        guard results.advice.count == 1, let advice = results.advice.first, let choice = advice.choice,
            let capacity = choice.capacity
        else { return results.advice.map(tile) }
        let text = text(advice)
        var tiles = [
            PageModel.Tile(
                kind: "", name: "Policy", figure: AdviceText.name(choice), detail: text.certainty(choice)),
            PageModel.Tile(
                kind: "", name: "Capacity", figure: text.amount(capacity),
                detail: (text.hasPrices ? choice.price.map { "takes \(text.price($0)), " } ?? "" : "")
                    + "\(text.footprintShare(capacity)) of the footprint"),
            PageModel.Tile(
                kind: advice.outcome == .reached || advice.outcome == .best ? "good" : "bad",
                name: text.metric == .hitRatio ? "Hit ratio" : "Byte hit ratio", figure: text.ratio(choice.figures),
                detail: "a cache that keeps everything has \(text.ratio(advice.unlimited))"),
        ]
        if let bound = advice.bounds.first, let figures = choice.figures {
            let gap = bound.figures.ratio(text.metric) - figures.ratio(text.metric)
            tiles.append(
                .init(
                    kind: "", name: bound.side == .optimum ? "Below the optimum" : "Below a bound on all policies",
                    figure: "\(HumanFormat.fixed(gap * 100, 2)) points",
                    detail: "\(bound.selection) has \(text.ratio(bound.figures)) at this capacity"))
        }
        if let evidence = advice.evidence {
            tiles.append(
                .init(
                    kind: evidence.verdict == .firm ? "good" : "", name: "How sure",
                    figure: evidence.verdict.rawValue, detail: evidenceDetail(evidence)))
        }
        return tiles
    }

    private func tile(_ advice: Advice) -> PageModel.Tile {
        let text = text(advice)
        return PageModel.Tile(
            kind: advice.outcome == .reached || advice.outcome == .best ? "" : "bad", name: advice.trace,
            figure: advice.choice.map(AdviceText.name) ?? HumanFormat.absent,
            detail: advice.choice?.capacity.map { "\(text.amount($0)), \(text.ratio(advice.choice?.figures))" }
                ?? advice.outcome.rawValue)
    }

    private func evidenceDetail(_ evidence: AdviceEvidence) -> String {
        let tied = evidence.rivals.count { $0.interval.low <= 0 }
        return tied == 0
            ? "by \(evidence.windows) windows, both halves and seeds"
            : "\(HumanFormat.counted(tied, "runner-up", "runners-up")) cannot be told from it"
    }

    // MARK: - Traces

    private func section(_ advice: Advice, index: Int) -> PageModel.TraceSection {
        let text = text(advice)
        var folds = [PageModel.Fold(title: "Candidates", tableHTML: candidates(text), isOpen: true)]
        if advice.evidence != nil {
            folds.append(.init(title: "How sure it is", tableHTML: evidence(text), isOpen: true))
        }
        if advice.steps.count > 1 {
            folds.append(.init(title: "What more or less would buy", tableHTML: steps(text), isOpen: true))
        }
        if !advice.bounds.isEmpty {
            folds.append(.init(title: "What no policy can beat", tableHTML: paragraphs(text.bounds), isOpen: true))
        }
        return PageModel.TraceSection(
            id: "trace-\(index + 1)", title: advice.trace, facts: text.facts, cards: [chart(text)].compactMap(\.self),
            hasLiveCards: false, liveTitle: "", liveCards: [], tables: folds)
    }

    /// The capacities that were looked at, with the target as a level.
    private func chart(_ text: AdviceText) -> PageModel.Card? {
        let drawn = drawn(text.advice)
        let capacities = Set(drawn.flatMap { $0.points.map(\.capacity) }).sorted()
        guard capacities.count > 1 else { return nil }
        let lines = drawn.compactMap { candidate in
            styles[SeriesKey(candidate)].map { style in
                let values = Dictionary(candidate.points.map { ($0.capacity, $0.figures.ratio(text.metric)) }) { $1 }
                return LineChart.Line(style: style, values: capacities.map { values[$0] })
            }
        }
        let metric = text.metric == .hitRatio ? "Hit ratio" : "Byte hit ratio"
        let chart = LineChart(
            title: "\(text.advice.trace): \(metric.lowercased()) at the capacities that were looked at",
            quantity: .ratio, capacities: capacities, unit: text.advice.capacityUnit, lines: lines,
            bridgesGaps: true, level: results.question.target)
        return PageModel.Card(
            title: "\(metric) at the capacities that were looked at",
            note: results.question.target == nil ? "" : "The dashed level is the target.", chartHTML: chart.svg(),
            tableTitle: "Table", tableHTML: points(text, chart))
    }

    /// A row a capacity, a column a candidate that is drawn.
    private func points(_ text: AdviceText, _ chart: LineChart) -> String {
        DataTable(
            caption: chart.title, columns: [.init("Capacity")] + chart.lines.map { .init($0.style.label) },
            rows: chart.capacities.enumerated().map { index, capacity in
                [.init(text.short(capacity, beside: chart.capacities), sort: Double(capacity))]
                    + chart.lines.map { .figure($0.values[index]) { HumanFormat.percent($0) } }
            }
        ).html()
    }

    private func paragraphs(_ sentences: [String]) -> String {
        var html = XMLText()
        for sentence in sentences { html.element("p", [("class", "lead")], sentence) }
        return html.text
    }

    private func candidates(_ text: AdviceText) -> String {
        let rows = text.advice.candidates.map { candidate -> [DataTable.Cell] in
            let style = styles[SeriesKey(candidate)]
            func ratio(_ value: Double?) -> DataTable.Cell { .figure(value) { HumanFormat.percent($0) } }
            return [
                .init(AdviceText.name(candidate), swatch: style),
                .init(text.capacity(candidate), sort: candidate.capacity.map(Double.init)),
                .figure(text.hasPrices ? candidate.price : nil, text.price), ratio(candidate.figures?.hitRatio),
                ratio(candidate.figures?.byteHitRatio), ratio(candidate.atChoicePrice?.ratio(text.metric)),
                .init(candidate.failure == nil ? text.certainty(candidate) : HumanFormat.absent),
                .init(
                    candidate.failure?.message ?? HumanFormat.absent,
                    classes: candidate.failure == nil ? "absent" : "prose"),
            ]
        }
        let caution = paragraphs([text.caution].compactMap(\.self))
        return caution
            + DataTable(
                caption: "\(text.advice.trace): candidates",
                columns: [
                    .init("Policy", isNumeric: false), .init("Capacity"), .init("Takes"), .init("Hit ratio"),
                    .init("Byte hit ratio"), .init("At the choice's"),
                    .init("How the capacity was found", isNumeric: false), .init("Why not", isNumeric: false),
                ], rows: rows
            ).withoutColumns(thatOnlySay: [HumanFormat.absent]).html()
    }

    private func evidence(_ text: AdviceText) -> String {
        let rows = (text.advice.evidence?.rivals ?? []).map { rival -> [DataTable.Cell] in
            let candidate = text.advice.candidates[rival.candidate]
            func points(_ value: Double) -> DataTable.Cell { .figure(value) { HumanFormat.points($0) } }
            return [
                .init(AdviceText.name(candidate), swatch: styles[SeriesKey(candidate)]), points(rival.lead),
                points(rival.interval.low), points(rival.interval.high), .figure(rival.windowsAhead),
                .figure(rival.windowsBehind),
            ]
        }
        let said = paragraphs([text.verdict.map { "The choice is \($0)." }].compactMap(\.self) + text.grounds)
        guard !rows.isEmpty else { return said }
        return said
            + DataTable(
                caption: "\(text.advice.trace): the choice's lead at the same price, in percentage points",
                columns: [
                    .init("Over", isNumeric: false), .init("Lead"), .init("95 % from"), .init("to"),
                    .init("Windows ahead"), .init("Windows behind"),
                ], rows: rows
            ).html()
    }

    private func steps(_ text: AdviceText) -> String {
        let rows = text.advice.steps.map { step -> [DataTable.Cell] in
            [
                .init(
                    text.amount(step.capacity), sort: Double(step.capacity),
                    note: step.capacity == text.advice.choice?.capacity ? "the choice" : nil),
                .figure(text.hasPrices ? step.price : nil, text.price),
                .figure(step.figures.ratio(text.metric)) { HumanFormat.percent($0) },
                .figure(text.gain(step)) { HumanFormat.points($0) },
                .figure(text.slope(step)) { HumanFormat.signed($0, abs($0) < 10 ? 2 : 0) },
            ]
        }
        return DataTable(
            caption: "\(text.advice.trace): the choice at other capacities",
            columns: [
                .init("Capacity"), .init("Takes"), .init(text.metric == .hitRatio ? "Hit ratio" : "Byte hit ratio"),
                .init("Points"), .init(text.slopeUnit.prefix(1).uppercased() + text.slopeUnit.dropFirst()),
            ], rows: rows
        ).withoutColumns(thatOnlySay: [HumanFormat.absent]).html()
    }
}
