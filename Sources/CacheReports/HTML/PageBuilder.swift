internal import CacheCore
internal import Foundation

/// Turns results into the page's model: what stands above and below the traces.
struct PageBuilder {
    let results: RunResults
    let labels: SeriesLabels
    let styles: [SeriesKey: SeriesStyle]
    let standings: Standings

    init(_ results: RunResults) {
        self.results = results
        labels = SeriesLabels(results)
        styles = SeriesStyle.assigned(to: labels)
        standings = Standings(results, labels, baseline: (try? labels.baseline(nil)) ?? nil)
    }

    /// The whole page.
    func model(css: String, script: String) throws(AssayError) -> PageModel {
        let names = results.traceNames
        let sections = names.enumerated().map { TraceSectionBuilder(self, trace: $1, index: $0).section() }
        let links =
            (standings.contests.isEmpty ? [] : [PageModel.Link(id: "best", title: "Best policy")])
            + sections.map { PageModel.Link(id: $0.id, title: $0.title) }
            + [
                PageModel.Link(id: "traces", title: "Traces"), PageModel.Link(id: "again", title: "Run it again"),
                PageModel.Link(id: "environment", title: "Environment"),
                PageModel.Link(id: "definitions", title: "Definitions"),
            ]
        return PageModel(
            title: title(names), subtitle: subtitle, assayVersion: results.assayVersion, css: css, script: script,
            banners: banners, tiles: tiles, navigation: links, failuresHTML: failures, winnersHTML: winners,
            winnersNote: winnersNote, legend: legend, hasLegend: legend.count > 1,
            symbolsHTML: SeriesStyle.symbols(styles.values), sections: sections,
            tracesHTML: traces, policiesHTML: policies, command: command, environment: environment,
            filesBase64: try Self.embedded([
                "results.json": try JSONReport.renderCompact(results) + "\n",
                "results.csv": CSVReport.render(results),
            ]), downloads: [.init(file: "results.csv", label: "CSV"), .init(file: "results.json", label: "JSON")],
            isCurve: false, isRun: true)
    }

    private func title(_ traces: [String]) -> String {
        let count = Set(labels.keys.map(\.policy)).count
        let policies = count == 0 ? "No results" : HumanFormat.counted(count, "policy", "policies")
        guard traces.count != 1 else { return "\(policies) on \(traces[0])" }
        return "\(policies) on \(HumanFormat.counted(traces.count, "trace", "traces"))"
    }

    var subtitle: String {
        [
            results.startedAt.replacing("T", with: " ").replacing("Z", with: " UTC"),
            "took \(HumanFormat.duration(results.durationSeconds))", results.environment.processor,
            "\(HumanFormat.counted(results.environment.processorCount, "processor", "processors"))",
            results.environment.operatingSystem,
        ].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private var failedCount: Int { results.cells.count { $0.hasFailed } }
    private var inapplicableCount: Int { results.cells.count { $0.failure != nil && !$0.hasFailed } }

    private var banners: [PageModel.Banner] {
        var banners: [PageModel.Banner] = []
        if results.status == .interrupted {
            let planned = results.cellsPlanned.map { " of \(HumanFormat.count($0))" } ?? ""
            banners.append(
                .init(
                    kind: "warn",
                    text: "Interrupted: \(HumanFormat.count(results.cells.count))\(planned) cells finished; "
                        + "the others are missing here."))
        }
        banners += (results.warnings ?? []).map { .init(kind: "warn", text: $0) }
        if failedCount > 0 {
            banners.append(
                .init(
                    kind: "bad",
                    text: "\(failedCount) of \(HumanFormat.counted(results.cells.count, "cell", "cells")) "
                        + "failed; their reasons are listed below."))
        }
        let notes = CellNotes.lines(results.cells) { "\(labels.label($0)) over \($0.backend)" }
        return banners + notes.map { .init(kind: "warn", text: $0) }
    }

    private var tiles: [PageModel.Tile] {
        let live = results.cells.count { $0.backend != CellResult.simulationBackend }
        let capacities =
            Dictionary(grouping: results.cells, by: \.trace)
            .map { Set($0.value.map(\.capacityRequested)).count }.max() ?? 0
        let planned = results.cellsPlanned.flatMap { $0 > results.cells.count ? " of \(HumanFormat.count($0))" : nil }
        var tiles = [
            PageModel.Tile(
                kind: "", name: "Cells", figure: HumanFormat.count(results.cells.count) + (planned ?? ""),
                detail: "\(HumanFormat.counted(capacities, "capacity", "capacities")) a trace"
                    + (live > 0 ? ", \(live) live" : ", simulated"))
        ]
        if let first = standings.wins.first, standings.contests.count > 1, labels.keys.count > 1 {
            let ties = standings.wins.prefix { $0.count == first.count }.dropFirst().map { labels.label($0.key) }
            let shared = ties.isEmpty ? "" : ", as has \(ties.prefix(2).joined(separator: ", "))"
            tiles.append(
                .init(
                    kind: "", name: "Most often best", figure: labels.label(first.key),
                    detail: "most hits at \(first.count) of \(standings.contests.count) capacities\(shared)"))
        }
        if let baseline = standings.baseline, let top = largestGain, let gain = top.gain,
            let winner = top.winners.first,
            gain > 0
        {
            tiles.append(
                .init(
                    kind: "", name: "Largest gain on \(labels.label(baseline))",
                    figure: "\(HumanFormat.points(gain, digits: 1)) points",
                    detail: "\(labels.label(winner)) on \(top.trace) at \(top.capacityRequested)"))
        }
        let requests = results.cells.reduce(0) { $0 + ($1.counts?.requests ?? 0) }
        tiles.append(
            .init(
                kind: "", name: "Requests replayed", figure: HumanFormat.short(Double(requests)),
                detail: "in \(HumanFormat.duration(results.durationSeconds)), seed \(results.seed)"))
        let rest = inapplicableCount > 0 ? "\(HumanFormat.count(inapplicableCount)) more not applicable" : nil
        tiles.append(
            .init(
                kind: failedCount == 0 ? "good" : "bad", name: "Failures", figure: "\(failedCount)",
                detail: rest ?? (failedCount == 0 ? "every finished cell has a result" : "reasons are listed below")))
        return tiles
    }

    private var largestGain: Standings.Contest? {
        standings.contests.filter { $0.gain != nil }.max { ($0.gain ?? 0) < ($1.gain ?? 0) }
    }

    private var legend: [PageModel.LegendItem] { Self.legend(labels, styles) }

    static func legend(_ labels: SeriesLabels, _ styles: [SeriesKey: SeriesStyle]) -> [PageModel.LegendItem] {
        labels.keys.compactMap { key in
            styles[key].map { .init(id: $0.id, label: $0.label, swatchHTML: $0.swatch) }
        }
    }

    /// Files for download: an object of texts in JSON, by gzip, in base64.
    static func embedded(_ files: [String: String]) throws(AssayError) -> String {
        guard let data = try? JSONSerialization.data(withJSONObject: files, options: [.sortedKeys]),
            let packed = Gzip.packed(data)
        else { throw AssayError(.internalError, "The results cannot be embedded in the page.") }
        return packed.base64EncodedString()
    }
}
