internal import CacheCore

/// Turns a run of systems into the page's model: all of them in one table and two charts, and a section for each.
struct SystemPageBuilder {
    private let results: SystemResults
    /// Builds what every page has.
    private let frame: PageBuilder

    init(_ results: SystemResults) {
        self.results = results
        frame = PageBuilder(
            RunResults(
                assayVersion: results.assayVersion, startedAt: results.startedAt,
                durationSeconds: results.durationSeconds, commandLine: results.commandLine, seed: results.seed,
                status: results.status, environment: results.environment, traces: [], cells: [],
                cellsPlanned: results.systemsPlanned))
    }

    /// The whole page.
    func model(css: String, script: String) throws(AssayError) -> PageModel {
        var model = try frame.model(css: css, script: script)
        let systems = Set(results.systems.map(\.system))
        model.title =
            systems.count == 1
            ? "\(systems.first ?? "") under its workload" : "\(systems.count) systems under their workloads"
        model.isRun = false
        model.isSystems = true
        model.tiles = tiles
        model.banners = banners
        model.sections = [overview] + results.systems.enumerated().map { section($1, index: $0) }
        model.navigation =
            model.sections.map { PageModel.Link(id: $0.id, title: $0.title) } + [
                PageModel.Link(id: "again", title: "Run it again"),
                PageModel.Link(id: "environment", title: "Environment"),
                PageModel.Link(id: "definitions", title: "Definitions"),
            ]
        model.filesBase64 = try PageBuilder.embedded([
            "systems.json": try JSONReport.render(results), "systems.csv": CSVReport.render(results),
        ])
        model.downloads = [.init(file: "systems.csv", label: "CSV"), .init(file: "systems.json", label: "JSON")]
        return model
    }

    private func label(_ system: SystemResult) -> String { SystemFigureText.label(system, among: results) }

    private var failed: [SystemResult] { results.systems.filter { $0.failure != nil } }

    private var banners: [PageModel.Banner] {
        var banners: [PageModel.Banner] = []
        if results.status == .interrupted {
            let finished = "\(results.systems.count) of \(results.systemsPlanned)"
            banners.append(
                .init(kind: "warn", text: "Interrupted: \(finished) workloads finished; the others are missing here."))
        }
        for system in failed {
            let failure = system.failure.map { "\($0.kind.rawValue): \($0.message)" } ?? ""
            banners.append(.init(kind: "bad", text: "\(label(system)) \(failure)"))
        }
        return banners
    }

    private var tiles: [PageModel.Tile] {
        let counts = results.systems.compactMap(\.counts)
        let (asked, without) = counts.reduce((0, 0)) { ($0.0 + $1.originRequests, $0.1 + $1.originRequestsWithout) }
        let outages = counts.reduce((0, 0)) { ($0.0 + $1.outageAnswered, $0.1 + $1.outageRequests) }
        let planned = results.systemsPlanned > results.systems.count ? " of \(results.systemsPlanned)" : ""
        return [
            PageModel.Tile(
                kind: "", name: "Workloads", figure: "\(results.systems.count)\(planned)",
                detail: "seed \(results.seed), scale \(HumanFormat.short(results.scale))"),
            PageModel.Tile(
                kind: "", name: "Requests", figure: HumanFormat.short(Double(counts.reduce(0) { $0 + $1.requests })),
                detail: "every answer verified"),
            PageModel.Tile(
                kind: "", name: "Origin requests", figure: HumanFormat.short(Double(asked)),
                detail: "\(HumanFormat.short(Double(without))) without the caches"),
            PageModel.Tile(
                kind: "", name: "Answered in outages",
                figure: outages.1 == 0
                    ? HumanFormat.absent : HumanFormat.percent(Double(outages.0) / Double(outages.1), digits: 1),
                detail: "of \(HumanFormat.counted(outages.1, "request", "requests"))"),
            PageModel.Tile(
                kind: failed.isEmpty ? "good" : "bad", name: "Failures", figure: "\(failed.count)",
                detail: failed.isEmpty ? "every finished workload has a result" : "reasons stand above"),
        ]
    }

    private var overview: PageModel.TraceSection {
        let measured = results.systems.filter { $0.counts != nil }
        let cards = [
            card("Hit ratio", "requests that what is kept answered without waiting", measured) { $0.hitRatio },
            card("Origin requests saved", "of those of a program without the cache", measured) {
                $0.originRequestsSaved
            },
            card("Bytes saved", "of those that the origin would have sent", measured) { $0.bytesSaved },
        ]
        let table = DataTable(
            caption: "All workloads",
            columns: [
                .init("Workload", isNumeric: false), .init("System", isNumeric: false),
                .init("Policy", isNumeric: false),
                .init("Backend", isNumeric: false),
            ] + (results.systems.first.map { SystemFigureText.overview($0).map { .init($0.name) } } ?? []),
            rows: results.systems.map { system in
                [.init(label(system)), .init(system.system), .init(system.policy), .init(system.backend)]
                    + SystemFigureText.overview(system).map { .init($0.text, sort: $0.value) }
            })
        return PageModel.TraceSection(
            id: "all", title: "All systems",
            facts:
                "Each system under the workload that shows its point. The workloads differ, so that figures of different ones are not held against each other.",
            cards: cards, hasLiveCards: false, liveTitle: "", liveCards: [],
            tables: [.init(title: "All figures", tableHTML: table.html(), isOpen: true)])
    }

    private func card(
        _ title: String, _ note: String, _ systems: [SystemResult], _ figure: (SystemCounts) -> Double
    ) -> PageModel.Card {
        let bars = systems.enumerated().compactMap { index, system -> BarChart.Bar? in
            guard let value = system.counts.map(figure) else { return nil }
            let text = HumanFormat.percent(value)
            return BarChart.Bar(
                label: label(system), colourClass: "k\(index % 8 + 1)", parts: [max(0, value)], text: text,
                tip: "\(label(system)): \(text)")
        }
        return PageModel.Card(
            title: title, note: note, chartHTML: BarChart(title: title, bars: bars, hasLabelsAbove: true).svg())
    }

    private func section(_ system: SystemResult, index: Int) -> PageModel.TraceSection {
        var facts = system.description
        if let failure = system.failure { facts += " It \(failure.kind.rawValue): \(failure.message)" }
        var tables: [PageModel.Fold] = []
        if let counts = system.counts {
            tables.append(outcomes(counts))
            tables.append(named("Origin", SystemFigureText.origin(counts)))
        }
        if !system.latency.isEmpty { tables.append(latency(system)) }
        if !system.alternatives.isEmpty { tables.append(alternatives(system)) }
        if let memory = system.memory { tables.append(named("Memory and disk", SystemFigureText.memory(memory))) }
        if !system.figures.isEmpty {
            tables.append(
                named("Figures of its own", system.figures.map { .init($0.name, SystemFigureText.text($0), $0.value) }))
        }
        tables.append(settings(system))
        return PageModel.TraceSection(
            id: "workload-\(index + 1)", title: label(system), facts: facts, cards: [], hasLiveCards: false,
            liveTitle: "", liveCards: [], tables: tables)
    }

    /// A table of two columns.
    private func named(_ title: String, _ figures: [BenchFigures.Named]) -> PageModel.Fold {
        let table = DataTable(
            caption: title, columns: [.init("Figure", isNumeric: false), .init("Value")],
            rows: figures.map { [.init($0.name), .init($0.text, sort: $0.value)] })
        return .init(title: title, tableHTML: table.html(), isOpen: true)
    }

    private func outcomes(_ counts: SystemCounts) -> PageModel.Fold {
        let rows = SystemOutcome.allCases.compactMap { outcome -> [DataTable.Cell]? in
            guard let count = counts.outcomes[outcome] else { return nil }
            let share = outcome == .write ? nil : Double(count) / Double(max(1, counts.requests))
            return [
                .init(outcome.rawValue), .figure(count), .figure(share) { HumanFormat.percent($0) },
                .init(outcome.isHit ? "yes" : ""),
            ]
        }
        let table = DataTable(
            caption: "What became of the calls",
            columns: [
                .init("Outcome", isNumeric: false), .init("Calls"), .init("Of the requests"),
                .init("Counts as a hit", isNumeric: false),
            ], rows: rows)
        return .init(title: "What became of the calls", tableHTML: table.html(), isOpen: true)
    }

    private func latency(_ system: SystemResult) -> PageModel.Fold {
        let names = ["p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "Slowest"]
        let table = DataTable(
            caption: "Latency",
            columns: [.init("Operation", isNumeric: false)] + names.map { .init($0) } + [
                .init("Timed"), .init("Calls"),
            ],
            rows: system.latency.map { latency in
                let distribution = latency.distribution
                return [.init(latency.operation)]
                    + BenchFigures.percentiles(distribution).map { .figure($0, HumanFormat.nanoseconds) }
                    + [.figure(distribution.summary.samples), .figure(distribution.summary.operations)]
            })
        return .init(title: "Latency", tableHTML: table.html(), isOpen: true)
    }

    private func alternatives(_ system: SystemResult) -> PageModel.Fold {
        let table = DataTable(
            caption: "Compared with the same calls made in other ways",
            columns: [.init("Way", isNumeric: false), .init("Calls a second"), .init("This system is as fast")],
            rows: system.alternatives.map {
                [
                    .init($0.name), .figure($0.callsPerSecond, HumanFormat.rate),
                    .init(SystemFigureText.ratio($0, system)),
                ]
            })
        return .init(title: "Compared with", tableHTML: table.html(), isOpen: true)
    }

    private func settings(_ system: SystemResult) -> PageModel.Fold {
        let table = DataTable(
            caption: "Settings", columns: [.init("Setting", isNumeric: false), .init("Value", isNumeric: false)],
            rows: system.settings.split(separator: ";").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                return [.init(String(parts[0])), .init(parts.count > 1 ? String(parts[1]) : "")]
            })
        return .init(title: "Settings of the workload", tableHTML: table.html())
    }
}
