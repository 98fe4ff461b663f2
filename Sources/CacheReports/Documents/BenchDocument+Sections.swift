internal import CacheCore

// The sections of a bench: of each trace the tables, and charts of throughput, latency, load and memory.
extension BenchDocument {
    /// What the subjects did on one trace.
    func section(_ trace: String, index: Int) -> ReportDocument.Section {
        let subjects = results.subjects.filter { $0.cell.trace == trace }
        let description = results.traces.first { $0.name == trace }
        let timed = subjects.compactMap { subject in subject.timing.map { (subject, $0) } }
        let remarks = description.map { results.remarks.sentences($0) } ?? []
        let charts = [loadChart(trace, timed)] + percentileCharts(trace, timed) + [timeline(trace, timed)]
        return .init(
            id: "trace-\(index + 1)", title: trace,
            lead: description.map(CommonSections.facts) ?? "not described by the bench",
            blocks: remarks.map { .text($0) } + [overview(trace, subjects)].compactMap(\.self)
                + LiveCharts(results.environment, trace: trace, cells: subjects.map(\.cell), label: label).blocks
                + charts.compactMap { $0.map { .chart($0) } } + folds(trace, subjects, timed),
            showsCurves: true, isOnTerminal: true)
    }

    // MARK: - Tables

    private func overview(_ trace: String, _ subjects: [BenchSubject]) -> ReportDocument.Block? {
        let terminal = [0, 0, 1, nil, nil, nil, 0, 1, 5, 3, 2, 4]
        guard
            var table = table(
                "\(trace): throughput and memory",
                subjects.map { ($0, BenchFigures.overview($0, threads: results.load.threads)) }, terminal: terminal)
        else { return nil }
        for (row, subject) in subjects.enumerated() {
            guard let failure = subject.cell.failure else { continue }
            table.failed.insert(row)
            table.remarks[row] = "\(failure.kind.rawValue): \(failure.message)"
        }
        let placed = Throughput.placed(subjects.enumerated().compactMap { Throughput($0, [$1.cell]) })
        if placed.count > 1, let first = placed.first, first.places == "1" { table.best = [first.speed.key] }
        return .table(.init(table: table))
    }

    private func folds(
        _ trace: String, _ subjects: [BenchSubject], _ timed: [(BenchSubject, BenchTiming)]
    ) -> [ReportDocument.Block] {
        let rates = timed.flatMap { subject, timing in
            timing.steps.map { (subject, BenchFigures.rate($0, timing)) }
        }
        let footprints = subjects.compactMap { subject in
            subject.cell.memory.map { (subject, BenchFigures.footprint($0)) }
        }
        let lifecycles = subjects.compactMap { subject in
            subject.lifecycle.map { (subject, BenchFigures.lifecycle($0)) }
        }
        let resources = timed.compactMap { subject, timing in
            timing.resources.map { (subject, BenchFigures.resources($0)) }
        }
        let tables: [(title: String, table: DataTable?)] = [
            ("Latency by operation and outcome", latencyTable(trace, timed)),
            (
                "Open loop: response from the moment at which a request was due",
                table("\(trace): open loop", rates, terminal: [0, 0, 0, 0, 1, 0, 2, 3, 0])
            ),
            ("Memory, disk and files when full", table("\(trace): memory", footprints, terminal: Array(0..<10))),
            ("Opening, closing, recovering", table("\(trace): lifecycle", lifecycles, terminal: Array(0..<6))),
            ("What the throughput pass used up", table("\(trace): resources", resources)),
            ("What measuring costs", table("\(trace): costs", timed.map { ($0, BenchFigures.costs($1.costs)) })),
            ("Exact counts", counts(trace, subjects)),
        ]
        return tables.compactMap { title, table in
            table.map { .table(.init(title: title, isOpen: false, table: $0)) }
        }
    }

    /// A row a subject, or more, each with the same figures; columns without a figure are left out. Nil without rows.
    ///
    /// - Parameter terminal: How soon a terminal leaves out each figure; none for a table that it does not show.
    private func table(
        _ caption: String, _ rows: [(subject: BenchSubject, figures: [BenchFigures.Named])], terminal: [Int?] = []
    ) -> DataTable? {
        guard let names = rows.first?.figures.map(\.name) else { return nil }
        let columns = names.enumerated().map { index, name in
            DataTable.Column(
                name, isNumeric: rows.contains { $0.figures[index].value != nil },
                terminal: terminal.indices.contains(index) ? terminal[index] : nil)
        }
        return DataTable(
            caption: caption, columns: [cacheColumn(!terminal.isEmpty)] + columns,
            rows: rows.map { subject, figures in
                [name(subject)]
                    + figures.map {
                        .init($0.text, sort: $0.value, classes: $0.text == HumanFormat.absent ? "absent" : "")
                    }
            }
        ).withoutColumns(thatOnlySay: [HumanFormat.absent])
    }

    private func cacheColumn(_ isOnTerminal: Bool) -> DataTable.Column {
        .init("Cache", isNumeric: false, terminal: isOnTerminal ? 0 : nil)
    }

    private func name(_ subject: BenchSubject) -> DataTable.Cell {
        .init(label(subject.cell), swatch: style(subject))
    }

    private func latencyTable(_ trace: String, _ timed: [(BenchSubject, BenchTiming)]) -> DataTable? {
        let rows = timed.flatMap { subject, timing in
            timing.latency.map { latency -> [DataTable.Cell] in
                let distribution = latency.distribution
                return [
                    name(subject), .init(latency.operation.rawValue), .figure(distribution.summary.operations),
                    .figure(distribution.summary.samples),
                ]
                    + BenchFigures.percentiles(distribution).map { .figure($0, HumanFormat.nanoseconds) }
                    + [
                        .figure(distribution.meanNanoseconds, HumanFormat.nanoseconds),
                        .figure(timing.harnessShare(of: latency)) { HumanFormat.percent($0) },
                    ]
            }
        }
        guard !rows.isEmpty else { return nil }
        let figures =
            ["Calls", "Timed"] + BenchFigures.percentilePlaces.map(\.name) + ["Slowest", "Mean", "Of p50 the harness"]
        let terminal = [0, 0, 0, 3, 0, 1, 4, 5, 2, nil, 1]
        return DataTable(
            caption: "\(trace): latency by operation and outcome",
            columns: [cacheColumn(true), .init("Operation", isNumeric: false, terminal: 0)]
                + zip(figures, terminal).map { .init($0, terminal: $1) }, rows: rows
        ).withoutColumns(thatOnlySay: [HumanFormat.absent])
    }

    /// What the throughput pass counted.
    private func counts(_ trace: String, _ subjects: [BenchSubject]) -> DataTable? {
        let rows = subjects.compactMap { subject -> [DataTable.Cell]? in
            let cell = subject.cell
            guard let counts = cell.counts else { return nil }
            return [
                name(subject), .init(cell.parameters, classes: "code"), .init(cell.admission),
                .init(
                    cell.capacityUnit == .objects ? HumanFormat.count(cell.capacity) : HumanFormat.bytes(cell.capacity),
                    sort: Double(cell.capacity)), .init(cell.capacityRequested), .figure(counts.requests),
                .figure(counts.hits), .figure(counts.misses), .figure(counts.countedEvictions),
                .figure(counts.hitRatio) { HumanFormat.percent($0) },
                .figure(counts.measuredByteHitRatio) { HumanFormat.percent($0) },
                .figure(counts.bytesWritten, HumanFormat.bytes), .figure(counts.residentObjects), .init("\(cell.seed)"),
            ]
        }
        guard !rows.isEmpty else { return nil }
        return DataTable(
            caption: "\(trace): exact counts",
            columns: ["Cache", "Parameters", "Admission"].map { .init($0, isNumeric: false) }
                + [
                    "Capacity", "Asked for", "Requests", "Hits", "Misses", "Evictions", "Hit ratio", "Byte hit ratio",
                    "Bytes written", "Resident objects", "Seed",
                ].map { .init($0) }, rows: rows
        ).withoutColumns(thatOnlySay: ["", "always", HumanFormat.absent])
    }

    // MARK: - Charts

    /// The response time against the rate that was answered; nil without an open loop.
    private func loadChart(_ trace: String, _ timed: [(BenchSubject, BenchTiming)]) -> ReportDocument.ChartBlock? {
        // Short steps carry no p99.
        let wanted = results.load.kneeTarget?.percentile ?? 99
        let samples = timed.flatMap { $1.steps.map(\.response.summary.samples) }
        let percentile =
            [wanted, 90, 50].first { place in samples.contains { LatencySummary.carries(place, samples: $0) } }
            ?? wanted
        let name = BenchFigures.percentileName(percentile)
        let title = "\(trace): \(name) of the response against requests answered"
        var rows: [[DataTable.Cell]] = []
        var lines: [PlotChart.Line] = []
        for (subject, timing) in timed {
            let steps = timing.steps.filter {
                LatencySummary.carries(percentile, samples: $0.response.summary.samples) && $0.answeredPerSecond > 0
            }.sorted { $0.requestsPerSecond < $1.requestsPerSecond }
            guard let style = style(subject), !steps.isEmpty else { continue }
            let points = steps.map { (x: $0.answeredPerSecond, y: Double($0.response.value(atPercentile: percentile))) }
            var line = PlotChart.Line(style, points: points)
            line.ringed = steps.firstIndex { $0.requestsPerSecond == timing.kneeRequestsPerSecond }
            lines.append(line)
            rows += zip(steps, points).map { step, point in
                [
                    self.name(subject), .figure(step.requestsPerSecond, HumanFormat.rate),
                    .figure(point.x, HumanFormat.rate), .figure(point.y, HumanFormat.nanoseconds),
                    .init(BenchFigures.rate(step, timing).last?.text ?? ""),
                ]
            }
        }
        guard !lines.isEmpty else { return nil }
        let rates = lines.flatMap { $0.points.map(\.x) }
        let isWide = (rates.max() ?? 1) > 8 * (rates.min() ?? 1)
        let knee = promise.map { "ring: knee, the highest rate found at which \($0) held" }
        return .init(
            title: "Load and response", note: "\(name) of the response, logarithmic; lower and further right is better",
            chart: PlotChart(
                title: title,
                x: .init(title: "requests answered a second", isLogarithmic: isWide, format: HumanFormat.rate),
                y: .init(title: name, isLogarithmic: true, format: HumanFormat.nanoseconds), lines: lines),
            key: knee.map { [.init(colourClass: "", text: $0)] } ?? [],
            table: DataTable(
                caption: title,
                columns: [cacheColumn(false)] + ["Due", "Answered", name].map { .init($0) } + [
                    .init("State", isNumeric: false)
                ], rows: rows))
    }

    /// Percentiles of each operation and outcome, and of the response at the highest rate that all kept up with.
    private func percentileCharts(
        _ trace: String, _ timed: [(BenchSubject, BenchTiming)]
    ) -> [ReportDocument.ChartBlock?] {
        let closed = OperationLatency.Operation.allCases.map { operation in
            percentileChart(
                trace, "Latency: \(operation.rawValue)",
                timed.flatMap { subject, timing in
                    timing.latency.filter { $0.operation == operation }.map { (subject, $0.distribution) }
                })
        }
        let open = timed.filter { !$1.steps.isEmpty }
        let kept = open.map { Set($1.steps.filter { !$0.isSaturated }.map(\.requestsPerSecond)) }
        guard let all = kept.first, let rate = kept.reduce(all, { $0.intersection($1) }).max() else { return closed }
        let responses = open.compactMap { subject, timing in
            timing.steps.first { $0.requestsPerSecond == rate }.map { (subject, $0.response) }
        }
        return [percentileChart(trace, "Response at \(HumanFormat.rate(rate)) due", responses)] + closed
    }

    /// Times by percentile, a curve a subject; nil where fewer than two percentiles were measured of every subject.
    private func percentileChart(
        _ trace: String, _ title: String, _ measured: [(BenchSubject, LatencyDistribution)]
    ) -> ReportDocument.ChartBlock? {
        let places = BenchFigures.percentilePlaces
        let lines = measured.compactMap { subject, distribution in
            style(subject).map { style in
                PlotChart.Line(
                    style,
                    points: zip(places, BenchFigures.percentiles(distribution)).compactMap { place, time in
                        time.map { (place.nines, Double($0)) }
                    })
            }
        }
        guard lines.contains(where: { $0.points.count > 1 }) else { return nil }
        let shown = places.indices.filter { index in
            lines.contains { $0.points.contains { $0.x == places[index].nines } }
        }
        let rows = measured.map { subject, distribution -> [DataTable.Cell] in
            let times = BenchFigures.percentiles(distribution)
            return [name(subject)] + shown.map { .figure(times[$0], HumanFormat.nanoseconds) }
                + [.figure(distribution.summary.samples)]
        }
        return .init(
            title: title, note: "time by percentile, both logarithmic; what too few calls carry is left out",
            chart: PlotChart(
                title: "\(trace): \(title)",
                x: .init(title: "percentile, on a scale of log(1 − q)", ticks: shown.map { places[$0].nines }) {
                    nines in
                    places.last { $0.nines <= nines }?.name ?? ""
                },
                y: .init(title: "time", isLogarithmic: true, format: HumanFormat.nanoseconds),
                lines: lines),
            table: DataTable(
                caption: "\(trace): \(title)",
                columns: [cacheColumn(false)] + shown.map { .init(places[$0].name) } + [.init("Timed")], rows: rows))
    }

    /// How fast each subject was over its throughput pass; nil where no pass was long enough to tell.
    private func timeline(_ trace: String, _ timed: [(BenchSubject, BenchTiming)]) -> ReportDocument.ChartBlock? {
        var rows: [[DataTable.Cell]] = []
        var lines: [PlotChart.Line] = []
        // A window without a request has no place on a logarithmic axis: it is drawn at the bottom.
        let least =
            timed.flatMap { _, timing in timing.windows.filter { $0 > 0 }.map { Double($0) / timing.windowSeconds } }
            .min() ?? 1
        for (subject, timing) in timed where timing.windows.count >= 4 && timing.windowSeconds > 0 {
            guard let style = style(subject) else { continue }
            let rates = timing.windows.map { Double($0) / timing.windowSeconds }
            var line = PlotChart.Line(
                style, points: rates.enumerated().map { ((Double($0) + 0.5) / Double(rates.count), max($1, least)) })
            line.hasMarks = false
            lines.append(line)
            rows += rates.enumerated().map { index, rate in
                [
                    name(subject), .figure(Double(index) * timing.windowSeconds, HumanFormat.duration),
                    .figure(rate, HumanFormat.rate),
                ]
            }
        }
        guard !lines.isEmpty else { return nil }
        let title = "\(trace): throughput over the pass"
        return .init(
            title: "Throughput over the pass", note: "requests a second, logarithmic; a dip is a stall",
            chart: PlotChart(
                title: title,
                x: .init(title: "share of the pass", ticks: [0, 0.25, 0.5, 0.75, 1]) {
                    HumanFormat.percent($0, digits: 0)
                }, y: .init(title: "requests a second", isLogarithmic: true, format: HumanFormat.rate), lines: lines),
            table: DataTable(
                caption: title, columns: [cacheColumn(false), .init("From"), .init("Requests a second")], rows: rows))
    }
}
