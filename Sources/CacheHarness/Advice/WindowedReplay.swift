internal import CacheCore

/// Counts a replay's hits in windows of equal numbers of requests.
///
/// One replay of the whole trace, step by step, so that each window but the first meets the cache that the requests before
/// it left behind.
struct WindowedReplay: Sendable {
    /// What one window asked for and what hit.
    struct Window: Sendable, Hashable {
        var requests = 0
        var bytesRequested = 0
        var hits = 0
        var bytesHit = 0

        /// What a metric counts of the hits.
        func value(_ metric: AdviceQuestion.Metric) -> Int { metric == .hitRatio ? hits : bytesHit }
        /// What a metric's ratio is of.
        func whole(_ metric: AdviceQuestion.Metric) -> Int { metric == .hitRatio ? requests : bytesRequested }
    }

    let columns: RequestColumns
    let count: Int
    let seed: UInt64
    var rules = ReplayRules()
    let monitor: ReplayMonitor

    /// The windows of a player at a capacity; nil if the monitor asked to stop.
    ///
    /// - Throws: `AssayError` with code `usage` for a capacity that the player cannot have, and the failure of a policy that has one.
    func windows(_ player: AdvicePlayer, _ capacity: Capacity) throws(AssayError) -> [Window]? {
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: columns.objects, parameters: player.policy.parameters, seed: seed,
            keys: columns.keys)
        configuration.admission = player.admission
        configuration.rules = rules
        let replay = try SteppedReplay(player.policy.entry, columns, configuration)
        var windows: [Window] = []
        var before = ReplayCounts()
        let requests = columns.ids.count
        for index in 0..<count {
            guard try replay.run(requests * index / count..<requests * (index + 1) / count, monitor) else { return nil }
            let counts = replay.counts
            windows.append(
                Window(
                    requests: counts.requests - before.requests,
                    bytesRequested: counts.bytesRequested - before.bytesRequested, hits: counts.hits - before.hits,
                    bytesHit: counts.bytesHit - before.bytesHit))
            before = counts
        }
        return windows
    }

    /// The windows of several players, side by side; what failed or was stopped is missing.
    func windows(
        _ wanted: [(player: AdvicePlayer, capacity: Capacity)], workers: Int
    ) async -> [Int: [Window]] {
        await withTaskGroup(of: (Int, [Window]?).self) { group in
            var waiting = wanted.indices[...]
            var found: [Int: [Window]] = [:]
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
