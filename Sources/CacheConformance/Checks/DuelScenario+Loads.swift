import CacheCore

// Loads that meet each other, or somebody who writes.
extension DuelScenario {
    private var loadDuels: [Duel] {
        let (key, absent) = (Self.key, CacheOperation.remove(Self.key))
        func load(_ value: Payload) -> CacheOperation { .load(key, Origin(.value(value))) }
        let rivals: [CacheOperation] = [
            .put(key, Self.other), .remove(key), .putIfAbsent(key, Self.other), .exchange(key, Self.other),
            .take(key), .update(key, .set(Self.other)),
        ]
        let shared =
            context.claims.claims(.coalesce) ? [Duel(before: [absent], both: [load(Self.one), load(Self.one)])] : []
        let several = context.claimed([.loadMany([key], lacking: [], sequence: 2)])
        return shared + context.claimed(rivals).map { Duel(before: [absent], both: [load(Self.one), $0]) }
            + several.map { Duel(before: [absent], both: [$0, .put(key, Self.other)]) }
    }

    /// LDR-24.
    func verifyLoads() throws(CheckStop) {
        let permitted = "one load, and a load that overwrites and revives nothing"
        try verify(loadDuels, rounds: 4_000, time: .milliseconds(250), permitted: permitted) { duel, told, found in
            Self.loadComplaint(duel, told, found)
        }
    }

    private static func loadComplaint(_ duel: Duel, _ told: [OperationResult], _ found: OperationResult) -> String? {
        let (rival, answer) = (duel.both[1], told[1])
        let loaded = OperationResult.entry(StoredEntry(one.bytes(for: key)))
        let written = OperationResult.entry(StoredEntry(other.bytes(for: key)))
        if case .loadedMany(let outcomes, _) = told[0] {
            guard case .value? = outcomes.first else { return "a load has no value" }
            return found == written ? nil : "what was written is not there"
        }
        guard case .loaded(.value, let calls) = told[0] else { return "a load has no value" }
        switch rival {
        case .load:
            guard case .loaded(.value, let others) = answer else { return "a load has no value" }
            return calls + others == 1 ? nil : "the origin was asked \(calls + others) times"
        case .remove, .take:
            // Who removed what was loaded came after it was stored.
            let hasRemoved = answer == .flag(true) || answer == loaded
            return hasRemoved && found != .entry(nil) ? "what was removed is there" : nil
        case .putIfAbsent:
            let wanted = answer == .flag(true) ? written : loaded
            return found == wanted ? nil : "another value is there"
        default: return found == written ? nil : "what was written is not there"
        }
    }
}
