internal import CacheCore

/// Turns curves into the page's model.
struct CurvePageBuilder {
    private let results: CurveResults
    private let labels: SeriesLabels
    private let styles: [SeriesKey: SeriesStyle]
    /// Builds what a page says of any run: traces, policies, environment.
    private let frame: PageBuilder

    init(_ results: CurveResults) {
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
        let sections = results.traces.enumerated().map { section($1, index: $0) }
        let legend = PageBuilder.legend(labels, styles)
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
                "curve.json": try JSONReport.render(results), "curve.csv": CSVReport.render(results),
            ]), downloads: [.init(file: "curve.csv", label: "CSV"), .init(file: "curve.json", label: "JSON")],
            isCurve: true, isRun: false)
    }

    private var title: String {
        let curves = labels.keys.count == 1 ? labels.label(labels.keys[0]) : "\(labels.keys.count) policies"
        let traces = results.traces.count == 1 ? results.traces[0].name : "\(results.traces.count) traces"
        return "Hit ratio curves: \(curves) on \(traces)"
    }

    private var banners: [PageModel.Banner] {
        var banners: [PageModel.Banner] = []
        if results.status == .interrupted {
            banners.append(.init(kind: "warn", text: "Interrupted: points that were not finished are missing here."))
        }
        let failures = results.curves.count { $0.failure != nil }
        if failures > 0 {
            banners.append(
                .init(kind: "bad", text: "\(failures) of \(results.curves.count) curves failed; reasons are below."))
        }
        return banners
    }

    private var tiles: [PageModel.Tile] {
        let points = results.curves.flatMap(\.points)
        let exact = points.count { $0.method.isExact }
        var tiles = [
            PageModel.Tile(
                kind: "", name: "Curves", figure: "\(results.curves.count)",
                detail: HumanFormat.counted(points.count, "point", "points")),
            PageModel.Tile(
                kind: exact == points.count ? "good" : "", name: "Exact points",
                figure: HumanFormat.count(exact),
                detail: exact == points.count ? "nothing is estimated" : "the others are estimates, marked below"),
        ]
        if let worst = results.curves.filter({ $0.meanAbsoluteError != nil })
            .max(by: { $0.meanAbsoluteError ?? 0 < $1.meanAbsoluteError ?? 0 }), let error = worst.meanAbsoluteError
        {
            tiles.append(
                .init(
                    kind: "", name: "Largest mean error", figure: "\(HumanFormat.fixed(error * 100, 2)) points",
                    detail: "\(labels.label(SeriesKey(worst))) on \(worst.trace), against the exact curve"))
        }
        return tiles
    }

    // MARK: - Traces

    private func section(_ trace: TraceDescription, index: Int) -> PageModel.TraceSection {
        let curves = results.curves.filter { $0.trace == trace.name }
        let units = Capacity.Unit.allCases.filter { unit in curves.contains { $0.capacityUnit == unit } }
        let cards = units.flatMap { unit in
            let part = curves.filter { $0.capacityUnit == unit }
            let suffix = units.count > 1 ? ", \(unit.rawValue)" : ""
            var cards = [card("Hit ratio", suffix, "", trace, part, unit, .ratio) { $0.hitRatio }]
            if trace.hasSizes, trace.bytesRequested > 0 {
                cards.append(card("Byte hit ratio", suffix, "", trace, part, unit, .ratio) { $0.byteHitRatio })
            }
            if part.contains(where: { $0.meanAbsoluteError != nil }) {
                cards.append(
                    card("Error of the estimates", suffix, "percentage points", trace, part, unit, .points) {
                        $0.error
                    })
            }
            return cards
        }
        return PageModel.TraceSection(
            id: "trace-\(index + 1)", title: trace.name,
            facts: TraceSectionBuilder.facts(trace, results.remarks), cards: cards,
            hasLiveCards: false, liveTitle: "", liveCards: [],
            tables: [.init(title: "How each curve was found", tableHTML: origins(curves, trace))])
    }

    private func card(
        _ title: String, _ suffix: String, _ note: String, _ trace: TraceDescription, _ curves: [CurveResult],
        _ unit: Capacity.Unit,
        _ quantity: LineChart.Quantity, _ figure: (CurvePoint) -> Double?
    ) -> PageModel.Card {
        let capacities = Set(curves.flatMap { $0.points.map(\.capacity) }).sorted()
        let lines = curves.compactMap { curve -> LineChart.Line? in
            let values = Dictionary(curve.points.map { ($0.capacity, figure($0)) }) { first, _ in first }
            let row = capacities.map { values[$0] ?? nil }
            guard row.contains(where: { $0 != nil }) else { return nil }
            return styles[SeriesKey(curve)].map { LineChart.Line(style: $0, values: row) }
        }
        let caption = "\(trace.name): \(title.lowercased()) against capacity"
        let chart = LineChart(title: caption, quantity: quantity, capacities: capacities, unit: unit, lines: lines)
        return PageModel.Card(
            title: "\(title) against capacity\(suffix)", note: note, chartHTML: chart.svg(), tableTitle: "Table",
            tableHTML: table(caption, capacities, unit, lines, quantity))
    }

    /// A row a capacity, a column a curve.
    private func table(
        _ caption: String, _ capacities: [Int], _ unit: Capacity.Unit, _ lines: [LineChart.Line],
        _ quantity: LineChart.Quantity
    ) -> String {
        let rows = capacities.enumerated().map { index, capacity -> [DataTable.Cell] in
            let text = unit == .bytes ? HumanFormat.bytes(capacity, beside: capacities) : HumanFormat.count(capacity)
            return [.init(text, sort: Double(capacity))]
                + lines.map { line in
                    .figure(line.values[index]) {
                        quantity == .ratio ? HumanFormat.percent($0) : HumanFormat.fixed($0 * 100, 3)
                    }
                }
        }
        return DataTable(
            caption: caption, columns: [.init("Capacity")] + lines.map { .init($0.style.label) }, rows: rows
        ).html()
    }

    private func origins(_ curves: [CurveResult], _ trace: TraceDescription) -> String {
        func points(_ value: Double) -> String { HumanFormat.fixed(value * 100, 3) + " points" }
        let rows = curves.map { curve -> [DataTable.Cell] in
            let key = SeriesKey(curve)
            return [
                .init(labels.label(key), swatch: styles[key]), .init(CurveTable.methods(curve)),
                .init(curve.capacityUnit.rawValue), .figure(curve.points.count),
                .figure(curve.sample?.rate) { HumanFormat.percent($0, digits: 3) }, .figure(curve.sample?.objects),
                .figure(curve.meanAbsoluteError, points), .figure(curve.largestError, points),
                .figure(curve.passSeconds, HumanFormat.duration),
                .figure(curve.requestsPerSecond, HumanFormat.rate),
                .init(
                    curve.failure?.message ?? HumanFormat.absent, classes: curve.failure == nil ? "absent" : "bad prose"
                ),
                .init(
                    curve.notes?.joined(separator: "; ") ?? HumanFormat.absent,
                    classes: curve.notes == nil ? "absent" : "prose"),
            ]
        }
        return DataTable(
            caption: "\(trace.name): how each curve was found",
            columns: [
                .init("Policy", isNumeric: false), .init("Method", isNumeric: false), .init("Unit", isNumeric: false),
                .init("Points"), .init("Sample rate"), .init("Sampled objects"), .init("Mean error"),
                .init("Largest error"), .init("Time"), .init("Requests a second"), .init("Failure", isNumeric: false),
                .init("Notes", isNumeric: false),
            ], rows: rows
        ).withoutColumns(thatOnlySay: [HumanFormat.absent]).html()
    }
}
