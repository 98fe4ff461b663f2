import CacheCore

// Writes of one key that meet: the store behind the cache hears of them in the order in which the cache did them.
extension DuelScenario {
    /// WRT-1 and WRT-5.
    func verifyWrites() throws(CheckStop) {
        guard context.claims.isConcurrent, context.semantics(CacheSetup()) == .exact else { return }
        let (key, one, other) = (Self.key, Self.one, Self.other)
        let then: [CacheOperation] = (context.claims.claims(.writeBehind) ? [.flush] : []) + [.writes]
        let pairs: [[CacheOperation]] = [
            [.put(key, one), .put(key, other)], [.put(key, one), .remove(key)],
        ]
        // What was written before is asked for too, so that nothing of it is taken for later.
        let duels = pairs.map { Duel(before: [.put(key, Self.old)] + then, both: $0, then: then) }
        try verify(duels, permitted: "last what is there") { _, told, found in
            guard case .writes = told.last, case .entry(let entry) = found else { return "no such answer" }
            let writes = told.flatMap { answer -> [WrittenEntry] in
                if case .writes(let some) = answer { some } else { [] }
            }
            // Behind the cache the last change of a key may stand for all.
            guard let last = writes.last(where: { $0.key == Self.key }) else { return "nothing was written" }
            return last.value == entry?.value ? nil : "what was written last is not what is there"
        }
    }
}
