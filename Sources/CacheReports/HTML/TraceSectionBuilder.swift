internal import CacheCore

/// Builds the charts and tables of one trace.
struct TraceSectionBuilder {
    let page: PageBuilder
    let trace: String
    let index: Int
    let description: TraceDescription?
    let cells: [CellResult]

    init(_ page: PageBuilder, trace: String, index: Int) {
        self.page = page
        self.trace = trace
        self.index = index
        description = page.results.traces.first { $0.name == trace }
        cells = page.results.cells.filter { $0.trace == trace }
    }

    /// The section.
    func section() -> PageModel.TraceSection {
        let live = liveCards()
        return PageModel.TraceSection(
            id: "trace-\(index + 1)", title: trace, facts: facts,
            cards: Capacity.Unit.allCases.flatMap(ratioCards) + comparisonCards() + windowCards(),
            hasLiveCards: !live.isEmpty, liveTitle: "Live runs on \(trace)", liveCards: live,
            tables: tenantTables() + tables())
    }

    private var facts: String {
        let nothing = cells.isEmpty ? " · no cell of this trace finished" : ""
        guard let description else { return "not described by the run\(nothing)" }
        return Self.facts(description, page.results.remarks) + nothing
    }

    /// What a trace holds, and what was made of it.
    static func facts(_ description: TraceDescription, _ remarks: TraceRemarks) -> String {
        ([facts(description)] + remarks.sentences(description)).joined(separator: " · ")
    }

    /// What a trace holds, in one line.
    static func facts(_ description: TraceDescription) -> String {
        var facts = [
            "\(HumanFormat.count(description.requests)) requests", "\(HumanFormat.count(description.objects)) objects",
        ]
        if description.hasSizes {
            facts.append("\(HumanFormat.bytes(description.bytesRequested)) requested")
            facts.append("\(HumanFormat.bytes(description.footprintBytes)) footprint")
        } else {
            facts.append("no sizes: every object counts 1 byte")
        }
        return facts.joined(separator: " · ")
    }

    var contestants: [CellResult] { Standings.contestants(page.results, trace) }

    /// The curves of this trace in the order of the run.
    func keys(_ cells: [CellResult]) -> [SeriesKey] {
        let present = Set(cells.map(SeriesKey.init))
        return page.labels.keys.filter(present.contains)
    }

    // MARK: - Ratios against capacity

    private func ratioCards(_ unit: Capacity.Unit) -> [PageModel.Card] {
        let cells = contestants.filter { $0.capacityUnit == unit }
        guard !cells.isEmpty else { return [] }
        var cards = cardPair("Hit ratio", cells, unit, \.hitRatio)
        let hasBytes = description.map { $0.hasSizes && $0.bytesRequested > 0 } ?? true
        if hasBytes { cards += cardPair("Byte hit ratio", cells, unit, \.byteHitRatio) }
        if cells.contains(where: { $0.counts?.costHitRatio != nil }) {
            cards += cardPair("Cost saved", cells, unit, \.costHitRatio)
        }
        return cards
    }

    private func cardPair(
        _ name: String, _ cells: [CellResult], _ unit: Capacity.Unit, _ figure: (ReplayCounts) -> Double?
    ) -> [PageModel.Card] {
        let grid = RatioGrid(cells, keys: keys(cells), figure: figure)
        guard grid.capacities.count > 1 else { return [barCard(name, grid, unit)] }
        let suffix = Set(contestants.map(\.capacityUnit)).count > 1 ? ", \(unit.rawValue)" : ""
        var cards = [
            lineCard(
                "\(name) against capacity\(suffix)", "\(trace): \(name.lowercased()) against capacity", grid, unit,
                .ratio)
        ]
        if let baseline = page.standings.baseline, grid.keys.count > 1, let relative = grid.relative(to: baseline) {
            let label = page.labels.label(baseline)
            cards.append(
                lineCard(
                    "\(name) relative to \(label)\(suffix)",
                    "\(trace): \(name.lowercased()) less that of \(label), in points",
                    relative, unit, .points))
        }
        return cards
    }

    private func lineCard(
        _ title: String, _ caption: String, _ grid: RatioGrid, _ unit: Capacity.Unit, _ quantity: LineChart.Quantity
    ) -> PageModel.Card {
        let chart = LineChart(
            title: caption, quantity: quantity, capacities: grid.capacities, unit: unit,
            lines: grid.keys.compactMap { key in
                page.styles[key].map { LineChart.Line(style: $0, values: grid.values[key] ?? []) }
            })
        return PageModel.Card(
            title: title, note: quantity == .ratio ? "" : "percentage points, above 0 is better",
            chartHTML: chart.svg(), tableTitle: "Table", tableHTML: pivot(caption, grid, unit, quantity))
    }

    private func barCard(_ name: String, _ grid: RatioGrid, _ unit: Capacity.Unit) -> PageModel.Card {
        let size = grid.capacities.first.map { "\(HumanFormat.count($0)) \(unit.rawValue)" } ?? ""
        let caption = "\(trace): \(name.lowercased()) at \(size)"
        let ranked = grid.keys.compactMap { key in grid.values[key]?.first.flatMap { $0 }.map { (key, $0) } }
            .sorted { $0.1 > $1.1 }
        let chart = BarChart(
            title: caption,
            bars: ranked.compactMap { key, value in
                page.styles[key].map { style in
                    BarChart.Bar(
                        label: style.label, seriesID: style.id, colourClass: style.colourClass, parts: [value],
                        text: HumanFormat.percent(value),
                        tip: "\(style.label)\n\(HumanFormat.percent(value, digits: 3))")
                }
            })
        return PageModel.Card(
            title: "\(name) at \(size)", note: "", chartHTML: chart.svg(), tableTitle: "Table",
            tableHTML: pivot(caption, grid, unit, .ratio))
    }

    private func pivot(
        _ caption: String, _ grid: RatioGrid, _ unit: Capacity.Unit, _ quantity: LineChart.Quantity
    ) -> String {
        let titles = grid.capacities.map {
            unit == .bytes ? HumanFormat.bytes($0, beside: grid.capacities) : HumanFormat.count($0)
        }
        return DataTable(
            caption: caption, columns: [.init("Policy", isNumeric: false)] + titles.map { .init($0) },
            rows: grid.keys.map { key in
                [.init(page.labels.label(key), swatch: page.styles[key])]
                    + (grid.values[key] ?? []).map { value in
                        .figure(value) { quantity == .ratio ? HumanFormat.percent($0) : HumanFormat.points($0) }
                    }
            }
        ).html()
    }
}
