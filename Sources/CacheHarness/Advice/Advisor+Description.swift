internal import CacheCore

// What is said of an answer: the runners-up, the bounds, what more would buy, and how sure it is.
extension Advisor {
    /// Fills in everything beside the choice itself.
    func describe(_ advice: inout Advice, _ answer: Answer, _ ledger: ReplayLedger) async {
        guard let first = answer.choice else {
            advice.candidates = unfinished(ledger)
            return
        }
        let others = await runnersUp(answer, first, ledger)
        // A closer look at the runners-up may have found one that does as well at the same price, or at a lower one.
        guard let choice = answer.search.winner([first] + others), let capacity = answer.search.bracket(choice).reaches
        else {
            advice.candidates = unfinished(ledger)
            return
        }
        let ranking = [choice] + ([first] + others).filter { $0 != choice }
        let price = prices[choice].amount(capacity)
        let rivals = ranking.map { ($0, min(largestCapacity, prices[$0].capacity(within: price))) }
        await ledger.replay(rivals.map { ReplayLedger.Probe(player: $0.0, capacity: $0.1) })
        let steps = steps(around: capacity)
        await ledger.replay(steps.map { ReplayLedger.Probe(player: choice, capacity: $0) })
        let confirmed = await ledger.confirm(ReplayLedger.Probe(player: choice, capacity: capacity))
        let ranked =
            [choice] + sorted(Array(ranking.dropFirst()), answer, Dictionary(uniqueKeysWithValues: rivals), ledger)
        let places = Dictionary(uniqueKeysWithValues: rivals)
        advice.candidates = ranked.map { player in
            var candidate = candidate(player, answer, ledger)
            candidate.atChoicePrice = places[player].flatMap { ledger.hits(player, $0) }.map(totals.figures)
            return candidate
        }
        if let confirmed, let told = ledger.hits(choice, capacity), ledger.hasPass(choice), confirmed != told {
            advice.candidates[0].failure = CellFailure(
                .failed, "the pass counts \(told.hits) hits and the replay \(confirmed.hits): a defect of Assay")
        }
        advice.steps = steps.compactMap { step(choice, $0, ledger) }
        advice.bounds = await bounds(at: capacity, needed: answer.search.needed, ledger)
        let finalists = ranked.prefix(order.runnersUp + 1).enumerated().compactMap { place, player in
            places[player].flatMap {
                $0 > 0 ? EvidenceBuilder.Finalist(player: player, capacity: $0, place: place) : nil
            }
        }
        let builder = EvidenceBuilder(
            order: order, trace: trace, unit: unit, ledger: ledger, totals: totals, largestCapacity: largestCapacity)
        advice.evidence = await builder.evidence(finalists)
        advice.candidates += excludedCandidates(Set(ranked), ledger)
    }

    // MARK: - Candidates

    /// The other candidates; where a target is reached, the first few of them with capacities found as closely.
    private func runnersUp(_ answer: Answer, _ choice: Int, _ ledger: ReplayLedger) async -> [Int] {
        var rest = contenders.filter { $0 != choice && !ledger.isBroken($0) }
        guard answer.outcome == .reached else { return rest }
        var found: [Int] = []
        while found.count < order.runnersUp, !rest.isEmpty, !monitor.isStopping {
            guard let next = await answer.search.cheapest(among: rest),
                let proven = await prove(next, among: [next], answer.search, ledger, spotChecks: false)
            else { break }
            found.append(proven)
            rest.removeAll { $0 == proven }
        }
        return found + rest
    }

    /// Runners-up by what they need for a target, or by what they do within a budget; what is equal keeps its order.
    private func sorted(
        _ players: [Int], _ answer: Answer, _ places: [Int: Int], _ ledger: ReplayLedger
    ) -> [Int] {
        let keys = players.enumerated().map { place, player -> (Int, Int, Int, Int) in
            let atPrice = places[player].flatMap { ledger.value(player, $0, order.metric) } ?? 0
            guard answer.outcome == .reached else {
                let most = most(player, answer, ledger)
                return (-most.value, most.capacity.map(prices[player].amount) ?? .max, -atPrice, place)
            }
            let bracket = answer.search.bracket(player)
            guard bracket.isSettled, let reaches = bracket.reaches else { return (Int.max, -atPrice, 0, place) }
            return (prices[player].amount(reaches), -(ledger.value(player, reaches, order.metric) ?? 0), 0, place)
        }
        return players.indices.sorted { keys[$0] < keys[$1] }.map { players[$0] }
    }

    /// The most hits that a player is known to have within its ceiling, and the least capacity with as many.
    private func most(
        _ player: Int, _ answer: Answer, _ ledger: ReplayLedger
    ) -> (value: Int, capacity: Int?) {
        let value = most(player, upTo: answer.search.ceilings[player], ledger)
        return (value, value > 0 ? search(answer, for: value, ledger).bracket(player).reaches : nil)
    }

    /// The search of an answer with another number of hits.
    private func search(_ answer: Answer, for value: Int, _ ledger: ReplayLedger) -> CapacitySearch {
        CapacitySearch(
            ledger, order.metric, needed: value, prices: prices, ceilings: answer.search.ceilings,
            floor: answer.search.floor)
    }

    private func candidate(_ player: Int, _ answer: Answer, _ ledger: ReplayLedger) -> AdviceCandidate {
        var candidate = players[player].candidate
        var search = answer.search
        if answer.outcome != .reached {
            search = self.search(answer, for: most(player, answer, ledger).value, ledger)
        }
        let bracket = search.bracket(player)
        candidate.capacity = bracket.reaches
        candidate.failsAt = bracket.fails > 0 ? bracket.fails : nil
        candidate.price = bracket.reaches.map(prices[player].amount)
        candidate.figures = bracket.reaches.flatMap { ledger.hits(player, $0) }.map(totals.figures)
        candidate.certainty = certainty(player, bracket, answer, ledger)
        candidate.smallerTried =
            bracket.reaches.map { reaches in
                ledger.replayed(player).count { $0 < reaches }
            } ?? 0
        candidate.points = points(player, [bracket.fails, bracket.reaches ?? bracket.fails], ledger)
        if answer.search.ceilings[player] == 0 { candidate.failure = noRoom }
        return candidate
    }

    /// Why a player has no capacity within the budget.
    private var noRoom: CellFailure {
        CellFailure(.notApplicable, "The budget does not hold one object beside the policy's own bookkeeping.")
    }

    private func certainty(
        _ player: Int, _ bracket: CapacitySearch.Bracket, _ answer: Answer, _ ledger: ReplayLedger
    ) -> AdviceCertainty {
        if ledger.hasPass(player) { return .pass }
        guard let reaches = bracket.reaches else { return .bracket }
        // Within a budget, larger capacities that do better must be ruled out as well as smaller ones that do as well.
        let top = answer.outcome == .reached ? reaches : answer.search.ceilings[player]
        if answer.search.hasTriedAll(player, upTo: top) { return .exhaustive }
        return reaches == bracket.fails + 1 ? .bisection : .bracket
    }

    /// What is known of a player by capacity, as far as a chart needs it; `kept` is always among it.
    private func points(_ player: Int, _ kept: [Int], _ ledger: ReplayLedger) -> [AdviceStep] {
        let replayed = ledger.replayed(player)
        var capacities = Set(kept)
        if ledger.hasPass(player) {
            capacities.formUnion(CurveOrder.spread(40, over: largestCapacity))
        } else if replayed.count <= Self.drawnPoints {
            capacities.formUnion(replayed)
        } else {
            capacities.formUnion(
                CurveOrder.spread(Self.drawnPoints, over: replayed.last ?? 1).compactMap { wanted in
                    replayed.first { $0 >= wanted }
                })
        }
        return capacities.sorted().compactMap { step(player, $0, ledger) }
    }

    private static var drawnPoints: Int { 60 }

    private func step(_ player: Int, _ capacity: Int, _ ledger: ReplayLedger) -> AdviceStep? {
        ledger.hits(player, capacity).map {
            AdviceStep(capacity: capacity, price: prices[player].amount(capacity), figures: totals.figures($0))
        }
    }

    /// Candidates that have no result, with the reason.
    private func excludedCandidates(_ ranked: Set<Int>, _ ledger: ReplayLedger) -> [AdviceCandidate] {
        players.indices.filter { !ranked.contains($0) }.map { player in
            var candidate = players[player].candidate
            candidate.failure = excluded[player] ?? ledger.failures[player]
            return candidate
        }
    }

    /// What is known of the candidates without a choice.
    func unfinished(_ ledger: ReplayLedger) -> [AdviceCandidate] {
        players.indices.map { player in
            var candidate = players[player].candidate
            candidate.points = points(player, [], ledger)
            candidate.failure = excluded[player] ?? (ledger.isBroken(player) ? ledger.failures[player] : nil)
            if let budget, prices[player].capacity(within: budget) == 0 { candidate.failure = noRoom }
            return candidate
        }
    }

    // MARK: - Around the choice

    /// Half, nine tenths, the choice, one more, eleven tenths and double, as far as the trace has objects for them.
    func steps(around capacity: Int) -> [Int] {
        let more = unit == .objects ? capacity + 1 : capacity + 1_048_576
        let wanted = [capacity / 2, capacity - capacity / 10, capacity, more, capacity + capacity / 10, capacity * 2]
        return Set(wanted.map { max(1, $0) }.filter { $0 <= max(largestCapacity, capacity) }).sorted()
    }

    /// The bounds at the choice's capacity, and the least capacity at which they have as many hits as are needed.
    private func bounds(at capacity: Int, needed: Int, _ ledger: ReplayLedger) async -> [AdviceBound] {
        let all = self.bounds
        await ledger.replay(
            all.indices.map { ReplayLedger.Probe(player: players.count + $0, capacity: capacity) })
        var bounds: [AdviceBound] = []
        for (index, (policy, side)) in all.enumerated() {
            guard let hits = ledger.hits(players.count + index, capacity) else { continue }
            var bound = AdviceBound(selection: policy.text, side: side, figures: totals.figures(hits))
            if side != .below, isBoundCheap {
                bound.capacity = await leastCapacity(of: players.count + index, needed, ledger)
            }
            bounds.append(bound)
        }
        return bounds
    }
}
