import CacheCore

/// EVT: what a cache tells when values leave.
enum EventChecks {
    static let a = Array("a".utf8)
    static let b = Array("b".utf8)
    static let keys = (0..<64).map { Array("k\($0)".utf8) }
    static let events = Claim.feature(.events)
    private static let counter = Array("counter".utf8)

    private static func refreshed(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.claims(.refresh), context.claims.claims(.loader), context.claims.claims(.timeToLive) else {
            return
        }
        let loads = (1...2).flatMap { number -> [CacheOperation] in
            [.load(a, Origin(.value(value(number)))), .advance(nanoseconds: 60)]
        }
        try context.verify(
            Program(loads + [.maintain, .events, .get(a)], setup: CacheSetup(refreshNanoseconds: 50)), witness: .none)
    }

    /// In the order of their numbers.
    static let all = (ofLeaving + ofListeners + ofAll).inOrder

    /// What is told, once and as it was.
    private static let ofLeaving: [Check] = [
        Check(
            .init("EVT-1", profile: .core), due: [events], "Every removal is told exactly once.",
            explanation: """
                Removes by key, twice, by clearing and in each of the ways that are claimed, in a group too, what is \
                pinned and what has two tags and costs nothing as well, overwrites several keys by one call, each twice, \
                one by a rename, one by a refresh, and one by what needs more room, and asks for the events twice. What \
                memory gives up and a lower tier keeps has not left. Witness: a hit before. Finds ways of writing that \
                tell nothing, or twice.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program(
                    [
                        .put(a, value(1)), .put(b, value(2)), .get(a), .remove(a), .remove(a), .events, .events,
                        .removeAll, .events, .events, .put(a, value(3)), .put(a, value(4)), .put(a, value(5)), .events,
                    ]
                        + context.claimed([
                            .putMany([KeyedPayload(a, value(6)), KeyedPayload(b, value(7))]),
                            .putMany([KeyedPayload(b, value(8)), KeyedPayload(a, value(9))]),
                        ]) + [.events]
                        + context.claimed([
                            .removeMany([a, b]), .events, .put(a, value(11)), .mark(a), .removeIfMarked(a), .events,
                            .put(b, value(12)), .update(b, .remove), .events, .put(a, value(13)), .put(b, value(14)),
                            .rename(a, to: b), .events, .increment(counter, by: 1), .increment(counter, by: 1), .events,
                        ])
                        + context.claimed(
                            [
                                .put(a, value(15)), .put(a, value(16)), .remove(a), .put(b, value(17)),
                                .put(b, value(18)),
                                .removeAll,
                            ].map { .within(group: "g", $0) } + [.events])
                        + (context.claims.claims(.tiers) ? [.put(a, value(19)), .dropMemory, .events] : [])
                        + context.claimed([
                            .put(a, value(10), terms: PutTerms(tags: context.claims.claims(.tags) ? ["t"] : [])),
                            .removeTagged("t"), .events,
                        ])))
            try WaysScenarios.told(context)
            try growing(context)
            try refreshed(context)
            guard context.claims.claims(.resize), context.claims.room?.units.contains(.objects) == true else { return }
            let (setup, _) = try context.room(.objects, 8)
            try context.verify(
                Program(
                    [.put(a, value(1)), .put(b, value(2)), .get(a), .resize(1), .contains(a), .contains(b)]
                        + [.remove(a), .remove(b), .events], setup: setup), witness: .none)
            try context.verify(
                Program(
                    Ways(context.claims, a).full(1) + Ways(context.claims, b).full(2)
                        + [.resize(1), .contains(a), .contains(b), .remove(a), .remove(b), .events], setup: setup),
                witness: .none)
        },
        Check(
            .init("EVT-2", revision: 2, dependsOn: ["EVT-1", "TTL-2"]), due: [events],
            "Replacing, removing, expiring and making room are all told.",
            explanation: """
                Each as far as it is claimed, and what a group's limit puts out, and a write of several values for which \
                there is no room; what expires is told by the time the cache has done its chores, also by an end that an \
                overwrite gave. Witness: a hit before. \
                Finds causes that nobody hears of.
                """
        ) { (context) throws(CheckStop) in
            let expires: [CacheOperation] =
                context.claims.claims(.timeToLive)
                ? [
                    .put(b, value(3), terms: PutTerms(timeToLiveNanoseconds: 5)), .get(b), .advance(nanoseconds: 5),
                    .maintain, .events, .put(b, value(3)),
                    .put(b, value(6), terms: PutTerms(timeToLiveNanoseconds: 5)), .advance(nanoseconds: 5), .maintain,
                    .events,
                ] + context.claimed([.put(b, value(4)), .touch(b, timeToLiveNanoseconds: 0), .maintain, .events])
                : []
            let plain: [CacheOperation] = [.put(a, value(1)), .get(a), .put(a, value(2)), .events, .remove(a), .events]
            try context.verify(Program(plain + expires))
            try limited(context)
            guard context.claims.room?.units.contains(.objects) == true, context.claims.retains else { return }
            let (setup, room) = try context.room(.objects, 4)
            let fill = keys[..<min(64, room + 3)].enumerated().map { CacheOperation.put($1, value($0)) }
            let seen = fill + [.maintain, .events] + keys[..<min(64, room + 3)].map { .get($0) } + [.events]
            try context.verify(Program(seen, setup: setup))
            try overflowed(context)
            let inGroup = context.claimed(fill.map { .within(group: "g", $0) })
            try context.verify(
                Program(inGroup + [.maintain, .events] + inGroup.reversed() + [.maintain, .events], setup: setup),
                witness: .none)
            guard context.claims.claims(.resize), context.claims.claims(.groups) else { return }
            try context.verify(
                Program(inGroup + [.resize(1), .maintain, .events], setup: setup), witness: .none)
        },
        Check(
            .init("EVT-3", dependsOn: ["EVT-1", "TTL-2"], profile: .core), due: [events],
            "An event has the right cause and the value that left.",
            explanation:
                """
                Overwrites, removes, clears, and writes over what has expired; what has expired, by a time to idle and \
                while it was pinned too, is found out in each of the ways that are claimed. Keys and values that are \
                empty, long or no text leave, also in a group of no name. Witness: a hit. Finds the new value told, other \
                bytes told, and ways of finding out that tell nothing, or another cause.
                """
        ) { (context) throws(CheckStop) in
            let expired: [CacheOperation] =
                context.claims.claims(.timeToLive)
                ? [
                    .put(b, value(4), terms: PutTerms(timeToLiveNanoseconds: 5)), .advance(nanoseconds: 5),
                    .put(b, value(5)), .maintain, .events, .get(b),
                ] : []
            try context.verify(
                Program(
                    [.put(a, value(1)), .put(a, value(2)), .get(a), .events, .remove(a), .events] + expired
                        + [.put(a, value(8)), .removeAll, .events]))
            let odd = OddContents(context.claims)
            try context.verify(Program(odd.changes() + [.removeAll, .events]), witness: .none)
            if context.claims.claims(.groups) {
                try context.verify(Program(odd.changes(in: "") + [.removeAll, .events]), witness: .none)
            }
            try WaysScenarios.found(context, asking: .events)
        },
        Check(
            .init("EVT-4", dependsOn: ["EVT-1"], profile: .core), due: [events],
            "The events of a key come in the order in which its values left.",
            explanation: """
                Overwrites one key many times, with another between; then several times with one value, which leaves as \
                often; then 5000 times (500 where each waits for the device) before it asks. Witness: a hit. Finds queues \
                that swap, ones that take two for one, and ones that are full.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .put(a, value(1)), .put(a, value(1)), .get(a), .events, .remove(a),
                    .put(a, value(1)), .remove(a), .events,
                ]))
            try context.verify(
                Program(
                    (0..<12).map { .put($0 % 3 == 2 ? b : a, value($0)) } + [.get(a), .remove(a), .removeAll, .events]))
            try ManyScenario(context).told()
        },
        Check(
            .init("EVT-5", dependsOn: ["EVT-1", "TTL-9"]), due: [events], "What is refused makes no event of its own.",
            explanation: """
                Puts entries whose time is over and, where costs are claimed, one that is too heavy: the old value that \
                they displaced is told, once, and nothing else; so is what leaves for a newcomer, with whatever can be said \
                of it. That something is known not to be there is no entry that could leave. Witness: a hit before.
                """
        ) { (context) throws(CheckStop) in
            let over = PutTerms(timeToLiveNanoseconds: 0)
            let dead: [CacheOperation] =
                context.claims.claims(.timeToLive)
                ? [.put(b, value(2), terms: over), .events, .put(a, value(3), terms: over), .events] : []
            try context.verify(Program([.put(a, value(1)), .get(a)] + dead + [.get(b), .events]))
            if context.claims.claims(.loader), context.claims.claims(.negative) {
                let ends: [CacheOperation] = [.put(a, value(2)), .remove(a), .removeAll]
                for end in ends {
                    try context.verify(Program([.load(a, Origin(.nothing)), end, .maintain, .events]), witness: .none)
                }
            }
            for (setup, steps) in WaysScenarios.evictions(context, of: a) {
                for first in [[CacheOperation.put(a, value(4))], Ways(context.claims, a).full(4)] {
                    try context.verify(
                        Program(first + [.get(a)] + steps + [.maintain, .events, .events], setup: setup))
                }
            }
        },
    ]
}
