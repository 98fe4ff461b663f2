internal import CacheCore

/// What a trace asks for in all, and what a cache that keeps everything answers.
struct TraceTotals: Sendable {
    private(set) var requests = 0
    private(set) var bytesRequested = 0
    /// The size of the smallest object, in bytes.
    private(set) var smallestSize = Int.max
    private(set) var unlimited: AdviceFigures

    /// One pass over the columns; 1 byte an object.
    init(_ columns: RequestColumns, _ rules: ReplayRules = ReplayRules()) {
        var seen = [Bool](repeating: false, count: columns.objects.count)
        var (hits, bytesHit) = (0, 0)
        let sizes = RequestSizes(columns)
        let fills = columns.fills(rules)
        for position in columns.ids.indices {
            let size = sizes.size(at: position)
            let id = Int(columns.ids[position])
            let operation = columns.operation(at: position)
            smallestSize = min(smallestSize, size)
            if rules.counts(operation) {
                requests += 1
                bytesRequested &+= size
                if seen[id] {
                    hits += 1
                    bytesHit &+= size
                }
            }
            switch operation {
            case .read: if fills { seen[id] = true }
            case .write: seen[id] = true
            case .remove: seen[id] = false
            }
        }
        unlimited = AdviceFigures(
            hits: hits, bytesHit: bytesHit, requests: requests, bytesRequested: bytesRequested)
    }

    /// What a metric's ratio is of.
    func whole(_ metric: AdviceQuestion.Metric) -> Int { metric == .hitRatio ? requests : bytesRequested }

    /// The least hits, or bytes hit, whose ratio is not below a target.
    func needed(for target: Double, _ metric: AdviceQuestion.Metric) -> Int {
        let whole = whole(metric)
        func reaches(_ value: Int) -> Bool { whole > 0 && Double(value) / Double(whole) >= target }
        var needed = min(whole, max(1, Int((target * Double(whole)).rounded(.down))))
        while needed > 1, reaches(needed - 1) { needed -= 1 }
        while needed < whole, !reaches(needed) { needed += 1 }
        return needed
    }

    func figures(_ hits: CurveHits) -> AdviceFigures {
        AdviceFigures(
            hits: hits.hits, bytesHit: hits.bytesHit, requests: requests, bytesRequested: bytesRequested)
    }
}

extension AdviceFigures {
    /// What a metric counts.
    func value(_ metric: AdviceQuestion.Metric) -> Int { metric == .hitRatio ? hits : bytesHit }
}
