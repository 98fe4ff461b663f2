internal import CacheCore

/// Finds which player has a number of hits at the least price, and at which capacity.
///
/// All players are bisected together over prices: at each price those that reach stay, and those that fail are out as soon
/// as another has reached there, so that most of them cost a few replays. For a player with a pass the least capacity is
/// read off. For the others hits need not grow with the capacity (Bélády, Nelson and Shedler, "An anomaly in space-time
/// characteristics of certain programs running in a paging machine", CACM 12(6), 1969): what is found is a capacity that
/// reaches while the next smaller one does not, which ``Advisor`` then tries to prove the least.
struct CapacitySearch {
    private let ledger: ReplayLedger
    private let metric: AdviceQuestion.Metric
    /// The hits, or bytes hit, to be had.
    let needed: Int
    private let prices: [AdvicePrice]
    /// The largest capacity for each player; 0 for none.
    let ceilings: [Int]
    /// The capacity up to which no player can reach.
    let floor: Int

    init(
        _ ledger: ReplayLedger, _ metric: AdviceQuestion.Metric, needed: Int, prices: [AdvicePrice], ceilings: [Int],
        floor: Int
    ) {
        self.ledger = ledger
        self.metric = metric
        self.needed = max(1, needed)
        self.prices = prices
        self.ceilings = ceilings
        self.floor = floor
    }

    /// What is known of one player: it fails at one capacity and at all that were tried below, and reaches at another.
    struct Bracket {
        var fails: Int
        var reaches: Int?
        /// Whether nothing between is left to be tried.
        var isSettled: Bool
    }

    /// What the ledger tells of a player.
    func bracket(_ player: Int) -> Bracket {
        let ceiling = ceilings[player]
        if ledger.hasPass(player) { return passBracket(player, ceiling) }
        let capacities = ledger.replayed(player).filter { $0 <= ceiling }
        let reaches = capacities.first { (ledger.value(player, $0, metric) ?? 0) >= needed }
        let tried = capacities + (ledger.refused[player] ?? []).filter { $0 <= ceiling }
        let fails = tried.filter { $0 < reaches ?? .max && $0 > floor }.max() ?? min(floor, ceiling)
        return Bracket(
            fails: fails, reaches: reaches, isSettled: reaches.map { $0 <= fails + 1 } ?? (fails >= ceiling))
    }

    private func passBracket(_ player: Int, _ ceiling: Int) -> Bracket {
        var (fails, reaches) = (0, ceiling + 1)
        while reaches > fails + 1 {
            let middle = fails + (reaches - fails) / 2
            if (ledger.value(player, middle, metric) ?? 0) >= needed { reaches = middle } else { fails = middle }
        }
        return Bracket(fails: fails, reaches: reaches <= ceiling ? reaches : nil, isSettled: true)
    }

    /// The player that reaches at the least price, or the ``winner(_:)`` of several; nil if none reaches or the monitor asked to stop.
    ///
    /// - Parameter guesses: Prices to be tried first, where they lie between what is known.
    func cheapest(among players: [Int], guesses: [Int] = []) async -> Int? {
        var guesses = guesses[...]
        while !ledger.monitor.isStopping {
            let brackets = players.map(bracket)
            let best = zip(players, brackets).compactMap { player, bracket in
                bracket.reaches.map { prices[player].amount($0) }
            }.min()
            let live = players.indices.filter { index in
                !brackets[index].isSettled
                    && prices[players[index]].amount(brackets[index].fails + 1) <= best ?? .max
            }
            if live.isEmpty { return winner(players) }
            let open = live.map { (players[$0], brackets[$0]) }
            let probes = open.count == 1 && guesses.isEmpty ? splits(open[0]) : step(open, best, &guesses)
            let before = ledger.replays
            await ledger.replay(probes)
            precondition(
                ledger.replays > before || ledger.monitor.isStopping, "a search that learns nothing would not end")
        }
        return nil
    }

    /// The player of those that reach whose price is least: among equal prices the one with the most hits, then one whose capacity
    /// is proven the least, then the first.
    func winner(_ players: [Int]) -> Int? {
        let reached = players.compactMap { player in
            bracket(player).reaches.map { reaches in
                let hits = ledger.value(player, reaches, metric) ?? 0
                return (
                    player, [prices[player].amount(reaches), -hits, hasTriedAll(player, upTo: reaches) ? 0 : 1, player]
                )
            }
        }
        return reached.min { $0.1.lexicographicallyPrecedes($1.1) }?.0
    }

    /// Whether the hits of a player are known at each capacity above the floor, by a pass or by replays.
    func hasTriedAll(_ player: Int, upTo top: Int) -> Bool {
        let tried = ledger.replayed(player) + (ledger.refused[player] ?? [])
        return ledger.hasPass(player) || tried.count { $0 > floor && $0 <= top } == top - floor
    }

    /// The next price, for all players that are still open.
    private func step(
        _ open: [(player: Int, bracket: Bracket)], _ best: Int?, _ guesses: inout ArraySlice<Int>
    ) -> [ReplayLedger.Probe] {
        let low = open.map { prices[$0.player].amount($0.bracket.fails + 1) }.min() ?? 1
        let high = best ?? open.map { prices[$0.player].amount(ceilings[$0.player]) }.max() ?? low
        var price = high > 2 * low ? Self.geometricMean(low, high) : low + (high - low) / 2
        while let guess = guesses.popFirst() {
            if guess >= low, guess < high {
                price = guess
                break
            }
        }
        return open.compactMap { player, bracket in
            let capacity = min(ceilings[player], prices[player].capacity(within: price))
            guard capacity > bracket.fails, capacity < bracket.reaches ?? .max else { return nil }
            return ReplayLedger.Probe(player: player, capacity: capacity)
        }
    }

    /// Three capacities that cut one player's bracket into four.
    private func splits(_ open: (player: Int, bracket: Bracket)) -> [ReplayLedger.Probe] {
        let low = open.bracket.fails
        let high = open.bracket.reaches ?? ceilings[open.player] + 1
        let inner = Self.cuts(low, high, 3)
        return inner.map { ReplayLedger.Probe(player: open.player, capacity: $0) }
    }

    /// At most `count` capacities strictly between two, at equal factors where the gap is wide.
    static func cuts(_ low: Int, _ high: Int, _ count: Int) -> [Int] {
        guard high - low - 1 > count else { return low + 1 < high ? Array(low + 1..<high) : [] }
        var cuts: [Int] = []
        for part in 1...count {
            let share = Double(part) / Double(count + 1)
            let base = Double(max(1, low))
            let cut =
                Double(high) > 4 * base
                ? base * PortableMath.exp(share * PortableMath.log(Double(high) / base))
                : Double(low) + Double(high - low) * share
            cuts.append(min(high - 1, max(low + 1, Int(cut))))
        }
        return Set(cuts).sorted()
    }

    private static func geometricMean(_ low: Int, _ high: Int) -> Int {
        min(high - 1, max(low, Int((Double(low).squareRoot() * Double(high).squareRoot()).rounded(.down))))
    }
}
