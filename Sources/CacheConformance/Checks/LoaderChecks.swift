import CacheCore

/// LDR: reads that load what is missing.
enum LoaderChecks {
    private static let a = Array("a".utf8)
    private static let b = Array("b".utf8)
    static let loader = Claim.feature(.loader)

    static func load(_ key: [UInt8], _ number: Int, while meanwhile: [Operation] = []) -> Operation {
        .load(key, Origin(.value(value(number)), meanwhile: meanwhile))
    }

    private static func check(
        _ id: String, due claims: [Claim] = [], _ assertion: String, explanation: String, _ operations: [Operation],
        witness: CheckContext.Witness = .hits(1)
    ) -> Check {
        Check(id, due: [loader] + claims, assertion, explanation: explanation) { (context) throws(CheckStop) in
            try context.verify(Program(context.claimed(operations)), witness: witness)
        }
    }

    static let all: [Check] = [
        Check(
            "LDR-1", due: [loader, .retains], "A missing key is loaded and stored.",
            explanation: """
                Loads, reads, removes and loads again; while the origin is asked looks at the key, and reads, writes and \
                removes another, also in a group. Finds loads whose value is not kept, and ones that anything overtakes.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(Program([load(a, 1), .get(a), .remove(a), load(a, 2), .get(a), .contains(b)]))
            try undisturbed(context)
        },
        check(
            "LDR-2", due: [.retains], "A present key is not loaded.",
            explanation: "Loads over a put and over a load, counting calls. Finds loaders that are always asked.",
            [.put(a, value(1)), load(a, 2), load(b, 3), load(b, 4), .get(a), .get(b)]),
        Check(
            "LDR-3", due: [loader, .feature(.coalesce), .retains], "Threads that miss one key at once share one load.",
            explanation: """
                Four threads load one missing key whose origin takes 20 ms; one call is made, and all have its value. \
                Repeated for 10 keys. Blocked where the cache is not for several threads. Finds stampedes.
                """
        ) { (context) throws(CheckStop) in try stampede(context) },
        Check(
            "LDR-4", due: [loader, .feature(.coalesce), .retains],
            "Those who come while a key is loaded join that load.",
            explanation: """
                Four threads load a key 3 ms after each other while its origin takes 60 ms and loads another key \
                itself; one call is made. Repeated for 5 keys. Blocked where the cache is not for several threads. \
                Finds loads that are entered into the books only after something was waited for.
                """
        ) { (context) throws(CheckStop) in try lateComers(context) },
        Check(
            "LDR-5", due: [loader, .retains], "A slow load does not hold up the loads of other keys.",
            explanation: """
                While the origin of one key takes its time, another thread loads other keys. Of five attempts, each \
                slower than the one before, one shows them done first. Inconclusive where threads come late every \
                time; blocked where the cache is not for several threads. Finds one lock for all loads.
                """
        ) { (context) throws(CheckStop) in
            try overtakes(context, "loads another key") { .load(Array("quick-\($0)".utf8), Origin(.value(value($0)))) }
        },
        check(
            "LDR-6", due: [.retains], "A failing load is told, stores nothing, and the next read loads again.",
            explanation: "Fails twice, then succeeds. Finds failures that are remembered for ever.",
            [
                .load(a, Origin(.failure)), .get(a), .contains(a), .load(a, Origin(.failure)), load(a, 1), .get(a),
                load(a, 2),
            ]),
        Check(
            "LDR-7", due: [loader, .feature(.cancel), .feature(.coalesce), .retains],
            "When one of those who wait for a load gives up, the others get its value.",
            explanation: """
                The thread that began a load gives up while its origin is asked; three others that came later have the \
                value. Blocked where the cache is not for several threads. Finds cancellations that reach everybody.
                """
        ) { (context) throws(CheckStop) in try givingUp(context) },
        Check(
            "LDR-8", due: [loader, .feature(.timeToLive), .retains],
            "A loaded value has the time to live that it came with.",
            explanation: """
                Loads with a life of 10 and waits; where that is claimed the same with what is loaded for a refresh. Finds \
                loaded values that never end.
                """
        ) { (context) throws(CheckStop) in
            let mortal = Operation.load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 10))))
            let end: [Operation] = [.advance(nanoseconds: 9), .get(a), .advance(nanoseconds: 1), .get(a)]
            try context.verify(Program([mortal] + end + [load(a, 2), .advance(nanoseconds: 100), .get(a)]))
            guard context.claims.claims(.refresh) else { return }
            try context.verify(
                Program(
                    [load(a, 2), .advance(nanoseconds: 60), mortal, .maintain] + end,
                    setup: CacheSetup(refreshNanoseconds: 50)))
        },
        Check(
            "LDR-9", due: [loader, .feature(.negative), .retains],
            "That there is no value is remembered, and is never a value.",
            explanation: """
                Loads a key without a value three times: only the first asks, also where another's origin failed since. \
                Reads, looks and puts over it; then the key is loaded, removed, cleared or given by a rename, and loaded \
                again; the same with each way of writing, of removing and of looking by itself. What is known not to be \
                there is not counted, not removed and not replaced, and can be put if absent. Finds sentinels that come \
                out, absences that are asked for every time, ones that outlive a put or a clear, and ones that are taken \
                for entries.
                """
        ) { (context) throws(CheckStop) in
            let steps: [Operation] = [
                .load(a, Origin(.nothing)), .load(a, Origin(.nothing)), .get(a), .contains(a), .put(a, value(1)),
                .get(a),
                load(a, 4), .remove(a), .load(a, Origin(.nothing)), .put(b, value(2)), load(b, 3), .removeAll,
                load(a, 5),
                .get(a), .remove(b), .load(b, Origin(.nothing)), .put(b, value(6)), .remove(b), load(b, 7),
                .remove(a), .load(a, Origin(.nothing)), .rename(b, to: a), load(a, 8), .get(a),
                .remove(a), .load(a, Origin(.nothing)), .count, .keys, .getMany([a]), .putIfAbsent(a, value(10)),
                .get(a), .remove(a), .load(a, Origin(.nothing)), .replace(a, value(11)), .take(a), .get(a),
                load(b, 12), .remove(b), .load(b, Origin(.nothing)), .remove(b),
            ]
            try context.verify(Program(context.claimed(steps)))
            let none = Operation.load(a, Origin(.nothing))
            try context.verify(Program([none, none, none]), witness: .none)
            try context.verify(Program([none, .load(b, Origin(.failure)), load(a, 20)]), witness: .none)
            try context.verify(
                Program([
                    .load(a, Origin(.nothing, meanwhile: [.put(a, value(13)), .remove(a)])), load(a, 14), .get(a),
                ]))
            if context.claims.claims(.timeToLive) {
                let mortal = PutTerms(timeToLiveNanoseconds: 10)
                for write in context.claimed([
                    .putIfAbsent(a, value(15), terms: mortal), .put(a, value(16), terms: mortal),
                ]) {
                    try context.verify(
                        Program([.load(a, Origin(.nothing)), write, .advance(nanoseconds: 10), load(a, 17), .get(a)]))
                }
            }
            if let (setup, steps) = WaysScenarios.evictions(context, of: a).first {
                try context.verify(
                    Program(
                        [.load(a, Origin(.nothing)), .put(a, value(18))] + steps + [load(a, 19), .get(a)], setup: setup)
                )
            }
            try knowledge(context)
        },
        check(
            "LDR-10", due: [.feature(.bulkLoad), .retains],
            "A load of several keys asks only for those that are missing.",
            explanation: """
                Loads three keys of which one is there, one has no value and one is named twice; then all again. Finds \
                origins that are asked for everything, and values under the wrong key.
                """,
            [
                .put(a, value(1)), .loadMany([b, a, key("c"), b], lacking: [key("c")], sequence: 10), .get(a), .get(b),
                .get(key("c")), .loadMany([a, b], lacking: [], sequence: 20), .get(b),
            ]),
        refreshing(
            "LDR-14", "The old value is answered while a new one is loaded, until its end and never after.",
            explanation: """
                Past the age of refreshing a load answers the old value; the refresh does not come to its end, and \
                once the time to live is over the old value is not answered any more. Finds caches that wait for the \
                refresh before they let go.
                """,
            [
                .load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 100)))), .advance(nanoseconds: 60),
                .load(a, Origin(.failure)), .get(a), .advance(nanoseconds: 39), .get(a), .advance(nanoseconds: 1),
                .get(a), .load(a, Origin(.value(value(3)))), .get(a),
            ]),
        refreshing(
            "LDR-15", "A refresh that fails is tried again.",
            explanation: """
                A refresh fails: the old value stays. The next load past the age refreshes again, and succeeds. Finds \
                refreshing that stops for ever after one failure.
                """,
            [
                load(a, 1), .advance(nanoseconds: 60), .load(a, Origin(.failure)), .maintain, .get(a), load(a, 2),
                .maintain, .get(a), .advance(nanoseconds: 60), load(a, 3), .maintain, .get(a),
            ]),
        refreshing(
            "LDR-16", "Only one refresh of a key goes on at a time.",
            explanation:
                "Two loads past the age with different origins: the value of the first comes. Finds a refresh a reader.",
            [
                load(a, 1), .advance(nanoseconds: 60), load(a, 2, while: [.pause(milliseconds: 20)]), load(a, 3),
                .maintain, .get(a), .get(a),
            ]),
        Check(
            "LDR-11", due: [loader], "A write, a removal or a clear during a load wins over what is loaded.",
            explanation: """
                While the origin is asked somebody puts, removes or clears, in each of the ways that are claimed; \
                afterwards the loaded value is not there. The same with origins that fail and that have no value. \
                Witness: a hit. Finds stale values that are stored after what is newer, and failures that take it \
                away.
                """
        ) { (context) throws(CheckStop) in
            for operations in overtaken(context.claims) { try context.verify(Program(operations)) }
        },
        Check(
            "LDR-12", due: [loader, .retains], "A load may load another key.",
            explanation: """
                An origin loads another key from the same cache, and that one a third; then one that fails, which is \
                not the first one's failure; then twenty loads, each inside of another. Finds locks that are held while \
                loading, and nested loads that are lost, take others with them or go only so deep.
                """
        ) { (context) throws(CheckStop) in
            try context.verifyAnswered(
                Program([
                    load(a, 1, while: [load(b, 2, while: [load(key("c"), 3)])]), .get(a), .get(b), .get(key("c")),
                    load(key("d"), 4, while: [.load(key("e"), Origin(.failure))]), .get(key("d")),
                ]))
            let deep = (0..<20).map { key("deep-\($0)") }
            let nested = deep.indices.reversed().reduce([]) { inner, index in [load(deep[index], index, while: inner)] }
            try context.verifyAnswered(Program(nested + deep.map { .get($0) }))
        },
        check(
            "LDR-13", "Looking and writing load nothing.",
            explanation:
                "Looks, removes and counts after a load was made, and finds no more than was put. Witness: a hit.",
            [
                load(a, 1), .get(a), .remove(a), .contains(a), .get(a), .remove(a), .count, .put(a, value(2)), .get(a),
            ]),
        Check(
            "LDR-17", due: [loader, .feature(.coalesce), .feature(.timeToLive), .retains],
            "Threads that find a hot key expired share one load.",
            explanation: """
                As LDR-3, but each of 10 keys was there and has expired. Blocked where the cache is not for several \
                threads. Finds stampedes at the end of a time to live.
                """
        ) { (context) throws(CheckStop) in try stampede(context, expired: true) },
        Check(
            "LDR-18", due: [loader, .retains], "A slow load does not hold up who writes the key.",
            explanation: """
                While the origin of a key takes its time, another thread puts that key. Of five attempts, each slower \
                than the one before, one shows the put done first. Inconclusive where threads come late every time; \
                blocked where the cache is not for several threads. Finds writers that wait for the load.
                """
        ) { (context) throws(CheckStop) in try overtakes(context, "puts that key") { .put(slow, value($0)) } },
        Check(
            "LDR-19", due: [loader, .feature(.statistics)], "Loads are counted, failed ones apart.",
            explanation: """
                Loads, fails, hits and finds that there is no value, which is a load too, with the counters between. \
                Where it is claimed that something stale is served instead, the load has failed nevertheless. Witness: a \
                hit. Finds hits counted as loads, and loads that are not counted for what came of them.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    load(a, 1), .get(a), .statistics, load(a, 2), .statistics, .load(b, Origin(.failure)), .statistics,
                    load(b, 3), .get(b), .statistics, .load(key("c"), Origin(.nothing)), .statistics,
                ]))
            guard context.claims.claims(.staleServe), context.claims.claims(.timeToLive) else { return }
            let mortal = Operation.put(a, value(1), terms: PutTerms(timeToLiveNanoseconds: 10))
            try context.verify(
                Program(
                    [mortal, .advance(nanoseconds: 10), .load(a, Origin(.failure)), .statistics],
                    setup: CacheSetup(staleNanoseconds: 50)), witness: .none)
        },
        Check(
            "LDR-20", due: [loader, .feature(.refresh), .feature(.timeToLive), .retains],
            "A write, a removal or a clear wins over a refresh that is under way.",
            explanation: """
                Past the age of refreshing a load answers the old value; before its refresh has ended somebody puts, \
                removes or clears, in each of the ways that are claimed. What the refresh brings is not there afterwards; \
                it is where somebody only looked. Finds refreshes that undo what came after them.
                """
        ) { (context) throws(CheckStop) in
            let steps: [Operation] = [
                load(a, 1), .advance(nanoseconds: 60), load(a, 2), .put(a, value(3)), .maintain, .get(a),
                .advance(nanoseconds: 60), load(a, 4), .remove(a), .maintain, .get(a), load(a, 5),
                .advance(nanoseconds: 60), load(a, 6), .removeAll, .maintain, .get(a), .contains(a),
            ]
            try context.verify(Program(steps, setup: CacheSetup(refreshNanoseconds: 50)))
            try refreshed(context)
        },
        Check(
            "LDR-21", due: [loader, .feature(.coalesce), .retains],
            "Threads that share a load share its failure too, and that there is no value.",
            explanation: """
                Four threads load one missing key whose origin takes 20 ms and fails: each is told of a failure. The \
                same with an origin that has no value, of which each is told; 5 keys of either kind. Blocked where the \
                cache is not for several threads. Finds failures of which only the first to ask is told.
                """
        ) { (context) throws(CheckStop) in try sharesFailure(context) },
    ]

    static let slow = Array("slow".utf8)

    static func key(_ name: String) -> [UInt8] { Array(name.utf8) }

    /// A check of a cache that refreshes what is older than 50 ns.
    private static func refreshing(
        _ id: String, _ assertion: String, explanation: String, _ operations: [Operation]
    ) -> Check {
        Check(
            id, due: [loader, .feature(.refresh), .feature(.timeToLive), .retains], assertion, explanation: explanation
        ) { (context) throws(CheckStop) in
            try context.verify(Program(operations, setup: CacheSetup(refreshNanoseconds: 50)))
        }
    }
}
