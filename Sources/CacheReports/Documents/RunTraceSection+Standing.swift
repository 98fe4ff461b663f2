internal import CacheCore

// Throughput, the standing of each policy over all capacities of one trace, and every cell.
extension RunTraceSection {
    // MARK: - Throughput

    /// Requests a second by policy; nil if nothing was simulated.
    var throughputChart: ReportDocument.ChartBlock? {
        guard contestants.contains(where: { $0.backend == CellResult.simulationBackend }) else { return nil }
        let measured = Throughput.placed(
            keys(contestants).compactMap { key in
                Throughput(key, contestants.filter { SeriesKey($0) == key && $0.failure == nil })
            })
        guard !measured.isEmpty else { return nil }
        let caption = "\(trace): requests a second"
        let isMixed = measured.reduce(into: Set<Bool>()) { $0.formUnion($1.speed.ways) }.count > 1
        let unranked =
            isMixed
            ? "Some policies were replayed request by request, which is slower, so that none is ranked."
            : measured.allSatisfy(\.speed.isRepeated)
                ? "Policies whose lines overlap are not told apart."
                : "A pass was not repeated, so that none is ranked."
        let bars = measured.compactMap { _, speed -> BarChart.Bar? in
            guard let style = page.styles[speed.key] else { return nil }
            let (low, high) = (speed.range.lowerBound, speed.range.upperBound)
            let range = low < high ? ", \(HumanFormat.rate(low)) to \(HumanFormat.rate(high))" : ""
            return BarChart.Bar(
                label: style.label, seriesID: style.id, colourClass: style.colourClass, parts: [speed.median],
                range: low < high ? speed.range : nil, text: HumanFormat.rate(speed.median),
                tip: "\(style.label)\n\(HumanFormat.rate(speed.median))\(range)")
        }
        let table = DataTable(
            caption: caption,
            columns: [.init("Policy", isNumeric: false)]
                + ["Place", "Least", "Median", "Most", "Passes"].map { .init($0) },
            rows: measured.map { places, speed in
                [
                    .init(page.labels.label(speed.key), swatch: page.styles[speed.key]), .init(places),
                    .figure(speed.range.lowerBound, HumanFormat.rate), .figure(speed.median, HumanFormat.rate),
                    .figure(speed.range.upperBound, HumanFormat.rate), .figure(speed.passes),
                ]
            })
        return .init(
            title: "Throughput",
            note: "The bar is the median pass, the thin line goes from the slowest to the fastest. \(unranked)",
            cautions: page.results.warnings ?? [], chart: BarChart(title: caption, bars: bars), table: table)
    }

    // MARK: - Standing

    /// A table a unit of capacity: mean hit ratios, and how often each policy was best.
    var standings: [ReportDocument.Block] {
        let units = Capacity.Unit.allCases.filter { unit in contestants.contains { $0.capacityUnit == unit } }
        return units.compactMap { unit in
            standing(unit).map { table in
                let suffix = units.count > 1 ? ", \(unit.rawValue)" : ""
                return .table(.init(title: "Standing\(suffix)", table: table))
            }
        }
    }

    private func standing(_ unit: Capacity.Unit) -> DataTable? {
        let contests = page.standings.contests.filter { $0.trace == trace && $0.unit == unit }
        let cells = contestants.filter { $0.capacityUnit == unit }
        let keys = keys(cells)
        guard contests.count > 1, keys.count > 1 else { return nil }
        let means = keys.map { (key: $0, mean: Self.mean(of: $0, in: cells)) }
        let baseline = page.standings.baseline
        let reference = means.first { $0.key == baseline }?.mean
        return DataTable(
            caption: "\(trace): standing over \(contests.count) capacities at which every policy with a result has one",
            columns: [
                .init("Policy", isNumeric: false), .init("Mean hit ratio"),
                .init(baseline.map { "Against \(page.labels.label($0)), points" } ?? "Difference"), .init("Best at"),
                .init("Failed"),
            ],
            rows: means.sorted { ($0.mean ?? -1) > ($1.mean ?? -1) }.map { key, mean in
                let wins = contests.count { $0.winners.contains(key) && $0.counts.hits > 0 }
                let failed = cells.count { SeriesKey($0) == key && $0.hasFailed }
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
            }, classes: "ranking"
        ).withoutColumns(thatOnlySay: [""])
    }

    /// The mean hit ratio over the capacities at which every policy has a result that has one anywhere; nil if there is none.
    private static func mean(of key: SeriesKey, in cells: [CellResult]) -> Double? {
        let done = cells.filter { $0.failure == nil && $0.counts != nil }
        let expected = Set(done.map(SeriesKey.init)).count
        let complete = Dictionary(grouping: done) { CapacityKey($0) }
            .filter { Set($0.value.map(SeriesKey.init)).count == expected }
        let ratios = complete.values.compactMap { cells in cells.first { SeriesKey($0) == key }?.counts?.hitRatio }
        return ratios.isEmpty ? nil : ratios.reduce(0, +) / Double(ratios.count)
    }

    /// What the best policy and the baseline policy cost at each capacity; nil without capacities in bytes.
    var costs: ReportDocument.Block? {
        let contests = page.standings.contests.filter { $0.trace == trace && $0.unit == .bytes && $0.counts.hits > 0 }
        guard let first = contests.first else { return nil }
        let rows = contests.flatMap { contest in
            let keys = contest.winners.prefix(1) + [page.standings.baseline].compactMap(\.self)
            return Set(keys).compactMap { key -> (label: String, series: SeriesStyle?, bytes: Int, misses: Int)? in
                guard
                    let cell = contestants.first(where: { SeriesKey($0) == key && $0.capacity == contest.capacity }),
                    let counts = cell.counts
                else { return nil }
                return (page.labels.label(key), page.styles[key], contest.capacity, counts.misses)
            }
        }
        return .costs(
            .init(
                title: "What the best policies cost", requests: first.counts.requests,
                rows: rows.sorted { ($0.bytes, $0.misses) < ($1.bytes, $1.misses) }))
    }

    // MARK: - Every cell

    /// The full tables of the trace: simulations, then live runs.
    var cellTables: [ReportDocument.Block] {
        [false, true].compactMap { isLive in
            let part = cells.filter { ($0.backend != CellResult.simulationBackend) == isLive }
            guard !part.isEmpty else { return nil }
            let title = "All \(part.count) \(isLive ? "live" : "simulated") cells"
            return .table(.init(title: title, isOpen: false, table: cellTable(title, part, isLive: isLive)))
        }
    }

    private func cellTable(_ title: String, _ part: [CellResult], isLive: Bool) -> DataTable {
        let hasSizes = description?.hasSizes ?? true
        // Capacities that are asked for as they are need no column to say so.
        let showsRequest = part.contains { page.capacityText($0) != $0.capacityRequested }
        var columns: [DataTable.Column] = [
            .init("Policy", isNumeric: false, terminal: 0), .init("Parameters", isNumeric: false),
            .init("Admission", isNumeric: false), .init("Prefetch", isNumeric: false),
            .init("Backend", isNumeric: false, terminal: isLive ? 0 : nil),
            .init("Capacity", terminal: 0), .init("Asked for"), .init("Warm-up"), .init("Requests"), .init("Hits"),
            .init("Misses"), .init("Hit ratio", terminal: 0), .init("Byte hit ratio", terminal: hasSizes ? 1 : nil),
            .init("Cost saved", terminal: 1), .init("Cost of misses"), .init("Evictions", terminal: 4),
            .init("Bytes written"), .init("Resident objects"), .init("Requests/s", terminal: 2),
            .init("Prefetched", terminal: 3), .init("Prefetch hits", terminal: 3),
            .init("Trainings", terminal: 3), .init("Training time", terminal: 2), .init("Prediction time", terminal: 3),
        ]
        if isLive {
            columns += [
                .init("Get p50", terminal: 6), .init("Get p99", terminal: 3), .init("Put p99", terminal: 5),
                .init("Bytes/entry", terminal: 3), .init("Disk", terminal: 7),
            ]
        }
        var table = DataTable(
            caption: "\(trace): \(title.lowercased())",
            columns: columns + [.init("Seed"), .init("Failure", isNumeric: false)], rows: [], classes: "cells")
        let groups = Dictionary(grouping: part) { CapacityKey($0) }
        let amounts = part.filter { $0.capacityUnit == .bytes }.map(\.capacity)
        func hits(_ cell: CellResult) -> Int { cell.failure == nil ? cell.counts?.hits ?? -1 : -1 }
        for key in groups.keys.sorted() {
            let group = (groups[key] ?? []).sorted { hits($0) > hits($1) }
            let rivals = group.filter { !page.labels.isBound(SeriesKey($0)) }
            let best = rivals.count > 1 ? rivals.map(hits).max() ?? 0 : 0
            for cell in group {
                let index = table.rows.count
                if best > 0, hits(cell) == best, !page.labels.isBound(SeriesKey(cell)) { table.best.insert(index) }
                if let failure = cell.failure {
                    if cell.hasFailed { table.failed.insert(index) }
                    table.remarks[index] = "\(failure.kind.rawValue): \(failure.message)"
                }
                table.rows.append(row(cell, amounts, showsRequest: showsRequest, isLive: isLive))
            }
        }
        return table.withoutColumns(thatOnlySay: ["", "always", CellResult.simulationBackend])
    }

    private func row(_ cell: CellResult, _ amounts: [Int], showsRequest: Bool, isLive: Bool) -> [DataTable.Cell] {
        // A reason takes the place of figures that there are none of.
        func figure(_ value: Double?, _ format: (Double) -> String) -> DataTable.Cell {
            cell.failure == nil ? .figure(value, format) : .init("")
        }
        func count(_ value: Int?, _ format: (Int) -> String = HumanFormat.count) -> DataTable.Cell {
            cell.failure == nil ? .figure(value, format) : .init("")
        }
        let counts = cell.counts
        let size =
            cell.capacityUnit == .objects ? page.capacityText(cell) : HumanFormat.bytes(cell.capacity, beside: amounts)
        var row: [DataTable.Cell] = [
            .init(page.labels.label(cell), swatch: page.styles[SeriesKey(cell)]),
            .init(cell.parameters, classes: "code"), .init(cell.admission), .init(cell.prefetch ?? ""),
            .init(cell.backend),
            .init(size, sort: Double(cell.capacity)), .init(showsRequest ? cell.capacityRequested : ""),
            cell.warmUp.map { .figure($0.requests) } ?? .init(""), count(counts?.requests), count(counts?.hits),
            count(counts?.misses), figure(counts?.hitRatio) { HumanFormat.percent($0) },
            figure(counts?.measuredByteHitRatio) { HumanFormat.percent($0) },
            counts?.costHitRatio.map { .figure($0) { HumanFormat.percent($0) } } ?? .init(""),
            counts?.costMissed.map { .figure($0, HumanFormat.short) } ?? .init(""),
            count(counts?.countedEvictions), count(counts?.bytesWritten, HumanFormat.bytes),
            count(counts?.residentObjects),
            figure(cell.requestsPerSecond) { HumanFormat.rate($0, cell.throughputRange) },
            counts?.prefetched.map { .figure($0) } ?? .init(""), counts?.prefetchHits.map { .figure($0) } ?? .init(""),
            counts?.training.map { .figure($0.trainings) } ?? .init(""),
            counts?.training.map { .figure($0.trainingSeconds) { HumanFormat.fixed($0, 1) + " s" } } ?? .init(""),
            counts?.training.map { .figure($0.predictionSeconds) { HumanFormat.fixed($0, 1) + " s" } } ?? .init(""),
        ]
        if isLive {
            row += [
                count(cell.latency?.get.p50Nanoseconds, HumanFormat.nanoseconds),
                count(cell.latency?.get.p99Nanoseconds, HumanFormat.nanoseconds),
                count(cell.latency?.put.p99Nanoseconds, HumanFormat.nanoseconds),
                figure(cell.memory?.bytesPerEntry) { HumanFormat.fixed($0, 1) },
                count(cell.memory?.diskBytes, HumanFormat.bytes),
            ]
        }
        return row + [
            .init(cell.seed == page.results.seed ? "" : "\(cell.seed)"),
            .init(
                cell.failure.map { "\($0.kind.rawValue): \($0.message)" } ?? "",
                classes: cell.hasFailed ? "prose bad" : "prose"),
        ]
    }
}
