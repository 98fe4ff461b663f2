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
    /// Whether cells were replayed request by request, or in a policy's own loop, or both.
    let ways: Set<Bool>
    /// Whether every cell was measured more than once.
    let isRepeated: Bool

    /// The throughput of some cells; nil if none was measured.
    init?(_ key: Key, _ cells: [CellResult]) {
        let rates = cells.compactMap(\.requestsPerSecond)
        let all = rates + cells.compactMap(\.throughputRange).flatMap { [$0.least, $0.most] }
        guard let least = all.min(), let most = all.max(), let median = rates.median else { return nil }
        self.key = key
        range = least...most
        self.median = median
        let measured = cells.filter { $0.requestsPerSecond != nil }
        ways = Set(measured.map { $0.notes?.contains(CellResult.steppedNote) == true })
        isRepeated = measured.allSatisfy { ($0.throughputRange?.passes ?? 1) > 1 }
        passes = measured.reduce(0) { $0 + ($1.throughputRange?.passes ?? 1) }
    }

    /// All of them with their places, the fastest first: `1`, `2–4`.
    ///
    /// Those whose ranges overlap, directly or by way of others, share their places; among them the higher median comes first.
    /// Where a cell was measured once, so that its range is not known, or some were
    /// replayed request by request and others not, all share one.
    static func placed(_ all: [Throughput]) -> [(places: String, speed: Throughput)] {
        var groups: [[Int]] = []
        var least = Double.infinity
        for index in all.indices.sorted(by: { all[$0].range.upperBound > all[$1].range.upperBound }) {
            let range = all[index].range
            if !groups.isEmpty, range.upperBound >= least {
                groups[groups.count - 1].append(index)
            } else {
                groups.append([index])
            }
            least = min(least, range.lowerBound)
        }
        let ways = all.reduce(into: Set<Bool>()) { $0.formUnion($1.ways) }
        if ways.count > 1 || !all.allSatisfy(\.isRepeated) { groups = all.isEmpty ? [] : [Array(all.indices)] }
        var first = 1
        return groups.flatMap { group -> [(String, Throughput)] in
            let places = group.count == 1 ? "\(first)" : "\(first)–\(first + group.count - 1)"
            first += group.count
            return group.sorted { (all[$0].median, $1) > (all[$1].median, $0) }.map { (places, all[$0]) }
        }
    }
}
