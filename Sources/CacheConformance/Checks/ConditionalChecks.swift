import CacheCore

/// CON: operations that look before they write, operations on several keys, and what is said of entries.
enum ConditionalChecks: LetterKeys {
    private static let bulk = Claim.feature(.bulk)

    private static let ofLooks: [Check] = [
        Check(
            .init("CON-1", revision: 2, profile: .core, source: "JSR-107: putIfAbsent"), due: [.feature(.putIfAbsent)],
            "Put if absent stores where there is nothing and leaves alone what is there.",
            explanation:
                "Tries a missing key, a present one and a removed one. Witness: a hit. Finds one that overwrites.",
            [
                .putIfAbsent(a, value(1)), .get(a), .putIfAbsent(a, value(2)), .get(a), .remove(a),
                .putIfAbsent(a, value(3)), .get(a),
            ]),
        Check(
            .init("CON-2", revision: 2, dependsOn: ["CON-1"], source: "JSR-107: putIfAbsent"),
            due: [.feature(.putIfAbsent), .retains],
            "Of several threads that put if absent, one wins.",
            explanation: """
                Eight threads put a value of their own into 200 missing keys, or as many as there is room for, at once; exactly one of them is told that \
                it stored, and its value is the one that is there. The same with eight caches. Blocked where the cache \
                is not for several threads. Finds caches that look and then write without holding on to what they saw.
                """, body: oneWinner),
        Check(
            .init("CON-3", revision: 2, profile: .core, source: "JSR-107: replace"), due: [.feature(.replace)],
            "Replacing a missing key stores nothing.",
            explanation: "Replaces a key that was never there and one that was removed. Witness: a neighbour is found.",
            [
                .put(b, value(1)), .replace(a, value(2)), .get(a), .contains(a), .get(b), .put(a, value(3)),
                .remove(a), .replace(a, value(4)), .get(a),
            ]),
        Check(
            .init("CON-4", revision: 2, profile: .core, source: "JSR-107: replace"), due: [.feature(.replace)],
            "Replacing a present key stores the new value.",
            explanation:
                "Replaces twice and reads between. Witness: a hit. Finds a replace that reports and does nothing.",
            [.put(a, value(1)), .replace(a, value(2)), .get(a), .replace(a, value(3, 200)), .get(a)]),
        Check(
            .init(
                "CON-5", revision: 2, dependsOn: ["CON-1", "CON-3", "CON-6", "TTL-4"],
                source: "JSR-107: replace and failed conditions change nothing"),
            due: [.anyFeature([.putIfAbsent, .compareAndSet]), .feature(.timeToLive), .retains],
            "A condition that fails leaves the value and its time to live as they were.",
            explanation: """
                Fails a put-if-absent with another time to live, or a compare-and-set, half-way through the first one's life, \
                then waits for the end of the first. Finds conditions that refresh or end what they do not replace.
                """,
            [
                .put(a, value(1), terms: PutTerms(timeToLiveNanoseconds: 100)), .advance(nanoseconds: 60),
                .putIfAbsent(a, value(2), terms: PutTerms(timeToLiveNanoseconds: 100)),
                .compareAndSet(a, expected: value(9), value(3)), .get(a), .advance(nanoseconds: 39), .get(a),
                .advance(nanoseconds: 1), .get(a),
            ]),
        Check(
            .init("CON-6", revision: 3, profile: .core, source: "JSR-107: replace"), due: [.feature(.compareAndSet)],
            "Compare and set stores where the value is the expected one, and only there.",
            explanation: """
                Expects the present, an earlier, a missing and an empty value, the beginning of one, and one that differs at its \
                end. Witness: a hit. Finds one that never looks, one that takes nothing for an empty value, and ones that look at a part.
                """,
            [
                .put(a, value(1)), .compareAndSet(a, expected: value(1), value(2)), .get(a),
                .compareAndSet(a, expected: value(1), value(3)), .get(a), .remove(a),
                .compareAndSet(a, expected: value(2), value(4)), .get(a),
                .compareAndSet(a, expected: .bytes([]), value(5)), .get(a), .put(a, value(6)),
                .compareAndSet(a, expected: .bytes(Array(value(6).bytes(for: a).dropLast())), value(7)), .get(a),
                .put(a, .bytes([UInt8](repeating: 7, count: 40))),
                .compareAndSet(a, expected: .bytes([UInt8](repeating: 7, count: 39) + [8]), value(8)), .get(a),
            ]),
    ]

    private static let ofTakesAndBulks: [Check] = [
        Check(
            .init("CON-9", revision: 2, profile: .core, source: "JSR-107: getAndPut, getAndRemove"),
            due: [.anyFeature([.replace, .take])],
            "Exchange and take answer the value that was there.",
            explanation: """
                Exchanges on a missing and a present key, takes twice, each where it is claimed. Witness: a hit. Finds the new \
                one answered.
                """,
            [
                .exchange(a, value(1)), .exchange(a, value(2)), .get(a), .take(a), .put(a, value(3)), .get(a),
                .take(a), .take(a), .get(a), .exchange(a, value(4)), .get(a),
            ]),
        Check(
            .init("CON-10", revision: 3, profile: .core, source: "JSR-107: getAll; jaredwray/keyv#386"), due: [bulk],
            "A read of several keys pairs each with its value, repeated and missing ones too.",
            explanation: """
                Reads with a missing key first, in the middle, a key twice and, last, where nothing is there. Witness: a \
                hit. Finds wrong pairing, repeated keys that are answered once, and misses that are one answer for all.
                """,
            [
                .put(a, value(1)), .put(b, value(2)), .getMany([c, a, b]), .getMany([b, c, a, b]), .getMany([]),
                .remove(a), .getMany([a, b]), .remove(b), .getMany([a, b]),
            ]),
        Check(
            .init("CON-11", source: "JSR-107 TCK: putAll_partialSuccess"), due: [.feature(.bulkPut)],
            "A write of several keys tells for each whether it was stored.",
            explanation: """
                Puts three of which the middle one has too long a key, or where keys may be that long, none. Witness: a \
                hit. Finds one answer for all, and writes that stop half-way and say nothing.
                """
        ) { (context) throws(CheckStop) in
            let limit = context.claims.keyBytesMax
            let long = limit < 1 << 20 ? [KeyedPayload([UInt8](repeating: 0x6B, count: limit + 1), value(9))] : []
            let items = [KeyedPayload(a, value(1))] + long + [KeyedPayload(b, value(2))]
            try context.verify([
                .put(a, value(0)), .putMany(items), .get(a), .get(b),
                .putMany([KeyedPayload(b, value(3)), KeyedPayload(b, value(4))]), .get(b), .putMany([]),
            ])
        },
        Check(
            .init("CON-12", profile: .core, source: "Redis: DEL answers how many keys it removed"), due: [bulk],
            "A removal of several keys counts those that had a value.",
            explanation:
                "Removes present, missing, repeated and no keys. Witness: a hit before. Finds counts of what was asked, and none "
                + "that stands for all.",
            [
                .put(a, value(1)), .put(b, value(2)), .get(a), .removeMany([]), .get(b), .removeMany([a, c, a]),
                .get(a), .get(b), .removeMany([a, b]), .get(b),
            ]),
        Check(
            .init(
                "CON-22", dependsOn: ["CON-10", "CON-12"],
                source: "couchbase/couchbase-lite-android#1091, dragonflydb/dragonfly#2121"), due: [bulk],
            "Operations over several keys take a thousand of them.",
            explanation: """
                Stores 1,100 entries, by one operation where that is claimed, reads 9, 101 and all of them at once, and removes all \
                but one; 130 where each put waits for the device. Witness: a hit. Finds limits of what is asked behind the cache, \
                such as 999 variables of a statement.
                """
        ) { (context) throws(CheckStop) in
            let names = KeyPool.many(context.claims)
            let puts =
                context.claims.claims(.bulkPut)
                ? [.putMany(names.enumerated().map { KeyedPayload($1, value($0)) })]
                : names.enumerated().map { CacheOperation.put($1, value($0)) }
            let reads = [9, 101, names.count].map { CacheOperation.getMany(Array(names[..<$0])) }
            try context.verify(
                puts + reads + [.get(names[0]), .removeMany(Array(names.dropFirst())), .get(names[0]), .get(names[1])])
        },
    ]

    /// In the order of their numbers.
    static let all = ofLooks + ofVersions + ofTakesAndBulks + ofCounting + ofThreads + ofTerms

    private static func oneWinner(_ context: CheckContext) throws(CheckStop) {
        let keys = (0..<(try context.most(context.rounds(200)))).map { Array("contended-\($0)".utf8) }
        let steps = ["8 threads at once, each its own value: putIfAbsent of \(keys.count) keys", "get each key"]
        for _ in 0..<context.runs(8) {
            let run = try context.threads(8, steps: steps) { thread, instance in
                keys.map { instance.perform(.putIfAbsent($0, value(thread))) == .flag(true) }
            }
            for (index, key) in keys.enumerated() {
                let winners = run.results.indices.filter { run.results[$0][index] }
                let found = run.instance.perform(.get(key))
                let isRight =
                    winners.count == 1 && found == .entry(StoredEntry(value(winners[0]).bytes(for: key)))
                try context.require(
                    isRight,
                    observed: "\(winners.count) threads stored; found \(ValueText.describe(found, of: .get(key)))",
                    permitted: "one winner, whose value is found", steps: steps)
            }
            _ = run.instance.perform(.close)
        }
    }
}
