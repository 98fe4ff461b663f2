internal import CacheCore

/// Finds the advice for one trace.
struct Advisor {
    let order: AdviceOrder
    let trace: SweepTrace
    let workers: Int
    let monitor: ReplayMonitor
    let onReplay: (CellResult) -> Void

    /// The candidates in the order in which ties fall.
    let players: [AdviceCandidateReplay]
    let prices: [AdvicePrice]
    /// Why a player cannot be a candidate here, by player.
    let excluded: [Int: CellFailure]
    let totals: TraceTotals

    init(
        _ order: AdviceOrder, _ trace: SweepTrace, workers: Int, monitor: ReplayMonitor,
        onReplay: @escaping (CellResult) -> Void
    ) {
        self.order = order
        self.trace = trace
        self.workers = workers
        self.monitor = monitor
        self.onReplay = onReplay
        players = order.players
        let priced = players.map { AdvicePrice($0, order, trace.description) }
        prices = priced.map { $0 ?? .plain }
        var excluded: [Int: CellFailure] = [:]
        for (index, player) in players.enumerated() {
            if let reason = player.policy.entry.descriptor.objectsOnly, order.capacityUnit == .bytes {
                excluded[index] = CellFailure(.notApplicable, reason)
            } else if priced[index] == nil {
                excluded[index] = CellFailure(
                    .notApplicable, "What its bookkeeping takes is not known; leave --policy-memory out to consider it."
                )
            }
        }
        self.excluded = excluded
        totals = TraceTotals(trace.columns, order.rules)
    }

    /// The bounds that hold here: none where requests write or delete, which they do not know.
    var bounds: [(PolicySelection, AdviceBound.Side)] {
        trace.columns.operations == nil ? order.bounds.applicable(order.metric, unit) : []
    }

    var unit: Capacity.Unit { order.capacityUnit }

    /// The capacity that holds the whole trace.
    var largestCapacity: Int {
        max(1, unit == .objects ? trace.description.objects : trace.description.footprintBytes)
    }

    /// The players that can be candidates.
    var contenders: [Int] { players.indices.filter { excluded[$0] == nil } }

    /// The budget as a price; nil where a target is given.
    var budget: Int? {
        guard case .budget(let request) = order.goal else { return nil }
        return request.resolved(
            footprintObjects: trace.description.objects, footprintBytes: trace.description.footprintBytes
        ).amount
    }

    /// The advice; marked as interrupted if the monitor asked to stop before there was any.
    func advise() async -> Advice {
        let ledger = ReplayLedger(
            trace, players: players + bounds.map { AdviceCandidateReplay(policy: $0.0, admission: nil) }, unit: unit,
            seed: order.seed, rules: order.rules, workers: workers, monitor: monitor, onReplay: onReplay)
        await ledger.makePasses()
        var advice = Advice(
            trace: trace.description.name, capacityUnit: unit, priceUnit: order.priceUnit, budget: budget,
            outcome: .interrupted, unlimited: totals.unlimited, largestCapacity: largestCapacity)
        var answer = await answer(ledger)
        if let found = answer { answer = await settled(found, ledger) }
        if let answer, !monitor.isStopping {
            advice.outcome = answer.outcome
            await describe(&advice, answer, ledger)
        } else {
            advice.candidates = unfinished(ledger)
        }
        advice.replays = ledger.replays
        return advice
    }

    /// A choice with the search that found it; the choice is nil where nothing hits.
    struct Answer {
        var outcome: Advice.Outcome
        var choice: Int?
        var search: CapacitySearch
    }

    /// Nil if the monitor asked to stop.
    private func answer(_ ledger: ReplayLedger) async -> Answer? {
        guard case .target(let target) = order.goal else {
            let ceilings = prices.map { min(largestCapacity, $0.capacity(within: budget ?? 0)) }
            return await best(ledger, ceilings: ceilings, outcome: .best)
        }
        let ceilings = players.map { _ in largestCapacity }
        let needed = totals.needed(for: target, order.metric)
        guard totals.unlimited.value(order.metric) >= needed else {
            return await best(ledger, ceilings: ceilings, outcome: .unreachable)
        }
        let floor = await floor(ledger, needed)
        let search = CapacitySearch(
            ledger, order.metric, needed: needed, prices: prices, ceilings: ceilings, floor: floor)
        let first = await search.cheapest(among: contenders, guesses: await guesses(target))
        if monitor.isStopping { return nil }
        guard let first else { return await best(ledger, ceilings: ceilings, outcome: .notReached) }
        let choice = await prove(first, among: contenders, search, ledger)
        return choice.map { Answer(outcome: .reached, choice: $0, search: search) }
    }

    // MARK: - The most hits within ceilings

    /// The player with the most hits at or below its ceiling, at the least price that has as many.
    private func best(_ ledger: ReplayLedger, ceilings: [Int], outcome: Advice.Outcome) async -> Answer? {
        let open = contenders.filter { ceilings[$0] > 0 }
        await ledger.replay(
            open.flatMap { player in
                trials(player, ceilings[player], ledger).map { ReplayLedger.Probe(player: player, capacity: $0) }
            })
        while !monitor.isStopping {
            let values = open.map { most($0, upTo: ceilings[$0], ledger) }
            let record = values.max() ?? 0
            let search = CapacitySearch(
                ledger, order.metric, needed: record, prices: prices, ceilings: ceilings, floor: 0)
            guard record > 0 else { return Answer(outcome: .nothing, search: search) }
            // Most often the next smaller capacity does less, and that is all there is to find.
            let leaders = open.indices.filter { values[$0] == record }.map { open[$0] }
            let least = leaders.compactMap { leader in search.bracket(leader).reaches.map(prices[leader].amount) }.min()
            guard let first = await search.cheapest(among: leaders, guesses: least.map { [$0 - 1] } ?? []),
                let choice = await prove(first, among: open, search, ledger)
            else { return nil }
            // On the way down something may have done better still.
            if open.allSatisfy({ most($0, upTo: ceilings[$0], ledger) <= record }) {
                return Answer(outcome: outcome, choice: choice, search: search)
            }
        }
        return nil
    }

    /// The answer once what is told beside it is known too: within a budget, neither another policy at the price of the choice nor the
    /// choice at a capacity beside its own does better. Nil if the monitor asked to stop.
    private func settled(_ found: Answer, _ ledger: ReplayLedger) async -> Answer? {
        var answer = found
        while answer.outcome != .reached, let choice = answer.choice {
            let price = price(of: choice, answer.search)
            let rivals = contenders.map { ($0, min(answer.search.ceilings[$0], prices[$0].capacity(within: price))) }
            let beside = steps(around: prices[choice].capacity(within: price)).map { (choice, $0) }
            await ledger.replay((rivals + beside).map { ReplayLedger.Probe(player: $0.0, capacity: $0.1) })
            if monitor.isStopping { return nil }
            let record = contenders.map { most($0, upTo: answer.search.ceilings[$0], ledger) }.max() ?? 0
            if record <= answer.search.needed, let winner = answer.search.winner(contenders),
                self.price(of: winner, answer.search) == price
            {
                answer.choice = winner
                return answer
            }
            guard let better = await best(ledger, ceilings: answer.search.ceilings, outcome: answer.outcome) else {
                return nil
            }
            answer = better
        }
        return answer
    }

    /// The capacities at which a player is tried within a ceiling: all where that is cheap, else the ceiling and some below,
    /// since more need not be better.
    private func trials(_ player: Int, _ ceiling: Int, _ ledger: ReplayLedger) -> [Int] {
        if ledger.hasPass(player) { return [] }
        if isAffordable(ceiling, for: contenders.count) { return Array(1...ceiling) }
        return [ceiling / 2, ceiling - ceiling / 4, ceiling - ceiling / 8, ceiling].filter { $0 > 0 }
    }

    /// Whether that many capacities of so many players may be replayed for a proof.
    private func isAffordable(_ capacities: Int, for players: Int) -> Bool {
        let requests = Double(capacities) * Double(players) * Double(trace.columns.ids.count)
        return capacities <= Self.listedCapacities && requests <= Double(order.proofRequests)
    }

    /// More capacities than these are not listed, whatever the order allows: they would fill the memory.
    private static var listedCapacities: Int { 1 << 20 }

    /// The most that is known of a player within a ceiling; 0 if nothing is.
    func most(_ player: Int, upTo ceiling: Int, _ ledger: ReplayLedger) -> Int {
        capacities(player, upTo: ceiling, ledger).compactMap { ledger.value(player, $0, order.metric) }.max() ?? 0
    }

    /// The capacities whose hits are known, and the ceiling where a pass knows all.
    private func capacities(_ player: Int, upTo ceiling: Int, _ ledger: ReplayLedger) -> [Int] {
        ledger.hasPass(player) ? [ceiling] : ledger.replayed(player).filter { $0 <= ceiling }
    }

    // MARK: - Smaller capacities

    /// Looks for smaller capacities that do as well: at all of them if the order allows that many replays, else at some.
    ///
    /// Nil if none reaches or the monitor asked to stop.
    ///
    /// - Parameter spotChecks: Whether some are tried where not all can be.
    func prove(
        _ choice: Int, among players: [Int], _ search: CapacitySearch, _ ledger: ReplayLedger, spotChecks: Bool = true
    ) async -> Int? {
        var choice = choice
        while !monitor.isStopping {
            let price = price(of: choice, search)
            let missing = players.map { self.missing($0, within: price, search, ledger) }
            let isCheap = isAffordable(missing.reduce(0) { $0 + $1.count }, for: 1)
            await ledger.replay(
                zip(players, missing).flatMap { player, capacities in
                    (isCheap ? capacities : spotChecks ? some(capacities, isChoice: player == choice) : [])
                        .map { ReplayLedger.Probe(player: player, capacity: $0) }
                })
            guard let next = await search.cheapest(among: players) else { return nil }
            if next == choice, self.price(of: next, search) == price { return next }
            choice = next
        }
        return nil
    }

    /// The capacities of a player within a price that no pass, bound or replay has settled.
    private func missing(
        _ player: Int, within price: Int, _ search: CapacitySearch, _ ledger: ReplayLedger
    ) -> [Int] {
        let top = min(largestCapacity, prices[player].capacity(within: price))
        guard !ledger.hasPass(player), top > search.floor else { return [] }
        // Too many to be replayed are too many to be listed: a few of them stand for all.
        let isLong = !isAffordable(top - search.floor, for: 1)
        let capacities = isLong ? CapacitySearch.cuts(search.floor, top + 1, 8) : Array(search.floor + 1...top)
        return capacities.filter { !ledger.isTried(player, $0) }
    }

    /// Some of the capacities that cannot all be tried: eight for the choice, fewer for others on long traces.
    private func some(_ capacities: [Int], isChoice: Bool) -> [Int] {
        let share = order.proofRequests / max(1, trace.columns.ids.count * contenders.count)
        let count = isChoice ? 8 : min(8, max(1, share))
        guard capacities.count > count else { return capacities }
        return (0..<count).map { capacities[($0 + 1) * capacities.count / (count + 1)] }
    }

    func price(of player: Int, _ search: CapacitySearch) -> Int {
        prices[player].amount(search.bracket(player).reaches ?? largestCapacity)
    }
}
