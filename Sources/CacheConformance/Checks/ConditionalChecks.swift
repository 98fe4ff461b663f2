import CacheCore

/// CON: operations that look before they write, operations on several keys, and what is the same in each of the ways.
enum ConditionalChecks {
    private static let a = Array("a".utf8)
    private static let brief = PutTerms(timeToLiveNanoseconds: 10)
    private static let b = Array("b".utf8)
    private static let c = Array("c".utf8)
    private static let conditional = Claim.feature(.conditional)
    private static let bulk = Claim.feature(.bulk)

    private static let ofOneClient: [Check] = [
        Check(
            "CON-1", due: [conditional], "Put if absent stores where there is nothing and leaves alone what is there.",
            explanation:
                "Tries a missing key, a present one and a removed one. Witness: a hit. Finds one that overwrites."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .putIfAbsent(a, value(1)), .get(a), .putIfAbsent(a, value(2)), .get(a), .remove(a),
                    .putIfAbsent(a, value(3)), .get(a),
                ]))
        },
        Check(
            "CON-2", due: [conditional, .retains], "Of several threads that put if absent, one wins.",
            explanation: """
                Eight threads put a value of their own into 200 missing keys at once; exactly one of them is told that \
                it stored, and its value is the one that is there. The same with eight caches. Blocked where the cache \
                is not for several threads. Finds caches that look and then write without holding on to what they saw.
                """
        ) { (context) throws(CheckStop) in try oneWinner(context) },
        Check(
            "CON-3", due: [conditional], "Replacing a missing key stores nothing.",
            explanation: "Replaces a key that was never there and one that was removed. Witness: a neighbour is found."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(b, value(1)), .replace(a, value(2)), .get(a), .contains(a), .get(b), .put(a, value(3)),
                    .remove(a), .replace(a, value(4)), .get(a),
                ]))
        },
        Check(
            "CON-4", due: [conditional], "Replacing a present key stores the new value.",
            explanation:
                "Replaces twice and reads between. Witness: a hit. Finds a replace that reports and does nothing."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([.put(a, value(1)), .replace(a, value(2)), .get(a), .replace(a, value(3, 200)), .get(a)]))
        },
        Check(
            "CON-5", due: [conditional, .feature(.timeToLive), .retains],
            "A condition that fails leaves the value and its time to live as they were.",
            explanation: """
                Fails put-if-absent with another time to live half-way through the first one's life, then waits for the \
                end of the first. Finds conditions that refresh or end what they do not replace.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1), terms: PutTerms(timeToLiveNanoseconds: 100)), .advance(nanoseconds: 60),
                    .putIfAbsent(a, value(2), terms: PutTerms(timeToLiveNanoseconds: 100)),
                    .compareAndSet(a, expected: value(9), value(3)), .get(a), .advance(nanoseconds: 39), .get(a),
                    .advance(nanoseconds: 1), .get(a),
                ]))
        },
        Check(
            "CON-6", due: [conditional], "Compare and set stores where the value is the expected one, and only there.",
            explanation:
                "Expects the present, an earlier, a missing and an empty value, the beginning of one, ones that are alike as "
                + "text or numbers, and long ones of which a byte is another. Witness: a hit. Finds one that never looks, "
                + "one that takes nothing for an empty value, and ones that look at a part, or at what it means."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .compareAndSet(a, expected: value(1), value(2)), .get(a),
                    .compareAndSet(a, expected: value(1), value(3)), .get(a), .remove(a),
                    .compareAndSet(a, expected: value(2), value(4)), .get(a),
                    .compareAndSet(a, expected: .bytes([]), value(5)), .get(a), .put(a, value(6)),
                    .compareAndSet(a, expected: .bytes(Array(value(6).bytes(for: a).dropLast())), value(7)), .get(a),
                ]))
            try context.verify(
                Program(
                    OddContents.alike.enumerated().flatMap { (number, pair) -> [Operation] in
                        [
                            .put(a, .bytes(pair.there)),
                            .compareAndSet(a, expected: .bytes(pair.expected), value(number)), .get(a),
                        ]
                    }))
            try ManyScenario(context).compared()
        },
        Check(
            "CON-7", due: [.feature(.versions)],
            "A key is removed if it has the version that was marked, and only then.",
            explanation: """
                Marks and removes; then marks, overwrites and tries. Witness: a hit. Finds removals by an old version that \
                take a newer value away.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .mark(a), .removeIfMarked(a), .get(a), .put(a, value(2)), .mark(a),
                    .put(a, value(3)), .removeIfMarked(a), .get(a), .removeIfMarked(b),
                ]))
        },
        Check(
            "CON-8", due: [.feature(.versions)], "Every write gives a key another version, one of an equal value too.",
            explanation: """
                Marks, writes the same value again, and tries to set; then the same over a removal, over a clear, over \
                an end, over a step of a counter, over a rename after reopening, and over 256 and 65536 writes; a count \
                that is refused gives none. Witness: a hit. Finds versions that are a hash of the value, or that begin \
                anew.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .mark(a), .setIfMarked(a, value(2)), .get(a), .setIfMarked(a, value(3)), .get(a),
                    .mark(a), .put(a, value(2)), .setIfMarked(a, value(4)), .get(a), .mark(a), .remove(a),
                    .setIfMarked(a, value(5)), .put(a, value(2)), .setIfMarked(a, value(6)), .get(a),
                ]))
            try context.verify(
                Program([
                    .put(a, value(1)), .mark(a), .removeAll, .put(a, value(1)), .setIfMarked(a, value(2)), .get(a),
                ]))
            let others = context.claimed([
                .put(c, .bytes(Array("7".utf8))), .mark(c), .increment(c, by: 0), .setIfMarked(c, value(3)), .get(c),
            ])
            let ends: [Operation] = [
                .put(a, value(4), terms: brief), .mark(a), .advance(nanoseconds: 10), .put(a, value(4)),
                .setIfMarked(a, value(5)), .get(a),
            ]
            try context.verify(
                Program([.put(b, value(9)), .get(b)] + others + (context.claims.claims(.timeToLive) ? ends : [])))
            if context.claims.claims(.counter) {
                try context.verify(
                    Program([.put(a, value(1)), .mark(a), .increment(a, by: 1), .setIfMarked(a, value(2)), .get(a)]),
                    witness: .none)
            }
            if context.claims.durability >= .exit, context.claims.claims(.rename) {
                try context.verify(
                    Program([
                        .put(a, value(1)), .put(b, value(2)), .reopen, .get(a), .mark(b), .rename(a, to: b),
                        .setIfMarked(b, value(3)), .get(b),
                    ]))
            }
            try ManyScenario(context).versions()
        },
        Check(
            "CON-9", due: [conditional], "Exchange and take answer the value that was there.",
            explanation:
                "Exchanges on a missing and a present key, takes twice. Witness: a hit. Finds the new one answered."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .exchange(a, value(1)), .exchange(a, value(2)), .get(a), .take(a), .take(a), .get(a),
                    .exchange(a, value(3)), .get(a),
                ]))
        },
        Check(
            "CON-10", due: [bulk], "A read of several keys pairs each with its value, repeated and missing ones too.",
            explanation: """
                Reads with a missing key first, in the middle and a key twice; then puts where that is claimed, reads and \
                removes 3000 at once, or 300 on a disk. Witness: a hit. Finds wrong pairing, and bulks that are cut.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .put(b, value(2)), .getMany([c, a, b]), .getMany([b, c, a, b]), .getMany([]),
                    .remove(a), .getMany([a, b]),
                ]))
            try ManyScenario(context).atOnce()
        },
        Check(
            "CON-11", due: [.feature(.bulkPut)], "A write of several keys tells for each whether it was stored.",
            explanation: """
                Puts three of which the middle one has too long a key, or where keys may be that long, none. Witness: a \
                hit. Finds one answer for all, and writes that stop half-way and say nothing.
                """
        ) { (context) throws(CheckStop) in
            let limit = context.claims.keyBytesMax
            let long = limit < 1 << 20 ? [KeyedPayload([UInt8](repeating: 0x6B, count: limit + 1), value(9))] : []
            let items = [KeyedPayload(a, value(1))] + long + [KeyedPayload(b, value(2))]
            try context.verify(
                Program([
                    .put(a, value(0)), .putMany(items), .get(a), .get(b),
                    .putMany([KeyedPayload(b, value(3)), KeyedPayload(b, value(4))]), .get(b), .putMany([]),
                ]))
        },
        Check(
            "CON-12", due: [bulk], "A removal of several keys counts those that had a value.",
            explanation:
                "Removes present, missing, repeated and no keys. Witness: a hit before. Finds counts of what was asked, and none "
                + "that stands for all."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .put(b, value(2)), .get(a), .removeMany([]), .get(b), .removeMany([a, c, a]),
                    .get(a), .get(b),
                    .removeMany([a, b]), .get(b),
                ]))
        },
        Check(
            "CON-13", due: [.feature(.update), .retains], "An update is one step: of many at once none is lost.",
            explanation: """
                Eight threads count one key up 200 times each; it ends at 1600. The same with eight caches. Blocked \
                where the cache is not for several threads. Finds updates that read, compute and then write.
                """
        ) { (context) throws(CheckStop) in try countUp(context) },
        Check(
            "CON-14", due: [.feature(.update)], "An update that makes nothing of a value removes it.",
            explanation:
                "Updates to a value, to nothing, a missing key to nothing, and what has expired. Witness: a hit. Finds the old kept."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .update(a, .set(value(1))), .get(a), .update(a, .remove), .get(a), .contains(a),
                    .update(b, .remove),
                    .get(b), .update(b, .countUp), .update(b, .countUp), .get(b),
                    .put(b, .bytes(Array("4294967295".utf8))), .update(b, .countUp), .update(b, .countUp), .get(b),
                ]))
            guard context.claims.claims(.timeToLive) else { return }
            try context.verify(
                Program([
                    .update(b, .countUp), .get(b), .put(a, .bytes(Array("7".utf8)), terms: brief),
                    .advance(nanoseconds: 10), .update(a, .countUp), .get(a),
                ]))
        },
        Check(
            "CON-15", due: [.feature(.counter)], "A counter begins at 0, adds up, and stops where it says.",
            explanation: """
                Counts up over a change of digits and down again, below zero, and beyond the greatest number, where it \
                must refuse or tell what it holds from then on; then over values that are no number, or only all but, and, \
                where entries expire, after the end of one and before that of another. Witness: a hit. Finds digits that \
                stay when a number gets shorter, and counters that wrap in silence.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .increment(a, by: 9), .increment(a, by: 1), .get(a), .increment(a, by: -1), .get(a),
                    .increment(a, by: 0), .increment(a, by: -10), .increment(a, by: 3), .get(a),
                    .increment(b, by: .max), .increment(b, by: 1), .increment(b, by: 0), .put(b, value(1)),
                    .increment(b, by: 1), .get(b),
                ]))
            for text in [" 5", "5 ", "5\n", "1_0", "1.5", "0x10", "1e3", "010", "-3"] {
                try context.verify(
                    Program([.put(b, .bytes(Array(text.utf8))), .increment(b, by: 1), .get(b)]))
            }
            guard context.claims.claims(.timeToLive) else { return }
            let seven = Operation.put(a, .bytes(Array("7".utf8)), terms: brief)
            try context.verify(
                Program([
                    seven, .advance(nanoseconds: 10), .increment(a, by: 1), .get(a), seven, .advance(nanoseconds: 6),
                    .increment(a, by: 1), .get(a), .advance(nanoseconds: 4), .get(a),
                ]))
        },
    ]

    /// In the order of their numbers.
    static let all = ofOneClient + ofThreads + ofWays

    private static func countUp(_ context: CheckContext) throws(CheckStop) {
        let rounds = context.rounds(200)
        let steps = ["8 threads at once: count one key up \(rounds) times each", "get it"]
        for _ in 0..<context.runs(8) {
            let run = try context.threads(8, steps: steps) { _, instance in
                (0..<rounds).count { _ in
                    if case .entry(.some) = instance.perform(.update(a, .countUp)) { true } else { false }
                }
            }
            let done = run.results.reduce(0, +)
            let found = run.instance.perform(.get(a))
            _ = run.instance.perform(.close)
            try context.require(
                found == .entry(StoredEntry(DecimalText.bytes(done))) && done == 8 * rounds,
                observed: "\(ValueText.describe(found, of: .get(a))) after \(done) updates",
                permitted: "0x\(KeyText.hex(DecimalText.bytes(8 * rounds)[...])), which is \(8 * rounds)", steps: steps)
        }
    }

    private static func oneWinner(_ context: CheckContext) throws(CheckStop) {
        let keys = (0..<context.rounds(200)).map { Array("contended-\($0)".utf8) }
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
