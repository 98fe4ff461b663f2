internal import CacheCore

/// Charts of caches over real backends on one trace: throughput, latency, memory an entry and disk, each where it was measured.
struct LiveCharts {
    private let environment: EnvironmentDescription
    private let trace: String
    private let cells: [CellResult]
    private let label: (CellResult) -> String

    /// Charts of those of the cells that are no simulations.
    ///
    /// - Parameter label: What a cell is called beside the others.
    init(
        _ environment: EnvironmentDescription, trace: String, cells: [CellResult],
        label: @escaping (CellResult) -> String
    ) {
        self.environment = environment
        self.trace = trace
        self.cells = cells.filter { $0.backend != CellResult.simulationBackend }
        self.label = label
    }

    /// The charts; none where nothing was measured.
    var blocks: [ReportDocument.Block] {
        [throughput, latency, memory, disk].compactMap { $0.map { .chart($0) } }
    }

    private var latency: ReportDocument.ChartBlock? {
        let measured = cells.compactMap { cell in cell.latency.map { (label(cell), $0) } }
        guard !measured.isEmpty else { return nil }
        let title = "\(trace): latency of lookups and stores"
        let rows = measured.flatMap { name, latency in
            [("get", latency.get), ("put", latency.put)].map { operation, summary -> [DataTable.Cell] in
                let percentiles = [
                    summary.p50Nanoseconds, summary.p90Nanoseconds, summary.p99Nanoseconds, summary.p999Nanoseconds,
                    summary.maxNanoseconds,
                ]
                let names: [DataTable.Cell] = [.init(name), .init(operation)]
                let counts: [DataTable.Cell] = [.figure(summary.samples), .figure(summary.operations)]
                return names + percentiles.map { .figure($0, HumanFormat.nanoseconds) } + counts
            }
        }
        return .init(
            title: "Latency", note: "logarithmic; left of the timer floor nothing can be told apart",
            chart: LatencyChart(
                title: title, groups: measured.map { .init(label: $0, figures: $1) },
                timerFloorNanoseconds: environment.timerFloorNanoseconds),
            key: [
                .init(colourClass: "kget", text: "get"), .init(colourClass: "kput", text: "put"),
                .init(colourClass: "", text: "dots from left: p50, p90, p99, p99.9; ring: slowest"),
            ],
            table: table(title, ["Operation"], ["p50", "p90", "p99", "p99.9", "Slowest", "Timed", "Calls"], rows))
    }

    private var throughput: ReportDocument.ChartBlock? {
        let measured = cells.compactMap { cell in cell.requestsPerSecond.map { (cell, $0) } }
        guard !measured.isEmpty else { return nil }
        let failed = cells.count(where: \.hasFailed)
        let isRepeated = measured.contains { $0.0.throughputRange != nil }
        let passes =
            isRepeated
            ? "median of several passes that read no clock; the line spans the slowest to the fastest"
            : "in one pass that reads no clock, so that the spread is not known; not ranked"
        let title = "\(trace): throughput of live runs"
        let rows = measured.map { cell, rate -> [DataTable.Cell] in
            let range = cell.throughputRange
            return [
                .init(label(cell)), .figure(rate, HumanFormat.rate), .figure(range?.least, HumanFormat.rate),
                .figure(range?.most, HumanFormat.rate), .figure(range?.passes ?? 1),
            ]
        }
        let bars = measured.map { cell, rate in
            bar(
                cell, [rate], HumanFormat.rate(rate, cell.throughputRange), "kget",
                range: cell.throughputRange.flatMap { $0.least <= $0.most ? $0.least...$0.most : nil })
        }
        return .init(
            title: "Throughput",
            note: "requests a second, \(passes)" + (failed == 0 ? "" : "; \(failed) failed, not shown"),
            chart: BarChart(title: title, bars: bars, hasLabelsAbove: true),
            table: table(title, [], ["Requests a second", "Slowest pass", "Fastest pass", "Passes"], rows)
                .withoutColumns(thatOnlySay: [HumanFormat.absent]))
    }

    private var memory: ReportDocument.ChartBlock? {
        let measured = cells.compactMap { cell in
            cell.memory.flatMap { memory in memory.bytesPerEntry.map { (cell, memory, $0) } }
        }.sorted { $0.2 < $1.2 }
        guard !measured.isEmpty else { return nil }
        let title = "\(trace): bytes an entry of live runs"
        let bars = measured.map { cell, memory, total in
            let payload = memory.payloadBytesPerEntryInMemory
            let isSplit = payload > 0 && payload < total
            return bar(
                cell, isSplit ? [total - payload, payload] : [total], "\(HumanFormat.fixed(total, 0)) B", "kput",
                tip: "\(HumanFormat.fixed(total, 1)) B an entry"
                    + (isSplit ? ", \(HumanFormat.fixed(total - payload, 1)) B above the payload" : ""))
        }
        let rows = measured.map { cell, memory, total -> [DataTable.Cell] in
            [
                .init(label(cell)), .figure(total) { HumanFormat.fixed($0, 1) },
                .figure(memory.overheadBytesPerEntry) { HumanFormat.fixed($0, 1) },
                .figure(memory.allocatedBytes, HumanFormat.bytes), .figure(memory.payloadBytes, HumanFormat.bytes),
                .figure(memory.entries), .figure(memory.residentSetBytes, HumanFormat.bytes),
                .figure(memory.diskBytes, HumanFormat.bytes), .figure(memory.diskFiles), .init(memory.meter),
            ]
        }
        var table = table(
            title, [],
            [
                "Bytes an entry", "Above the payload in memory", "Allocated", "Payload", "Entries", "Resident set",
                "Disk", "Files",
            ], rows)
        table.columns.append(.init("Meter", isNumeric: false))
        return .init(
            title: "Memory an entry", note: "allocated bytes over resident entries",
            chart: BarChart(title: title, bars: bars, hasLabelsAbove: true),
            key: [
                .init(colourClass: "kput", text: "above the payload"),
                .init(colourClass: "kput pale", text: "payload: key and value"),
            ], table: table)
    }

    private var disk: ReportDocument.ChartBlock? {
        let measured = cells.compactMap { cell in cell.memory?.diskBytes.map { (cell, Double($0)) } }
            .sorted { $0.1 < $1.1 }
        guard !measured.isEmpty else { return nil }
        let title = "\(trace): disk of live runs"
        return .init(
            title: "Disk", note: "allocated blocks at the end of the trace",
            chart: BarChart(
                title: title, bars: measured.map { bar($0, [$1], HumanFormat.bytes($1), "kget") },
                hasLabelsAbove: true),
            table: table(
                title, [], ["Disk"], measured.map { [.init(label($0)), .figure($1) { HumanFormat.bytes($0) }] }))
    }

    private func bar(
        _ cell: CellResult, _ parts: [Double], _ text: String, _ colour: String, range: ClosedRange<Double>? = nil,
        tip: String? = nil
    ) -> BarChart.Bar {
        BarChart.Bar(
            label: label(cell), seriesID: nil, colourClass: colour, parts: parts, range: range, text: text,
            tip: "\(label(cell))\n\(tip ?? text)")
    }

    private func table(
        _ caption: String, _ words: [String], _ figures: [String], _ rows: [[DataTable.Cell]]
    ) -> DataTable {
        DataTable(
            caption: caption,
            columns: (["Cache"] + words).map { .init($0, isNumeric: false) } + figures.map { .init($0) }, rows: rows)
    }
}
