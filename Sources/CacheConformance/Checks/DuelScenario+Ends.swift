import CacheCore

// Two who find at once that the time of an entry is over.
extension DuelScenario {
    private var endDuels: [Duel] {
        let before: [CacheOperation] = [
            .events, .put(Self.key, Self.old, terms: PutTerms(timeToLiveNanoseconds: 10)), .advance(nanoseconds: 10),
        ]
        let pairs: [[CacheOperation]] = [
            [.get(Self.key), .get(Self.key)], [.get(Self.key), .maintain], [.contains(Self.key), .get(Self.key)],
        ]
        return pairs.map { Duel(before: before, both: $0, then: [.maintain, .events]) }
    }

    /// EVT-10: it is told once.
    func verifyEnds() throws(CheckStop) {
        guard context.claims.claims(.timeToLive), context.semantics(CacheSetup()) == .exact else { return }
        try verify(endDuels, permitted: "one event of the one entry") { _, told, _ in
            guard case .events(let events) = told.last else { return "no events" }
            return events.count == 1 ? nil : "\(events.count) events"
        }
    }
}
