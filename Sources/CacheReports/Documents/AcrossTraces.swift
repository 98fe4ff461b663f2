public import CacheCore
internal import Foundation

/// The miss ratios of many traces, from which ``TraceComparison`` calculates what each policy saves over a baseline policy.
///
/// Combinations are added as they come, so that a sweep need not be in memory: each takes 32 bytes.
public struct AcrossTraces: Sendable {
    /// The capacity by which combinations of different traces are put side by side.
    struct Place: Hashable, Comparable, Sendable {
        var unit: Capacity.Unit
        /// Whether `amount` is a percentage of the trace's objects or footprint.
        var isShare: Bool
        var amount: Double

        init(_ cell: CellResult) {
            unit = cell.capacityUnit
            let share = cell.capacityRequested.split(separator: "%").first.flatMap { Double($0) }
                .flatMap { (0...1e9).contains($0) ? $0 : nil }
            isShare = cell.capacityRequested.contains("%") && share != nil
            amount = isShare ? share ?? 0 : Double(cell.capacity)
        }

        static func < (a: Place, b: Place) -> Bool {
            if a.unit != b.unit { return a.unit == .objects }
            if a.isShare != b.isShare { return a.isShare }
            return a.amount < b.amount
        }

        /// `1% of the objects`, `64 MiB`.
        var title: String {
            let number = amount == amount.rounded() ? HumanFormat.fixed(amount, 0) : "\(amount)"
            if isShare { return "\(number)% of the \(unit == .objects ? "objects" : "bytes")" }
            return unit == .bytes ? HumanFormat.bytes(amount) : "\(HumanFormat.count(amount)) objects"
        }

        /// The capacity as one asks for it: `1%`, `1%B`, `1000`.
        var text: String {
            let number = amount == amount.rounded() ? HumanFormat.fixed(amount, 0) : "\(amount)"
            return number + (isShare ? unit == .objects ? "%" : "%B" : "")
        }
    }

    /// What is known of a trace.
    struct Trace: Sendable {
        var name: String
        /// The folder of its file; `workloads` for what is generated, `.` for a file without a folder.
        var corpus: String
        var objects: Int

        init(_ description: TraceDescription) {
            name = description.name
            objects = description.objects
            let parts = description.argument.split(separator: "/", omittingEmptySubsequences: false)
            let isGenerated = !description.digest.hasPrefix("xxh128:")
            corpus = parts.count > 1 ? String(parts[parts.count - 2]) : isGenerated ? "workloads" : "."
        }
    }

    /// One combination; a figure is no number where there is none.
    struct Point: Sendable {
        var trace: Int32
        var place: Int32
        var series: Int32
        var missRatio: Double
        var byteMissRatio: Double
    }

    private(set) var traces: [Trace] = []
    private(set) var places: [Place] = []
    /// Policies with everything that tells curves apart but the seed: the mean over seeds stands for a trace.
    private(set) var series: [SeriesKey] = []
    private(set) var points: [Point] = []
    /// How many live combinations were left out: their hits may depend on the clock.
    private(set) var live = 0
    private var traceNumbers: [String: Int32] = [:]
    private var placeNumbers: [Place: Int32] = [:]
    private var seriesNumbers: [SeriesKey: Int32] = [:]

    /// No trace yet.
    public init() {}

    /// All combinations of a run.
    public init(_ results: RunResults) { add(results.cells, of: results.traces) }

    /// Adds combinations; those of traces that are not described are left out.
    public mutating func add(_ cells: [CellResult], of descriptions: [TraceDescription]) {
        for trace in descriptions where traceNumbers[trace.name] == nil {
            traceNumbers[trace.name] = Int32(traces.count)
            traces.append(Trace(trace))
        }
        let sized = Set(descriptions.filter(\.hasSizes).map(\.name))
        for cell in cells {
            guard let trace = traceNumbers[cell.trace] else { continue }
            guard cell.backend == CellResult.simulationBackend else {
                live += 1
                continue
            }
            var key = SeriesKey(cell)
            key.seed = 0
            let counts = cell.failure == nil ? cell.counts.flatMap { $0.requests > 0 ? $0 : nil } : nil
            let isSized = cell.capacityUnit == .bytes && sized.contains(cell.trace)
            points.append(
                Point(
                    trace: trace, place: Self.number(Place(cell), &placeNumbers, &places),
                    series: Self.number(key, &seriesNumbers, &series),
                    missRatio: counts.map { Double($0.misses) / Double($0.requests) } ?? .nan,
                    byteMissRatio: isSized ? counts.flatMap(Self.byteMissRatio) ?? .nan : .nan))
        }
    }

    private static func byteMissRatio(_ counts: ReplayCounts) -> Double? {
        counts.bytesRequested > 0
            ? Double(counts.bytesRequested &- counts.bytesHit) / Double(counts.bytesRequested) : nil
    }

    private static func number<Key: Hashable>(_ key: Key, _ numbers: inout [Key: Int32], _ list: inout [Key]) -> Int32 {
        if let number = numbers[key] { return number }
        let number = Int32(list.count)
        numbers[key] = number
        list.append(key)
        return number
    }
}

/// What each policy saves over a baseline policy, on each trace and across them.
struct TraceComparison: Sendable {
    /// The ratio that is compared.
    enum Figure: String, CaseIterable, Sendable {
        case missRatio = "miss_ratio"
        case byteMissRatio = "byte_miss_ratio"

        var title: String { self == .missRatio ? "Miss ratio" : "Byte miss ratio" }
    }

    /// Why a trace is not in a distribution.
    enum Omission: String, CaseIterable, Sendable {
        case noBaseline = "no result of the baseline policy"
        case perfectBaseline = "the baseline policy has no misses"
        case noResult = "no result of the policy"
    }

    /// A policy on a trace.
    struct Row: Sendable {
        var figure: Figure
        var place: Int
        var series: Int
        var trace: Int
        var own: Double?
        var baseline: Double?
        /// The reduction, or why there is none.
        var reduction: Result<Double, Omitted>

        struct Omitted: Error { var reason: Omission }
        var value: Double? { try? reduction.get() }
    }

    /// Traces whose reductions are taken together.
    struct Group: Sendable, Hashable {
        enum Kind: String, Sendable { case all, corpus, objects }
        var kind: Kind
        var name: String
        /// What groups are ordered by beside their names.
        var order = 0
    }

    /// A policy across the traces of a group.
    struct Summary: Sendable {
        var figure: Figure
        var place: Int
        var series: Int
        var group: Group
        var spread: Spread
        /// Traces of the group without a reduction.
        var omitted: Int
    }

    let data: AcrossTraces
    let labels: SeriesLabels
    /// The policy that reductions refer to.
    let baseline: SeriesKey
    /// In the order of figures, capacities, policies and traces.
    private(set) var rows: [Row] = []
    /// In the order of figures, capacities, groups and policies, the largest mean first.
    private(set) var summaries: [Summary] = []
    /// The numbers of the capacities, from the smallest.
    let placeOrder: [Int]

    /// - Parameters:
    ///   - name: The baseline policy or its label; nil for `fifo`, or `lru` where that did not run.
    ///   - seed: The seed of the bootstrap.
    /// - Throws: `AssayError` with code `usage` if the baseline policy is not among the results.
    init(
        _ data: AcrossTraces, baseline name: String?, described: [PolicyDescription], seed: UInt64
    ) throws(AssayError) {
        self.data = data
        let labels = SeriesLabels(data.series, described: described)
        self.labels = labels
        func key(_ name: String) -> SeriesKey? {
            labels.keys.first { labels.label($0) == name }
                ?? labels.keys.first { $0.policy == name && $0.admission == "always" }
        }
        var found = (name.map { [$0] } ?? ["fifo", "lru"]).lazy.compactMap(key).first
        if let name, found == nil { found = try labels.baseline(name) }
        guard let found else {
            throw AssayError(
                .usage,
                "Neither fifo nor lru ran, so that nothing can be compared. Choose one of "
                    + "\(labels.keys.map(labels.label).joined(separator: ", ")).", at: .init("--baseline-policy"))
        }
        baseline = found
        placeOrder = data.places.indices.sorted { data.places[$0] < data.places[$1] }
        compare()
        summarise(seed)
    }

    /// Whether a curve is of the baseline policy, whatever its warm-up and expiry.
    func isBaseline(_ key: SeriesKey) -> Bool { baselineKey(beside: key) == key }

    /// The baseline under a curve's own warm-up and expiry.
    private func baselineKey(beside key: SeriesKey) -> SeriesKey {
        var base = key
        (base.policy, base.parameters, base.admission) = (baseline.policy, baseline.parameters, baseline.admission)
        return base
    }

    /// By how much `own` is below `baseline`, from -1 to 1: of the larger of the two, as the authors of S3-FIFO calculate it.
    static func reduction(of own: Double, from baseline: Double) -> Double {
        own <= baseline ? (baseline - own) / baseline : (baseline - own) / own
    }

    private mutating func compare() {
        let numbers = Dictionary(uniqueKeysWithValues: data.series.enumerated().map { ($1, $0) })
        let baselines = data.series.map { numbers[baselineKey(beside: $0)] }
        let byPlace = Dictionary(grouping: data.points.indices) { Int(data.points[$0].place) }
        for figure in Figure.allCases {
            for place in placeOrder {
                let points = (byPlace[place] ?? []).map { data.points[$0] }
                // The byte miss ratio is compared where it is another figure: sizes are known and capacities count bytes.
                let ratio: (AcrossTraces.Point) -> Double = figure == .missRatio ? \.missRatio : \.byteMissRatio
                if figure == .byteMissRatio, points.allSatisfy({ $0.byteMissRatio.isNaN }) { continue }
                var sums: [[Int: (sum: Double, count: Int)]] = Array(repeating: [:], count: data.series.count)
                for point in points {
                    var own = sums[Int(point.series)][Int(point.trace)] ?? (0, 0)
                    if !ratio(point).isNaN { own = (own.sum + ratio(point), own.count + 1) }
                    sums[Int(point.series)][Int(point.trace)] = own
                }
                func mean(_ series: Int?, _ trace: Int) -> Double? {
                    guard let own = series.flatMap({ sums[$0][trace] }), own.count > 0 else { return nil }
                    return own.sum / Double(own.count)
                }
                for series in data.series.indices where !isBaseline(data.series[series]) {
                    for trace in sums[series].keys.sorted() {
                        let (own, base) = (mean(series, trace), mean(baselines[series], trace))
                        rows.append(row(figure, place, series, trace, own, base))
                    }
                }
            }
        }
    }

    private func row(
        _ figure: Figure, _ place: Int, _ series: Int, _ trace: Int, _ own: Double?, _ base: Double?
    ) -> Row {
        let reduction: Result<Double, Row.Omitted> =
            switch (own, base) {
            case (_, nil): .failure(.init(reason: .noBaseline))
            case (nil, _): .failure(.init(reason: .noResult))
            case (_, 0): .failure(.init(reason: .perfectBaseline))
            case (let own?, let base?): .success(Self.reduction(of: own, from: base))
            }
        return Row(
            figure: figure, place: place, series: series, trace: trace, own: own, baseline: base, reduction: reduction)
    }

    // MARK: - Groups

    static let all = Group(kind: .all, name: "all")

    /// The groups that each trace is in; corpora and sizes only where there are several.
    private func groups() -> [[Group]] {
        let corpora = data.traces.map { Group(kind: .corpus, name: $0.corpus) }
        let sizes = data.traces.map { trace in
            let digits = "\(max(1, trace.objects))".count
            let ends = (digits - 1...digits).map { HumanFormat.short(pow(10, Double($0))) }
            return Group(kind: .objects, name: "\(ends[0]) to \(ends[1])", order: digits)
        }
        let hasSeveral = (corpora: Set(corpora).count > 1, sizes: Set(sizes).count > 1)
        return data.traces.indices.map { index in
            [Self.all] + (hasSeveral.corpora ? [corpora[index]] : []) + (hasSeveral.sizes ? [sizes[index]] : [])
        }
    }

    private mutating func summarise(_ seed: UInt64) {
        let groups = groups()
        var start = rows.startIndex
        while start < rows.endIndex {
            let first = rows[start]
            var end = start
            while end < rows.endIndex, rows[end].figure == first.figure, rows[end].place == first.place { end += 1 }
            var found: [Group: [Int: (values: [Double], omitted: Int)]] = [:]
            for row in rows[start..<end] {
                for group in groups[row.trace] {
                    var own = found[group]?[row.series] ?? ([], 0)
                    found[group]?[row.series] = nil
                    if let value = row.value { own.values.append(value) } else { own.omitted += 1 }
                    found[group, default: [:]][row.series] = own
                }
            }
            let order = found.keys.sorted {
                ($0.kind.rawValue, $0.order, $0.name) < ($1.kind.rawValue, $1.order, $1.name)
            }
            for group in order {
                let own = (found[group] ?? [:]).sorted { $0.key < $1.key }.map { series, values in
                    Summary(
                        figure: first.figure, place: first.place, series: series, group: group,
                        spread: Spread(values.values, seed: seed), omitted: values.omitted)
                }
                summaries += own.sorted { $0.spread.mean ?? -2 > $1.spread.mean ?? -2 }
            }
            start = end
        }
    }
}

/// How figures of several traces are spread.
struct Spread: Sendable {
    /// Ascending.
    let values: [Double]
    let mean: Double?
    /// The middle 95 % of the means, and of the medians, of samples of the traces; nil for fewer than 6 traces, of which no sample says more.
    let meanInterval: ClosedRange<Double>?
    let medianInterval: ClosedRange<Double>?

    /// The percentiles that tables have.
    static let percents = [10, 25, 50, 75, 90]
    private static let fewest = 6

    init(_ figures: [Double], seed: UInt64) {
        let values = figures.sorted()
        self.values = values
        let count = values.count
        mean = count == 0 ? nil : values.reduce(0, +) / Double(count)
        guard count >= Self.fewest else {
            (meanInterval, medianInterval) = (nil, nil)
            return
        }
        var (means, medians): ([Double], [Double]) = ([], [])
        var times = [Int](repeating: 0, count: count)
        BootstrapDraws(count: count, seed: seed).forEach { sample in
            var sum = 0.0
            for index in times.indices { times[index] = 0 }
            for index in sample {
                sum += values[index]
                times[index] += 1
            }
            means.append(sum / Double(count))
            // The middle of the sample, whose order is that of the values.
            var (seen, lower) = (0, -1)
            for index in times.indices where times[index] > 0 {
                seen += times[index]
                if lower < 0, 2 * seen >= count { lower = index }
                if 2 * seen > count {
                    medians.append((values[lower] + values[index]) / 2)
                    break
                }
            }
        }
        meanInterval = BootstrapDraws.interval(of: means)
        medianInterval = BootstrapDraws.interval(of: medians)
    }

    /// The value that so many percent are at or below, between two values in proportion, as NumPy and R's type 7 have it.
    func percentile(_ percent: Double) -> Double? {
        guard let last = values.indices.last else { return nil }
        let place = min(1, max(0, percent / 100)) * Double(last)
        let lower = Int(place)
        let upper = min(lower + 1, last)
        return values[lower] + (values[upper] - values[lower]) * (place - Double(lower))
    }

    /// How many are below 0.
    var worse: Int { values.count { $0 < 0 } }
}
