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
    let monitor: ReplayMonitor

    /// The windows of a player at a capacity; nil if the monitor asked to stop.
    ///
    /// - Throws: `AssayError` with code `usage` for a capacity that the player cannot have.
    func windows(_ player: AdvicePlayer, _ capacity: Capacity) throws(AssayError) -> [Window]? {
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: columns.objects, parameters: player.policy.parameters, seed: seed,
            keys: columns.keys)
        configuration.admission = player.admission
        let cache = try player.policy.entry.open(configuration)
        var victims = VictimList()
        var windows: [Window] = []
        let requests = columns.ids.count
        for index in 0..<count {
            if monitor.isStopping { return nil }
            var window = Window()
            let (start, end) = (requests * index / count, requests * (index + 1) / count)
            for position in start..<end {
                let request = columns.request(at: position)
                window.bytesRequested += request.size
                if cache.touch(request) {
                    window.hits += 1
                    window.bytesHit += request.size
                } else {
                    _ = cache.insert(request, evicting: &victims)
                    victims.clear()
                }
                if position & 0xFFFF == 0, monitor.isStopping { return nil }
            }
            window.requests = end - start
            monitor.advance(by: end - start)
            windows.append(window)
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
