internal import CacheCore
internal import Foundation

/// Turns what a trace holds into the page's model.
struct TracePageBuilder {
    private let profile: TraceProfile

    init(_ profile: TraceProfile) { self.profile = profile }

    private var trace: TraceDescription { profile.trace }

    /// The whole page.
    func model(css: String, script: String) throws(AssayError) -> PageModel {
        PageModel(
            title: trace.name, subtitle: "Read as \(trace.format)", assayVersion: profile.assayVersion, css: css,
            script: script, banners: [], tiles: tiles,
            navigation: [
                .init(id: "trace-1", title: "Charts"), .init(id: "again", title: "Run it again"),
                .init(id: "definitions", title: "Definitions"),
            ], failuresHTML: nil, winnersHTML: nil, winnersNote: "", legend: [], hasLegend: false,
            sections: [
                .init(
                    id: "trace-1", title: trace.name, facts: facts, cards: cards, hasLiveCards: false, liveTitle: "",
                    liveCards: [], tables: tenantTable.map { [$0] } ?? [])
            ], tracesHTML: "", policiesHTML: nil, command: PageBuilder.commandText(profile.commandLine),
            environment: [], filesBase64: try PageBuilder.embedded(["trace.json": try JSONReport.render(profile)]),
            downloads: [.init(file: "trace.json", label: "JSON")], isCurve: false, isTraceInfo: true, isRun: false)
    }

    private var facts: String {
        [
            trace.digest, trace.origin,
            profile.times.map { times in
                "spans \(HumanFormat.duration(Self.seconds(times)))"
                    + (times.backwards > 0 ? ", times go back at \(HumanFormat.count(times.backwards)) requests" : "")
            },
            profile.costTotal.map { "costs add up to \($0)" },
        ].compactMap(\.self).joined(separator: " · ")
    }

    private static func seconds(_ times: TraceProfile.Times) -> Double {
        (Double(times.lastNanoseconds) - Double(times.firstNanoseconds)) / 1e9
    }

    private var tiles: [PageModel.Tile] {
        let infinite = profile.infiniteCache
        var tiles = [
            PageModel.Tile(
                kind: "", name: "Requests", figure: HumanFormat.short(Double(trace.requests)),
                detail: profile.operations.isStated
                    ? "\(HumanFormat.short(Double(profile.operations.writes))) writes, "
                        + "\(HumanFormat.short(Double(profile.operations.deletes))) deletes" : "operations not stated"),
            PageModel.Tile(
                kind: "", name: "Objects", figure: HumanFormat.short(Double(trace.objects)),
                detail: "\(share(profile.popularity.requestedOnce, trace.objects)) requested once"),
            PageModel.Tile(
                kind: "", name: "Infinite cache", figure: share(infinite.hits, infinite.requests),
                detail: "hit ratio that no cache can pass"),
        ]
        if trace.hasSizes {
            tiles.append(
                .init(
                    kind: "", name: "Footprint", figure: HumanFormat.bytes(trace.footprintBytes),
                    detail: "of \(HumanFormat.bytes(trace.bytesRequested)) requested"))
        }
        if let zipf = profile.popularity.zipf {
            tiles.append(
                .init(
                    kind: "", name: "Zipf exponent", figure: HumanFormat.fixed(zipf.exponent, 2),
                    detail: "R² \(HumanFormat.fixed(zipf.rSquared, 3)), ranks 1 to \(HumanFormat.count(zipf.lastRank))")
            )
        }
        return tiles
    }

    private func share(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? HumanFormat.absent : HumanFormat.percent(Double(part) / Double(whole))
    }

    private var cards: [PageModel.Card] {
        [
            popularity, reuse, workingSet,
            profile.sizes.map { bars("Requests by size", "bytes", $0.requests, "requests", HumanFormat.bytes) },
            profile.sizes.map {
                bars("Objects by size", "bytes, each object at its largest", $0.objects, "objects", HumanFormat.bytes)
            }, operations, timesToLive, tenants,
        ].compactMap(\.self)
    }

    private var popularity: PageModel.Card {
        let ranks = profile.popularity.ranks
        var lines = [
            PlotChart.Line(
                name: "requests", colourClass: "k0", points: ranks.map { (Double($0.rank), Double($0.requests)) })
        ]
        if let zipf = profile.popularity.zipf {
            let ends = [1.0, Double(zipf.lastRank)]
            lines.append(
                .init(
                    name: "Zipf, exponent \(HumanFormat.fixed(zipf.exponent, 2))", colourClass: "k1", dashes: "6 4",
                    points: ends.map { ($0, max(1, zipf.requestsOfFirst * pow($0, -zipf.exponent))) }, hasMarks: false))
        }
        let chart = PlotChart(
            title: "Requests by rank", x: .init(title: "rank", isLogarithmic: true, format: HumanFormat.short),
            y: .init(title: "requests", isLogarithmic: true, format: HumanFormat.short), lines: lines)
        let table = DataTable(
            caption: "Requests by rank", columns: [.init("Rank"), .init("Requests")],
            rows: ranks.map { [.figure($0.rank), .figure($0.requests)] })
        let note =
            "requests by rank, both logarithmic; the first hundredth of the objects has "
            + "\(share(profile.popularity.requestsForTopHundredth, trace.requests)) of the requests, the first tenth "
            + share(profile.popularity.requestsForTopTenth, trace.requests)
        return .init(
            title: "Popularity", note: note, chartHTML: chart.svg(), keyHTML: chart.keyHTML, tableTitle: "Ranks",
            tableHTML: table.html())
    }

    private var reuse: PageModel.Card {
        let median = profile.reuse.median.map { ", half within \(HumanFormat.count($0)) objects" } ?? ""
        return bars(
            "Reuse distance",
            "LRU stack distance in objects; \(HumanFormat.count(profile.reuse.firstRequests)) first requests have none\(median)",
            profile.reuse.distances, "requests", HumanFormat.count)
    }

    private var workingSet: PageModel.Card {
        let windows = profile.workingSet
        let isTimed = windows.first?.startNanoseconds != nil
        func x(_ index: Int) -> Double {
            windows[index].startNanoseconds.map { Double($0) / 1e9 } ?? Double(index * trace.requests / windows.count)
        }
        func line(_ name: String, _ colour: String, _ value: (TraceProfile.Window) -> Int) -> PlotChart.Line {
            .init(
                name: name, colourClass: colour,
                points: windows.indices.map { (x($0), Double(value(windows[$0]))) })
        }
        let format: @Sendable (Double) -> String = { isTimed ? HumanFormat.duration($0) : HumanFormat.short($0) }
        let chart = PlotChart(
            title: "Objects in parts of the trace",
            x: .init(title: isTimed ? "time from the first request" : "requests", format: format),
            y: .init(title: "objects", format: HumanFormat.short),
            lines: [
                line("distinct objects", "k0") { $0.objects }, line("not requested before", "k1") { $0.newObjects },
            ])
        let table = DataTable(
            caption: "Working set",
            columns: [.init("From"), .init("Requests"), .init("Objects"), .init("New objects"), .init("Bytes")],
            rows: windows.indices.map { index in
                let window = windows[index]
                return [
                    .figure(x(index), format), .figure(window.requests), .figure(window.objects),
                    .figure(window.newObjects), .figure(window.footprintBytes, HumanFormat.bytes),
                ]
            })
        return .init(
            title: "Working set", note: "distinct objects in each of \(windows.count) parts of the trace",
            chartHTML: chart.svg(), keyHTML: chart.keyHTML, tableTitle: "Parts", tableHTML: table.html())
    }

    private var operations: PageModel.Card? {
        guard profile.operations.isStated else { return nil }
        let counts = [
            ("reads", profile.operations.reads), ("writes", profile.operations.writes),
            ("deletes", profile.operations.deletes),
        ]
        return card("Operations", "requests", counts.map { (name: $0.0, count: $0.1) }, "requests")
    }

    private var timesToLive: PageModel.Card? {
        guard let lives = profile.timesToLive else { return nil }
        func name(_ seconds: Int) -> String {
            let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
            let unit = units.first { seconds % $0.0 == 0 } ?? (1, "s")
            return "at most \(seconds / unit.0) \(unit.1)"
        }
        let bins = lives.seconds.filter { $0.count > 0 }.map { bin in
            (name: bin.atMost.map(name) ?? "longer", count: bin.count)
        }
        return card("Times to live", "requests", bins + [(name: "without end", count: lives.endless)], "requests")
    }

    private static let tenantsShown = 12

    private var tenants: PageModel.Card? {
        guard !profile.tenants.isEmpty else { return nil }
        let shown = profile.tenants.prefix(Self.tenantsShown)
        let note =
            shown.count < profile.tenants.count
            ? "the \(shown.count) with the most requests of \(HumanFormat.count(profile.tenants.count))" : "requests"
        return card("Tenants", note, shown.map { (name: $0.name, count: $0.requests) }, "requests")
    }

    private var tenantTable: PageModel.Fold? {
        guard !profile.tenants.isEmpty else { return nil }
        let table = DataTable(
            caption: "Tenants",
            columns: [
                .init("Tenant", isNumeric: false), .init("Requests"), .init("Objects"), .init("Bytes requested"),
            ],
            rows: profile.tenants.map {
                [
                    DataTable.Cell($0.name), .figure($0.requests), .figure($0.objects),
                    .figure(trace.hasSizes ? $0.bytesRequested : nil, HumanFormat.bytes),
                ]
            })
        return .init(title: "Tenants", tableHTML: table.html())
    }

    /// Bins with limits as bars.
    private func bars(
        _ title: String, _ note: String, _ bins: [TraceProfile.Bin], _ unit: String, _ format: (Int) -> String
    ) -> PageModel.Card {
        card(title, note, bins.map { (name: $0.atMost.map { "≤ \(format($0))" } ?? "more", count: $0.count) }, unit)
    }

    private func card(_ title: String, _ note: String, _ bars: [(name: String, count: Int)], _ unit: String)
        -> PageModel.Card
    {
        let whole = bars.reduce(0) { $0 + $1.count }
        let chart = BarChart(
            title: title,
            bars: bars.map { bar in
                .init(
                    label: bar.name, seriesID: nil, colourClass: "k0", parts: [Double(bar.count)], range: nil,
                    text: "\(HumanFormat.short(Double(bar.count))) (\(share(bar.count, whole)))",
                    tip: "\(bar.name)\n\(HumanFormat.count(bar.count)) \(unit)")
            })
        return .init(title: title, note: note, chartHTML: chart.svg(), keyHTML: nil, tableTitle: nil, tableHTML: nil)
    }
}
