internal import CacheCore

/// Who had the most hits at each capacity of each trace, among policies that do not know the future.
struct Standings {
    /// Cells that compete: same trace, same unit, same capacity, without a backend of their own.
    struct CapacityComparison {
        var trace: String
        var unit: Capacity.Unit
        var capacity: Int
        var capacityRequested: String
        /// The winners; several if they tie.
        var winners: [SeriesKey]
        var counts: ReplayCounts
        /// The winners' hit ratio less that of the baseline policy, if that ran.
        var gain: Double?
        /// The hit ratio of each rival.
        var hitRatios: [SeriesKey: Double]

        /// The rank of each rival, 1 for the most hits; equal hits share the better rank.
        func rank(of key: SeriesKey) -> Double? {
            hitRatios[key].map { own in Double(1 + hitRatios.values.count { $0 > own }) }
        }

        /// The capacity for people.
        var size: String { unit == .objects ? HumanFormat.count(capacity) : HumanFormat.bytes(capacity) }

        /// `31 objects` or `64 KiB`.
        var sizeWithUnit: String { unit == .objects ? HumanFormat.counted(capacity, "object", "objects") : size }

        /// What the same capacity is called on every trace: the share that was asked for, or the capacity.
        var sizeTitle: String {
            guard capacityRequested.contains("%") else { return sizeWithUnit }
            return capacityRequested.hasSuffix("%B") ? String(capacityRequested.dropLast()) : capacityRequested
        }
    }

    let contests: [CapacityComparison]
    /// The policy that differences refer to.
    let baseline: SeriesKey?

    init(_ results: RunResults, _ labels: SeriesLabels, baseline: SeriesKey?) {
        self.baseline = baseline
        var contests: [CapacityComparison] = []
        for trace in results.traceNames {
            let cells = Self.contestants(results, trace)
            let groups = Dictionary(grouping: cells) { CapacityKey($0) }
            for key in groups.keys.sorted() {
                if let contest = Self.contest(groups[key] ?? [], labels, baseline) { contests.append(contest) }
            }
        }
        self.contests = contests
    }

    /// The cells that a trace's hit ratios are drawn from: simulations, or live cells where nothing was simulated.
    static func contestants(_ results: RunResults, _ trace: String) -> [CellResult] {
        let cells = results.cells.filter { $0.trace == trace }
        let simulated = cells.filter { $0.backend == CellResult.simulationBackend }
        guard simulated.isEmpty else { return simulated }
        let first = cells.first?.backend
        return cells.filter { $0.backend == first }
    }

    private static func contest(_ cells: [CellResult], _ labels: SeriesLabels, _ baseline: SeriesKey?)
        -> CapacityComparison?
    {
        let rivals = cells.filter { $0.counts != nil && $0.failure == nil && !labels.isBound(SeriesKey($0)) }
        guard let best = rivals.compactMap(\.counts).max(by: { $0.hits < $1.hits }), let first = cells.first else {
            return nil
        }
        var seen: Set<SeriesKey> = []
        let winners = rivals.filter { $0.counts?.hits == best.hits }.map(SeriesKey.init)
            .filter { seen.insert($0).inserted }
        let reference = cells.first { SeriesKey($0) == baseline }?.counts
        let hitRatios = rivals.compactMap { cell in cell.counts.map { (SeriesKey(cell), $0.hitRatio) } }
        return CapacityComparison(
            trace: first.trace, unit: first.capacityUnit, capacity: first.capacity,
            capacityRequested: first.capacityRequested, winners: winners, counts: best,
            gain: reference.map { best.hitRatio - $0.hitRatio }, hitRatios: Dictionary(hitRatios) { first, _ in first })
    }

    /// How many contests each curve won or shared, most first.
    var wins: [(key: SeriesKey, count: Int)] {
        var counts: [SeriesKey: Int] = [:]
        for contest in contests { for winner in contest.winners { counts[winner, default: 0] += 1 } }
        return counts.map { ($0.key, $0.value) }.sorted { ($1.count, $0.key.policy) < ($0.count, $1.key.policy) }
    }
}

extension RunResults {
    /// The traces in the order of the run, and any that only cells name.
    var traceNames: [String] {
        var seen: Set<String> = []
        return (traces.map(\.name) + cells.map(\.trace)).filter { seen.insert($0).inserted }
    }
}
