internal import CacheCore

/// How fast something was over several passes.
struct Throughput<Key: Hashable> {
    let key: Key
    /// From the slowest to the fastest pass, in requests a second.
    let range: ClosedRange<Double>
    /// The median over the cells.
    let median: Double
    /// The passes over all cells.
    let passes: Int

    /// The throughput of some cells; nil if none was measured.
    init?(_ key: Key, _ cells: [CellResult]) {
        let rates = cells.compactMap(\.requestsPerSecond).sorted()
        let all = rates + cells.compactMap(\.throughputRange).flatMap { [$0.least, $0.most] }
        guard let least = all.min(), let most = all.max() else { return nil }
        self.key = key
        range = least...most
        median = (rates[(rates.count - 1) / 2] + rates[rates.count / 2]) / 2
        passes = cells.reduce(0) { $0 + ($1.requestsPerSecond == nil ? 0 : $1.throughputRange?.passes ?? 1) }
    }

    /// All of them with their places, the fastest first: `1`, `2–4`.
    ///
    /// Those whose ranges overlap, directly or by way of others, share their places and keep the order that they came in.
    /// Where something was measured once, so that its range is not known, all share one.
    static func placed(_ all: [Throughput]) -> [(places: String, speed: Throughput)] {
        var groups: [[Int]] = []
        let byLeast = all.indices.sorted { all[$0].range.lowerBound > all[$1].range.lowerBound }
        for index in byLeast {
            let reaches = groups.last?.contains { all[$0].range.overlaps(all[index].range) } ?? false
            if reaches { groups[groups.count - 1].append(index) } else { groups.append([index]) }
        }
        if all.contains(where: { $0.passes < 2 }) { groups = all.isEmpty ? [] : [Array(all.indices)] }
        var first = 1
        return groups.flatMap { group -> [(String, Throughput)] in
            let places = group.count == 1 ? "\(first)" : "\(first)–\(first + group.count - 1)"
            first += group.count
            return group.sorted().map { (places, all[$0]) }
        }
    }
}
