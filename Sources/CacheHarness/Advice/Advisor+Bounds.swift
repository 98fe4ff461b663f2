internal import CacheCore

// Where to begin: what bounds rule out, and what a sample of the objects suggests.
extension Advisor {
    /// Traces beyond this many requests are sampled first; shorter ones are searched as fast as a sample would be.
    private static var sampledFrom: Int { 500_000 }

    /// The largest capacity that a bound rules out for everyone; 0 where that is not looked for.
    ///
    /// A bound rises with the capacity, since what a cache can keep a larger one can keep too.
    func floor(_ ledger: ReplayLedger, _ needed: Int) async -> Int {
        guard isBoundCheap, let bound = boundPlayer(ledger) else { return 0 }
        return await leastCapacity(of: bound, needed, ledger).map { $0 - 1 } ?? 0
    }

    /// Whether a bound, which is slower than a policy, can be computed at some twenty capacities within the order's
    /// requests for proofs.
    var isBoundCheap: Bool { trace.columns.ids.count * 50 <= order.proofRequests }

    /// The place in the ledger of the bound that no policy can beat; nil if there is none.
    func boundPlayer(_ ledger: ReplayLedger) -> Int? {
        bounds.firstIndex { $0.1 != .below }.map { players.count + $0 }
    }

    /// The least capacity at which a bound has as many hits; nil if there is none or the monitor asked to stop.
    func leastCapacity(of bound: Int, _ needed: Int, _ ledger: ReplayLedger) async -> Int? {
        var (fails, reaches) = (0, largestCapacity + 1)
        while reaches > fails + 1 {
            let cuts = CapacitySearch.cuts(fails, reaches, 3)
            await ledger.replay(cuts.map { ReplayLedger.Probe(player: bound, capacity: $0) })
            if monitor.isStopping || ledger.isBroken(bound) { return nil }
            let reached = cuts.first { (ledger.value(bound, $0, order.metric) ?? 0) >= needed }
            fails = cuts.last { $0 < reached ?? .max } ?? fails
            reaches = reached ?? reaches
        }
        return reaches <= largestCapacity ? reaches : nil
    }

    /// Prices to be tried first, from a search over a sample of the objects; none for a short trace.
    ///
    /// They decide only where the exact search begins, so that an estimate that is off costs time and nothing else.
    func guesses(_ target: Double) async -> [Int] {
        guard trace.columns.ids.count > Self.sampledFrom,
            let sample = MiniatureTrace(trace.columns, extent: .objects(8192), seed: order.seed, rules: order.rules),
            sample.rate < 1
        else { return [] }
        var description = trace.description
        description.name += " (sample)"
        let largest = sample.scaled(Capacity(largestCapacity, unit)).amount
        let small = SweepTrace(description: description, columns: sample.columns) { () throws(AssayError) in
            sample.columns
        }
        let ledger = ReplayLedger(
            small, players: players, unit: unit, seed: order.seed, rules: order.rules, workers: workers,
            monitor: monitor,
            onReplay: onReplay)
        await ledger.makePasses()
        // As in MiniatureTrace: what the sample lacks of its promised requests are hits.
        let misses = (1 - target) * Double(totals.whole(order.metric)) * sample.rate
        let needed = TraceTotals(sample.columns, order.rules).whole(order.metric) - Int(misses.rounded(.down))
        let search = CapacitySearch(
            ledger, order.metric, needed: needed, prices: prices, ceilings: players.map { _ in largest }, floor: 0)
        guard let best = await search.cheapest(among: contenders), let capacity = search.bracket(best).reaches else {
            return []
        }
        let price = Double(prices[best].amount(Int(Double(capacity) / sample.rate)))
        return [1.03, 0.97, 1].map { Int((price * $0).rounded()) }
    }
}
