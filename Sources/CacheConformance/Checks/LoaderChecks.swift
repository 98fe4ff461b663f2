import CacheCore

/// LDR: reads that load what is missing.
enum LoaderChecks: LetterKeys {
    static let loader = Claim.feature(.loader)

    static func load(_ key: [UInt8], _ number: Int, while meanwhile: [CacheOperation] = []) -> CacheOperation {
        .load(key, Origin(.value(value(number)), meanwhile: meanwhile))
    }

    /// Those of refreshes last, the rest in the order of their numbers.
    static let all = ofMisses + ofAbsences + ofOthers + ofRefreshes

    private static let ofMisses: [Check] = [
        Check(
            .init("LDR-1", revision: 2, profile: .core, source: "Caffeine: LoadingCache.get"), due: [loader, .retains],
            "A missing key is loaded and stored.",
            explanation: """
                Loads, reads, removes and loads again. Finds loads whose value is not kept.
                """,
            [load(a, 1), .get(a), .remove(a), load(a, 2), .get(a), .contains(b)]),
        Check(
            .init("LDR-2", dependsOn: ["LDR-1"], profile: .core, source: "Caffeine: LoadingCache.get"),
            due: [loader, .retains],
            "A present key is not loaded.",
            explanation: "Loads over a put and over a load, counting calls. Finds loaders that are always asked.",
            [.put(a, value(1)), load(a, 2), load(b, 3), load(b, 4), .get(a), .get(b)]),
        Check(
            .init("LDR-3", revision: 2, dependsOn: ["LDR-1"], profile: .core, source: "maypok86/otter#152"),
            due: [loader, .feature(.coalesce), .retains],
            "Threads that miss one key at once share one load.",
            explanation: """
                Four threads load one missing key whose origin takes 20 ms; one call is made, and all have its value. \
                Repeated for 10 keys. Blocked where the cache is not for several threads. Finds stampedes.
                """
        ) { (context) throws(CheckStop) in try stampede(context) },
        Check(
            .init("LDR-4", revision: 2, dependsOn: ["LDR-1", "LDR-3"], source: "muxinc/mux-player-swift#80"),
            due: [loader, .feature(.coalesce), .retains],
            "Those who come while a key is loaded join that load.",
            explanation: """
                Four threads load a key 3 ms after each other while its origin takes 60 ms and loads another key \
                itself; one call is made. Repeated for 5 keys. Blocked where the cache is not for several threads. \
                Finds loads that are entered into the books only after something was waited for.
                """, body: lateComers),
        Check(
            .init("LDR-5", dependsOn: ["LDR-1"], source: "Caffeine: LoadingCache.get"), due: [loader, .retains],
            "A slow load does not hold up the loads of other keys.",
            explanation: """
                While the origin of one key takes its time, another thread loads other keys. Of five attempts, each \
                slower than the one before, one shows them done first. Inconclusive where threads come late every \
                time; blocked where the cache is not for several threads. Finds one lock for all loads.
                """
        ) { (context) throws(CheckStop) in
            try overtakes(context, "loads another key") { .load(Array("quick-\($0)".utf8), Origin(.value(value($0)))) }
        },
        Check(
            .init("LDR-6", dependsOn: ["LDR-1"], profile: .core, source: "vapor/vapor#3483"), due: [loader, .retains],
            "A failing load is told, stores nothing, and the next read loads again.",
            explanation: "Fails twice, then succeeds. Finds failures that are remembered for ever.",
            [
                .load(a, Origin(.failure)), .get(a), .contains(a), .load(a, Origin(.failure)), load(a, 1), .get(a),
                load(a, 2),
            ]),
        Check(
            .init(
                "LDR-7", dependsOn: ["LDR-1", "LDR-3"], source: "Caffeine: a task of a shared load may be cancelled"),
            due: [loader, .feature(.cancel), .feature(.coalesce), .retains],
            "When one of those who wait for a load gives up, the others get its value.",
            explanation: """
                The thread that began a load gives up while its origin is asked; three others that came later have the \
                value. Blocked where the cache is not for several threads. Finds cancellations that reach everybody.
                """, body: givingUp),
        Check(
            .init("LDR-8", revision: 2, dependsOn: ["LDR-1", "TTL-1", "TTL-2"], source: "Caffeine: LoadingCache.get"),
            due: [loader, .feature(.timeToLive), .retains],
            "A loaded value has the time to live that it came with.",
            explanation: """
                Loads with a life of 10 and waits; where that is claimed the same with what is loaded for a refresh. Witness: it is \
                found before its end. Finds loaded values that never end.
                """
        ) { (context) throws(CheckStop) in
            let mortal = CacheOperation.load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 10))))
            let end: [CacheOperation] = [.advance(nanoseconds: 9), .get(a), .advance(nanoseconds: 1), .get(a)]
            try context.verify([mortal] + end)
            try context.verify([load(a, 2), .advance(nanoseconds: 100), .get(a)])
            guard context.claims.claims(.refresh) else { return }
            try context.verify(
                [load(a, 2), .advance(nanoseconds: 60), mortal, .maintain] + end,
                setup: CacheSetup(refreshNanoseconds: 50))
        },
    ]

    private static let ofOthers: [Check] = [
        Check(
            .init("LDR-10", dependsOn: ["LDR-1"], source: "Caffeine: getAll"),
            due: [loader, .feature(.bulkLoad), .retains],
            "A load of several keys asks only for those that are missing.",
            explanation: """
                Loads three keys of which one is there, one has no value and one is named twice; then all again. Finds \
                origins that are asked for everything, and values under the wrong key.
                """,
            [
                .put(a, value(1)), .loadMany([b, a, key("c"), b], lacking: [key("c")], sequence: 10), .get(a), .get(b),
                .get(key("c")), .loadMany([a, b], lacking: [], sequence: 20), .get(b),
            ]),
        Check(
            .init(
                "LDR-11", revision: 3, dependsOn: ["LDR-1"], profile: .core,
                source: "Caffeine: a put during a load wins; deliro/moka-py get_with"), due: [loader],
            "A write, a removal or a clear during a load wins over what is loaded.",
            explanation: """
                While the origin is asked somebody puts, removes or clears, by each operation that is claimed; \
                afterwards the loaded value is not there. The same with origins that fail and that have no value. \
                Witness: a hit. Then others take all room meanwhile, and the load is answered nevertheless. Finds stale values that are stored \
                after what is newer, failures that take it away, and loads that answer nothing because their place was given away \
                (isaacs/node-lru-cache#274).
                """
        ) { (context) throws(CheckStop) in
            for operations in overtaken(context.claims) { try context.verify(operations) }
            guard let (setup, room) = try? context.room(.objects, 2), room < 100 else { return }
            let others = (0...room).map { CacheOperation.put(key("other-\($0)"), value($0)) }
            try context.verify([load(a, 1, while: others)], setup: setup, witness: .none)
        },
        Check(
            .init("LDR-12", revision: 2, dependsOn: ["LDR-1"], source: "ben-manes/caffeine#160, elasticsearch#14091"),
            due: [loader, .retains], "A load may load another key.",
            explanation: """
                An origin loads another key from the same cache, and that one a third; then one that fails, \
                which is not the first one's failure. Finds locks that are held while loading (ben- \
                manes/caffeine#160), and nested loads that are lost.
                """
        ) { (context) throws(CheckStop) in
            try context.verifyAnswered(
                Program([
                    load(a, 1, while: [load(b, 2, while: [load(key("c"), 3)])]), .get(a), .get(b), .get(key("c")),
                    load(key("d"), 4, while: [.load(key("e"), Origin(.failure))]), .get(key("d")),
                ]))
        },
        Check(
            .init("LDR-13", dependsOn: ["LDR-1"], source: "Caffeine: LoadingCache.get"), due: [loader],
            "Looking and writing load nothing.",
            explanation:
                "Looks, removes and counts after a load was made, and finds no more than was put. Witness: a hit.",
            [
                load(a, 1), .get(a), .remove(a), .contains(a), .get(a), .remove(a), .count, .put(a, value(2)), .get(a),
            ]),
        Check(
            .init(
                "LDR-17", revision: 2, dependsOn: ["LDR-1", "LDR-3", "TTL-2"], source: "golang.org/x/sync/singleflight"),
            due: [loader, .feature(.coalesce), .feature(.timeToLive), .retains],
            "Threads that find a hot key expired share one load.",
            explanation: """
                As LDR-3, but each of 10 keys was there and has expired. Blocked where the cache is not for several \
                threads. Finds stampedes at the end of a time to live.
                """
        ) { (context) throws(CheckStop) in try stampede(context, expired: true) },
        Check(
            .init("LDR-18", dependsOn: ["LDR-1", "LDR-5"], source: "Caffeine: LoadingCache.get"),
            due: [loader, .retains],
            "A slow load does not hold up who writes the key.",
            explanation: """
                While the origin of a key takes its time, another thread puts that key. Of five attempts, each slower \
                than the one before, one shows the put done first. Inconclusive where threads come late every time; \
                blocked where the cache is not for several threads. Finds writers that wait for the load.
                """
        ) { (context) throws(CheckStop) in try overtakes(context, "puts that key") { .put(slow, value($0)) } },
        Check(
            .init("LDR-19", revision: 2, dependsOn: ["LDR-1", "STA-2"], source: "Caffeine: CacheStats.loadCount"),
            due: [loader, .feature(.statistics)],
            "Loads are counted, failed ones apart.",
            explanation: """
                Loads, fails, hits and finds that there is no value, which is a load too, with the counters \
                between. Where it is claimed that something stale is served instead, the load has failed \
                nevertheless. Witness: a hit. Finds hits counted as loads, and loads that are not counted for \
                what came of them.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                load(a, 1), .get(a), .statistics, load(a, 2), .statistics, .load(b, Origin(.failure)), .statistics,
                load(b, 3), .get(b), .statistics, .load(key("c"), Origin(.nothing)), .statistics,
            ])
            guard context.claims.claims(.staleServe), context.claims.claims(.timeToLive) else { return }
            let mortal = CacheOperation.put(a, value(1), terms: PutTerms(timeToLiveNanoseconds: 10))
            try context.verify(
                [mortal, .advance(nanoseconds: 10), .load(a, Origin(.failure)), .statistics],
                setup: CacheSetup(staleNanoseconds: 50), witness: .none)
        },
        Check(
            .init(
                "LDR-21", revision: 2, dependsOn: ["LDR-1", "LDR-3", "LDR-6"],
                source: "golang.org/x/sync/singleflight"),
            due: [loader, .feature(.coalesce), .retains],
            "Threads that share a load share its failure too, that there is no value, and one that is over at once.",
            explanation: """
                Four threads load one missing key whose origin takes 20 ms and fails: each is told of a failure. The \
                same with an origin that has no value, of which each is told, and with one whose value has a life of 0 or costs \
                more than there is room for, as far as claimed, which each is given; 5 keys of each kind. Blocked where the \
                cache is not for several threads. Finds failures of which only the first to ask is told, and threads that \
                look for the value where it was not kept (jellydator/ttlcache#44).
                """, body: sharesWhatComes),
    ]

    static let slow = Array("slow".utf8)

    static func key(_ name: String) -> [UInt8] { Array(name.utf8) }
}
