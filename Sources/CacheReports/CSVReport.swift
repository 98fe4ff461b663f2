public import CacheCore

/// `results.csv`: one row a cell, after RFC 4180, ready for pandas, R and spreadsheets without options.
///
/// A column that holds a quantity ends with its unit unless it is a count or a ratio; a field that was not measured is
/// empty. New columns are added before `failure`, so that names keep their meaning.
///
/// A text that a spreadsheet would run as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a carriage return and is
/// no number, begins with an apostrophe instead, in every CSV file: names of traces and messages come from outside.
public enum CSVReport {
    /// The results as CSV with a header row; lines end with CR LF.
    public static func render(_ results: RunResults) -> String {
        var text = columnNames.joined(separator: ",") + "\r\n"
        let columns = columns(results.traces)
        for cell in results.cells {
            text += columns.map { quoted($0.value(cell) ?? "") }.joined(separator: ",") + "\r\n"
        }
        return text
    }

    /// The names of the columns, in order.
    public static var columnNames: [String] { columns([]).map(\.name) }

    private struct Column: Sendable {
        var name: String
        var value: @Sendable (CellResult) -> String?

        init(_ name: String, _ value: @escaping @Sendable (CellResult) -> String?) {
            self.name = name
            self.value = value
        }

        static func count(_ name: String, _ figure: @escaping @Sendable (ReplayCounts) -> Int?) -> Column {
            Column(name) { $0.counts.flatMap(figure).map { "\($0)" } }
        }

        static func ratio(_ name: String, _ figure: @escaping @Sendable (ReplayCounts) -> Double) -> Column {
            Column(name) { $0.counts.map { "\(figure($0))" } }
        }

        static func memory(_ name: String, _ figure: @escaping @Sendable (MemoryFigures) -> Int?) -> Column {
            Column(name) { $0.memory.flatMap(figure).map(String.init) }
        }
    }

    private static func columns(_ traces: [TraceDescription]) -> [Column] {
        identity + figures + latency("get", \.get) + latency("put", \.put) + memory + operations(traces) + rest
    }

    /// What was made of operations, of sizes that change, and of costs; rules are empty where the trace gives no occasion.
    private static func operations(_ traces: [TraceDescription]) -> [Column] {
        func rule(
            _ name: String, _ value: @escaping @Sendable (TraceDescription, CellResult, ReplayRules) -> String?
        ) -> Column {
            Column(name) { cell in
                traces.first { $0.name == cell.trace }.flatMap { value($0, cell, cell.rules ?? ReplayRules()) }
            }
        }
        return [
            .count("writes") { $0.writes }, .count("deletes") { $0.deletes },
            rule("on_miss") { trace, _, rules in
                trace.statesOperations ? rules.missedRead(statesWrites: trace.writes != nil).rawValue : nil
            },
            rule("counted") { trace, _, rules in trace.statesOperations ? rules.counted.rawValue : nil },
            .count("resized") { $0.resized },
            rule("resize") { trace, cell, rules in
                guard trace.sizeChanges != nil, cell.capacityUnit == .bytes else { return nil }
                let isLive = cell.backend != CellResult.simulationBackend
                return rules.resizing(isLive ? "" : cell.parameters).rawValue
            },
            Column("cost_requested") { $0.counts?.costRequested.map { "\($0)" } },
            Column("cost_missed") { $0.counts?.costMissed.map { "\($0)" } },
            Column("cost_hit_ratio") { $0.counts?.costHitRatio.map { "\($0)" } },
        ]
    }

    private static let identity: [Column] = [
        Column("trace") { $0.trace },
        Column("policy") { $0.policy },
        Column("parameters") { $0.parameters },
        Column("admission") { $0.admission },
        Column("backend") { $0.backend },
        Column("capacity") { "\($0.capacity)" },
        Column("capacity_unit") { $0.capacityUnit.rawValue },
    ]

    private static let figures: [Column] = [
        .count("requests") { $0.requests },
        .count("hits") { $0.hits },
        .count("misses") { $0.misses },
        .count("evictions") { $0.countedEvictions },
        .ratio("hit_ratio") { $0.hitRatio },
        Column("byte_hit_ratio") { $0.counts?.measuredByteHitRatio.map { "\($0)" } },
        Column("requests_per_second") { $0.requestsPerSecond.map { "\($0)" } },
        .count("bytes_requested") { $0.bytesRequested },
        .count("bytes_hit") { $0.bytesHit },
        .count("bytes_written") { $0.bytesWritten },
        .count("resident_objects") { $0.residentObjects },
        .count("resident_weight") { $0.residentWeight },
        Column("expiry") { $0.honoursExpiry == true ? "honoured" : "ignored" },
        .count("expirations") { $0.expirations },
        .count("refusals") { $0.refusals },
    ]

    private static func latency(
        _ operation: String, _ side: @escaping @Sendable (LatencyFigures) -> LatencySummary
    ) -> [Column] {
        func column(_ name: String, _ figure: @escaping @Sendable (LatencySummary) -> Int?) -> Column {
            Column("\(operation)_latency_\(name)") { $0.latency.flatMap { figure(side($0)) }.map { "\($0)" } }
        }
        return [
            column("samples") { $0.samples },
            column("operations") { $0.operations },
            column("p50_nanoseconds") { $0.p50Nanoseconds },
            column("p90_nanoseconds") { $0.p90Nanoseconds },
            column("p99_nanoseconds") { $0.p99Nanoseconds },
            column("p999_nanoseconds") { $0.p999Nanoseconds },
            column("max_nanoseconds") { $0.maxNanoseconds },
        ]
    }

    private static let memory: [Column] = [
        Column("memory_meter") { $0.memory?.meter },
        .memory("allocated_bytes") { $0.allocatedBytes },
        Column("bytes_per_entry") { $0.memory?.bytesPerEntry.map { "\($0)" } },
        .memory("payload_bytes") { $0.payloadBytes },
        .memory("memory_entries") { $0.entries },
        .memory("resident_set_bytes") { $0.residentSetBytes },
        .memory("disk_bytes") { $0.diskBytes },
        .memory("disk_files") { $0.diskFiles },
    ]

    private static let rest: [Column] = [
        Column("capacity_requested") { $0.capacityRequested },
        Column("seed") { "\($0.seed)" },
        Column("requests_per_second_least") { $0.throughputRange.map { "\($0.least)" } },
        Column("requests_per_second_most") { $0.throughputRange.map { "\($0.most)" } },
        Column("throughput_passes") { $0.requestsPerSecond == nil ? nil : "\($0.throughputRange?.passes ?? 1)" },
        Column("warm_up") { $0.warmUp?.requested },
        Column("warm_up_requests") { "\($0.warmUp?.requests ?? 0)" },
        Column("notes") { $0.notes?.joined(separator: " ") },
        Column("failure") { $0.failure.map { "\($0.kind.rawValue): \($0.message)" } },
    ]

    /// A field without the power of a formula, in quotes if it holds a comma, a quote or a line break.
    static func quoted(_ field: String) -> String {
        let field = isFormula(field) ? "'" + field : field
        let special: Set<Unicode.Scalar> = [",", "\"", "\r", "\n"]
        guard field.unicodeScalars.contains(where: special.contains) else { return field }
        var text = "\""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { text += "\"" }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    /// Whether a spreadsheet would take a field for a formula. A number with a sign is none.
    private static func isFormula(_ field: String) -> Bool {
        guard let first = field.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return false }
        let isOfDigits = field.unicodeScalars.allSatisfy { "0123456789.eE+-".unicodeScalars.contains($0) }
        return !isOfDigits || Double(field) == nil
    }
}
