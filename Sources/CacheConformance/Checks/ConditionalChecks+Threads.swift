import CacheCore

// What is one step although several threads take it at once.
extension ConditionalChecks {
    static let ofThreads: [Check] = [
        Check(
            .init("CON-16", dependsOn: ["CON-15"], source: "memcached: incr and decr"),
            due: [.feature(.counter), .retains],
            "A counter loses no step of many at once.",
            explanation: """
                Eight threads add 1 to one counter 200 times each; each sum is told once, and it ends at 1600. The \
                same with eight caches. Blocked where the cache is not for several threads. Finds counters that read, \
                add and then write.
                """, body: addUp),
        Check(
            .init("CON-17", dependsOn: ["CON-12"], source: "Redis: DEL answers how many keys it removed"),
            due: [.feature(.bulk), .retains],
            "Of several threads that remove the same keys at once, one is told of each.",
            explanation: """
                Eight threads remove the same 200 keys, or as many as there is room for, by one call each; what they are told adds up to that. The same \
                with eight caches. Blocked where the cache is not for several threads. Finds removals that count first \
                and remove then.
                """, body: removeOnce),
    ]

    private static func addUp(_ context: CheckContext) throws(CheckStop) {
        let rounds = context.rounds(200)
        let total = 8 * rounds
        let steps = ["8 threads at once: add 1 to one counter \(rounds) times each", "get it"]
        for _ in 0..<context.runs(8) {
            let run = try context.threads(8, steps: steps) { _, instance in
                (0..<rounds).map { _ in instance.perform(.increment(a, by: 1)) }
            }
            let found = run.instance.perform(.get(a))
            _ = run.instance.perform(.close)
            let sums = Set(run.results.joined())
            try context.require(
                sums == Set((1...total).map { .number($0) }) && found == .entry(StoredEntry(DecimalText.bytes(total))),
                observed: "\(ValueText.describe(found, of: .get(a))), with \(sums.count) different sums",
                permitted: "0x\(KeyText.hex(DecimalText.bytes(total)[...])), which is \(total), and each sum once",
                steps: steps)
        }
    }

    private static func removeOnce(_ context: CheckContext) throws(CheckStop) {
        let keys = (0..<(try context.most(context.rounds(200)))).map { Array("removed-\($0)".utf8) }
        let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }
        let steps = ["put \(keys.count) keys", "8 threads at once: removeMany of all"]
        for _ in 0..<context.runs(8) {
            let run = try context.threads(8, after: puts, steps: steps) { _, instance in
                if case .number(let count) = instance.perform(.removeMany(keys)) { count } else { 0 }
            }
            _ = run.instance.perform(.close)
            let total = run.results.reduce(0, +)
            try context.require(
                total == keys.count, observed: "\(total) removals", permitted: "\(keys.count)", steps: steps)
        }
    }
}
