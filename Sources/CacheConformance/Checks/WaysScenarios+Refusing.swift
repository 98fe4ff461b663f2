import CacheCore

// What is known beside an entry, and what a refused write has said, after a write that the writer did not take.
extension WaysScenarios {
    /// WRT-3: what may be served stale, is loaded afresh or is known to be absent is so as before.
    static func failedKnowledge(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.claims(.loader) else { return }
        let isTimed = context.claims.claims(.timeToLive)
        for ways in Ways.withCounters(context.claims) {
            for way in ways.unconditional {
                if isTimed, context.claims.claims(.staleServe) { try failedWhileStale(context, ways, way) }
                if isTimed, context.claims.claims(.refresh) { try failedWhileAging(context, ways, way) }
            }
            for way in ways.unconditional + (ways.group == nil && !ways.isCounter ? ways.ifAbsent : []) {
                try failedWhileAbsent(context, ways, way)
            }
        }
    }

    /// The window is the one of the old value: it neither ends with the write nor begins anew.
    private static func failedWhileStale(
        _ context: CheckContext, _ ways: Ways, _ way: [CacheOperation]
    ) throws(CheckStop) {
        let load = ways.here(.load(ways.key, Origin(.failure)))
        let dead = ways.full(1) + [.advance(nanoseconds: Ways.life + 30)]
        try context.verify(
            Program(
                dead + failing(way) + [load, .advance(nanoseconds: 19), load, .advance(nanoseconds: 1), load],
                setup: CacheSetup(staleNanoseconds: 50)), witness: .none)
    }

    /// The old value is as old as it was, and what is loaded for it comes.
    private static func failedWhileAging(
        _ context: CheckContext, _ ways: Ways, _ way: [CacheOperation]
    ) throws(CheckStop) {
        let setup = CacheSetup(refreshNanoseconds: 50)
        let end: [CacheOperation] = [.maintain, ways.get]
        let young = [ways.load(1), .advance(nanoseconds: 40)]
        try context.verify(
            Program(young + failing(way) + [.advance(nanoseconds: 10), ways.load(7)] + end, setup: setup),
            witness: .none)
        let waiting = [ways.load(1), .advance(nanoseconds: 60), ways.load(7)]
        for way in [way, [ways.here(.remove(ways.key))]] {
            try context.verify(Program(waiting + failing(way) + end, setup: setup), witness: .none)
        }
    }

    /// Nothing is learnt of a key by a write that fails, and nothing forgotten.
    private static func failedWhileAbsent(
        _ context: CheckContext, _ ways: Ways, _ way: [CacheOperation]
    ) throws(CheckStop) {
        try context.verify(Program(failing(way) + [ways.load(3), ways.get]), witness: .none)
        guard context.claims.claims(.negative) else { return }
        let none = ways.here(.load(ways.key, Origin(.nothing)))
        try context.verify(Program([none] + failing(way) + [none, ways.get]), witness: .none)
    }

    /// WRT-3: what the write said of its value is not true of the old one.
    static func failedTerms(_ context: CheckContext) throws(CheckStop) {
        let isTimed = context.claims.claims(.timeToLive)
        var terms = PutTerms.plain
        if isTimed { terms.timeToLiveNanoseconds = 10 }
        if context.claims.claims(.cost) { terms.cost = 7 }
        if context.claims.claims(.tags) { terms.tags = ["new"] }
        for ways in Ways.everywhere(context.claims) {
            let replaces = ways.group == nil ? ways.claimed([[.replace(ways.key, value(2), terms: terms)]]) : []
            let ends = (isTimed ? [[.advance(nanoseconds: 10)]] : []) + ways.claimed([[.removeTagged("new")], [.cost]])
            for way in [[ways.here(.put(ways.key, value(2), terms: terms))]] + replaces {
                for end in ends {
                    try context.verify(
                        Program(ways.full(1) + failing(way) + end + [ways.get], setup: setup(context)), witness: .none)
                }
            }
        }
    }
}
