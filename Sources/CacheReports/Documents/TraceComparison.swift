internal import CacheCore
internal import Foundation

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

    /// Combinations that are not in a distribution.
    struct Gap: Hashable, Sendable {
        var reason: Omission
        var figure: Figure
        var trace: Int
        var place: Int
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
    /// The corpora of the traces.
    let corpora: [String]
    /// How many combinations are in no distribution.
    private(set) var gaps: [Gap: Int] = [:]
    /// In the order of figures, capacities, groups and policies, the largest mean first.
    private(set) var summaries: [Summary] = []
    /// The numbers of the capacities, from the smallest.
    let placeOrder: [Int]

    /// - Parameters:
    ///   - name: The baseline policy or its label; nil for `fifo`, or `lru` where that did not run.
    ///   - seed: The seed of the bootstrap.
    /// - Throws: `AssayError` with code `usage` if the baseline policy is not among the results.
    init(
        _ given: AcrossTraces, baseline name: String?, described: [PolicyDescription], seed: UInt64
    ) throws(AssayError) {
        let data = given.withEqualCapacities
        self.data = data
        let labels = SeriesLabels(data.series, described: described)
        self.labels = labels
        func key(_ name: String) -> SeriesKey? {
            labels.keys.first { labels.label($0) == name }
                ?? labels.keys.first { $0.policy == name && $0.admission == "always" && $0.prefetch.isEmpty }
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
        corpora = data.corpora
        summarise(seed)
    }

    /// Whether a curve is of the baseline policy, whatever its warm-up and expiry.
    func isBaseline(_ key: SeriesKey) -> Bool { baselineKey(beside: key) == key }

    /// The baseline under a curve's own warm-up and expiry.
    private func baselineKey(beside key: SeriesKey) -> SeriesKey {
        var base = key
        (base.policy, base.parameters, base.admission) = (baseline.policy, baseline.parameters, baseline.admission)
        base.prefetch = baseline.prefetch
        return base
    }

    /// By how much `own` is below `baseline`, from -1 to 1: of the larger of the two, as the authors of S3-FIFO calculate it.
    static func reduction(of own: Double, from baseline: Double) -> Double {
        own <= baseline ? (baseline - own) / baseline : (baseline - own) / own
    }

    /// In the order of figures, capacities, policies and traces, calculated anew each time: of many traces they would fill the memory.
    var rows: some Sequence<Row> {
        Figure.allCases.lazy.flatMap { figure in placeOrder.lazy.flatMap { rows(figure, $0) } }
    }

    private func rows(_ figure: Figure, _ place: Int) -> [Row] {
        let points = data.points[place]
        // The byte miss ratio is compared where it is another figure: sizes are known and capacities count bytes.
        let ratio: (AcrossTraces.Point) -> Double = figure == .missRatio ? \.missRatio : \.byteMissRatio
        if figure == .byteMissRatio, points.allSatisfy({ $0.byteMissRatio.isNaN }) { return [] }
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
        let numbers = Dictionary(uniqueKeysWithValues: data.series.enumerated().map { ($1, $0) })
        return data.series.indices.filter { !isBaseline(data.series[$0]) }.flatMap { series in
            let base = numbers[baselineKey(beside: data.series[series])]
            return sums[series].keys.sorted().map {
                row(figure, place, series, $0, mean(series, $0), mean(base, $0))
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
        let corpora = corpora.map { Group(kind: .corpus, name: $0) }
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
        for figure in Figure.allCases { for place in placeOrder { summarise(figure, place, groups, seed) } }
    }

    private mutating func summarise(_ figure: Figure, _ place: Int, _ groups: [[Group]], _ seed: UInt64) {
        var found: [Group: [Int: (values: [Double], omitted: Int)]] = [:]
        for row in rows(figure, place) {
            for group in groups[row.trace] {
                var own = found[group]?[row.series] ?? ([], 0)
                found[group]?[row.series] = nil
                if let value = row.value { own.values.append(value) } else { own.omitted += 1 }
                found[group, default: [:]][row.series] = own
            }
            if case .failure(let omitted) = row.reduction {
                gaps[Gap(reason: omitted.reason, figure: figure, trace: row.trace, place: place), default: 0] += 1
            }
        }
        let order = found.keys.sorted { ($0.kind.rawValue, $0.order, $0.name) < ($1.kind.rawValue, $1.order, $1.name) }
        for group in order {
            let own = (found[group] ?? [:]).sorted { $0.key < $1.key }.map { series, values in
                Summary(
                    figure: figure, place: place, series: series, group: group,
                    spread: Spread(values.values, seed: seed), omitted: values.omitted)
            }
            summaries += own.sorted { $0.spread.mean ?? -2 > $1.spread.mean ?? -2 }
        }
    }
}
