import CacheCore

extension CheckContext {
    /// What is told and what is counted, as far as claimed.
    var asked: [[CacheOperation]] {
        (claims.claims(.events) ? [[.maintain, .events]] : []) + (claims.claims(.statistics) ? [[.statistics]] : [])
    }
}

// What holds of each way of storing: what it counts, the room it makes, and how old it leaves an entry.
extension WaysScenarios {
    /// STA-2: nothing but a read is counted as one, whether there is something to be found or not.
    static func counted(_ context: CheckContext) throws(CheckStop) {
        for ways in Ways.withCounters(context.claims) {
            let pins = ways.group == nil ? context.claimed([.pin(ways.key), .unpin(ways.key)]) : []
            let looks = (ways.looks + pins).map { [$0] }
            for way in ways.overwrites + ways.removals + looks {
                try context.verify(Program(ways.full(1) + way + [.statistics]), witness: .none)
            }
            for way in ways.creations + looks {
                try context.verify(Program(way + [.statistics]), witness: .none)
            }
        }
    }

    /// CAP-1 and CAP-7: in whatever way a newcomer is stored, it makes room for itself, and gives that back.
    static func makesRoom(_ context: CheckContext, _ unit: Capacity.Unit) throws(CheckStop) {
        let (setup, room) = try context.room(unit, unit == .bytes ? 10 : 2)
        let cost = unit == .bytes ? room / 2 : 1
        let old = (0..<(unit == .bytes ? 2 : room)).map { Array("old-\($0)".utf8) }
        let fill = old.enumerated().map { CacheOperation.put($1, value(50 + $0), terms: PutTerms(cost: cost)) }
        let ask: CacheOperation = unit == .bytes ? .cost : .count
        for ways in Ways.withCounters(context.claims) {
            let gone = old.map { CacheOperation.remove($0) } + [ways.here(.remove(ways.key)), ask]
            for way in ways.creations {
                try context.verify(Program(fill + way + [ask, ways.get] + gone, setup: setup), witness: .none)
                for look in context.asked {
                    try context.verify(Program(fill + way + look, setup: setup), witness: .none)
                }
            }
        }
    }

    /// LDR-25: an entry is as old as its last write, whatever way that was.
    static func ages(_ context: CheckContext) throws(CheckStop) {
        let setup = CacheSetup(refreshNanoseconds: 50)
        for ways in Ways.everywhere(context.claims) {
            let mark = context.claims.claims(.versions) && ways.group == nil ? [CacheOperation.mark(ways.key)] : []
            for way in ways.overwrites {
                let begun = [ways.load(1)] + mark + [.advance(nanoseconds: 60)] + way
                let late: [CacheOperation] = [.advance(nanoseconds: 50), ways.load(8), .maintain, ways.get]
                try context.verify(Program(begun + [ways.load(7), .maintain, ways.get] + late, setup: setup))
            }
        }
    }

    /// POL-12: a value that is loaded afresh is held as the one before it was.
    static func pinnedAndRefreshed(_ context: CheckContext) throws(CheckStop) {
        let (claims, ways) = (context.claims, Ways(context.claims))
        guard claims.claims(.refresh), claims.claims(.loader), claims.claims(.timeToLive) else { return }
        var (setup, room) = try context.room(.objects, 2)
        setup.refreshNanoseconds = 50
        let others = (0..<room).map { CacheOperation.put(Array("other-\($0)".utf8), value(10 + $0)) }
        try context.verify(
            Program(
                [ways.load(1), .pin(ways.key), .advance(nanoseconds: 60), ways.load(2), .maintain] + others
                    + [ways.get], setup: setup))
    }

    /// KEY-1: under this key everything is done as under any other. What is wrong under every key is for other checks.
    static func answered(_ context: CheckContext, under key: [UInt8]) throws(CheckStop) {
        let runner = ProgramRunner(subject: context.subject, claims: context.claims)
        let usual = everything(context.claims, under: Array("way".utf8))
        for (program, usual) in zip(everything(context.claims, under: key), usual)
        where ProgramAdapter.programs(usual, context.claims).allSatisfy({ runner.run($0).divergence == nil }) {
            try context.verify(program, witness: .none)
        }
    }

    /// All that can be done to a key, for its values, for numbers and in a group.
    private static func everything(_ claims: Claims, under key: [UInt8]) -> [Program] {
        let groups = claims.claims(.groups) ? [Ways(claims, key, in: "ways")] : []
        return ([Ways(claims, key), Ways(claims, key, isCounter: true)] + groups).map { ways in
            // What is told is asked in EVT-3: here it would be the same value that leaves again and again.
            let looks = (ways.looks + ways.pins).filter { $0 != .events }
            let asked = ways.overwrites + ways.removals + looks.map { [$0] }
            let there = asked.flatMap { ways.full(1) + $0 + [ways.get] }
            let missing = ways.creations.flatMap { [ways.here(.remove(key))] + $0 + [ways.get] }
            return Program(there + missing)
        }
    }
}
