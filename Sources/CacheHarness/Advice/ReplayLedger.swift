internal import CacheCore

/// What is known of some players on a trace: hits by capacity, from passes where a policy allows it, from replays elsewhere.
final class ReplayLedger {
    /// One replay: a player at a capacity.
    struct Probe: Hashable, Sendable {
        var player: Int
        var capacity: Int
    }

    let trace: SweepTrace
    let players: [AdviceCandidateReplay]
    let unit: Capacity.Unit
    let seed: UInt64
    let rules: ReplayRules
    let monitor: ReplayMonitor
    let workers: Int
    private let onReplay: (CellResult) -> Void
    private var known: [[Int: CurveHits]]
    private var passes: [Int: StackCurve] = [:]
    /// The last reason why a player had no result at a capacity.
    private(set) var failures: [Int: CellFailure] = [:]
    /// Capacities that a player cannot have.
    private(set) var refused: [Int: Set<Int>] = [:]
    /// Replays and passes so far.
    private(set) var replays = 0

    init(
        _ trace: SweepTrace, players: [AdviceCandidateReplay], unit: Capacity.Unit, seed: UInt64,
        rules: ReplayRules = ReplayRules(), workers: Int, monitor: ReplayMonitor,
        onReplay: @escaping (CellResult) -> Void
    ) {
        self.trace = trace
        self.players = players
        self.unit = unit
        self.seed = seed
        self.rules = rules
        self.workers = workers
        self.monitor = monitor
        self.onReplay = onReplay
        known = Array(repeating: [:], count: players.count)
    }

    /// Whether one pass told the player's hits at every capacity.
    func hasPass(_ player: Int) -> Bool { passes[player] != nil }

    /// Whether a player has failed wherever it was tried.
    func isBroken(_ player: Int) -> Bool { failures[player] != nil && known[player].isEmpty && !hasPass(player) }

    /// The hits of a player at a capacity; nil if they are not known.
    func hits(_ player: Int, _ capacity: Int) -> CurveHits? {
        known[player][capacity] ?? passes[player]?.hits(at: capacity)
    }

    /// What a metric counts of a player's hits at a capacity; nil if it is not known.
    func value(_ player: Int, _ capacity: Int, _ metric: AdviceQuestion.Metric) -> Int? {
        hits(player, capacity).map { $0.value(metric) }
    }

    /// The capacities that were replayed, ascending.
    func replayed(_ player: Int) -> [Int] { known[player].keys.sorted() }

    /// Whether a capacity was replayed, or refused.
    func isTried(_ player: Int, _ capacity: Int) -> Bool {
        known[player][capacity] != nil || refused[player]?.contains(capacity) == true
    }

    /// Makes one pass for each order that players keep, as many side by side as there are workers.
    func makePasses() async {
        // A pass knows reads that fill, and nothing else.
        guard unit == .objects, trace.columns.operations == nil else { return }
        let orders = Dictionary(grouping: players.indices.filter { players[$0].stackOrder != nil }) {
            players[$0].stackOrder
        }
        let (columns, monitor) = (trace.columns, monitor)
        await withTaskGroup(of: (StackOrder, StackCurve?).self) { group in
            var waiting = orders.keys.compactMap(\.self)[...]
            func startNext() {
                guard let order = waiting.popFirst() else { return }
                group.addTask { (order, StackPass.curve(order, columns, monitor: monitor)) }
            }
            for _ in 0..<workers { startNext() }
            for await (order, curve) in group {
                replays += 1
                for player in orders[order] ?? [] { passes[player] = curve }
                startNext()
            }
        }
    }

    /// Replays what is not known yet.
    func replay(_ probes: [Probe]) async {
        let open = probes.filter { $0.capacity > 0 && hits($0.player, $0.capacity) == nil }
        for (probe, hits) in await replay(open, seed: seed) { known[probe.player][probe.capacity] = hits }
    }

    /// Replays even what a pass has told, so that both can be compared.
    func confirm(_ probe: Probe) async -> CurveHits? {
        if let hits = known[probe.player][probe.capacity] { return hits }
        let hits = await replay([probe], seed: seed)[probe]
        if let hits { known[probe.player][probe.capacity] = hits }
        return hits
    }

    /// Replays with a seed, side by side; what failed or was stopped is missing.
    func replay(_ probes: [Probe], seed: UInt64) async -> [Probe: CurveHits] {
        guard !probes.isEmpty, !monitor.isStopping else { return [:] }
        let plan = SweepPlan(traces: [trace], blocks: blocks(probes), seed: seed, rules: rules)
        var places: [String: Probe] = [:]
        for probe in probes { places[identity(probe)] = probe }
        let cells = await Sweep(plan, workers: workers, monitor: monitor) { cell, _ in cell.blank }
            .run { _, cell in onReplay(cell) }
        var found: [Probe: CurveHits] = [:]
        for cell in cells {
            guard let probe = places[cell.identity] else { continue }
            replays += 1
            if let counts = cell.counts {
                found[probe] = CurveHits(hits: counts.hits, bytesHit: counts.bytesHit)
            } else {
                failures[probe.player] = cell.failure
                if cell.failure?.kind == .failed { refused[probe.player, default: []].insert(probe.capacity) }
            }
        }
        return found
    }

    private func blocks(_ probes: [Probe]) -> [SweepBlock] {
        let byPlayer = Dictionary(grouping: Set(probes), by: \.player)
        return byPlayer.keys.sorted().map { player in
            SweepBlock(
                traces: [0], policies: [players[player].policy],
                capacities: (byPlayer[player] ?? []).map(\.capacity).sorted().map { .absolute(Capacity($0, unit)) },
                backends: [nil], admissions: [players[player].admission])
        }
    }

    private func identity(_ probe: Probe) -> String {
        let player = players[probe.player]
        return CellResult(
            trace: trace.description.name, policy: player.policy.entry.descriptor.name,
            parameters: player.policy.parameters.description, admission: player.admissionText,
            rules: rules.effective(
                on: trace.columns, parameters: player.policy.parameters.description, unit: unit),
            capacity: Capacity(probe.capacity, unit), capacityRequested: "", seed: seed
        ).identity
    }
}

extension CurveHits {
    /// What a metric counts.
    func value(_ metric: AdviceQuestion.Metric) -> Int { metric == .hitRatio ? hits : bytesHit }
}
