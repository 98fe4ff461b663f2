import CacheCore

/// PER: what a closed and reopened store still knows.
enum PersistenceChecks: LetterKeys {
    private static let keys = (0..<60).map { Array("kept-\($0)".utf8) } + KeyPool.mixed.filter { !$0.isEmpty }
    private static let exit = Claim.durability(.exit)

    private static func due(_ context: CheckContext) -> [[UInt8]] {
        keys.filter { $0.count <= context.claims.keyBytesMax }
    }

    private static func puts(_ keys: [[UInt8]]) -> [CacheOperation] {
        keys.enumerated().map { .put($1, value($0, $0 % 7 == 0 ? 20_000 : 24 + $0)) }
    }

    static let all: [Check] = [
        Check(
            .init("PER-1", revision: 3, profile: .core, source: "SDWebImage/SDWebImage#2444"), due: [exit, .retains],
            "Reopening finds what was acknowledged.",
            explanation: """
                Stores over 100 entries of all kinds, an empty one and one of 3 MiB or as much as is claimed, \
                closes, opens, reads; their keys are long, dotted, with a NUL, or differ in case or in what \
                Unicode calls equal (a name that is too long by what follows its last dot: \
                SDWebImage/SDWebImage#2444). Finds writes lost in a buffer at close, and values that are taken \
                for removals.
                """
        ) { (context) throws(CheckStop) in
            let others = Set(KeyPool.unfileable + KeyPool.casePairs + KeyPool.unicode).subtracting(keys)
            let keys =
                due(context)
                + others.filter { $0.count <= context.claims.keyBytesMax }.sorted {
                    $0.lexicographicallyPrecedes($1)
                }
            let (empty, large) = (Array("empty".utf8), Array("large".utf8))
            let extremes: [CacheOperation] = [
                .put(empty, .bytes([])), .put(large, value(99, min(context.claims.valueBytesMax, 3 << 20))),
            ]
            try context.verify(
                puts(keys) + extremes + [.reopen, .get(empty), .get(large)] + keys.map { .get($0) },
                witness: .hits(keys.count))
        },
        Check(
            .init("PER-2", profile: .core, source: "Ehcache: a persistent tier survives a restart"), due: [exit],
            "What was removed stays removed.",
            explanation: """
                Removes by key, by overwriting, by clearing, by key after a clear, by a value that is refused and in \
                each of the ways that are claimed, each followed by reopening; what is removed in a group is there \
                outside. Witness: a hit before. Finds ghosts: removals that only memory knew, and ones that take another \
                with them when they are read back.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                .put(a, value(1)), .put(b, value(2, 50_000)), .get(a), .remove(a), .reopen, .get(a), .contains(a),
                .get(b), .remove(b), .reopen, .get(b), .put(a, value(3)), .reopen, .put(a, value(4)), .reopen,
                .get(a), .removeAll, .reopen, .get(a), .get(b), .put(a, value(5)), .put(b, value(6)), .removeAll,
                .put(a, value(7)), .get(a), .remove(a), .reopen, .get(a), .get(b),
            ])
            let limit = context.claims.valueBytesMax
            let over = PutTerms(timeToLiveNanoseconds: 0)
            var ways = context.claimed([
                .take(a), .removeMany([a]), .update(a, .remove), .touch(a, timeToLiveNanoseconds: 0),
                .removeTagged("t"), .rename(a, to: b),
            ])
            if limit <= 1 << 21 { ways.append(.put(a, value(9, limit + 1))) }
            if context.claims.claims(.timeToLive) { ways.append(.put(a, value(10), terms: over)) }
            let terms = PutTerms(tags: context.claims.claims(.tags) ? ["t"] : [])
            try context.verify(
                [.put(b, value(7)), .get(b)]
                    + ways.flatMap { [.put(a, value(8), terms: terms), $0, .reopen, .get(a), .contains(a)] })
            guard context.claims.claims(.groups) else { return }
            func inGroup(_ operation: CacheOperation) -> CacheOperation { .within(group: "g", operation) }
            try context.verify([
                inGroup(.put(a, value(5))), inGroup(.get(a)), inGroup(.remove(a)), .reopen, inGroup(.get(a)),
                inGroup(.put(b, value(6))), .reopen, inGroup(.get(b)), inGroup(.removeAll), .reopen,
                inGroup(.get(b)),
            ])
            try context.verify(
                [
                    .put(a, value(11)), inGroup(.put(a, value(12))), inGroup(.remove(a)), .reopen, .get(a),
                    inGroup(.get(a)),
                ], witness: .none)
        },
        Check(
            .init("PER-3", dependsOn: ["PER-1"], source: "Ehcache: a persistent tier survives a restart"),
            due: [exit, .retains], "Reopening a hundred times changes nothing.",
            explanation: "Reads and counts after each reopening. Finds stores that lose, repeat or age entries at open."
        ) { (context) throws(CheckStop) in
            let rounds = (0..<100).flatMap { index -> [CacheOperation] in
                [.reopen, .get(a), .get(b), .count] + (index % 25 == 0 ? [.put(b, value(10 + index)), .keys] : [])
            }
            try context.verify([.put(a, value(1)), .put(b, value(2))] + rounds)
        },
        Check(
            .init("PER-4", revision: 2, dependsOn: ["PER-1"], source: "Ehcache: a persistent tier survives a restart"),
            due: [exit],
            "What belongs to an entry survives with its value.",
            explanation: """
                As far as claimed: the moment of expiry, past, future and extreme; tags, by which it is removed \
                after reopening; a time to live that was given later; costs, which add up. Witness: a hit. Finds \
                deadlines made relative, and entries that come back bare.
                """, body: metadata),
        Check(
            .init("PER-5", dependsOn: ["PER-1", "ITR-1"], profile: .core, source: "tumblr/TMCache#19"),
            due: [exit, .iterates],
            "The count and the list are right as soon as the store is open.",
            explanation: "Asks for nothing else first. Witness: a hit afterwards. Finds counters that start at zero."
        ) { (context) throws(CheckStop) in
            let keys = due(context)
            try context.verify(
                puts(keys) + [
                    .reopen, .count, .reopen, .keys, .remove(keys[0]), .reopen, .count, .keys, .get(keys[1]),
                ])
        },
        Check(
            .init("PER-6", dependsOn: ["PER-1"], source: "pinterest/PINCache#240"),
            due: [exit, .retains, .capacity(.objects)],
            "The limit that a store is opened with applies from the start.",
            explanation: """
                Puts 48 entries into a cache for 64, opens it again for 64, and finds them all. Then closes a full cache for 8 \
                and opens it with room for 4: no more are there, and where the order is kept it is known which. Finds stores \
                that trim to a limit of their own before they are told another, or from the wrong end.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 64)
            let keys = (0..<room * 3 / 4).map { Array("kept-\($0)".utf8) }
            try context.verify(puts(keys) + [.reopen] + keys.map { .get($0) }, setup: setup, witness: .hits(keys.count))
            try SetupScenarios.rooms(context, [8, 4])
        },
        Check(
            .init(
                "PER-7", revision: 2, dependsOn: ["PER-1", "POL-4"],
                source: "JakeWharton/DiskLruCache: the journal keeps the order"),
            due: [exit, .feature(.keepsOrder), .order, .strict, .retains, .capacity(.objects)],
            "The order of eviction survives reopening.",
            explanation: """
                Fills 4, reads the oldest, reopens, overflows and looks. Blocked where the policy is not known. \
                Finds caches that evict in the order of their files.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 4)
            guard room == 4, context.subject.orderPolicy != nil else {
                throw .blocked("no policy '\(context.claims.order ?? "")' to compare the order with")
            }
            let fill = keys[..<4].enumerated().map { CacheOperation.put($1, value($0)) }
            let end: [CacheOperation] = [.get(keys[0]), .reopen, .put(keys[4], value(4))]
            try context.verify(fill + end + keys[..<5].map { .contains($0) }, setup: setup)
        },
        Check(
            .init("PER-8", dependsOn: ["PER-1", "PER-5"], source: "grantjenks/python-diskcache#3"),
            due: [exit, .iterates],
            "After reopening, the list and the entries agree.",
            explanation: """
                After overwrites and removals of small and large values: each listed key is read, each unlisted one \
                absent. Witness: a hit. Finds indexes and files that drift apart.
                """
        ) { (context) throws(CheckStop) in
            let keys = due(context)
            let changes = keys.enumerated().flatMap { (index, key) -> [CacheOperation] in
                switch index % 4 {
                case 0: [.remove(key)]
                case 1: [.put(key, value(500 + index, 30_000))]
                case 2: [.remove(key), .put(key, value(600 + index, 5))]
                default: []
                }
            }
            try context.verify(puts(keys) + changes + [.reopen, .keys, .count] + keys.map { .get($0) } + [.keys])
        },
        Check(
            .init("PER-9", revision: 3, source: "JakeWharton/DiskLruCache#28"), due: [exit, .feature(.compacts)],
            "A thousand overwrites of one entry, and what was removed, do not stay on the disk.",
            explanation: """
                Overwrites 1 KiB a thousand times, puts and removes 250 entries of 8 KiB, has the chores done, closes and opens, twice: the \
                second time adds at most 500 KiB. What is found then is the last value; of the entries that were put before, one is as it was and \
                one that was removed halfway is absent; one that was put last is there. Witness: the entry is found. \
                Finds journals that are never made smaller, with which the time to open grows, ones that lose \
                something by it, and files of what was removed (renovatebot/renovate#28169).
                """
        ) { (context) throws(CheckStop) in try ChurnScenario(context).verify() },
        Check(
            .init("PER-10", dependsOn: ["PER-1"], source: "diskcache: a directory is a cache"), due: [exit],
            "Two stores in different directories are independent.",
            explanation: "Puts under one key in both, removes and clears in one. Witness: both found their own."
        ) { (context) throws(CheckStop) in try DirectoryScenarios.twoStores(context) },
        Check(
            .init("PER-11", source: "diskcache: a directory is a cache"), due: [exit],
            "A read-only directory gives a typed error or a store that reads.",
            explanation: """
                Opens what was stored after write permission was taken away; wrong bytes are the failure. Blocked \
                where this process may write all the same, as root may.
                """, body: DirectoryScenarios.readOnly),
        Check(
            .init("PER-12", dependsOn: ["PER-1"], source: "diskcache: a directory is a cache"), due: [exit, .retains],
            "A store can be moved to another directory.",
            explanation: "Closes, renames the directory, opens it there. Finds absolute paths in indexes."
        ) { (context) throws(CheckStop) in
            guard context.subject.needsDirectory else { throw .blocked("the subject has no directory to move") }
            try context.verify(
                [
                    .put(a, value(1)), .put(b, value(2, 50_000)), .relocate, .get(a), .get(b), .put(a, value(3)),
                    .relocate, .get(a), .count,
                ], witness: .hits(3))
        },
        Check(
            .init("PER-13", dependsOn: ["PER-1"], source: "diskcache: a directory is a cache"), due: [exit],
            "Foreign files are ignored and left alone.",
            explanation: """
                Lays files and a folder into the store's directory, works, clears and reopens. Witness: an entry was \
                found. Finds stores that count or delete what is not theirs.
                """, body: DirectoryScenarios.foreignFiles),
        Check(
            recording: .survey, .init("PER-14", profile: .experimental, source: "diskcache: a directory is a cache"),
            due: [exit],
            "Who may read and write the files of a store.",
            explanation: """
                Puts small and large values, closes, and tells the permissions of the directory and of what is in it. \
                Nothing is claimed; values that others must not see want 0600.
                """, body: DirectoryScenarios.permissions),
    ]

    private static func metadata(_ context: CheckContext) throws(CheckStop) {
        let moments: [Int64?] =
            context.claims.claims(.storedExpiry) ? [nil, 1, -1, 0, .max, .min, 1_800_000_000_123_456_789] : [nil]
        let stored = moments.enumerated().map { index, moment in
            CacheOperation.put(keys[index], value(index), expiresAtNanoseconds: moment)
        }
        let reads = moments.indices.map { CacheOperation.get(keys[$0]) }
        try context.verify(stored + [.reopen] + reads + [.put(keys[4], value(20)), .reopen, .get(keys[4])] + reads)
        if context.claims.claims(.tags) {
            try context.verify([
                .put(a, value(1), terms: PutTerms(tags: ["s", "t"])), .put(b, value(2), terms: PutTerms(tags: ["t"])),
                .reopen, .get(a), .removeTagged("s"), .get(a), .get(b), .reopen, .removeTagged("t"), .get(b),
            ])
        }
        if context.claims.claims(.touch) {
            let mortal = CacheOperation.put(a, value(3), terms: PutTerms(timeToLiveNanoseconds: 10))
            try context.verify(
                [
                    mortal, .touch(a, timeToLiveNanoseconds: 100), .reopen, .advance(nanoseconds: 50), .get(a),
                    .touch(a, timeToLiveNanoseconds: 10), .reopen, .advance(nanoseconds: 10), .get(a),
                ], witness: .none)
        }
        guard context.claims.claims(.cost), context.claims.room?.units.contains(.bytes) == true else { return }
        let (setup, _) = try context.room(.bytes, 100)
        try context.verify(
            [.put(a, value(1), terms: PutTerms(cost: 30)), .put(b, value(2), terms: PutTerms(cost: 50)), .get(a)]
                + [.reopen, .cost, .remove(a), .cost, .reopen, .cost], setup: setup)
    }
}
