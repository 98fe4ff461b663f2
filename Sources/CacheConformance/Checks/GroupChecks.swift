import CacheCore

/// GRP: name spaces in one cache, and tags.
enum GroupChecks: LetterKeys {
    private static let groups = Claim.feature(.groups)

    static func within(_ group: String, _ operations: [CacheOperation]) -> [CacheOperation] {
        operations.map { .within(group: group, $0) }
    }

    static let all: [Check] = [
        Check(
            .init("GRP-1", profile: .core, source: "Redis: databases stand apart"), due: [groups],
            "The same key in two groups is two entries.",
            explanation: "Puts, overwrites and removes under one key in two groups and outside. Witness: a hit.",
            within("x", [.put(a, value(1)), .get(a)]) + within("y", [.get(a), .put(a, value(2)), .get(a)])
                + [.put(a, value(3))] + within("x", [.get(a), .remove(a), .get(a)]) + within("y", [.get(a)])
                + [.get(a)]),
        Check(
            .init("GRP-2", dependsOn: ["GRP-1"], profile: .core, source: "doctrine/cache#244, aio-libs/aiocache#580"),
            due: [groups],
            "Clearing a group leaves every other alone.",
            explanation:
                """
                Clears one of two groups, one that is empty, and the first again after more was put into it. Witness: \
                a hit. Finds groups that share a store, and groups that can be cleared only once.
                """,
            within("x", [.put(a, value(1)), .put(b, value(2)), .get(a)]) + within("y", [.put(a, value(3))])
                + within("z", [.removeAll]) + within("x", [.get(b)])
                + within("x", [.removeAll, .get(a), .get(b)])
                + within("y", [.get(a), .count])
                + within("x", [.put(a, value(4)), .get(a), .removeAll, .get(a), .count])),
        Check(
            .init(
                "GRP-3", revision: 2, dependsOn: ["GRP-1", "PER-1", "TIR-1"], source: "Redis: databases stand apart"),
            due: [groups],
            "The names of groups and keys do not run together.",
            explanation: """
                Names that begin with each other, differ in case alone, or after 300 letters, or are patterns of each other; \
                separators in names and keys; the empty name, which is not the same as no group; as far as claimed from below memory \
                too. Witness: a hit. Finds groups that are prefixes of keys, in every tier (kean/Nuke#889).
                """
        ) { (context) throws(CheckStop) in
            let names =
                [
                    "a", "ab", "a/", "a/b", "a:", "a:b", "", "/", "a\u{0}b", "1", "11", "01", "1.0", "A", "Ab", " a",
                    "a ", "a*", "a%", "a_",
                ]
                + [1, 2].map { String(repeating: "n", count: 300) + "\($0)" }
            let puts = names.enumerated().flatMap { index, name in
                within(name, [.put(Array("b".utf8), value(index)), .put(Array("/b".utf8), value(100 + index))])
                    + within(name, [.put(Array(":b".utf8), value(200 + index))])
            }
            let reads = names.flatMap {
                within($0, [.get(Array("b".utf8)), .get(Array("/b".utf8)), .get(Array(":b".utf8))])
            }
            let outside: [CacheOperation] = [.put(Array("b".utf8), value(300)), .get(Array("b".utf8))]
            try context.verify(
                puts + outside + reads + context.upFromBelow.flatMap { [$0] + reads }
                    + ["a*", "a%", "a_", "01", "a", ""].flatMap { within($0, [.removeAll]) + reads }
                    + outside.dropFirst())
        },
        Check(
            .init("GRP-4", dependsOn: ["GRP-1", "ITR-1"], source: "Redis: databases stand apart"),
            due: [groups, .iterates],
            "A group counts and lists its own entries.",
            explanation: """
                Counts and lists two groups around removals, and one of hostile keys. Witness: a hit. Finds lists of the \
                whole store, and keys that are listed up to a byte.
                """
        ) { (context) throws(CheckStop) in
            let all: [CacheOperation] = [.count, .keys]
            try context.verify(
                within("x", [.put(a, value(1)), .put(b, value(2)), .get(a)]) + within("y", [.put(a, value(3))])
                    + within("x", all) + within("y", all) + within("x", [.remove(a)] + all) + within("z", all))
            let hostile = KeyPool.mixed.filter {
                (!$0.isEmpty || context.claims.allowsEmptyKey) && $0.count <= context.claims.keyBytesMax
            }
            let puts = hostile.enumerated().map { CacheOperation.put($1, value($0)) }
            try context.verify(within("h", puts + all + [.get(hostile[0])]))
        },
        Check(
            .init("GRP-5", revision: 5, source: "Symfony: TagAwareAdapter"), due: [.feature(.tags)],
            "An entry with two tags is removed by either, and a new value has only its own.",
            explanation: """
                Removes by the first, the second and a lost tag, and by one that differs in case or length from \
                those that are there, or would be a pattern of theirs; then, as far as claimed, what has its tag from a condition, in a group or \
                by a put of the value that was there or a load afresh, what has forty of them, what took the key of something \
                that had one, and what has its tag from another whose life is over or has had one itself. Witness: a hit. Finds tags \
                that are never updated, ones that are prefixes, ones that stay with the key, lists of a tag that end with the first \
                of its entries (eko/gocache#305), and what is back when the removal is forgotten (symfony/symfony#21330).
                """
        ) { (context) throws(CheckStop) in
            func tagged(_ key: [UInt8], _ number: Int, _ tags: [String]) -> CacheOperation {
                .put(key, value(number), terms: PutTerms(tags: tags))
            }
            try context.verify(
                context.claimed([
                    tagged(a, 1, ["s", "t"]), tagged(b, 2, ["t"]), .get(a), .removeTagged("s"), .get(a), .get(b),
                    tagged(a, 3, ["s", "t"]), .removeTagged("t"), .get(a), .get(b), tagged(a, 4, ["s"]),
                    tagged(a, 5, ["t"]), .removeTagged("s"), .get(a), .put(a, value(6)), .removeTagged("t"),
                    .get(a), tagged(a, 7, ["s"]), .rename(a, to: b), .removeTagged("s"),
                    .get(b), .load(a, Origin(.value(value(8), PutTerms(tags: ["s"])))), .get(a),
                    .removeTagged("s"), .get(a), tagged(a, 9, ["red"]), .removeTagged("Red"), .removeTagged("re"),
                    .removeTagged("redder"), .removeTagged(""), .removeTagged("r*"), .removeTagged("%"), .get(a),
                ]))
            let s = PutTerms(tags: ["s"])
            try context.verify(
                context.claimed(
                    [
                        tagged(b, 1, ["s"]), tagged(b, 1, ["t"]), .get(b), .removeTagged("s"), .get(b),
                        .removeTagged("t"), .get(b), .putIfAbsent(a, value(2), terms: s),
                        .replace(a, value(3), terms: s),
                        .removeTagged("s"), .get(a), tagged(a, 5, (0..<40).map { "t\($0)" }), .removeTagged("t39"),
                        .get(a),
                        tagged(a, 6, ["s"]), .remove(a), tagged(a, 7, ["t"]), .removeTagged("s"), .get(a),
                        tagged(a, 8, ["s"]), .rename(a, to: b), tagged(a, 9, ["t"]), .get(a), .removeTagged("s"),
                        .get(a),
                    ] + within("x", [tagged(a, 4, ["s"])]) + [.removeTagged("s")] + within("x", [.get(a)])
                        + [.get(a)]))
            guard context.claims.claims(.timeToLive) else { return }
            let brief = PutTerms(timeToLiveNanoseconds: 10, tags: ["s"])
            try context.verify([
                .put(a, value(1), terms: brief), tagged(b, 2, ["s"]), .get(a), wait(10), .get(a), .removeTagged("s"),
                .get(b), .put(b, value(4), terms: brief), wait(10), .get(b), .put(b, value(5), terms: brief), .get(b),
                .removeTagged("s"), .get(b), tagged(a, 3, ["s"]), .get(a), .removeTagged("s"), .get(a), wait(1 << 50),
                .maintain, .get(a),
            ])
            guard context.claims.claims(.loader), context.claims.claims(.refresh) else { return }
            func load(_ number: Int) -> CacheOperation { .load(a, Origin(.value(value(number), s))) }
            try context.verify(
                [load(1), .advance(nanoseconds: 60), load(2), .maintain, .get(a), .removeTagged("s"), .get(a)],
                setup: CacheSetup(refreshNanoseconds: 50), witness: .none)
        },
        Check(
            .init("GRP-6", revision: 2, dependsOn: ["GRP-1", "CAP-1"], source: "CacheLib: sizes of pools"),
            due: [.feature(.groupLimits), groups, .iterates, .retains],
            "A group's limit is its own.",
            explanation: """
                Limits one group to 3 entries, puts 10 into it and 10 into another: the first has 3, the other \
                all. Fills a third up to its limit, overwrites, puts another in the place of what was removed, \
                and more under a higher limit: all are found. A limit of 0 is refused, or lets nothing in. Finds \
                limits that are counted together, ones that count writes instead of entries, and a 0 that is \
                taken for no limit.
                """
        ) { (context) throws(CheckStop) in
            let keys = (0..<10).map { Array("k\($0)".utf8) }
            let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }
            try context.verify(
                within("y", puts) + [.limitGroup("x", 3)]
                    + within("x", puts.flatMap { [$0, .count] }) + within("y", [.count] + keys.map { .get($0) })
                    + within("x", [.count]))
            try context.verify(
                [.limitGroup("z", 3)] + within("z", Array(puts[..<3]))
                    + within("z", [.put(keys[2], value(50)), .count] + keys[..<3].map { .get($0) })
                    + within("z", [.remove(keys[0]), .put(keys[3], value(51))] + keys[1..<4].map { .get($0) })
                    + [.limitGroup("z", 5)] + within("z", Array(puts[4..<6]) + keys[1..<6].map { .get($0) }))
            try context.verify([.limitGroup("none", 0)] + within("none", [puts[0], .count]), witness: .none)
        },
        Check(
            .init("GRP-7", dependsOn: ["GRP-2", "LDR-11"], source: "JSR-107: clear during a load"),
            due: [groups, .feature(.loader)],
            "Clearing a group also stops what is being loaded into it.",
            explanation: """
                While a key of a group is loaded the group is cleared; then another one is, and at last the key is \
                put. Witness: a hit in the group that was not cleared. Finds loads that bring back what was cleared or \
                is older.
                """
        ) { (context) throws(CheckStop) in
            func load(_ number: Int, clearing group: String) -> CacheOperation {
                .load(a, Origin(.value(value(number)), meanwhile: [.within(group: group, .removeAll)]))
            }
            try context.verify(
                within("x", [load(1, clearing: "x"), .get(a), .contains(a)])
                    + within("x", [load(2, clearing: "y"), .get(a)]) + within("y", [.get(a)])
                    + within(
                        "y",
                        [
                            .load(a, Origin(.value(value(3)), meanwhile: within("y", [.put(a, value(4))]))), .get(a),
                        ]))
        },
        Check(
            .init("GRP-8", dependsOn: ["GRP-1"], source: "Redis: databases stand apart"), due: [groups, .retains],
            "A thousand groups stay apart.",
            explanation:
                "Puts one key into each, clears every third, reads all. Finds tables of groups that are too small."
        ) { (context) throws(CheckStop) in
            let names = (0..<1_000).map { "group-\($0)" }
            let puts = names.enumerated().flatMap { within($1, [.put(a, value($0))]) }
            let clears = stride(from: 0, to: 1_000, by: 3).flatMap { within(names[$0], [.removeAll]) }
            try context.verify(puts + clears + names.flatMap { within($0, [.get(a)]) }, witness: .hits(600))
        },
        Check(
            .init("GRP-10", dependsOn: ["GRP-1", "LDR-1"]), due: [groups, .feature(.loader), .retains],
            "Loads of one key in two groups are two loads.",
            explanation: """
                Four threads load one key at once, each in a group of its own from an origin of its own that takes 30 \
                ms; each has the value of its own. Repeated for 5 keys. Blocked where the cache is not for several \
                threads. Finds loads that are shared because their keys are equal.
                """, body: loadsApart),
        Check(
            .init("GRP-11", dependsOn: ["GRP-5"], source: "nette/caching#25"), due: [.feature(.tags)],
            "A tag of a thousand entries is removed with all of them.",
            explanation: """
                Puts 1,100 entries with one tag and one with another, removes the first tag and reads all; 130 where each put \
                waits for the device. Witness: a hit. Finds limits of what is asked behind the cache.
                """
        ) { (context) throws(CheckStop) in
            let names = KeyPool.many(context.claims)
            func tagged(_ key: [UInt8], _ number: Int, _ tag: String) -> CacheOperation {
                .put(key, value(number), terms: PutTerms(tags: [tag]))
            }
            try context.verify(
                names.enumerated().map { tagged($1, $0, "t") }
                    + [tagged(a, 1, "s"), .get(names[0]), .get(a), .removeTagged("t"), .get(a)] + names.map { .get($0) }
            )
        },
    ]

    private static func loadsApart(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "4 threads at once load one key, each in its own group; each origin takes 30 ms", "the same for 5 keys",
        ]
        let run = try context.threads(4, steps: steps) { thread, instance in
            (0..<5).map { number in
                let key = Array("shared-\(number)".utf8)
                let origin = Origin(.value(value(thread)), meanwhile: [.pause(milliseconds: 30)])
                return instance.perform(.within(group: "g\(thread)", .load(key, origin)))
                    == .loaded(.value(StoredEntry(value(thread).bytes(for: key))), calls: 1)
            }
        }
        _ = run.instance.perform(.close)
        let wrong = run.results.joined().count { !$0 }
        try context.require(
            wrong == 0, observed: "\(wrong) loads did not bring what their own origin has",
            permitted: "the value of its own origin for each", steps: steps)
    }
}
