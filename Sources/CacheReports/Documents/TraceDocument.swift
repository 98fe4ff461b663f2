public import CacheCore
internal import Foundation

extension TraceProfile: Reportable {
    /// What the trace holds, a chart an attribute.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number; with code `usage` for a baseline
    ///   policy.
    public func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        return ReportDocument(
            title: trace.name, subtitle: "Read as \(trace.format)", assayVersion: assayVersion, answer: answer,
            highlights: highlights,
            sections: [.init(id: "trace-1", title: "Charts", lead: facts, blocks: charts + tenantTable)],
            definitions: Self.definitions, command: commandLine,
            commandNote: "The same command on the same trace gives the same counts.",
            files: [.init(label: "JSON", name: "trace.json", text: try JSONReport.render(self))])
    }

    private var answer: ReportDocument.Answer {
        let near = reuse.median.map {
            " Half of the repeated requests come back within \(HumanFormat.counted($0, "distinct object", "distinct objects"))."
        }
        return .init(
            question: "How many of its requests can a cache answer at most?",
            sentence: "A cache that keeps everything hits \(HumanFormat.count(infiniteCache.hits)) of "
                + "\(HumanFormat.counted(infiniteCache.requests, "request", "requests")).\(near ?? "")",
            figure: share(infiniteCache.hits, infiniteCache.requests),
            figureName: "hit ratio that no cache can pass"
                + (operations.writes > 0 ? " that stores at writes alone, as replays of this trace do" : ""),
            certainty: "Exact: every request of the trace was counted.")
    }

    private var facts: String {
        [
            trace.digest, trace.origin,
            times.map { times in
                "spans \(HumanFormat.duration(Self.seconds(times)))"
                    + (times.backwards > 0 ? ", times go back at \(HumanFormat.count(times.backwards)) requests" : "")
            },
            costTotal.map { "costs add up to \($0)" },
        ].compactMap(\.self).joined(separator: " · ")
    }

    private static func seconds(_ times: TraceProfile.Times) -> Double {
        (Double(times.lastNanoseconds) - Double(times.firstNanoseconds)) / 1e9
    }

    private var highlights: [ReportDocument.Highlight] {
        var tiles: [ReportDocument.Highlight] = [
            .init(
                name: "Requests", figure: HumanFormat.short(Double(trace.requests)),
                detail: operations.isStated
                    ? "\(HumanFormat.short(Double(operations.writes))) writes, "
                        + "\(HumanFormat.short(Double(operations.deletes))) deletes" : "operations not stated"),
            .init(
                name: "Objects", figure: HumanFormat.short(Double(trace.objects)),
                detail: "\(share(popularity.requestedOnce, trace.objects)) requested once"),
        ]
        if trace.hasSizes {
            tiles.append(
                .init(
                    name: "Footprint", figure: HumanFormat.bytes(trace.footprintBytes),
                    detail: "of \(HumanFormat.bytes(trace.bytesRequested)) requested"))
        }
        if let zipf = popularity.zipf {
            tiles.append(
                .init(
                    name: "Zipf exponent", figure: HumanFormat.fixed(zipf.exponent, 2),
                    detail: "R² \(HumanFormat.fixed(zipf.rSquared, 3)), ranks 1 to \(HumanFormat.count(zipf.lastRank))")
            )
        }
        return tiles
    }

    private func share(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? HumanFormat.absent : HumanFormat.percent(Double(part) / Double(whole))
    }

    private var charts: [ReportDocument.Block] {
        [
            popularityChart, reuseChart, workingSetChart,
            sizes.map { bars("Requests by size", "bytes", $0.requests, "requests", HumanFormat.bytes) },
            sizes.map {
                bars("Objects by size", "bytes, each object at its largest", $0.objects, "objects", HumanFormat.bytes)
            }, operationChart, lifeChart, tenantChart,
        ].compactMap(\.self)
    }

    private var popularityChart: ReportDocument.Block {
        let ranks = popularity.ranks
        var lines = [
            PlotChart.Line(
                name: "requests", colourClass: "k0", points: ranks.map { (Double($0.rank), Double($0.requests)) })
        ]
        if let zipf = popularity.zipf {
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
            + "\(share(popularity.requestsForTopHundredth, trace.requests)) of the requests, the first tenth "
            + share(popularity.requestsForTopTenth, trace.requests)
        return .chart(
            .init(title: "Popularity", note: note, chart: chart, key: chart.key, table: table, tableTitle: "Ranks"))
    }

    private var reuseChart: ReportDocument.Block {
        let median = reuse.median.map { ", half within \(HumanFormat.count($0)) objects" } ?? ""
        return bars(
            "Reuse distance",
            "LRU stack distance in objects; \(HumanFormat.count(reuse.firstRequests)) first requests have none\(median)",
            reuse.distances, "requests", HumanFormat.count)
    }

    private var workingSetChart: ReportDocument.Block {
        let windows = workingSet
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
        return .chart(
            .init(
                title: "Working set", note: "distinct objects in each of \(windows.count) parts of the trace",
                chart: chart, key: chart.key, table: table, tableTitle: "Parts"))
    }

    private var operationChart: ReportDocument.Block? {
        guard operations.isStated else { return nil }
        let counts = [
            ("reads", operations.reads), ("writes", operations.writes),
            ("deletes", operations.deletes),
        ]
        return card("Operations", "requests", counts.map { (name: $0.0, count: $0.1) }, "requests")
    }

    private var lifeChart: ReportDocument.Block? {
        guard let lives = timesToLive else { return nil }
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

    private var tenantChart: ReportDocument.Block? {
        guard !tenants.isEmpty else { return nil }
        let shown = tenants.prefix(Self.tenantsShown)
        let note =
            shown.count < tenants.count
            ? "the \(shown.count) with the most requests of \(HumanFormat.count(tenants.count))" : "requests"
        return card("Tenants", note, shown.map { (name: $0.name, count: $0.requests) }, "requests")
    }

    private var tenantTable: [ReportDocument.Block] {
        guard !tenants.isEmpty else { return [] }
        let table = DataTable(
            caption: "Tenants",
            columns: [
                .init("Tenant", isNumeric: false), .init("Requests"), .init("Objects"), .init("Bytes requested"),
            ],
            rows: tenants.map {
                [
                    DataTable.Cell($0.name), .figure($0.requests), .figure($0.objects),
                    .figure(trace.hasSizes ? $0.bytesRequested : nil, HumanFormat.bytes),
                ]
            })
        return [.table(.init(title: "Tenants", isOpen: false, table: table))]
    }

    /// Bins with limits as bars.
    private func bars(
        _ title: String, _ note: String, _ bins: [TraceProfile.Bin], _ unit: String, _ format: (Int) -> String
    ) -> ReportDocument.Block {
        card(title, note, bins.map { (name: $0.atMost.map { "≤ \(format($0))" } ?? "more", count: $0.count) }, unit)
    }

    private func card(_ title: String, _ note: String, _ bars: [(name: String, count: Int)], _ unit: String)
        -> ReportDocument.Block
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
        return .chart(.init(title: title, note: note, chart: chart))
    }

    private static let definitions: [ReportDocument.Definition] = [
        .init(
            "Popularity, Zipf exponent",
            """
            Objects in the order of their requests, the most requested first. The exponent is the slope of a straight \
            line through the logarithms of rank and requests, by least squares over every rank whose object has at least \
            10 requests; R² is the share of the variance that the line explains. No line is drawn for fewer than 10 such \
            ranks.
            """),
        .init(
            "Reuse distance",
            """
            The LRU stack distance: how many distinct objects, the object itself included, were requested since the last \
            request for it. A request hits in an LRU cache of that many objects or more. Writes and deletes count as \
            requests.
            """),
        .init(
            "Working set",
            """
            The distinct objects that are requested in a part of the trace: parts of equal length in time, or of equally \
            many requests where the trace states no times or they go back. Its bytes count each object once, at the \
            first size that the part states.
            """),
        .init("Footprint", "The sum of the objects' sizes, each at its largest."),
        .init(
            "Infinite cache",
            """
            What a cache that keeps everything hits: every request but the first for each object, and of reads alone \
            where the trace states operations.
            """),
        .init("Time to live", "In whole seconds, rounded up; requests without one are counted apart."),
    ]
}
