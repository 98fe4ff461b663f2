internal import CacheCore

/// Turns a bench into the page's model: a page as of a run, with what only a bench measures.
struct BenchPageBuilder {
    private let results: BenchResults
    private let labels: BenchLabels
    /// Builds what a page says of live runs.
    private let frame: PageBuilder

    init(_ results: BenchResults) {
        self.results = results
        labels = BenchLabels(results)
        frame = PageBuilder(
            RunResults(
                assayVersion: results.assayVersion, startedAt: results.startedAt,
                durationSeconds: results.durationSeconds, commandLine: results.commandLine, seed: results.seed,
                status: results.status, environment: results.environment, traces: results.traces,
                cells: results.subjects.map(\.cell), cellsPlanned: nil, policies: results.policies,
                warnings: results.warnings ?? []))
    }

    /// The whole page.
    func model(css: String, script: String) throws(AssayError) -> PageModel {
        var model = try frame.model(css: css, script: script)
        model.title = "Under load: " + model.title
        model.isRun = false
        model.isBench = true
        model.tiles = tiles
        for index in model.sections.indices {
            let subjects = results.subjects.filter { $0.cell.trace == model.sections[index].title }
            if let trace = results.traces.first(where: { $0.name == model.sections[index].title }) {
                model.sections[index].facts = TraceSectionBuilder.facts(trace, results.remarks)
            }
            model.sections[index].liveCards += timelineCards(subjects)
            model.sections[index].tables = tables(subjects) + model.sections[index].tables
        }
        model.filesBase64 = try PageBuilder.embedded([
            "bench.json": try JSONReport.renderCompact(results) + "\n", "bench.csv": CSVReport.render(results),
        ])
        model.downloads = [.init(file: "bench.csv", label: "CSV"), .init(file: "bench.json", label: "JSON")]
        return model
    }

    private var tiles: [PageModel.Tile] {
        let load = results.load
        var tiles = [
            PageModel.Tile(
                kind: "", name: "Subjects", figure: HumanFormat.count(results.subjects.count),
                detail: "\(HumanFormat.counted(load.threads, "thread", "threads")), "
                    + "\(HumanFormat.counted(load.shards, "shard", "shards"))")
        ]
        let placed = Throughput.placed(results.subjects.compactMap { Throughput(labels.label($0), [$0.cell]) })
        if let fastest = placed.first, placed.count > 1 {
            let first = placed.prefix { $0.places == fastest.places }
            let isTold = first.count == 1
            tiles.append(
                .init(
                    kind: "", name: "Fastest",
                    figure: isTold ? HumanFormat.rate(fastest.speed.median) : "not told apart",
                    detail: first.map(\.speed.key).joined(separator: ", ")
                        + (isTold ? "" : ": their passes overlap, or were made once")))
        }
        if let costs = results.subjects.compactMap(\.timing?.costs).first {
            tiles.append(
                .init(
                    kind: "", name: "The harness itself",
                    figure: HumanFormat.nanoseconds(costs.harnessNanoseconds),
                    detail: "a request, over a loop that only reads the trace"))
        }
        for subject in results.subjects {
            guard let knee = subject.timing?.kneeRequestsPerSecond, let target = load.kneeTarget else { continue }
            tiles.append(
                .init(
                    kind: knee > 0 ? "good" : "bad", name: "Knee of \(labels.label(subject))",
                    figure: knee > 0 ? HumanFormat.rate(knee) : "none",
                    detail: "p\(HumanFormat.short(target.percentile)) within "
                        + HumanFormat.nanoseconds(Double(target.nanoseconds))))
        }
        return tiles
    }

    private func tables(_ subjects: [BenchSubject]) -> [PageModel.Fold] {
        let timed = subjects.compactMap { subject in subject.timing.map { (subject, $0) } }
        let tables = [
            table("Throughput and memory", subjects.map { ($0, BenchFigures.overview($0)) }),
            latencyTable(timed),
            table(
                "Open loop: response from the moment at which a request was due",
                timed.flatMap { subject, timing in timing.steps.map { (subject, BenchFigures.rate($0, timing)) } }),
            table(
                "What the throughput pass used up",
                timed.compactMap { subject, timing in timing.resources.map { (subject, BenchFigures.resources($0)) } }),
            table(
                "Memory, disk and files when full",
                subjects.compactMap { subject in subject.cell.memory.map { (subject, BenchFigures.footprint($0)) } }),
            table(
                "Opening, closing, recovering",
                subjects.compactMap { subject in subject.lifecycle.map { (subject, BenchFigures.lifecycle($0)) } }),
            table("What measuring costs", timed.map { ($0, BenchFigures.costs($1.costs)) }),
        ].compactMap(\.self)
        return tables
    }

    private func table(_ title: String, _ rows: [(BenchSubject, [BenchFigures.Named])]) -> PageModel.Fold? {
        guard let first = rows.first else { return nil }
        let html = DataTable(
            caption: title,
            columns: [.init("Cache", isNumeric: false)] + first.1.map { .init($0.name, isNumeric: $0.value != nil) },
            rows: rows.map { subject, figures in
                [.init(labels.label(subject))] + figures.map { .init($0.text, sort: $0.value) }
            }
        ).html()
        return .init(title: title, tableHTML: html)
    }

    private func latencyTable(_ timed: [(BenchSubject, BenchTiming)]) -> PageModel.Fold? {
        let title = "Latency by operation and outcome"
        let rows = timed.flatMap { subject, timing in
            timing.latency.map { latency -> [DataTable.Cell] in
                let distribution = latency.distribution
                return [.init(labels.label(subject)), .init(latency.operation.rawValue)]
                    + BenchFigures.percentiles(distribution).map { .figure($0, HumanFormat.nanoseconds) }
                    + [
                        .figure(distribution.meanNanoseconds, HumanFormat.nanoseconds),
                        .figure(distribution.summary.samples), .figure(distribution.summary.operations),
                    ]
            }
        }
        guard !rows.isEmpty else { return nil }
        let names = ["p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "Slowest", "Mean", "Timed", "Calls"]
        let html = DataTable(
            caption: title,
            columns: [.init("Cache", isNumeric: false), .init("Operation", isNumeric: false)]
                + names.map { .init($0) }, rows: rows
        ).html()
        return .init(title: title, tableHTML: html)
    }

    /// Throughput over time of each subject that ran long enough to have one.
    private func timelineCards(_ subjects: [BenchSubject]) -> [PageModel.Card] {
        subjects.compactMap { subject in
            guard let timing = subject.timing, timing.windows.count >= 4 else { return nil }
            let title = "Throughput over time: \(labels.label(subject))"
            let rates = timing.windows.map { Double($0) / timing.windowSeconds }
            let chart = TimelineChart(title: title, perSecond: rates, windowSeconds: timing.windowSeconds)
            let state =
                timing.isSteady.map { $0 ? "steady at the end" : "not steady at the end" } ?? "too short to tell"
            return PageModel.Card(
                title: title,
                note: "requests a second in windows of \(HumanFormat.duration(timing.windowSeconds)); \(state)",
                chartHTML: chart.svg(), tableTitle: "Table",
                tableHTML: TimelineChart.table(title: title, perSecond: rates, windowSeconds: timing.windowSeconds))
        }
    }
}
