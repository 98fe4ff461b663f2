internal import CacheCore

/// Counts a replay's hits in windows of equal numbers of requests.
///
/// One replay of the whole trace, so that each window but the first meets the cache that the requests before
/// it left behind.
struct WindowedReplay: Sendable {
    let columns: RequestColumns
    let count: Int
    let seed: UInt64
    var rules = ReplayRules()
    let monitor: ReplayMonitor

    /// The windows of a player at a capacity; nil if the monitor asked to stop.
    ///
    /// - Throws: `AssayError` with code `usage` for a capacity that the player cannot have, and the failure of a policy that has one.
    func windows(_ player: AdviceCandidateReplay, _ capacity: Capacity) throws(AssayError) -> [PartCounts]? {
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: columns.objects, parameters: player.policy.parameters, seed: seed,
            keys: columns.keys)
        configuration.admission = player.admission
        configuration.rules = rules
        let requests = columns.ids.count
        let ends = (0...count).map { requests * $0 / count }
        let parts = ReplayParts(ends: ends)
        guard
            let whole = try player.policy.entry.simulate(columns, configuration, monitor: monitor, parts: parts)
        else { return nil }
        return (0..<count).map {
            PartCounts(from: parts.counts(before: ends[$0], whole), to: parts.counts(before: ends[$0 + 1], whole))
        }
    }

    /// The windows of several players, side by side; what failed or was stopped is missing.
    func windows(
        _ wanted: [(player: AdviceCandidateReplay, capacity: Capacity)], workers: Int
    ) async -> [Int: [PartCounts]] {
        await withTaskGroup(of: (Int, [PartCounts]?).self) { group in
            var waiting = wanted.indices[...]
            var found: [Int: [PartCounts]] = [:]
            func startNext() {
                guard let index = waiting.popFirst() else { return }
                group.addTask { [item = wanted[index]] in (index, try? windows(item.player, item.capacity)) }
            }
            for _ in 0..<max(1, workers) { startNext() }
            for await (index, windows) in group {
                found[index] = windows
                startNext()
            }
            return found
        }
    }
}

extension PartCounts {
    /// What a metric counts of the hits.
    func value(_ metric: AdviceQuestion.Metric) -> Int { metric == .hitRatio ? hits : bytesHit }
    /// What a metric's ratio is of.
    func whole(_ metric: AdviceQuestion.Metric) -> Int { metric == .hitRatio ? requests : bytesRequested }
}
