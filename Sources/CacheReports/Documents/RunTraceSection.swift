internal import CacheCore

/// Builds the charts and tables of one trace.
struct RunTraceSection {
    let page: RunDocument
    let trace: String
    let index: Int
    let description: TraceDescription?
    let cells: [CellResult]

    init(_ page: RunDocument, trace: String, index: Int) {
        self.page = page
        self.trace = trace
        self.index = index
        description = page.results.traces.first { $0.name == trace }
        cells = page.results.cells.filter { $0.trace == trace }
    }

    /// The section.
    var section: ReportDocument.Section {
        let live = LiveCharts(page.results.environment, trace: trace, cells: cells, label: page.labels.label).blocks
        let charts = Capacity.Unit.allCases.flatMap(ratioCharts) + [throughputChart].compactMap(\.self) + windowCharts
        return .init(
            id: "trace-\(index + 1)", title: trace, lead: facts,
            blocks: remarks + charts.map(ReportDocument.Block.chart) + standings + [costs].compactMap(\.self)
                + (live.isEmpty ? [] : [.heading("Live runs on \(trace)")]) + live + tenantTables + cellTables,
            showsCurves: true, isOnTerminal: true)
    }

    private var remarks: [ReportDocument.Block] {
        (description.map(page.results.remarks.sentences) ?? []).map(ReportDocument.Block.text)
    }

    private var facts: String {
        let nothing = cells.isEmpty ? " · no cell of this trace finished" : ""
        return (description.map { CommonSections.facts($0) } ?? "not described by the run") + nothing
    }

    var contestants: [CellResult] { Standings.contestants(page.results, trace) }

    /// The curves of this trace in the order of the run.
    func keys(_ cells: [CellResult]) -> [SeriesKey] {
        let present = Set(cells.map(SeriesKey.init))
        return page.labels.keys.filter(present.contains)
    }

    // MARK: - Ratios against capacity

    private func ratioCharts(_ unit: Capacity.Unit) -> [ReportDocument.ChartBlock] {
        let cells = contestants.filter { $0.capacityUnit == unit }
        guard !cells.isEmpty else { return [] }
        let bound = CommonSections.hitRatioBound(description, page.results.remarks)
        var charts = chartPair("Hit ratio", cells, unit, bound: bound, \.hitRatio)
        let hasBytes = description.map { $0.hasSizes && $0.bytesRequested > 0 } ?? true
        if hasBytes { charts += chartPair("Byte hit ratio", cells, unit, \.byteHitRatio) }
        if cells.contains(where: { $0.counts?.costHitRatio != nil }) {
            charts += chartPair("Cost saved", cells, unit, \.costHitRatio)
        }
        return charts
    }

    private func chartPair(
        _ name: String, _ cells: [CellResult], _ unit: Capacity.Unit, bound: Double? = nil,
        _ figure: (ReplayCounts) -> Double?
    ) -> [ReportDocument.ChartBlock] {
        let grid = RatioGrid(cells, keys: keys(cells), figure: figure)
        guard grid.capacities.count > 1 else { return [barChart(name, grid, unit)] }
        let suffix = Set(contestants.map(\.capacityUnit)).count > 1 ? ", \(unit.rawValue)" : ""
        var charts = [
            lineChart(
                "\(name) against capacity\(suffix)", "\(trace): \(name.lowercased()) against capacity", grid, unit,
                .ratio, bound: bound)
        ]
        if let baseline = page.standings.baseline, grid.keys.count > 1, let relative = grid.relative(to: baseline) {
            let label = page.labels.label(baseline)
            charts.append(
                lineChart(
                    "\(name) relative to \(label)\(suffix)",
                    "\(trace): \(name.lowercased()) less that of \(label), in points",
                    relative, unit, .points))
        }
        return charts
    }

    private func lineChart(
        _ title: String, _ caption: String, _ grid: RatioGrid, _ unit: Capacity.Unit, _ quantity: LineChart.Quantity,
        bound: Double? = nil
    ) -> ReportDocument.ChartBlock {
        let chart = LineChart(
            title: caption, quantity: quantity, capacities: grid.capacities, unit: unit,
            lines: grid.keys.compactMap { key in
                page.styles[key].map { LineChart.Line(style: $0, values: grid.values[key] ?? []) }
            }, level: bound)
        return ReportDocument.ChartBlock(
            title: title,
            note: quantity == .points ? "percentage points, above 0 is better" : CommonSections.note(ofBound: bound),
            chart: chart, table: pivot(caption, grid, unit, quantity))
    }

    private func barChart(_ name: String, _ grid: RatioGrid, _ unit: Capacity.Unit) -> ReportDocument.ChartBlock {
        let size = grid.capacities.first.map { AdviceText.amount($0, unit) } ?? ""
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
        return ReportDocument.ChartBlock(
            title: "\(name) at \(size)", chart: chart, table: pivot(caption, grid, unit, .ratio))
    }

    private func pivot(
        _ caption: String, _ grid: RatioGrid, _ unit: Capacity.Unit, _ quantity: LineChart.Quantity
    ) -> DataTable {
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
        )
    }
}

/// One figure by curve and capacity.
struct RatioGrid {
    var keys: [SeriesKey]
    var capacities: [Int]
    /// The values of each curve in the order of the capacities, nil where there is none.
    var values: [SeriesKey: [Double?]]

    init(_ cells: [CellResult], keys: [SeriesKey], figure: (ReplayCounts) -> Double?) {
        self.keys = keys
        capacities = Set(cells.map(\.capacity)).sorted()
        let positions = Dictionary(uniqueKeysWithValues: capacities.enumerated().map { ($1, $0) })
        values = Dictionary(uniqueKeysWithValues: keys.map { ($0, Array(repeating: nil, count: positions.count)) })
        for cell in cells {
            guard let counts = cell.counts, cell.failure == nil, let position = positions[cell.capacity] else {
                continue
            }
            values[SeriesKey(cell)]?[position] = figure(counts)
        }
    }

    /// The difference of every curve to that of `baseline`; nil if that curve is not here.
    func relative(to baseline: SeriesKey) -> RatioGrid? {
        guard let reference = values[baseline], reference.contains(where: { $0 != nil }) else { return nil }
        var copy = self
        copy.values = values.mapValues { row in
            zip(row, reference).map { value, base in
                guard let value, let base else { return nil }
                return value - base
            }
        }
        return copy
    }
}
