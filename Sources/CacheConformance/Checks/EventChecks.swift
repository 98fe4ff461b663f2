import CacheCore

/// EVT: what a cache tells when values leave.
enum EventChecks: LetterKeys {
    static let keys = (0..<64).map { Array("k\($0)".utf8) }
    static let events = Claim.feature(.events)
    private static let counter = Array("counter".utf8)

    /// In the order of their numbers.
    static let all = (ofLeaving + ofListeners + ofAll).inOrder

    /// What is told, once and as it was.
    private static let ofLeaving: [Check] = [
        Check(
            .init("EVT-1", revision: 3, profile: .core, source: "JSR-107: CacheEntryRemovedListener"), due: [events],
            "Every removal is told exactly once.",
            explanation: """
                Removes by key, twice, by clearing and by each operation that is claimed, in a group too, \
                overwrites several keys by one call, each twice, and one by a rename, and asks for the events \
                twice. What memory gives up and a lower tier keeps has not left, and is told when it is removed there. Witness: a hit before. Finds \
                operations that tell nothing, or twice.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
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
                            .put(a, value(15)), .put(a, value(16)), .remove(a), .put(b, value(17)), .put(b, value(18)),
                            .removeAll,
                        ].map { .within(group: "g", $0) } + [.events])
                    + (context.claims.claims(.tiers)
                        ? [.put(a, value(19)), .dropMemory, .events, .remove(a), .events] : [])
                    + context.claimed([
                        .put(a, value(10), terms: PutTerms(tags: context.claims.claims(.tags) ? ["t"] : [])),
                        .removeTagged("t"), .events,
                    ]))
            try context.each({ $0.overwrites + $0.removals }) { $0.full(1) + $1 + [.maintain, .events, .events] }
        },
        Check(
            .init(
                "EVT-2", revision: 5, dependsOn: ["EVT-1", "TTL-2", "LDR-14"],
                source: "ben-manes/caffeine#859, hashicorp/golang-lru#190"), due: [events],
            "Replacing, removing, expiring and making room are all told.",
            explanation: """
                Each as far as it is claimed, room also by a smaller capacity, and in bytes for one that takes that of two; what is \
                loaded afresh replaces too; what expires is told by the time the cache has done its chores, \
                also by an end that an overwrite gave. Witness: a hit before. Finds causes that nobody hears of \
                (ben-manes/caffeine#859, hashicorp/golang-lru#190).
                """
        ) { (context) throws(CheckStop) in
            let expires = context.claimed(
                if: .timeToLive, put(b, 3, lives: 5), .get(b), wait(5), .maintain, .events, .put(b, value(3)),
                put(b, 6, lives: 5), wait(5), .maintain, .events, .put(b, value(4)),
                .touch(b, timeToLiveNanoseconds: 0), .maintain, .events)
            let plain: [CacheOperation] = [.put(a, value(1)), .get(a), .put(a, value(2)), .events, .remove(a), .events]
            try context.verify(plain + expires)
            try LoaderChecks.refresh(context, then: [.get(a), .events])
            if context.claims.claims(.cost), context.claims.retains, let (setup, room) = try? context.room(.bytes, 100),
                room == 100
            {
                let costs = [40, 40, 90].enumerated().map { CapacityChecks.put(keys[$0], $0, costs: $1) }
                try context.verify(
                    costs + [.maintain, .events] + keys[..<3].map { .get($0) } + [.events], setup: setup, witness: .none
                )
            }
            guard context.claims.room?.units.contains(.objects) == true, context.claims.retains else { return }
            let (setup, room) = try context.room(.objects, 4)
            let fill = keys[..<min(64, room + 3)].enumerated().map { CacheOperation.put($1, value($0)) }
            let seen = fill + [.maintain, .events] + keys[..<min(64, room + 3)].map { .get($0) } + [.events]
            try context.verify(seen, setup: setup)
            guard context.claims.claims(.resize), room > 1 else { return }
            let shrunk: [CacheOperation] = [.resize(1), .maintain, .events] + keys[..<2].map { .get($0) } + [.events]
            try context.verify(fill[..<2] + [.get(keys[0])] + shrunk, setup: setup)
        },
        Check(
            .init(
                "EVT-3", revision: 2, dependsOn: ["EVT-1", "TTL-2"], profile: .core,
                source: "ben-manes/caffeine#412, moka-rs/moka#601"), due: [events],
            "An event has the right cause and the value that left.",
            explanation: """
                Overwrites, removes, clears, and writes over what has expired; what has expired is found out by \
                each operation that is claimed. Witness: a hit. Finds the new value told, and operations that \
                find it out and tell nothing, or another cause.
                """
        ) { (context) throws(CheckStop) in
            let expired = context.claimed(
                if: .timeToLive, put(b, 4, lives: 5), wait(5), .put(b, value(5)), .maintain, .events, .get(b))
            try context.verify(
                [.put(a, value(1)), .put(a, value(2)), .get(a), .events, .remove(a), .events] + expired
                    + [.put(a, value(8)), .removeAll, .events])
            guard context.claims.claims(.timeToLive) else { return }
            try context.each(\.finds) {
                $0.full(1) + [.advance(nanoseconds: OperationVariants.life)] + $1 + [.maintain, .events]
            }
        },
        Check(
            .init(
                "EVT-4", revision: 2, dependsOn: ["EVT-1"], profile: .core,
                source: "ben-manes/caffeine#412, moka-rs/moka#601"), due: [events],
            "The events of a key come in the order in which its values left.",
            explanation: """
                Overwrites one key many times, with another between; then several times with one value, which \
                leaves as often. Witness: a hit. Finds queues that swap, and ones that take two for one.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                .put(a, value(1)), .put(a, value(1)), .put(a, value(1)), .get(a), .events, .remove(a),
                .put(a, value(1)), .remove(a), .events,
            ])
            try context.verify(
                (0..<12).map { .put($0 % 3 == 2 ? b : a, value($0)) } + [.get(a), .remove(a), .removeAll, .events])
        },
        Check(
            .init(
                "EVT-5", revision: 2, dependsOn: ["EVT-1", "TTL-9"],
                source: "JSR-107: no created event for a duration of zero"), due: [events],
            "What is refused makes no event of its own.",
            explanation: """
                Puts entries whose time is over and, where costs are claimed, one that is too heavy: the old \
                value that they displaced is told, once, and nothing else. That something is known not to be \
                there is no entry that could leave. Witness: a hit before.
                """
        ) { (context) throws(CheckStop) in
            let over = PutTerms(timeToLiveNanoseconds: 0)
            let dead = context.claimed(
                if: .timeToLive, .put(b, value(2), terms: over), .events, .put(a, value(3), terms: over), .events)
            try context.verify([.put(a, value(1)), .get(a)] + dead + [.get(b), .events])
            if context.claims.claims(.loader), context.claims.claims(.negative) {
                let ends: [CacheOperation] = [.put(a, value(2)), .remove(a), .removeAll]
                for end in ends {
                    try context.verify([.load(a, Origin(.nothing)), end, .maintain, .events], witness: .none)
                }
            }
            guard context.claims.claims(.cost), let room = context.claims.room, room.isAdjustable, room.isStrict,
                room.units.contains(.bytes)
            else { return }
            let heavy = CacheOperation.put(a, value(8), terms: PutTerms(cost: 2_000))
            try context.verify(
                [.put(a, value(4)), .get(a), heavy, .maintain, .events, .events],
                setup: CacheSetup(capacity: .bytes(1_000)))
        },
    ]
}
