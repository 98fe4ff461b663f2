import CacheCore

/// STA: what a cache counts.
enum StatisticsChecks: LetterKeys {
    private static let keys = (0..<64).map { Array("k\($0)".utf8) }
    private static let statistics = Claim.feature(.statistics)

    static let all: [Check] = [
        Check(
            .init("STA-1", profile: .core, source: "JSR-107: CacheStatisticsMXBean"), due: [statistics],
            "The counters of a fresh cache are zero.",
            explanation: "Asks before anything else, and after writes that read nothing. Finds reads of a cache's own.",
            [.statistics, .put(a, value(1)), .put(b, value(2)), .statistics], witness: .none),
        Check(
            .init("STA-2", revision: 2, dependsOn: ["STA-1"], profile: .core, source: "ehcache/ehcache3#1699"),
            due: [statistics],
            "Reads count as hits and misses, and nothing else does.",
            explanation: """
                Looks, lists, writes, removes and, where claimed, puts if absent, compares, gives another time \
                to live and asks how long an entry lives between reads of both kinds; before, it puts what is \
                refused. Then looks, writes and removes by each operation that is claimed, and asks for the \
                counters twice. Witness: a hit. Finds looking, refusals and questions for the counters that \
                count as reading.
                """
        ) { (context) throws(CheckStop) in
            let limit = context.claims.valueBytesMax
            let refused: [CacheOperation] = limit <= 1 << 21 ? [.put(b, value(9, limit + 1)), .statistics] : []
            try context.verify(
                refused + [
                    .get(a), .statistics, .put(a, value(1)), .get(a), .statistics, .contains(a), .contains(b),
                    .statistics, .count, .keys, .remove(b), .put(a, value(2)), .statistics,
                ]
                    + context.claimed([
                        .remainingTime(a), .remainingTime(b), .statistics,
                        .compareAndSet(a, expected: value(2), value(3)),
                        .compareAndSet(b, expected: value(2), value(4)), .statistics,
                        .touch(a, timeToLiveNanoseconds: 50), .touch(b, timeToLiveNanoseconds: 50), .statistics,
                        .putIfAbsent(a, value(5)), .putIfAbsent(b, value(6)), .replace(a, value(7)), .statistics,
                    ]) + [
                        .get(a), .get(b), .remove(a), .get(a), .statistics,
                    ])
            try context.each({ $0.overwrites + $0.removals + $0.looks }) {
                $0.full(1) + $1 + [.statistics, .statistics]
            }
        },
        Check(
            .init("STA-3", revision: 2, dependsOn: ["STA-2"], source: "google/guava#2389, quarkusio/quarkus#40042"),
            due: [statistics], "The reads of many threads are all counted.",
            explanation: """
                Eight threads read 500 present and 500 missing keys each; hits and misses add up exactly. Where that is \
                claimed each then loads 50 keys of its own and 5 that all load, and the loads are as many as origins were asked. The same with four caches. Blocked where \
                the cache is not for several threads. Finds counters that are not atomic or are counted twice.
                """, body: sums),
        Check(
            .init("STA-4", revision: 2, dependsOn: ["STA-2", "TTL-2"], source: "JSR-107: CacheStatisticsMXBean"),
            due: [statistics, .capacity(.objects), .strict, .retains],
            "Evictions and expirations are counted, and apart.",
            explanation: """
                Overflows by five and, where claimed, shrinks and drops memory, which evicts nothing; then lets \
                entries expire that are swept, read, overwritten and removed after their end. Finds causes that \
                share a counter, and ones that are counted in one way alone.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 4)
            let fill = keys[..<min(64, room + 5)].enumerated().map { CacheOperation.put($1, value($0)) }
            let expires = context.claimed(
                if: .timeToLive, .removeAll, put(a, 1, lives: 5), .get(a), wait(5), .maintain, .statistics,
                put(a, 1, lives: 5), wait(5), .get(a), .maintain, .statistics, put(a, 2, lives: 5), wait(5),
                .put(a, value(3)), .maintain, .statistics, put(a, 4, lives: 5), wait(5), .remove(a), .maintain,
                .statistics)
            let shrinks = context.claimed(if: .resize, .resize(2), .statistics)
            let drops = context.claimed(if: .tiers, .dropMemory, .statistics)
            try context.verify(fill + [.statistics] + drops + shrinks + expires, setup: setup, witness: .none)
        },
        Check(
            .init("STA-5", dependsOn: ["STA-2", "STA-1"], profile: .core, source: "JSR-107: CacheStatisticsMXBean"),
            due: [statistics],
            "Hits and misses are as many as reads.",
            explanation: """
                Reads expired, removed, overwritten and, where claimed, several keys at once, and none, in a group, there \
                by a load too, and by a load of several; a load afresh of what is there is no read. Witness: a hit.
                """
        ) { (context) throws(CheckStop) in
            let mortal = context.claimed(
                if: .timeToLive, put(b, 2, lives: 5), .get(b), wait(5), .get(b), .statistics)
            let bulk = context.claimed(
                if: .bulk, .getMany([a, b, keys[0]]), .statistics, .getMany([a, a]), .statistics, .getMany([]),
                .statistics)
            try context.verify(
                [.put(a, value(1)), .get(a), .get(a), .statistics] + mortal + bulk
                    + context.claimed([
                        .within(group: "g", .get(a)), .within(group: "g", .put(a, value(3))),
                        .within(group: "g", .get(a)), .statistics,
                        .within(group: "g", .load(a, Origin(.failure))), .statistics,
                        .loadMany([a, keys[1]], lacking: [], sequence: 9), .statistics,
                    ]) + [
                        .remove(a), .get(a), .statistics,
                    ])
            guard [.loader, .refresh, .timeToLive].allSatisfy(context.claims.claims) else { return }
            let load = CacheOperation.load(a, Origin(.value(value(1))))
            try context.verify(
                [load, .advance(nanoseconds: 60), load, .maintain, .get(a), .statistics],
                setup: CacheSetup(refreshNanoseconds: 50))
        },
        Check(
            .init("STA-6", dependsOn: ["STA-2", "STA-1"], profile: .core, source: "JSR-107: CacheStatisticsMXBean"),
            due: [statistics],
            "No counter ever goes down.",
            explanation: """
                Clears, removes, resizes where claimed and does its chores between looks at the counters, which go on from \
                where they were. Witness: a hit. Finds clears that reset what was counted.
                """
        ) { (context) throws(CheckStop) in
            let resize: [CacheOperation] = context.claims.claims(.resize) ? [.resize(2), .statistics, .resize(64)] : []
            let read: [CacheOperation] = [.put(a, value(1)), .get(a), .get(b), .statistics]
            try context.verify(
                read + [.removeAll, .statistics] + read + [.remove(a), .maintain] + read + resize + read)
        },
        Check(
            .init("STA-7", dependsOn: ["STA-2", "STA-1"], source: "JSR-107: CacheStatisticsMXBean"), due: [statistics],
            "The hit ratio is a number from the start, and the right one later.",
            explanation: """
                Asks before any read, after misses alone, and after hits. Where the cache works out no ratio there is \
                nothing to be wrong. Witness: a hit. Finds a division by zero.
                """,
            [
                .statistics, .put(a, value(1)), .statistics, .get(b), .statistics, .get(a), .get(a), .statistics,
            ]),
        Check(
            .init(
                "STA-8", dependsOn: ["STA-2", "BAS-11", "STA-5", "STA-6"], sweeps: true,
                source: "JSR-107: CacheStatisticsMXBean"), due: [statistics],
            "The counters agree with what the suite has counted itself.",
            explanation: """
                Twenty random programs in a tight cache with the counters asked for on the way. Where it is opened \
                again they may begin anew or go on. Witness: a hit.
                """
        ) { (context) throws(CheckStop) in try context.verifyTightPrograms() },
        Check(
            .init("STA-9", dependsOn: ["STA-2", "TTL-2"], source: "coocood/freecache#71"),
            due: [statistics, .feature(.timeToLive), .retains],
            "What expires is counted, whoever finds it out.",
            explanation: """
                Without little room: entries expire that are swept, read, overwritten and removed after their end. Finds ends that \
                only a sweep counts.
                """,
            [
                put(a, 1, lives: 5), .get(a), wait(5), .maintain, .statistics, put(a, 2, lives: 5), wait(5), .get(a),
                .maintain,
                .statistics, put(a, 3, lives: 5), wait(5), .put(a, value(4)), .maintain, .statistics,
                put(a, 5, lives: 5), wait(5),
                .remove(a), .maintain, .statistics,
            ]),
        Check(
            .init("STA-10", dependsOn: ["STA-4", "CAP-3"], source: "coocood/freecache#86"),
            due: [statistics, .capacity(.bytes), .strict, .feature(.cost), .retains],
            "What makes room in bytes is counted, each entry of several.",
            explanation: """
                Puts costs of 60, 60, 40 and 95 into 100, of which none, one, one and three have been evicted then, whatever the \
                order. Blocked where evictions are not counted. Finds room in bytes that is made uncounted.
                """, body: evictsInBytes),
    ]

    private static func evictsInBytes(_ context: CheckContext) throws(CheckStop) {
        let (setup, room) = try context.room(.bytes, 100)
        guard room == 100, !context.claims.deviates(.weighsBytes) else {
            throw .blocked("the room is not 100 in costs")
        }
        let costs = [60, 60, 40, 95]
        let steps = costs.map { "put one that costs \($0), maintain, statistics" }
        let counted = try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
            costs.enumerated().map { index, cost in
                _ = instance.perform(CapacityChecks.put(keys[index], index, costs: cost))
                _ = instance.perform(.maintain)
                guard case .statistics(let counters) = instance.perform(.statistics) else { return Int?.none }
                return counters.evictions
            }
        }
        let evictions = counted.compactMap(\.self)
        guard evictions.count == costs.count else { throw .blocked("evictions are not counted") }
        try context.require(
            evictions == [0, 1, 1, 3], observed: "\(evictions) evictions", permitted: "0, 1, 1 and 3", steps: steps)
    }

    /// How often eight threads have asked an origin, and how many loads are counted: who joins another's load makes none.
    private static func loaded(_ instance: any CacheInstance, each: Int) -> (done: Int, counted: Int?) {
        let done = ClientThreads.together(8) { thread in
            let own = (0..<each).map {
                CacheOperation.load(Array("own-\(thread)-\($0)".utf8), Origin(.value(value($0))))
            }
            let shared = (0..<5).map { number -> CacheOperation in
                .load(
                    Array("shared-\(number)".utf8), Origin(.value(value(number)), meanwhile: [.pause(milliseconds: 5)]))
            }
            return (own + shared).reduce(0) { $0 + instance.perform($1).calls }
        }
        guard case .statistics(let counters) = instance.perform(.statistics) else { return (0, nil) }
        return (done.reduce(0, +), counters.loads)
    }

    private static func sums(_ context: CheckContext) throws(CheckStop) {
        let reads = context.isOneOfMany ? 100 : 1_000
        let steps = [
            "put 1 key", "8 threads at once: \(reads / 2) reads of it and \(reads / 2) of missing keys each",
            "statistics",
        ]
        for _ in 0..<context.runs(4) {
            let run = try context.threads(8, steps: steps) { thread, instance in
                if thread == 0 { _ = instance.perform(.put(a, value(1))) }
                return (0..<reads).count { instance.perform(.get($0 % 2 == 0 ? a : keys[$0 % 64])).isHit }
            }
            let hits = run.results.reduce(0, +)
            let misses = 8 * reads - hits
            guard case .statistics(let counters) = run.instance.perform(.statistics) else {
                throw .blocked("the counters")
            }
            let loads = context.claims.claims(.loader) ? loaded(run.instance, each: context.rounds(50)) : nil
            _ = run.instance.perform(.close)
            if let loads, let counted = loads.counted {
                try context.require(
                    counted == loads.done, observed: "\(counted) loads", permitted: "\(loads.done) loads",
                    steps: [
                        "8 threads at once: load \(context.rounds(50)) keys of their own each, then the same 5",
                        "statistics",
                    ])
            }
            try context.require(
                (counters.hits ?? hits) == hits && (counters.misses ?? misses) == misses,
                observed: "\(counters.hits ?? 0) hits and \(counters.misses ?? 0) misses",
                permitted: "\(hits) hits and \(misses) misses", steps: steps)
        }
    }
}
