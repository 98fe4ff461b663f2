import CacheCore

// What holds of each way of finding out that something has ended, and of writing what has ended already.
extension WaysScenarios {
    /// TTL-2, EVT-3 and STA-4: what has expired is gone, and where that is asked told and counted once, whatever finds that out.
    static func found(_ context: CheckContext, asking question: CacheOperation? = nil) throws(CheckStop) {
        guard context.claims.claims(.timeToLive) else { return }
        for ways in Ways.withCounters(context.claims) {
            let dead = ways.full(1) + [.advance(nanoseconds: Ways.life)]
            let end = question.map { [.maintain, $0] } ?? [ways.get]
            for way in ways.finds { try context.verify(Program(dead + way + end), witness: .none) }
            guard question != nil else { continue }
            // The first few look, remove and write; where those agree the others were asked above.
            for (setup, dead) in otherEnds(ways) {
                for way in ways.finds.prefix(6) {
                    try context.verify(Program(dead + way + end, setup: setup), witness: .none)
                }
            }
        }
    }

    /// What has ended while it was held, by a time to idle, or so long ago that it is not even served stale.
    private static func otherEnds(_ ways: Ways) -> [(CacheSetup, [CacheOperation])] {
        let wait = CacheOperation.advance(nanoseconds: Ways.life)
        var all = ways.pins.prefix(1).map { (CacheSetup(), ways.full(1) + [$0, wait]) }
        if ways.claims.claims(.timeToIdle) {
            all.append((CacheSetup(timeToIdleNanoseconds: Ways.life), ways.full(1, without: [.timeToLive]) + [wait]))
        }
        if ways.claims.claims(.staleServe) {
            all.append((CacheSetup(staleNanoseconds: 50), ways.full(1) + [wait, .advance(nanoseconds: 50)]))
        }
        return all
    }

    /// TTL-9: what has no life is not there, in whatever way it was written.
    static func lifeless(_ context: CheckContext) throws(CheckStop) {
        for time in [0, -1, .min] as [Int64] {
            let terms = PutTerms(timeToLiveNanoseconds: time)
            for ways in Ways.everywhere(context.claims) {
                for way in ways.writes(terms) {
                    try context.verify(Program(way + [ways.get]), witness: .none)
                }
                guard context.claims.claims(.loader), context.claims.claims(.refresh) else { continue }
                let steps = [ways.load(1), .advance(nanoseconds: 60), ways.load(2, terms), .maintain, ways.get]
                try context.verify(Program(steps, setup: CacheSetup(refreshNanoseconds: 50)), witness: .none)
            }
        }
    }

    /// TTL-10: times of the whole cache that have no end.
    static func endless(_ context: CheckContext) throws(CheckStop) {
        let (a, late) = (Array("a".utf8), CacheOperation.advance(nanoseconds: 1 << 40))
        if context.claims.claims(.timeToIdle) {
            let steps: [CacheOperation] = [late, .put(a, value(1)), .get(a), .advance(nanoseconds: 1 << 50), .get(a)]
            try context.verify(Program(steps, setup: CacheSetup(timeToIdleNanoseconds: .max)))
        }
        guard context.claims.claims(.staleServe), context.claims.claims(.loader) else { return }
        let mortal = CacheOperation.put(a, value(2), terms: PutTerms(timeToLiveNanoseconds: 10))
        let steps = [late, mortal, .get(a), .advance(nanoseconds: 1 << 50), .load(a, Origin(.failure))]
        try context.verify(Program(steps, setup: CacheSetup(staleNanoseconds: .max)))
    }

    /// VAL-10: what is written in any way does not have the moment of the value before it.
    static func moments(_ context: CheckContext) throws(CheckStop) {
        for ways in Ways.everywhere(context.claims) {
            let mark = context.claims.claims(.versions) && ways.group == nil ? [CacheOperation.mark(ways.key)] : []
            let first = ways.here(.put(ways.key, value(1), expiresAtNanoseconds: 5))
            for way in ways.overwrites {
                try context.verify(Program([first] + mark + way + [ways.get]), witness: .none)
            }
        }
    }
}
