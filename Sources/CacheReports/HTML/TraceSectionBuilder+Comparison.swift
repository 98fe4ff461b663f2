internal import CacheCore

// Throughput and the standing of each policy over all capacities of one trace.
extension TraceSectionBuilder {
    /// The throughput chart and the ranking, side by side.
    func comparisonCards() -> [PageModel.Card] {
        [throughputCard(), rankingCard()].compactMap(\.self)
    }

    private func throughputs(_ key: SeriesKey) -> [Double] {
        contestants.filter { SeriesKey($0) == key && $0.failure == nil }.compactMap(\.requestsPerSecond).sorted()
    }

    private static func median(_ sorted: [Double]) -> Double {
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    private func throughputCard() -> PageModel.Card? {
        guard contestants.contains(where: { $0.backend == CellResult.simulationBackend }) else { return nil }
        let measured = keys(contestants).map { ($0, throughputs($0)) }.filter { !$0.1.isEmpty }
            .sorted { Self.median($0.1) > Self.median($1.1) }
        guard !measured.isEmpty else { return nil }
        let caption = "\(trace): requests a second"
        let bars = measured.compactMap { key, rates -> BarChart.Bar? in
            guard let style = page.styles[key], let low = rates.first, let high = rates.last else { return nil }
            let median = Self.median(rates)
            let range = rates.count > 1 ? ", \(HumanFormat.rate(low)) to \(HumanFormat.rate(high))" : ""
            return BarChart.Bar(
                label: style.label, seriesID: style.id, colourClass: style.colourClass, parts: [median],
                range: rates.count > 1 ? low...high : nil, text: HumanFormat.rate(median),
                tip: "\(style.label)\n\(HumanFormat.rate(median))\(range)")
        }
        let isSpread = measured.contains { $0.1.count > 1 }
        return PageModel.Card(
            title: "Throughput", note: isSpread ? "median over the capacities; the line spans least to most" : "",
            chartHTML: BarChart(title: caption, bars: bars).svg(), tableTitle: "Table",
            tableHTML: throughputTable(caption, measured))
    }

    private func throughputTable(_ caption: String, _ measured: [(SeriesKey, [Double])]) -> String {
        DataTable(
            caption: caption,
            columns: [
                .init("Policy", isNumeric: false), .init("Least"), .init("Median"), .init("Most"), .init("Cells"),
            ],
            rows: measured.map { key, rates in
                [
                    .init(page.labels.label(key), swatch: page.styles[key]?.swatch),
                    .figure(rates.first, HumanFormat.rate), .figure(Self.median(rates), HumanFormat.rate),
                    .figure(rates.last, HumanFormat.rate), .figure(rates.count),
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
                        page.labels.label(key), swatch: page.styles[key]?.swatch,
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
