import CacheCore

// What makes a new value of the one that is there, in one step: updates and counters.
extension ConditionalChecks {
    private static let brief = PutTerms(timeToLiveNanoseconds: 10)

    static let ofCounting: [Check] = [
        Check(
            .init("CON-13", source: "Java: ConcurrentMap.compute is one step"), due: [.feature(.update), .retains],
            "An update is one step: of many at once none is lost.",
            explanation: """
                Eight threads count one key up 200 times each; it ends at 1600. The same with eight caches. Blocked \
                where the cache is not for several threads. Finds updates that read, compute and then write.
                """, body: countUp),
        Check(
            .init("CON-14", revision: 2, source: "Java: ConcurrentMap.compute is one step"), due: [.feature(.update)],
            "An update that makes nothing of a value removes it.",
            explanation:
                "Updates to a value, to nothing, a missing key to nothing, and what has expired. Witness: a hit. Finds the old kept."
        ) { (context) throws(CheckStop) in
            try context.verify([
                .update(a, .set(value(1))), .get(a), .update(a, .remove), .get(a), .contains(a), .update(b, .remove),
                .get(b), .update(b, .countUp), .update(b, .countUp), .get(b),
            ])
            guard context.claims.claims(.timeToLive) else { return }
            try context.verify([
                .update(b, .countUp), .get(b), .put(a, .bytes(Array("7".utf8)), terms: brief),
                .advance(nanoseconds: 10), .update(a, .countUp), .get(a),
            ])
        },
        Check(
            .init("CON-15", revision: 3, source: "memcached: incr and decr; laravel/framework#32875"),
            due: [.feature(.counter)],
            "A counter begins at 0, adds up, and stops where it says.",
            explanation: """
                Counts up over a change of digits and down again, below zero, and beyond the greatest number, \
                where it must refuse or tell what it holds from then on; then over a value that is no number \
                and, where entries expire, after the end of one and before that of others, one of which is 0. Witness: a hit. \
                Finds digits that stay when a number gets shorter (memcached), counters that wrap in silence, and \
                zeros that are taken for nothing.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                .increment(a, by: 9), .increment(a, by: 1), .get(a), .increment(a, by: -1), .get(a),
                .increment(a, by: 0), .increment(a, by: -10), .increment(a, by: 3), .get(a),
                .increment(b, by: .max), .increment(b, by: 1), .increment(b, by: 0), .put(b, value(1)),
                .increment(b, by: 1), .get(b),
            ])
            guard context.claims.claims(.timeToLive) else { return }
            func counted(_ digit: Character, for time: Int64) -> [CacheOperation] {
                [
                    .put(a, .bytes(Array("\(digit)".utf8)), terms: brief), .advance(nanoseconds: time),
                    .increment(a, by: 1), .get(a),
                ]
            }
            try context.verify(
                counted("7", for: 10)
                    + ["7", "0"].flatMap {
                        counted($0, for: 6) + [.advance(nanoseconds: 4), .get(a)]
                    })
        },
    ]

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
}
