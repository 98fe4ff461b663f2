import CacheCore

/// LIF: opening and closing.
enum LifeCycleChecks: LetterKeys {
    static let all: [Check] = [
        Check(
            .init("LIF-1", profile: .core, source: "JSR-107 TCK: every use of a closed cache throws"),
            "Every use after close throws 'closed'.",
            explanation: """
                Each operation once on a closed store, of the claimed ones those that read, write or hold entries or their room, \
                in a group too. Witness: \
                an entry was found before. Finds ways in that the close does not shut.
                """
        ) { (context) throws(CheckStop) in
            let uses: [CacheOperation] = [
                .get(a), .put(a, value(2)), .remove(a), .contains(a), .removeAll, .count, .keys, .flush,
            ]
            let others: [CacheOperation] = [
                .getMany([a]), .putIfAbsent(a, value(3)), .replace(a, value(4)), .exchange(a, value(5)), .take(a),
                .compareAndSet(a, expected: value(1), value(6)), .update(a, .countUp), .increment(a, by: 1),
                .removeMany([a]), .putMany([KeyedPayload(a, value(7))]), .load(a, Origin(.value(value(8)))),
                .load(Array("b".utf8), Origin(.value(value(9)))), .loadMany([a], lacking: [], sequence: 10),
                .rename(a, to: Array("b".utf8)), .touch(a, timeToLiveNanoseconds: 5), .remainingTime(a),
                .firstKeys(1), .mark(a), .setIfMarked(a, value(12)), .removeIfMarked(a), .removeTagged("t"), .pin(a),
                .unpin(a), .cost, .resize(9),
            ]
            let inside: [CacheOperation] = [
                .put(a, value(11)), .get(a), .contains(a), .remove(a), .load(a, Origin(.value(value(13)))), .count,
                .keys, .removeAll,
            ]
            let inGroup = inside.map { CacheOperation.within(group: "g", $0) }
            try context.verify([.put(a, value(1)), .get(a), .close] + uses + context.claimed(others + inGroup))
        },
        Check(
            .init("LIF-2", profile: .core, source: "JSR-107: close is idempotent"), "Closing twice does nothing more.",
            explanation: "Closes three times and reopens. Witness: an entry was found before.",
            [.put(a, value(1)), .get(a), .close, .close, .close, .reopen, .get(a), .count]),
        Check(
            "LIF-3", "A closed cache leaves no open file and no thread behind.",
            explanation: """
                Opens, uses and closes 12 caches, twice, and keeps what is closed: no file of a store is open or \
                mapped into memory any more, and not each of them has left an open file or a thread. Witness: an entry \
                was found. Blocked for a subject in another process. Finds files, sockets and threads that wait for \
                the last reference, or for nothing.
                """, body: ResourceScenarios.closed),
        Check(
            .init("LIF-4", dependsOn: ["PER-1"], source: "LMDB: one environment of a file in a process"),
            due: [.durability(.exit)],
            "A second store in an open directory is refused, or both stay sound.",
            explanation: """
                Opens the directory again while it is open, once more if that was refused, and once more after the chores \
                are done. If that is allowed, neither may answer with a value that the other removed after both had seen \
                it. Witness: the first store's entry. Finds locks that a refusal or a new file takes away.
                """, body: doubleOpen),
        Check(
            .init(
                "LIF-5", revision: 3, dependsOn: ["PER-1", "TTL-2", "GRP-5"],
                source: "SQLite: what was committed needs no close"),
            due: [.durability(.kill), .retains],
            "Letting go of a store without closing it loses nothing acknowledged.",
            explanation: """
                Drops the last reference and opens the directory again, which also shows that locks and files \
                are released; before that, the last operation is each that changes an entry and is claimed, and what was said of \
                an entry holds afterwards. Finds writes that wait for close, or for the next one, and ends that are written \
                there alone (dgraph-io/badger#708).
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                [
                    .put(a, value(1)), .abandon, .get(a), .put(a, value(2, 50_000)), .abandon, .get(a), .remove(a),
                    .abandon, .get(a), .count,
                ], witness: .hits(2))
            try context.each({ $0.overwrites + $0.removals.filter { $0.count == 1 } }) {
                $0.full(1) + $1 + [.abandon, $0.get]
            }
            let ends =
                context.claimed(if: .timeToLive, wait(OperationVariants.life))
                + context.claimed([.removeTagged(OperationVariants.tag)])
            for end in ends {
                try context.each({ _ in [[end]] }) { $0.full(1) + [.abandon, $0.get] + $1 + [$0.get] }
            }
        },
        Check(
            "LIF-6", due: [.feature(.defaults)], "What is opened with nothing said is as its documentation says.",
            explanation: """
                Opens with nothing said. An entry is found centuries later; with a room, as many entries as it is said to \
                have by default are found and no more, tried up to 2000; and a cache that is told its default room answers \
                as one that is told nothing. Finds defaults that nobody wrote down.
                """, body: SetupScenarios.defaults),
        Check(
            .init("LIF-7", source: "Caffeine: CaffeineSpec refuses nonsense"), due: [.feature(.validates)],
            "Settings that make no sense are refused at opening.",
            explanation: """
                Capacities below zero, times below zero, versions that there never were, as \
                far as the claims say that they can be set. Witness: it opens with nothing said. Finds caches that take \
                anything and go wrong later.
                """, body: SetupScenarios.nonsense),
    ]

    /// What only caches share with each other, if they share anything.
    static let ofCaches: [Check] = [
        Check(
            .init("LIF-9", dependsOn: ["STA-1"], profile: .core), "Two caches that are open at once share nothing.",
            explanation: """
                Two caches are open; one puts, marks, loads what is not there, lets time pass, removes a tag, limits a group, \
                lets its writer fail, takes its listener away and reads, each as far as claimed, and the other answers as \
                if it were alone. Finds what is kept for the whole process instead of for a cache.
                """
        ) { (context) throws(CheckStop) in try IndependenceScenario(context).verify() }
    ]

    private static func doubleOpen(_ context: CheckContext) throws(CheckStop) {
        guard context.subject.needsDirectory else { throw .blocked("the subject has no directory") }
        let steps = [
            "open and put", "open the same directory, up to three times, the last time after 'maintain' in the first",
            "get in both", "remove in the first", "get in the second",
        ]
        let (found, stale) = try context.expecting("no error from the first store", steps: steps) {
            () throws(StoreError) -> (Bool, StoredEntry?) in
            let sandbox = try Sandbox(needsDirectory: true)
            defer { sandbox.end() }
            let first = try context.open(in: sandbox.directory)
            try first.put(DirectoryScenarios.entry(1), for: a)
            let isFound = try first.get(a) != nil
            var stale: StoredEntry?
            for attempt in 1...3 {
                if attempt == 3 { _ = first.instance.perform(.maintain) }
                guard let second = try? context.open(in: sandbox.directory) else { continue }
                _ = try? second.get(a)
                _ = try first.remove(a)
                stale = (try? second.get(a)) ?? nil
                try? second.close()
                break
            }
            try first.close()
            return (isFound, stale)
        }
        try context.require(
            stale == nil, observed: "the second store answers \(DirectoryScenarios.describe(stale))",
            permitted: "an error when opening, or nil", steps: steps)
        guard found else { throw .blocked("the witness: the entry was not found") }
    }
}
