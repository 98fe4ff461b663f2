public import CacheCore

/// The results as text for a terminal: a table a trace, a line a cell, the best policy of each capacity marked.
public enum TerminalReport {
    /// The results as text that ends with a newline.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; columns that do not fit are left out. Nil prints every column.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ results: RunResults, width: Int? = nil, isColored: Bool = false) -> String {
        let labels = SeriesLabels(results)
        var lines: [String] = []
        for name in traceNames(results) {
            let trace = results.traces.first { $0.name == name }
            let cells = results.cells.filter { $0.trace == name }
            lines.append(Ansi.bold(clippedInside(heading(name, trace), to: width), isColored))
            for sentence in trace.map(results.remarks.sentences) ?? [] { lines += AdviceTable.wrapped(sentence, width) }
            for isLive in [false, true] {
                let part = cells.filter { ($0.backend != CellResult.simulationBackend) == isLive }
                guard !part.isEmpty else { continue }
                let table = table(part, labels, isLive: isLive, hasSizes: trace?.hasSizes ?? true)
                lines += table.lines(width: width, isColored: isColored) + [""]
            }
        }
        lines += summary(results, isColored: isColored)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The traces in the order of the run, and any that only cells name.
    static func traceNames(_ results: RunResults) -> [String] {
        var seen: Set<String> = []
        return (results.traces.map(\.name) + results.cells.map(\.trace)).filter { seen.insert($0).inserted }
    }

    private static func heading(_ name: String, _ trace: TraceDescription?) -> String {
        guard let trace else { return name.onOneLine }
        var parts = ["\(HumanFormat.count(trace.requests)) requests", "\(HumanFormat.count(trace.objects)) objects"]
        if trace.hasSizes { parts.append(HumanFormat.bytes(trace.footprintBytes) + " footprint") }
        return name.onOneLine + " · " + parts.joined(separator: " · ")
    }

    private static func table(
        _ cells: [CellResult], _ labels: SeriesLabels, isLive: Bool, hasSizes: Bool
    ) -> TextTable {
        let hasCosts = cells.contains { $0.counts?.costMissRatio != nil }
        var table = TextTable(columns: columns(isLive: isLive, hasSizes: hasSizes, hasCosts: hasCosts))
        let groups = Dictionary(grouping: cells) { CapacityKey($0) }
        let amounts = cells.filter { $0.capacityUnit == .bytes }.map(\.capacity)
        for key in groups.keys.sorted() {
            let group = (groups[key] ?? []).sorted { hits($0) > hits($1) }
            let rivals = group.filter { !labels.isBound(SeriesKey($0)) }
            let best = rivals.map(hits).max() ?? 0
            for cell in group {
                let isBest = rivals.count > 1 && best > 0 && hits(cell) == best && !labels.isBound(SeriesKey(cell))
                if isBest { table.emphasized.insert(table.rows.count) }
                if let failure = cell.failure {
                    table.alarming.insert(table.rows.count)
                    table.remarks[table.rows.count] = "\(failure.kind.rawValue): \(failure.message.onOneLine)"
                }
                table.rows.append(
                    row(cell, amounts, labels, isBest: isBest, isLive: isLive, hasSizes: hasSizes, hasCosts: hasCosts))
            }
        }
        return table
    }

    private static func hits(_ cell: CellResult) -> Int { cell.counts?.hits ?? -1 }

    private static func columns(isLive: Bool, hasSizes: Bool, hasCosts: Bool) -> [TextTable.Column] {
        var columns: [TextTable.Column] = [
            .init("  policy", isNumeric: false), .init("capacity"), .init("hit ratio"),
        ]
        if hasSizes { columns.append(.init("byte hit ratio", expendability: 1)) }
        if hasCosts { columns.append(.init("cost saved", expendability: 1)) }
        if isLive { columns.insert(.init("backend", isNumeric: false), at: 1) }
        columns += [.init("evictions", expendability: 4), .init("requests/s", expendability: 2)]
        if isLive {
            columns += [
                .init("get p50", expendability: 6), .init("get p99", expendability: 3),
                .init("put p99", expendability: 5), .init("bytes/entry", expendability: 3),
                .init("disk", expendability: 7),
            ]
        }
        return columns
    }

    private static func row(
        _ cell: CellResult, _ amounts: [Int], _ labels: SeriesLabels, isBest: Bool, isLive: Bool, hasSizes: Bool,
        hasCosts: Bool
    ) -> [String] {
        func figure<Value>(_ value: Value?, _ format: (Value) -> String) -> String {
            cell.failure != nil ? "" : value.map(format) ?? HumanFormat.absent
        }
        func time(_ value: Int?) -> String { figure(value) { HumanFormat.nanoseconds(Double($0)) } }
        let counts = cell.counts
        var row = [
            (isBest ? "* " : "  ") + labels.label(cell).onOneLine, capacityText(cell, beside: amounts),
            figure(counts?.hitRatio) { HumanFormat.percent($0) },
        ]
        if hasSizes { row.append(figure(counts?.measuredByteHitRatio) { HumanFormat.percent($0) }) }
        if hasCosts { row.append(figure(counts?.costHitRatio) { HumanFormat.percent($0) }) }
        if isLive { row.insert(cell.backend.onOneLine, at: 1) }
        let rate = figure(cell.requestsPerSecond) { HumanFormat.rate($0, cell.throughputRange) }
        row += [figure(counts?.countedEvictions, HumanFormat.count), rate]
        guard isLive else { return row }
        return row + [
            time(cell.latency?.get.p50Nanoseconds), time(cell.latency?.get.p99Nanoseconds),
            time(cell.latency?.put.p99Nanoseconds),
            figure(cell.memory?.bytesPerEntry) { HumanFormat.fixed($0, 1) },
            figure(cell.memory?.diskBytes, HumanFormat.bytes),
        ]
    }

    private static func capacityText(_ cell: CellResult, beside amounts: [Int]) -> String {
        cell.capacityUnit == .objects
            ? HumanFormat.count(cell.capacity) : HumanFormat.bytes(cell.capacity, beside: amounts)
    }

    private static func summary(_ results: RunResults, isColored: Bool) -> [String] {
        let seriesLabels = SeriesLabels(results)
        let notes = CellNotes.lines(results.cells) { "\(seriesLabels.label($0)) over \($0.backend)" }
        let failures = results.cells.count(where: \.hasFailed)
        let inapplicable = results.cells.count { $0.failure?.kind == .notApplicable }
        var text = "\(HumanFormat.count(results.cells.count)) cells in \(HumanFormat.duration(results.durationSeconds))"
        text += failures == 0 ? ", no failures" : ", \(failures) failed"
        if inapplicable > 0 { text += ", \(inapplicable) not applicable" }
        var lines = notes + [failures == 0 ? text : Ansi.red(text, isColored)]
        if results.cells.compactMap(\.latency).contains(where: {
            $0.get.p99Nanoseconds == nil || $0.put.p99Nanoseconds == nil
        }) {
            lines.insert(HumanFormat.notMeasured, at: 0)
        }
        if results.status == .interrupted {
            let planned = results.cellsPlanned.map { " of \(HumanFormat.count($0))" } ?? ""
            lines.append(
                Ansi.red("Interrupted: \(HumanFormat.count(results.cells.count))\(planned) cells finished.", isColored))
        }
        lines += (results.warnings ?? []).map { Ansi.red("Warning: \($0.onOneLine)", isColored) }
        lines.append("* highest hit ratio of its capacity and backend; policies that know the future are not marked.")
        return lines
    }
}

/// What cells are grouped by within a trace, ordered as a person expects: simulations first, then by backend, by size.
struct CapacityKey: Hashable, Comparable, Sendable {
    var isLive: Bool
    var backend: String
    var unit: Capacity.Unit
    var amount: Int
    /// Requests before the counted ones: only what counts the same requests competes.
    var warmUp: Int

    init(_ cell: CellResult) {
        isLive = cell.backend != CellResult.simulationBackend
        backend = cell.backend
        unit = cell.capacityUnit
        amount = cell.capacity
        warmUp = cell.warmUp?.requests ?? 0
    }

    static func < (a: CapacityKey, b: CapacityKey) -> Bool {
        if a.isLive != b.isLive { return b.isLive }
        if a.unit != b.unit { return a.unit == .objects }
        if a.amount != b.amount { return a.amount < b.amount }
        return (a.backend, a.warmUp) < (b.backend, b.warmUp)
    }
}
