public import CacheCore

/// The CSV files, each a list of columns with rows to fill them: `results.csv` and its parts `windows.csv` and `tenants.csv`, and
/// one file for each other kind of result.
public enum CSVReport {
    /// What every column of every file means, in Markdown: the body of `docs/csv.md`.
    public static var dictionary: String {
        [
            results.dictionary, windows.dictionary, tenants.dictionary, curve.dictionary, advice.dictionary,
            bench.dictionary, systems.dictionary, conformance.dictionary, history.dictionary, comparison.dictionary,
            trace.dictionary, across.dictionary, reductions.dictionary,
        ].joined(separator: "\n")
    }

    /// The results of a run, a row a cell.
    public static func render(_ results: RunResults) -> String {
        self.results.text(results.cells.map { cell in (cell, results.traces.first { $0.name == cell.trace }) })
    }

    /// Hits over the time of the trace, a row a cell and window; nil if no cell has windows.
    public static func windows(_ results: RunResults) -> String? {
        let rows = results.cells.flatMap { cell in
            (cell.windows ?? []).enumerated().map { (cell, $0.offset, $0.element) }
        }
        return rows.isEmpty ? nil : windows.text(rows)
    }

    /// Hits by tenant, a row a cell and tenant; nil if no cell tells tenants apart.
    public static func tenants(_ results: RunResults) -> String? {
        let rows = results.cells.flatMap { cell in (cell.tenants ?? []).map { (cell, $0) } }
        return rows.isEmpty ? nil : tenants.text(rows)
    }

    /// Curves, a row a point. A curve without points has one row with its reason.
    public static func render(_ results: CurveResults) -> String {
        curve.text(
            results.curves.flatMap { curve in
                curve.points.isEmpty ? [(curve, nil)] : curve.points.map { (curve, $0) }
            })
    }

    /// Advice, a row a candidate and one a bound.
    public static func render(_ results: AdviceResults) -> String {
        advice.text(
            results.advice.flatMap { advice in
                advice.candidates.enumerated().map { (advice, $0.offset, $0.element, nil) }
                    + advice.bounds.map { (advice, nil, nil, $0) }
            })
    }

    /// A bench: a row for each subject and operation, and three for each rate of an open loop. A subject that failed has one row
    /// with its reason.
    public static func render(_ results: BenchResults) -> String {
        let threads = results.load.threads
        return bench.text(
            results.subjects.flatMap { subject -> [BenchRow] in
                guard let timing = subject.timing else { return [BenchRow(subject: subject, threads: threads)] }
                return timing.latency.map {
                    BenchRow(
                        subject: subject, threads: threads, operation: $0.operation.rawValue, times: $0.distribution)
                }
                    + timing.steps.flatMap { step in
                        [("response", step.response), ("service", step.service), ("lag", step.lag)].map {
                            BenchRow(subject: subject, threads: threads, step: step, operation: $0, times: $1)
                        }
                    }
            })
    }

    /// A run of systems: a row for each system and operation, and one for each figure that only that system has. A system that
    /// failed has one row with its reason.
    public static func render(_ results: SystemResults) -> String {
        systems.text(
            results.systems.flatMap { system -> [SystemRow] in
                if system.failure != nil { return [SystemRow(system: system)] }
                let figures =
                    system.figures.map { ($0.name, $0.value, $0.unit.rawValue) }
                    + system.alternatives.map { ("calls \($0.name)", $0.callsPerSecond, "calls per second") }
                return system.latency.map { SystemRow(system: system, latency: $0) }
                    + figures.map { SystemRow(system: system, figure: $0) }
            })
    }

    /// What a conformance suite found out about one subject, a row a check.
    public static func render(_ findings: ConformanceFindings) -> String {
        conformance.text(findings.rows.map { row in (findings, row, findings.failures.first { $0.id == row.id }) })
    }

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
