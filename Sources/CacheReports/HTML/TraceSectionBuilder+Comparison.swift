internal import CacheCore

// Throughput and the standing of each policy over all capacities of one trace.
extension TraceSectionBuilder {
    /// The throughput chart and the ranking, side by side.
    func comparisonCards() -> [PageModel.Card] {
        [throughputCard(), rankingCard()].compactMap(\.self)
    }

    private func throughput(_ key: SeriesKey) -> Throughput<SeriesKey>? {
        Throughput(key, contestants.filter { SeriesKey($0) == key && $0.failure == nil })
    }

    private func throughputCard() -> PageModel.Card? {
        guard contestants.contains(where: { $0.backend == CellResult.simulationBackend }) else { return nil }
        let measured = Throughput.placed(keys(contestants).compactMap(throughput))
        guard !measured.isEmpty else { return nil }
        let caption = "\(trace): requests a second"
        let bars = measured.compactMap { _, speed -> BarChart.Bar? in
            guard let style = page.styles[speed.key] else { return nil }
            let (low, high) = (speed.range.lowerBound, speed.range.upperBound)
            let range = low < high ? ", \(HumanFormat.rate(low)) to \(HumanFormat.rate(high))" : ""
            return BarChart.Bar(
                label: style.label, seriesID: style.id, colourClass: style.colourClass, parts: [speed.median],
                range: low < high ? speed.range : nil, text: HumanFormat.rate(speed.median),
                tip: "\(style.label)\n\(HumanFormat.rate(speed.median))\(range)")
        }
        return PageModel.Card(
            title: "Throughput",
            note:
                "median over capacities and repetitions; the line spans least to most, and where lines overlap, a cell "
                + "was measured once, or some were replayed request by request, there is no order",
            chartHTML: BarChart(title: caption, bars: bars).svg(), tableTitle: "Table",
            tableHTML: throughputTable(caption, measured))
    }

    private func throughputTable(_ caption: String, _ measured: [(places: String, speed: Throughput<SeriesKey>)])
        -> String
    {
        DataTable(
            caption: caption,
            columns: [
                .init("Policy", isNumeric: false), .init("Place"), .init("Least"), .init("Median"), .init("Most"),
                .init("Passes"),
            ],
            rows: measured.map { places, speed in
                [
                    .init(page.labels.label(speed.key), swatch: page.styles[speed.key]), .init(places),
                    .figure(speed.range.lowerBound, HumanFormat.rate), .figure(speed.median, HumanFormat.rate),
                    .figure(speed.range.upperBound, HumanFormat.rate), .figure(speed.passes),
                ]
            }
        ).html()
    }

    private func rankingCard() -> PageModel.Card? {
        let contests = page.standings.contests.filter { $0.trace == trace }
        let keys = keys(contestants)
        guard contests.count > 1, keys.count > 1 else { return nil }
        let ranked = keys.map { ($0, mean(of: $0)) }.sorted { ($0.1 ?? -1) > ($1.1 ?? -1) }
        let baseline = page.standings.baseline
        let reference = baseline.flatMap { mean(of: $0) }
        let gainTitle = baseline.map { "Against \(page.labels.label($0)), points" } ?? "Difference"
        let table = DataTable(
            caption: "\(trace): standing over \(contests.count) capacities",
            columns: [
                .init("Policy", isNumeric: false), .init("Mean hit ratio"), .init(gainTitle),
                .init("Best at"), .init("Failed"),
            ],
            rows: ranked.map { key, mean in
                let wins = contests.count { $0.winners.contains(key) && $0.counts.hits > 0 }
                let failed = contestants.count { SeriesKey($0) == key && $0.hasFailed }
                let gain = mean.flatMap { mean in reference.map { mean - $0 } }
                return [
                    .init(
                        page.labels.label(key), swatch: page.styles[key],
                        note: page.labels.isBound(key) ? "bound" : nil),
                    .figure(mean) { HumanFormat.percent($0) },
                    key == baseline ? .init(HumanFormat.absent, sort: 0) : .figure(gain) { HumanFormat.points($0) },
                    .init(wins == 0 ? "" : "\(wins) of \(contests.count)", sort: Double(wins)),
                    .init(failed == 0 ? "" : "\(failed)", sort: Double(failed), classes: failed == 0 ? "" : "bad"),
                ]
            }, classes: "ranking")
        return PageModel.Card(
            title: "Standing", note: "over all capacities at which every policy with a result has one",
            chartHTML: table.html())
    }

    /// The mean hit ratio over the capacities at which every policy has a result that has one anywhere; nil if there is none.
    private func mean(of key: SeriesKey) -> Double? {
        let done = contestants.filter { $0.failure == nil && $0.counts != nil }
        let expected = Set(done.map(SeriesKey.init)).count
        let complete = Dictionary(grouping: done) { CapacityKey($0) }
            .filter { Set($0.value.map(SeriesKey.init)).count == expected }
        let ratios = complete.values.compactMap { cells in cells.first { SeriesKey($0) == key }?.counts?.hitRatio }
        return ratios.isEmpty ? nil : ratios.reduce(0, +) / Double(ratios.count)
    }
}
