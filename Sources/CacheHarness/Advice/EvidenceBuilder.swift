internal import CacheCore

/// Finds out whether a choice holds in parts of the trace and with other seeds.
struct EvidenceBuilder {
    /// A player that is compared, at the capacity that it can have for the price of the choice.
    struct Finalist: Sendable {
        var player: Int
        var capacity: Int
        /// The place in the list of candidates.
        var place: Int
    }

    private static var windowCount: Int { 20 }

    let order: AdviceOrder
    let trace: SweepTrace
    let unit: Capacity.Unit
    let ledger: ReplayLedger
    let totals: TraceTotals
    let largestCapacity: Int

    private var metric: AdviceQuestion.Metric { order.metric }
    private var target: Double? {
        guard case .target(let target) = order.goal else { return nil }
        return target
    }

    /// The ratio of a cache that keeps everything.
    private var ceiling: Double { totals.unlimited.ratio(metric) }

    private var replay: WindowedReplay {
        WindowedReplay(
            columns: trace.columns, count: Self.windowCount, seed: order.seed, rules: order.rules,
            monitor: ledger.monitor)
    }

    /// Evidence for the first of the finalists; nil if the trace is too short to split or the monitor asked to stop.
    func evidence(_ finalists: [Finalist]) async -> AdviceEvidence? {
        guard trace.columns.ids.count >= 10 * Self.windowCount, let choice = finalists.first else { return nil }
        let all = await windows(finalists)
        guard !ledger.monitor.isStopping, let own = all[0] else { return nil }
        let wholes = own.map { $0.whole(metric) }
        let bootstrap = WindowBootstrap(count: Self.windowCount, seed: order.seed)
        let rivals = finalists.indices.dropFirst().compactMap { index in
            all[index].map { rival(finalists[index], own, $0, wholes, bootstrap) }
        }
        var halves = halves(finalists, all)
        if let target, let needs = await needs(choice, target, own) {
            halves[0].capacity = needs[0]
            halves[1].capacity = needs[1]
        }
        let seeds = await seeds(finalists)
        guard !ledger.monitor.isStopping else { return nil }
        return AdviceEvidence(
            verdict: verdict(rivals, halves, seeds, choice.place), windows: Self.windowCount,
            // Draws may leave out the windows of first requests; what no cache can have is no estimate.
            interval: bootstrap.interval(own.map { $0.value(metric) }, over: wholes).limited(to: 0...ceiling),
            halves: halves, rivals: rivals, seeds: seeds)
    }

    private func windows(_ finalists: [Finalist]) async -> [Int: [PartCounts]] {
        await replay.windows(
            finalists.map { (ledger.players[$0.player], Capacity($0.capacity, unit)) }, workers: ledger.workers)
    }

    private func rival(
        _ finalist: Finalist, _ own: [PartCounts], _ other: [PartCounts], _ wholes: [Int],
        _ bootstrap: WindowBootstrap
    ) -> AdviceRival {
        let leads = zip(own, other).map { $0.value(metric) - $1.value(metric) }
        let whole = wholes.reduce(0, +)
        return AdviceRival(
            candidate: finalist.place, lead: whole == 0 ? 0 : Double(leads.reduce(0, +)) / Double(whole),
            interval: bootstrap.interval(leads, over: wholes).limited(to: -ceiling...ceiling),
            windowsAhead: leads.count { $0 > 0 }, windowsBehind: leads.count { $0 < 0 })
    }

    private func verdict(
        _ rivals: [AdviceRival], _ halves: [AdviceHalf], _ seeds: [AdviceSeed], _ place: Int
    ) -> AdviceEvidence.Verdict {
        guard !rivals.isEmpty else { return .alone }
        guard rivals.allSatisfy({ $0.interval.low > 0 }) else { return .open }
        let holds =
            halves.allSatisfy { $0.best == place }
            && seeds.allSatisfy { $0.best == place && $0.reaches != false }
        return holds ? .firm : .likely
    }

    // MARK: - Halves

    private func halves(_ finalists: [Finalist], _ all: [Int: [PartCounts]]) -> [AdviceHalf] {
        [0, 1].map { half in
            let sums = finalists.indices.map { all[$0].map { sum($0, half) } }
            // The first of equals, so that a tie is no doubt about the choice.
            let best = finalists.indices.max { (sums[$0]?.value ?? -1, $1) < (sums[$1]?.value ?? -1, $0) } ?? 0
            return AdviceHalf(ratio: sums[0]?.ratio ?? 0, best: finalists[best].place)
        }
    }

    private func sum(_ windows: [PartCounts], _ half: Int) -> (value: Int, ratio: Double) {
        let part = half == 0 ? windows.prefix(windows.count / 2) : windows.suffix(windows.count / 2)
        let (value, whole) = part.reduce(into: (0, 0)) {
            $0.0 += $1.value(metric)
            $0.1 += $1.whole(metric)
        }
        return (value, whole == 0 ? 0 : Double(value) / Double(whole))
    }

    /// The capacities that the choice would need for the target in either half alone, by bisection to about 2 %.
    private func needs(
        _ choice: Finalist, _ target: Double, _ own: [PartCounts]
    ) async -> [Int?]? {
        var known = [choice.capacity: [sum(own, 0).ratio, sum(own, 1).ratio]]
        let ends = [max(1, choice.capacity / 8), min(largestCapacity, choice.capacity * 8)]
        await measure(ends, choice, &known)
        for _ in 0..<24 {
            let open = [0, 1].compactMap { half -> Int? in
                let (fails, reaches) = bracket(half, target, known)
                guard let reaches, reaches > fails + 1, Double(reaches) > 1.02 * Double(fails) else { return nil }
                return CapacitySearch.cuts(fails, reaches, 1).first
            }
            if open.isEmpty || ledger.monitor.isStopping { break }
            await measure(open, choice, &known)
        }
        return ledger.monitor.isStopping ? nil : [0, 1].map { bracket($0, target, known).reaches }
    }

    private func bracket(_ half: Int, _ target: Double, _ known: [Int: [Double]]) -> (fails: Int, reaches: Int?) {
        let reaches = known.filter { $0.value[half] >= target }.keys.min()
        let fails = known.filter { $0.value[half] < target && $0.key < reaches ?? .max }.keys.max() ?? 0
        return (fails, reaches)
    }

    private func measure(_ capacities: [Int], _ choice: Finalist, _ known: inout [Int: [Double]]) async {
        let open = Set(capacities).filter { known[$0] == nil }.sorted()
        let all = await replay.windows(
            open.map { (ledger.players[choice.player], Capacity($0, unit)) }, workers: ledger.workers)
        for (index, windows) in all { known[open[index]] = [sum(windows, 0).ratio, sum(windows, 1).ratio] }
        // What cannot be opened fails, so that a search goes on.
        for capacity in open where known[capacity] == nil { known[capacity] = [0, 0] }
    }

    // MARK: - Seeds

    /// The finalists with other seeds, where the choice or one of them draws numbers.
    private func seeds(_ finalists: [Finalist]) async -> [AdviceSeed] {
        let random = finalists.filter { ledger.players[$0.player].drawsNumbers }
        guard !random.isEmpty else { return [] }
        var seeds: [AdviceSeed] = []
        for step in 1...max(1, order.otherSeeds) where order.otherSeeds > 0 {
            let seed = order.seed &+ UInt64(step)
            let found = await ledger.replay(random.map { probe($0) }, seed: seed)
            if ledger.monitor.isStopping { return [] }
            let values = finalists.map { finalist in
                let isRandom = ledger.players[finalist.player].drawsNumbers
                let hits = isRandom ? found[probe(finalist)] : ledger.hits(finalist.player, finalist.capacity)
                return hits?.value(metric) ?? -1
            }
            let best = finalists.indices.max { (values[$0], $1) < (values[$1], $0) } ?? 0
            let whole = totals.whole(metric)
            let ratio = whole == 0 ? 0 : Double(max(0, values[0])) / Double(whole)
            seeds.append(
                AdviceSeed(
                    seed: seed, ratio: ratio, best: finalists[best].place, reaches: target.map { ratio >= $0 }))
        }
        return seeds
    }

    private func probe(_ finalist: Finalist) -> ReplayLedger.Probe {
        ReplayLedger.Probe(player: finalist.player, capacity: finalist.capacity)
    }
}
