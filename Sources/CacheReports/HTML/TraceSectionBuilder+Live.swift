internal import CacheCore

// Charts of live runs: caches over real backends, with latency, memory and disk.
extension TraceSectionBuilder {
    private var liveCells: [CellResult] { cells.filter { $0.backend != CellResult.simulationBackend } }

    private func liveLabel(_ cell: CellResult) -> String {
        let isOneCapacity = Set(liveCells.map(\.capacity)).count == 1
        let size = isOneCapacity ? [] : [page.capacityText(cell)]
        return ([page.labels.label(cell), cell.backend] + size).joined(separator: " · ")
    }

    /// The charts of the live cells, none if there are no such cells.
    func liveCards() -> [PageModel.Card] {
        [latencyCard(), liveThroughputCard(), memoryCard(), diskCard()].compactMap(\.self)
    }

    private func latencyCard() -> PageModel.Card? {
        let groups = liveCells.compactMap { cell in
            cell.latency.map { LatencyChart.Group(label: liveLabel(cell), figures: $0) }
        }
        guard !groups.isEmpty else { return nil }
        let caption = "\(trace): latency of lookups and stores"
        let chart = LatencyChart(
            title: caption, groups: groups, timerFloorNanoseconds: page.results.environment.timerFloorNanoseconds)
        let key =
            "<p class=\"key\"><span class=\"kget\"><i></i>get</span><span class=\"kput\"><i></i>put</span>"
            + "<span class=\"plain\">dots from left: p50, p90, p99, p99.9; ring: slowest</span></p>"
        return PageModel.Card(
            title: "Latency", note: "logarithmic; left of the timer floor nothing can be told apart",
            chartHTML: chart.svg(), keyHTML: key, tableTitle: "Table", tableHTML: latencyTable(caption))
    }

    private func latencyTable(_ caption: String) -> String {
        let rows = liveCells.flatMap { cell -> [[DataTable.Cell]] in
            guard let latency = cell.latency else { return [] }
            return [("get", latency.get), ("put", latency.put)].map { operation, summary in
                [.init(liveLabel(cell)), .init(operation)]
                    + [
                        summary.p50Nanoseconds, summary.p90Nanoseconds, summary.p99Nanoseconds,
                        summary.p999Nanoseconds, summary.maxNanoseconds,
                    ].map { .figure($0, HumanFormat.nanoseconds) }
                    + [.figure(summary.samples), .figure(summary.operations)]
            }
        }
        return DataTable(
            caption: caption,
            columns: [.init("Cache", isNumeric: false), .init("Operation", isNumeric: false)]
                + ["p50", "p90", "p99", "p99.9", "Slowest", "Timed", "Calls"].map { .init($0) },
            rows: rows
        ).html()
    }

    private func liveThroughputCard() -> PageModel.Card? {
        let measured = liveCells.compactMap { cell in cell.requestsPerSecond.map { (cell, $0) } }
        guard !measured.isEmpty else { return nil }
        let failed = liveCells.count { $0.failure != nil }
        return liveBars(
            "Throughput",
            note: "requests a second in one pass that reads no clock; not ranked"
                + (failed == 0 ? "" : "; \(failed) failed, not shown"),
            measured, format: HumanFormat.rate)
    }

    private func diskCard() -> PageModel.Card? {
        let measured = liveCells.compactMap { cell in cell.memory?.diskBytes.map { (cell, Double($0)) } }
        guard !measured.isEmpty else { return nil }
        return liveBars(
            "Disk", note: "allocated blocks at the end of the trace", measured.sorted { $0.1 < $1.1 },
            format: { HumanFormat.bytes($0) })
    }

    private func liveBars(
        _ title: String, note: String, _ measured: [(CellResult, Double)], format: @escaping (Double) -> String
    ) -> PageModel.Card {
        let caption = "\(trace): \(title.lowercased()) of live runs"
        let bars = measured.map { cell, value in
            BarChart.Bar(
                label: liveLabel(cell), seriesID: nil, colourClass: "kget", parts: [value], text: format(value),
                tip: "\(liveLabel(cell))\n\(format(value))")
        }
        return PageModel.Card(
            title: title, note: note, chartHTML: BarChart(title: caption, bars: bars, hasLabelsAbove: true).svg(),
            tableTitle: "Table",
            tableHTML: DataTable(
                caption: caption, columns: [.init("Cache", isNumeric: false), .init(title)],
                rows: measured.map { [.init(liveLabel($0)), .figure($1, format)] }
            ).html())
    }

    private func memoryCard() -> PageModel.Card? {
        let measured = liveCells.compactMap { cell in
            cell.memory.flatMap { memory in
                memory.bytesPerEntry.map { (cell, $0, memory.payloadBytesPerEntryInMemory) }
            }
        }.sorted { $0.1 < $1.1 }
        guard !measured.isEmpty else { return nil }
        let caption = "\(trace): bytes an entry of live runs"
        let bars = measured.map { cell, total, payload in
            let text = "\(HumanFormat.fixed(total, 0)) B"
            let split = payload > 0 && payload < total
            return BarChart.Bar(
                label: liveLabel(cell), seriesID: nil, colourClass: "kput",
                parts: split ? [total - payload, payload] : [total], text: text,
                tip: "\(liveLabel(cell))\n\(HumanFormat.fixed(total, 1)) B an entry"
                    + (split ? ", \(HumanFormat.fixed(total - payload, 1)) B above the payload" : ""))
        }
        let key =
            "<p class=\"key\"><span class=\"kput\"><i></i>above the payload</span>"
            + "<span class=\"kput pale\"><i></i>payload: key and value</span></p>"
        return PageModel.Card(
            title: "Memory an entry", note: "allocated bytes over resident entries",
            chartHTML: BarChart(title: caption, bars: bars, hasLabelsAbove: true).svg(), keyHTML: key,
            tableTitle: "Table",
            tableHTML: memoryTable(caption))
    }

    private func memoryTable(_ caption: String) -> String {
        let rows = liveCells.compactMap { cell -> [DataTable.Cell]? in
            guard let memory = cell.memory else { return nil }
            return [
                .init(liveLabel(cell)), .figure(memory.bytesPerEntry) { HumanFormat.fixed($0, 1) },
                .figure(memory.overheadBytesPerEntry) { HumanFormat.fixed($0, 1) },
                .figure(memory.allocatedBytes, HumanFormat.bytes),
                .figure(memory.payloadBytes, HumanFormat.bytes), .figure(memory.entries),
                .figure(memory.residentSetBytes, HumanFormat.bytes), .figure(memory.diskBytes, HumanFormat.bytes),
                .figure(memory.diskFiles), .init(memory.meter),
            ]
        }
        return DataTable(
            caption: caption,
            columns: [.init("Cache", isNumeric: false)]
                + [
                    "Bytes an entry", "above payload in memory", "Allocated", "Payload", "Entries", "Resident set",
                    "Disk", "Files",
                ].map { .init($0) } + [.init("Meter", isNumeric: false)],
            rows: rows
        ).html()
    }

    // MARK: - Every cell

    /// The full tables of the trace: simulations, then live runs.
    func tables() -> [PageModel.Fold] {
        let simulated = cells.filter { $0.backend == CellResult.simulationBackend }
        return [
            fold("All \(simulated.count) simulated cells", simulated),
            fold("All \(liveCells.count) live cells", liveCells),
        ].compactMap(\.self)
    }

    private func fold(_ title: String, _ cells: [CellResult]) -> PageModel.Fold? {
        guard !cells.isEmpty else { return nil }
        let columns: [DataTable.Column] =
            [
                .init("Policy", isNumeric: false), .init("Parameters", isNumeric: false),
                .init("Admission", isNumeric: false), .init("Backend", isNumeric: false),
            ]
            + [
                "Capacity", "Asked for", "Warm-up", "Requests", "Hits", "Misses", "Evictions", "Hit ratio",
                "Byte hit ratio", "Cost saved", "Cost of misses", "Bytes written", "Resident objects", "Requests/s",
                "Seed",
            ].map { .init($0) } + [.init("Failure", isNumeric: false)]
        // Capacities that are asked for as they are need no column to say so.
        let showsRequest = cells.contains { page.capacityText($0) != $0.capacityRequested }
        let table = DataTable(
            caption: "\(trace): \(title.lowercased())", columns: columns,
            rows: cells.map { row($0, showsRequest: showsRequest) },
            classes: "cells"
        ).withoutColumns(thatOnlySay: ["", "always", CellResult.simulationBackend])
        return PageModel.Fold(title: title, tableHTML: table.html())
    }

    private func row(_ cell: CellResult, showsRequest: Bool) -> [DataTable.Cell] {
        let counts = cell.counts
        return [
            .init(cell.policy, swatch: page.styles[SeriesKey(cell)]), .init(cell.parameters, classes: "code"),
            .init(cell.admission), .init(cell.backend), .init(page.capacityText(cell), sort: Double(cell.capacity)),
            .init(showsRequest ? cell.capacityRequested : ""), cell.warmUp.map { .figure($0.requests) } ?? .init(""),
            .figure(counts?.requests), .figure(counts?.hits), .figure(counts?.misses),
            .figure(counts?.countedEvictions), .figure(counts?.hitRatio) { HumanFormat.percent($0) },
            .figure(counts?.measuredByteHitRatio) { HumanFormat.percent($0) },
            counts?.costHitRatio.map { .figure($0) { HumanFormat.percent($0) } } ?? .init(""),
            counts?.costMissed.map { .figure($0, HumanFormat.short) } ?? .init(""),
            .figure(counts?.bytesWritten, HumanFormat.bytes), .figure(counts?.residentObjects),
            .figure(cell.requestsPerSecond, HumanFormat.rate), .init("\(cell.seed)"),
            .init(
                cell.failure.map { "\($0.kind.rawValue): \($0.message)" } ?? "",
                classes: cell.hasFailed ? "prose bad" : "prose"),
        ]
    }
}
