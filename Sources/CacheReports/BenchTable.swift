public import CacheCore

/// A bench as text for a terminal: throughput and memory, latency by operation, the open loop, and what measuring costs.
public enum BenchTable {
    /// The bench as text that ends with a newline.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; columns that do not fit are left out. Nil prints every column.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ results: BenchResults, width: Int? = nil, isColored: Bool = false) -> String {
        let labels = BenchLabels(results)
        var lines: [String] = []
        for trace in results.traces {
            let subjects = results.subjects.filter { $0.cell.trace == trace.name }
            guard !subjects.isEmpty else { continue }
            let heading = "\(trace.name.onOneLine) · \(TraceSectionBuilder.facts(trace))"
            lines.append(Ansi.bold(clipped(heading, to: width), isColored))
            for sentence in results.remarks.sentences(trace) { lines += AdviceTable.wrapped(sentence, width) }
            let tables = [
                throughput(subjects, labels), latency(subjects, labels), rates(subjects, labels),
                figures(subjects, labels) { $0.cell.memory.map(BenchFigures.footprint) },
                figures(subjects, labels) { $0.lifecycle.map(BenchFigures.lifecycle) },
            ]
            for table in tables where !table.rows.isEmpty {
                lines += table.lines(width: width, isColored: isColored) + [""]
            }
        }
        lines += footer(results, isColored)
        return lines.joined(separator: "\n") + "\n"
    }

    /// A row a subject.
    private static func throughput(_ subjects: [BenchSubject], _ labels: BenchLabels) -> TextTable {
        var table = TextTable(
            columns: [
                .init("cache", isNumeric: false), .init("hit ratio"), .init("requests/s"), .init("steady"),
                .init("B/entry", expendability: 1), .init("above payload", expendability: 5),
                .init("leak", expendability: 3),
                .init("CPU µs/request", expendability: 2), .init("instructions", expendability: 4),
            ])
        for subject in subjects {
            if let failure = subject.cell.failure {
                table.alarming.insert(table.rows.count)
                table.remarks[table.rows.count] = "\(failure.kind.rawValue): \(failure.message.onOneLine)"
            }
            table.rows.append([labels.label(subject).onOneLine] + BenchFigures.overview(subject).map(\.text))
        }
        return table
    }

    /// A row a subject and operation.
    private static func latency(_ subjects: [BenchSubject], _ labels: BenchLabels) -> TextTable {
        var table = TextTable(
            columns: [
                .init("cache", isNumeric: false), .init("operation", isNumeric: false), .init("calls"), .init("timed"),
            ]
                + ["p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "slowest"].enumerated().map {
                    .init($1, expendability: [0, 3, 0, 1, 4, 5, 2][$0])
                })
        for subject in subjects {
            for latency in subject.timing?.latency ?? [] {
                table.rows.append(
                    [labels.label(subject).onOneLine, latency.operation.rawValue]
                        + [
                            HumanFormat.count(latency.distribution.summary.operations),
                            HumanFormat.count(latency.distribution.summary.samples),
                        ] + BenchFigures.percentiles(latency.distribution).map(HumanFormat.nanoseconds))
            }
        }
        return table
    }

    /// A row a subject and rate.
    private static func rates(_ subjects: [BenchSubject], _ labels: BenchLabels) -> TextTable {
        var table = TextTable(
            columns: [
                .init("cache", isNumeric: false), .init("due"), .init("answered"), .init("response p50"), .init("p99"),
                .init("p99.9", expendability: 1), .init("slowest"), .init("service p99", expendability: 2),
                .init("timed", expendability: 3),
                .init("state", isNumeric: false),
            ])
        for subject in subjects {
            guard let timing = subject.timing else { continue }
            for step in timing.steps {
                table.rows.append([labels.label(subject).onOneLine] + BenchFigures.rate(step, timing).map(\.text))
            }
        }
        return table
    }

    /// A row for each subject that has figures of one kind, under their own names.
    private static func figures(
        _ subjects: [BenchSubject], _ labels: BenchLabels, _ figures: (BenchSubject) -> [BenchFigures.Named]?
    ) -> TextTable {
        let rows = subjects.compactMap { subject in figures(subject).map { (labels.label(subject).onOneLine, $0) } }
        let names = rows.first?.1.map { $0.name.lowercased() } ?? []
        var table = TextTable(
            columns: [.init("cache", isNumeric: false)] + names.enumerated().map { .init($1, expendability: $0) })
        table.rows = rows.map { [$0] + $1.map(\.text) }
        return table
    }

    private static func footer(_ results: BenchResults, _ isColored: Bool) -> [String] {
        var lines: [String] = []
        if let costs = results.subjects.compactMap(\.timing?.costs).first {
            lines.append(
                "measuring costs: " + BenchFigures.costs(costs).map { "\($0.name) \($0.text)" }.joined(separator: ", "))
        }
        let percentiles = results.subjects.compactMap(\.timing).flatMap { timing in
            timing.latency.map(\.distribution) + timing.steps.map(\.response)
        }.flatMap(BenchFigures.percentiles)
        if percentiles.contains(nil) { lines.append(HumanFormat.notMeasured) }
        lines += (results.warnings ?? []).map { Ansi.red("Warning: \($0.onOneLine)", isColored) }
        let labels = BenchLabels(results)
        lines += CellNotes.lines(results.subjects.map(\.cell)) { labels.label(BenchSubject(cell: $0, timing: nil)) }
        for subject in results.subjects {
            guard let knee = subject.timing?.kneeRequestsPerSecond, let target = results.load.kneeTarget else {
                continue
            }
            let promise =
                "p\(HumanFormat.short(target.percentile)) ≤ \(HumanFormat.nanoseconds(Double(target.nanoseconds)))"
            let rate = knee > 0 ? "up to \(HumanFormat.rate(knee))" : "at no rate that was tried"
            lines.append("\(BenchLabels(results).label(subject).onOneLine): \(promise) holds \(rate)")
        }
        lines.append(
            "\(HumanFormat.counted(results.subjects.count, "subject", "subjects")) in "
                + HumanFormat.duration(results.durationSeconds))
        if results.status == .interrupted {
            lines.append(Ansi.red("Interrupted: some subjects are missing.", isColored))
        }
        return lines
    }
}

/// Short names of subjects: policy, backend, and the capacity where it varies.
struct BenchLabels {
    private let labels: SeriesLabels
    private let isOneCapacity: Bool

    init(_ results: BenchResults) {
        labels = SeriesLabels(results)
        isOneCapacity = Set(results.subjects.map(\.cell.capacityRequested)).count == 1
    }

    /// `s3fifo · sqlite · 10%`.
    func label(_ subject: BenchSubject) -> String {
        ([labels.label(subject.cell), subject.cell.backend] + (isOneCapacity ? [] : [subject.cell.capacityRequested]))
            .joined(separator: " · ")
    }
}
