import CacheCore

// What is left of an entry by a write that fails.
extension WaysScenarios {
    /// WRT-3: in whatever way it was, what is there is what was there, with all that was said of it.
    static func failedWrites(_ context: CheckContext) throws(CheckStop) {
        for ways in Ways.withCounters(context.claims) {
            for way in ways.failable {
                let begun = ways.full(1) + failing(way)
                for end in ends(of: ways, context) { try context.verify(Program(begun + end), witness: .none) }
                guard context.claims.claims(.timeToLive) else { continue }
                let later = ways.full(1) + [.advance(nanoseconds: 40)] + failing(way)
                for end in lives(of: ways, context) { try context.verify(Program(later + end), witness: .none) }
            }
        }
        try failedUses(context)
        try failedTerms(context)
        try failedKnowledge(context)
    }

    static func failing(_ way: [CacheOperation]) -> [CacheOperation] {
        [.failWrites(true)] + way + [.failWrites(false)]
    }

    /// Looks at what was said of an entry, each of which may take it away.
    private static func ends(of ways: Ways, _ context: CheckContext) -> [[CacheOperation]] {
        let isTimed = context.claims.claims(.timeToLive)
        let lives: [CacheOperation] =
            isTimed ? [.advance(nanoseconds: Ways.life - 1), ways.get, .advance(nanoseconds: 1)] : []
        let asked: [CacheOperation] =
            [.removeTagged(Ways.tag)] + (ways.group == nil ? [.setIfMarked(ways.key, value(8))] : [])
        return [lives + [ways.get]] + context.claimed(asked).map { [$0, ways.get] } + context.asked
    }

    /// Looks at how long an entry lives that was stored 40 ns ago.
    private static func lives(of ways: Ways, _ context: CheckContext) -> [[CacheOperation]] {
        let left = Ways.life - 40
        let asked = ways.group == nil ? ways.claimed([[.remainingTime(ways.key)]]) : []
        return [[.advance(nanoseconds: left - 1), ways.get, .advance(nanoseconds: 1), ways.get]] + asked
    }

    /// A write that fails is no use of what is there: it neither lives longer for it nor leaves later.
    private static func failedUses(_ context: CheckContext) throws(CheckStop) {
        let ways = Ways(context.claims)
        let first = CacheOperation.put(ways.key, value(1))
        let put = failing([ways.put])
        if context.claims.claims(.timeToIdle) {
            let (before, after) = (CacheOperation.advance(nanoseconds: 60), CacheOperation.advance(nanoseconds: 40))
            let setup = CacheSetup(timeToIdleNanoseconds: 100)
            try context.verify(Program([first, before] + put + [after, ways.get], setup: setup), witness: .none)
        }
        guard let room = context.claims.room, room.isAdjustable, room.units.contains(.objects) else { return }
        let (second, third) = (Array("second".utf8), Array("third".utf8))
        let full = [first, .put(second, value(2))] + put + [.put(third, value(3))]
        try context.verify(
            Program(full + [ways.get, .get(second), .get(third)], setup: CacheSetup(capacity: .objects(2))),
            witness: .none)
    }
}
