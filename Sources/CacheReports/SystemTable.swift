public import CacheCore

/// A run of systems as text for a terminal: a row a system, and then what only each of them has.
public enum SystemTable {
    /// The run as text that ends with a newline.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; columns that do not fit are left out. Nil prints every column.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ results: SystemResults, width: Int? = nil, isColored: Bool = false) -> String {
        var lines = overview(results).lines(width: width, isColored: isColored) + [""]
        for system in results.systems where system.failure == nil {
            lines.append(
                Ansi.bold(
                    clipped("\(SystemFigureText.label(system, among: results)) · \(system.system)", to: width),
                    isColored))
            lines += details(system, width: width).map { clipped($0, to: width) } + [""]
        }
        lines.append(
            "\(HumanFormat.counted(results.systems.count, "workload", "workloads")) in "
                + HumanFormat.duration(results.durationSeconds))
        if results.status == .interrupted {
            lines.append(Ansi.red("Interrupted: some workloads are missing.", isColored))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func overview(_ results: SystemResults) -> TextTable {
        let expendability = [
            "Requests": 5, "Origin requests": 6, "Bytes saved": 1, "Waiting saved": 7, "Calls a second": 2,
            "Hit p99": 4,
            "Miss p99": 8, "Miss p50": 3,
        ]
        let names = results.systems.first.map { SystemFigureText.overview($0).map(\.name) } ?? []
        var table = TextTable(
            columns: [.init("workload", isNumeric: false)]
                + names.map { .init($0.prefix(1).lowercased() + $0.dropFirst(), expendability: expendability[$0] ?? 0) }
        )
        for system in results.systems {
            if let failure = system.failure {
                table.alarming.insert(table.rows.count)
                table.remarks[table.rows.count] = "\(failure.kind.rawValue): \(failure.message.onOneLine)"
            }
            table.rows.append(
                [SystemFigureText.label(system, among: results)] + SystemFigureText.overview(system).map(\.text))
        }
        return table
    }

    /// Lines for each kind of figure.
    private static func details(_ system: SystemResult, width: Int?) -> [String] {
        let outcomes = SystemOutcome.allCases.compactMap { outcome in
            system.counts?.outcomes[outcome].map { "\(outcome.rawValue) \(HumanFormat.count($0))" }
        }
        let times = system.latency.map { latency in
            let summary = latency.distribution.summary
            return "\(latency.operation) p50 \(HumanFormat.nanoseconds(summary.p50Nanoseconds)), p99 "
                + "\(HumanFormat.nanoseconds(summary.p99Nanoseconds)) of \(HumanFormat.count(summary.samples)) timed"
        }
        let ways = system.alternatives.map { "\($0.name) \(SystemFigureText.ratio($0, system))" }
        let memory =
            system.memory.map { SystemFigureText.memory($0).map { "\($0.name.lowercased()) \($0.text)" } } ?? []
        let figures = system.figures.map { "\($0.name) \(SystemFigureText.text($0))" }
        return [
            ("calls", outcomes), ("latency", times), ("as fast as", ways), ("at the end", memory), ("besides", figures),
        ].flatMap { wrapped($0.0, $0.1, separator: $0.0 == "latency" ? ";" : ",", width: width) }
    }

    /// Figures after the name of their kind, in as many lines as they need.
    private static func wrapped(_ name: String, _ figures: [String], separator: String, width: Int?) -> [String] {
        var lines: [String] = []
        for (place, figure) in figures.enumerated() {
            let text = figure.onOneLine + (place == figures.count - 1 ? "" : separator)
            if lines.isEmpty {
                lines.append("  \(name): \(text)")
            } else if let width, lines[lines.count - 1].count + 1 + text.count > width {
                lines.append("    " + text)
            } else {
                lines[lines.count - 1] += " " + text
            }
        }
        return lines
    }
}
