import CacheCore

/// The bodies of checks that ask the same in each of the ways that are claimed.
enum WaysScenarios {
    /// A cache whose room is in bytes, where costs can be told.
    static func setup(_ context: CheckContext) -> CacheSetup {
        guard context.claims.claims(.cost), let room = context.claims.room, room.isAdjustable, room.isStrict,
            room.units.contains(.bytes)
        else { return CacheSetup() }
        return CacheSetup(capacity: .bytes(1_000))
    }

    private static func verify(
        _ context: CheckContext, _ operations: [CacheOperation], _ setup: CacheSetup
    ) throws(CheckStop) {
        // Most of what is put is removed again: only what cannot be is looked for at the end.
        try context.verify(Program(operations, setup: setup), witness: .none)
    }

    /// What takes an entry out of a cache with little room, which is told by the order that is claimed or by its cost.
    static func evictions(_ context: CheckContext, of key: [UInt8]) -> [(setup: CacheSetup, steps: [CacheOperation])] {
        guard let room = context.claims.room, room.isAdjustable, room.isStrict else { return [] }
        let heavy = CacheOperation.put(key, value(8), terms: PutTerms(cost: 2_000))
        return
            (room.units.contains(.objects)
            ? [(CacheSetup(capacity: .objects(1)), [.put(Array("newcomer".utf8), value(7))])] : [])
            + (room.units.contains(.bytes) && context.claims.claims(.cost)
                ? [(CacheSetup(capacity: .bytes(1_000)), [heavy])] : [])
    }

    /// CON-19.
    static func nothingIsLeft(_ context: CheckContext) throws(CheckStop) {
        let setup = setup(context)
        for ways in Ways.everywhere(context.claims) {
            for way in ways.overwrites { try verify(context, ways.full(1) + way + ways.nothingIsLeft, setup) }
            for way in ways.removals {
                try verify(context, ways.full(1) + way + [ways.put] + ways.nothingIsLeft, setup)
            }
            for way in ways.creations {
                try verify(context, ways.full(1) + [ways.here(.remove(ways.key))] + way + ways.nothingIsLeft, setup)
            }
        }
        let ways = Ways(context.claims)
        for (setup, steps) in evictions(context, of: ways.key) {
            try verify(context, ways.full(1) + steps + [ways.put] + ways.nothingIsLeft, setup)
        }
    }

    /// CON-20.
    static func termsHold(_ context: CheckContext) throws(CheckStop) {
        let setup = setup(context)
        let isTimed = context.claims.claims(.timeToLive)
        let mortal = PutTerms(timeToLiveNanoseconds: Ways.life)
        for ways in Ways.withCounters(context.claims) {
            for way in isTimed ? ways.writes(mortal) : [] {
                try verify(
                    context,
                    way + [.advance(nanoseconds: Ways.life - 1), ways.get, .advance(nanoseconds: 1), ways.get], setup)
            }
            for way in context.claims.claims(.tags) ? ways.writes(PutTerms(tags: ["t", "u", "t"])) : [] {
                try verify(
                    context, way + [ways.get, .removeTagged("v"), ways.get, .removeTagged("t"), ways.get], setup)
                for touch in ways.group == nil ? context.claimed([.touch(ways.key, timeToLiveNanoseconds: 50)]) : [] {
                    try verify(context, way + [touch, ways.get, .removeTagged("t"), ways.get], setup)
                }
            }
            for way in setup.capacity != nil ? ways.writes(PutTerms(cost: 7)) : [] {
                try verify(context, way + [ways.get, .cost], setup)
            }
        }
    }

    /// TTL-5: what is written in any way lives as long as the rule says, and no look makes that longer.
    static func idles(_ context: CheckContext) throws(CheckStop) {
        let setup = CacheSetup(timeToIdleNanoseconds: 100)
        func wait(_ time: Int64) -> CacheOperation { .advance(nanoseconds: time) }
        for ways in Ways.everywhere(context.claims) {
            let first = ways.here(.put(ways.key, value(1)))
            let mark = context.claims.claims(.versions) && ways.group == nil ? [CacheOperation.mark(ways.key)] : []
            // A read would give what was forgotten its time again.
            for way in ways.overwrites {
                try verify(context, [first] + mark + [wait(60)] + way + [wait(60), ways.get], setup)
                try verify(context, [first] + mark + way + [wait(100), ways.get], setup)
            }
            for way in ways.creations {
                try verify(context, way + [wait(99), ways.get], setup)
                try verify(context, way + [wait(100), ways.get], setup)
            }
            for look in ways.looks + ways.attempts + ways.pins {
                try verify(context, [first, wait(60), look, wait(40), ways.get], setup)
            }
            for move in ways.group == nil ? context.claimed([.rename(ways.key, to: Ways.other)]) : [] {
                for rest in [39, 40, 100] as [Int64] {
                    try verify(context, [first, wait(60), move, wait(rest), .get(Ways.other)], setup)
                }
            }
        }
    }

    /// TTL-26: what may be served stale outlives looks, and nothing that takes it away.
    static func stale(_ context: CheckContext) throws(CheckStop) {
        let setup = CacheSetup(staleNanoseconds: 50)
        for ways in Ways.everywhere(context.claims) {
            let dead = ways.full(1) + [.advance(nanoseconds: Ways.life)]
            let load = ways.here(.load(ways.key, Origin(.failure)))
            // Whether what is kept to be served stale is counted and listed is the cache's own affair.
            let looks: [[CacheOperation]] = [[ways.get], [ways.here(.contains(ways.key))], [.maintain]]
            for way in looks { try verify(context, dead + way + [load], setup) }
            for way in ways.forgettings + context.claimed([.removeTagged(Ways.tag)]).map({ [$0] }) {
                try verify(context, dead + way + [load], setup)
            }
            let other = ways.here(.put(Array("other".utf8), value(5)))
            try verify(context, dead + [other, load], setup)
            let lifeless = ways.here(.put(ways.key, value(9), terms: PutTerms(timeToLiveNanoseconds: 0)))
            try verify(context, dead + [lifeless, load], setup)
            for twin in ways.twins {
                let elsewhere = twin.here(.load(ways.key, Origin(.failure)))
                try verify(context, dead + [ways.get, elsewhere], setup)
            }
            let reads = ways.group == nil ? [CacheOperation.getMany([ways.key]), .take(ways.key)] : []
            for read in context.claimed(reads) { try verify(context, dead + [read, ways.get], setup) }
        }
        try staleAfterEvictions(context)
    }

    /// TTL-26: what was written over what had expired and has made room leaves nothing that may be served; nor does what
    /// had not expired.
    private static func staleAfterEvictions(_ context: CheckContext) throws(CheckStop) {
        let ways = Ways(context.claims)
        let (wait, load) = (
            CacheOperation.advance(nanoseconds: Ways.life), CacheOperation.load(ways.key, Origin(.failure))
        )
        for (setup, steps) in evictions(context, of: ways.key) {
            var setup = setup
            setup.staleNanoseconds = 50
            try verify(context, ways.full(1) + steps + [load], setup)
            for way in ways.creations { try verify(context, ways.full(1) + [wait] + way + steps + [load], setup) }
        }
    }

    /// EVT-1: each way of overwriting and of removing tells once, also of what is held, or has several tags and no cost.
    static func told(_ context: CheckContext) throws(CheckStop) {
        for ways in Ways.withCounters(context.claims) {
            let isLaden = context.claims.claims(.cost) || context.claims.claims(.tags)
            let firsts =
                [ways.full(1)] + ways.pins.prefix(1).map { ways.full(1) + [$0] } + (isLaden ? [ways.laden] : [])
            for way in ways.overwrites + ways.removals {
                for first in firsts {
                    try verify(context, first + way + [.maintain, .events, .events], CacheSetup())
                }
            }
        }
    }

    /// TTL-4: reads and looks of every kind leave a time to live as it is.
    static func lives(_ context: CheckContext) throws(CheckStop) {
        for ways in Ways.everywhere(context.claims) {
            let reads = ways.group == nil ? context.claimed([.getMany([ways.key])]) : []
            for look in ways.looks + reads + [ways.get]
                + context.claimed([ways.here(.load(ways.key, Origin(.failure)))])
            {
                try verify(
                    context,
                    ways.full(1) + [.advance(nanoseconds: 60), look, .advance(nanoseconds: 39), ways.get]
                        + [.advance(nanoseconds: 1), ways.get], CacheSetup())
            }
            for look in ways.attempts + ways.pins {
                let first = ways.full(1, without: [.versions])
                try verify(
                    context, first + [.advance(nanoseconds: 60), look, .advance(nanoseconds: 40), ways.get],
                    CacheSetup())
            }
        }
    }
}
